//! Encodes calls to the universal router that trade in the pool of a graduated launch; the callers decide what to trade.
use alloy::primitives::{Address, Bytes, U256, Uint};
use alloy::sol_types::SolValue;
use slipway_contracts::bindings::{IUniversalRouter, PoolKey};

/// Fee and spacing of the pools that launches graduate into.
const POOL_FEE: u32 = 1_000;
const TICK_SPACING: i32 = 60;

/// Commands and actions of the router.
const WRAP_NATIVE: u8 = 0x0b;
const UNWRAP_WRAPPED: u8 = 0x0c;
const POOL_SWAP: u8 = 0x10;
const SWAP_EXACT_IN_SINGLE: u8 = 0x06;
const SETTLE: u8 = 0x0b;
const TAKE: u8 = 0x0e;
const TAKE_ALL: u8 = 0x0f;
/// The router's constants for the caller and for itself, as recipients.
const CALLER: Address = Address::with_last_byte(1);
const ROUTER: Address = Address::with_last_byte(2);

pub(crate) type Command = (u8, Bytes);

/// One swap in the pool of a launch, with a given input.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Swap {
    pub(crate) hook: Address,
    pub(crate) paid: Address,
    pub(crate) bought: Address,
    pub(crate) amount: U256,
    pub(crate) minimum: U256,
    /// Whether the caller pays, rather than the router.
    pub(crate) from_caller: bool,
    /// Whether the output stays with the router, to be unwrapped.
    pub(crate) into_router: bool,
}

pub(crate) fn pool_key(hook: Address, one: Address, other: Address) -> PoolKey {
    PoolKey {
        currency0: one.min(other),
        currency1: one.max(other),
        fee: Uint::from(POOL_FEE),
        tickSpacing: TICK_SPACING.try_into().expect("the spacing has 24 bits"),
        hooks: hook,
    }
}

impl Swap {
    /// The command: swap, settle the input, take the output.
    pub(crate) fn command(self) -> Command {
        let Self { hook, paid, bought, amount, minimum, from_caller, into_router } = self;
        let params = IUniversalRouter::ExactInputSingleParams {
            poolKey: pool_key(hook, paid, bought),
            zeroForOne: paid < bought,
            amountIn: amount.to(),
            amountOutMinimum: minimum.to(),
            hookData: Bytes::new(),
        };
        let (take, taken) = if into_router {
            (TAKE, (bought, ROUTER, U256::ZERO).abi_encode_params())
        } else {
            (TAKE_ALL, (bought, minimum).abi_encode_params())
        };
        let inputs: Vec<Bytes> = vec![
            params.abi_encode().into(),
            (paid, amount, from_caller).abi_encode_params().into(),
            taken.into(),
        ];
        let actions = Bytes::from(vec![SWAP_EXACT_IN_SINGLE, SETTLE, take]);
        (POOL_SWAP, (actions, inputs).abi_encode_params().into())
    }
}

/// Wraps the native coins sent with the call, for the router itself.
pub(crate) fn wrap(amount: U256) -> Command {
    (WRAP_NATIVE, (ROUTER, amount).abi_encode_params().into())
}

/// Unwraps the router's whole balance, for the caller.
pub(crate) fn unwrap(minimum: U256) -> Command {
    (UNWRAP_WRAPPED, (CALLER, minimum).abi_encode_params().into())
}

/// The call that runs commands in order, without a deadline.
pub(crate) fn execute(commands: Vec<Command>) -> IUniversalRouter::executeCall {
    let (commands, inputs): (Vec<u8>, Vec<Bytes>) = commands.into_iter().unzip();
    IUniversalRouter::executeCall { commands: commands.into(), inputs, deadline: U256::MAX }
}
