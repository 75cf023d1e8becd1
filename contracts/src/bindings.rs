//! Typed bindings of every contract the platform and its clients speak to. Leaves out bytecode, addresses and any decision about a call.

mod exchange;
mod launch;
mod pool;
mod registry;

pub use exchange::{IERC20, IUniswapV2Factory, IUniswapV2Pair, IUniswapV2Router02, IWETH9};
pub use launch::{
    CaptchaAuth, CreateLaunchParams, ILaunchHook, ILaunchToken, ILaunchViewer, ISaleSplitCalculator,
    LaunchConfig, TradeAmounts, TradePrice,
};
pub use pool::{
    IAllowanceTransfer, IPoolManager, IPositionManager, IStateView, IUniversalRouter, IV4Quoter, PoolKey,
};
pub use registry::{BidData, IEmperorAuction, IMintableToken, ITokenFactory, TokenState, Win};
