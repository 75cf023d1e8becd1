//! Typed bindings of every contract the platform and its clients call. Leaves out bytecode, addresses and any decision about a call.
//!
//! Bindings of our own contracts are generated from the committed ABIs; bindings of published contracts declare only the calls made here.

mod exchange;
mod own;
mod pool;

pub use exchange::{IERC20, IUniswapV2Factory, IUniswapV2Pair, IUniswapV2Router02, IWETH9};
pub use own::ILaunchHook::{
    CaptchaAuth, CreateLaunchParams, HookSetup, LaunchConfig, TradeAmounts, TradePrice,
};
pub use own::{IEmperorAuction, ILaunchHook, ILaunchToken, ILaunchViewer, IMintableToken};
pub use own::{ISaleSplitCalculator, ITokenFactory};
pub use pool::{
    IAllowanceTransfer, IPoolManager, IPositionManager, IStateView, IUniversalRouter, IV4Quoter, PoolKey,
};
