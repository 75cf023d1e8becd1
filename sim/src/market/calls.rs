//! Calls of the market's accounts, encoded; where the contracts are is given, what is called is decided elsewhere.
use alloy::primitives::{Address, Bytes, TxKind, U160, U256, Uint, aliases::U48};
use alloy::sol_types::{SolCall, SolValue};
use slipway_contracts::bindings::{
    CaptchaAuth, CreateLaunchParams, IAllowanceTransfer, IERC20, ILaunchHook, IUniversalRouter, PoolKey,
};

use super::cast::{Actor, Call};
use super::plan::PlannedLaunch;

const LAUNCH_GAS: u64 = 3_500_000;
const BUY_GAS: u64 = 450_000;
/// The buy that fills a curve opens a pool and seeds it.
const LAST_BUY_GAS: u64 = 2_500_000;
const SELL_GAS: u64 = 400_000;
const POOL_GAS: u64 = 500_000;
const APPROVE_GAS: u64 = 80_000;

/// Fee and spacing of the pools that launches graduate into.
const POOL_FEE: u32 = 1_000;
const TICK_SPACING: i32 = 60;

/// Where the contracts of a chain are that the market calls.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Venue {
    pub(crate) hook: Address,
    pub(crate) wrapped: Address,
    pub(crate) universal_router: Address,
    pub(crate) permit2: Address,
    pub(crate) exchange: Option<ExchangeVenue>,
}

/// Where the exchange is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ExchangeVenue {
    pub(crate) factory: Address,
    pub(crate) router: Address,
}

pub(crate) fn call(actor: Actor, to: Address, value: U256, gas: u64, input: impl SolCall) -> Call {
    Call {
        actor,
        to: TxKind::Call(to),
        value,
        input: input.abi_encode().into(),
        gas,
    }
}

pub(crate) fn launch(venue: &Venue, planned: &PlannedLaunch, referral_code: Option<String>) -> Call {
    let texts = planned.metadata.clone();
    let params = CreateLaunchParams {
        name: texts.name,
        ticker: texts.ticker,
        description: texts.description,
        imageUrl: texts.image_url,
        messenger: texts.messenger,
        microblog: texts.microblog,
        website: texts.website,
        creatorFeeSplitBps: planned.creator_fee_split_bps,
        gainBps: planned.gain_bps,
        targetRaise: planned.target_raise.to(),
        antiSnipeDuration: planned.anti_snipe_duration,
        startTime: 0,
    };
    let actor = Actor::Creator(planned.creator);
    match referral_code {
        Some(code) => {
            let input = ILaunchHook::createLaunchWithReferralCall {
                params,
                referralCode: code,
            };
            call(actor, venue.hook, planned.prebuy, LAUNCH_GAS, input)
        }
        None => call(
            actor,
            venue.hook,
            planned.prebuy,
            LAUNCH_GAS,
            ILaunchHook::createLaunchCall { params },
        ),
    }
}

pub(crate) fn buy(
    venue: &Venue,
    actor: Actor,
    id: u64,
    quote: U256,
    last: bool,
    code: Option<String>,
) -> Call {
    let gas = if last { LAST_BUY_GAS } else { BUY_GAS };
    let plain = ILaunchHook::buyCall {
        launchId: U256::from(id),
        minTokensOut: U256::ZERO,
        auth: CaptchaAuth::default(),
    };
    let Some(code) = code else {
        return call(actor, venue.hook, quote, gas, plain);
    };
    let input = ILaunchHook::buyWithReferralCall {
        launchId: plain.launchId,
        minTokensOut: plain.minTokensOut,
        auth: plain.auth,
        referralCode: code,
    };
    call(actor, venue.hook, quote, gas, input)
}

pub(crate) fn sell(venue: &Venue, actor: Actor, id: u64, amount: u128) -> Call {
    let input = ILaunchHook::sellCall {
        launchId: U256::from(id),
        tokenAmount: amount,
        minEthOut: U256::ZERO,
        auth: CaptchaAuth::default(),
    };
    call(actor, venue.hook, U256::ZERO, SELL_GAS, input)
}

pub(crate) fn approve(actor: Actor, token: Address, spender: Address) -> Call {
    let input = IERC20::approveCall {
        spender,
        amount: U256::MAX,
    };
    call(actor, token, U256::ZERO, APPROVE_GAS, input)
}

/// Lets the universal router take a token through the permit contract.
pub(crate) fn permit(venue: &Venue, actor: Actor, token: Address) -> Call {
    let input = IAllowanceTransfer::approveCall {
        token,
        spender: venue.universal_router,
        amount: U160::MAX,
        expiration: U48::MAX,
    };
    call(actor, venue.permit2, U256::ZERO, APPROVE_GAS, input)
}

/// Pays native coin into the pool of a launch.
pub(crate) fn pool_buy(venue: &Venue, actor: Actor, token: Address, quote: U256) -> Call {
    const WRAP: u8 = 0x0b;
    const THE_ROUTER: Address = Address::with_last_byte(2);
    let wrap = (THE_ROUTER, quote).abi_encode_params();
    let swap = pool_swap(venue, venue.wrapped, token, quote, false);
    pool_call(venue, actor, quote, vec![(WRAP, wrap.into()), swap])
}

/// Pays tokens into the pool of a launch.
pub(crate) fn pool_sell(venue: &Venue, actor: Actor, token: Address, amount: U256) -> Call {
    let swap = pool_swap(venue, token, venue.wrapped, amount, true);
    pool_call(venue, actor, U256::ZERO, vec![swap])
}

fn pool_call(venue: &Venue, actor: Actor, value: U256, commands: Vec<(u8, Bytes)>) -> Call {
    let (commands, inputs): (Vec<u8>, Vec<Bytes>) = commands.into_iter().unzip();
    let input = IUniversalRouter::executeCall {
        commands: commands.into(),
        inputs,
        deadline: U256::MAX,
    };
    call(actor, venue.universal_router, value, POOL_GAS, input)
}

/// The router's command of one swap: swap, settle what is paid, take what is bought.
fn pool_swap(venue: &Venue, paid: Address, bought: Address, amount: U256, from_user: bool) -> (u8, Bytes) {
    const POOL_COMMAND: u8 = 0x10;
    const SWAP_EXACT_IN_SINGLE: u8 = 0x06;
    const SETTLE: u8 = 0x0b;
    const TAKE_ALL: u8 = 0x0f;
    let params = IUniversalRouter::ExactInputSingleParams {
        poolKey: pool_key(venue, paid, bought),
        zeroForOne: paid < bought,
        amountIn: amount.to(),
        amountOutMinimum: 0,
        hookData: Bytes::new(),
    };
    let inputs: Vec<Bytes> = vec![
        params.abi_encode().into(),
        (paid, amount, from_user).abi_encode_params().into(),
        (bought, U256::ZERO).abi_encode_params().into(),
    ];
    let actions = Bytes::from_static(&[SWAP_EXACT_IN_SINGLE, SETTLE, TAKE_ALL]);
    (POOL_COMMAND, (actions, inputs).abi_encode_params().into())
}

fn pool_key(venue: &Venue, one: Address, other: Address) -> PoolKey {
    PoolKey {
        currency0: one.min(other),
        currency1: one.max(other),
        fee: Uint::from(POOL_FEE),
        tickSpacing: TICK_SPACING.try_into().expect("the spacing has 24 bits"),
        hooks: venue.hook,
    }
}
