//! Encodes calls of the market's accounts; the caller gives the addresses, and the plan decides what to call.
use alloy::primitives::{Address, TxKind, U160, U256, aliases::U48};
use alloy::sol_types::SolCall;
use slipway_contracts::bindings::{
    CaptchaAuth, CreateLaunchParams, IAllowanceTransfer, IERC20, IEmperorAuction, ILaunchHook,
};
use slipway_contracts::deploy::QuoteAsset;

use super::accounts::{Account, PlannedCall};
use super::plan::PlannedLaunch;
use crate::pool_calls::{self, Command, Swap};

const LAUNCH_GAS: u64 = 3_500_000;
const BUY_GAS: u64 = 450_000;
/// Gas of the buy that fills a curve: it also opens a pool and seeds it.
const LAST_BUY_GAS: u64 = 2_500_000;
const SELL_GAS: u64 = 400_000;
const POOL_GAS: u64 = 500_000;
const APPROVE_GAS: u64 = 80_000;
const BID_GAS: u64 = 300_000;

/// Addresses of a chain's contracts that the market calls.
#[derive(Clone, Debug)]
pub(crate) struct Venue {
    pub(crate) hook: Address,
    pub(crate) wrapped: Address,
    pub(crate) universal_router: Address,
    pub(crate) permit2: Address,
    pub(crate) exchange: Option<ExchangeVenue>,
    pub(crate) quote_assets: Vec<QuoteAsset>,
    pub(crate) token_factory: Option<Address>,
    pub(crate) auction: Option<Address>,
}

/// The quote asset and hook of a launch; the zero address is the native coin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LaunchVenue {
    pub(crate) hook: Address,
    pub(crate) asset: Address,
}

impl Venue {
    /// The hook of the native coin, or of a quote asset by its index.
    pub(crate) fn launch_venue(&self, quote: Option<usize>) -> LaunchVenue {
        match quote {
            Some(index) => {
                LaunchVenue { hook: self.quote_assets[index].hook, asset: self.quote_assets[index].address }
            }
            None => LaunchVenue { hook: self.hook, asset: Address::ZERO },
        }
    }

    /// The token on the other side of a launch's pool.
    fn paired(&self, launch_venue: LaunchVenue) -> Address {
        if launch_venue.asset.is_zero() { self.wrapped } else { launch_venue.asset }
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct ExchangeVenue {
    pub(crate) factory: Address,
    pub(crate) router: Address,
}

pub(crate) fn call(actor: Account, to: Address, value: U256, gas: u64, input: impl SolCall) -> PlannedCall {
    PlannedCall { actor, to: TxKind::Call(to), value, input: input.abi_encode().into(), gas }
}

/// The launch parameters of a planned launch.
pub(crate) fn params(planned: &PlannedLaunch) -> CreateLaunchParams {
    let texts = planned.metadata.clone();
    CreateLaunchParams {
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
    }
}

pub(crate) fn launch(
    launch_venue: LaunchVenue,
    planned: &PlannedLaunch,
    referral_code: Option<String>,
) -> PlannedCall {
    let params = params(planned);
    let actor = planned.creator;
    let send = |value, input: Vec<u8>| PlannedCall {
        actor,
        to: TxKind::Call(launch_venue.hook),
        value,
        input: input.into(),
        gas: LAUNCH_GAS,
    };
    if !launch_venue.asset.is_zero() {
        let input = ILaunchHook::createLaunchWithQuoteCall {
            params,
            prebuyAmount: planned.prebuy,
            referralCode: referral_code.unwrap_or_default(),
        };
        return send(U256::ZERO, input.abi_encode());
    }
    let input = match referral_code {
        Some(code) => ILaunchHook::createLaunchWithReferralCall { params, referralCode: code }.abi_encode(),
        None => ILaunchHook::createLaunchCall { params }.abi_encode(),
    };
    send(planned.prebuy, input)
}

pub(crate) fn buy(
    launch_venue: LaunchVenue,
    actor: Account,
    id: u64,
    quote: U256,
    last: bool,
    code: Option<String>,
) -> PlannedCall {
    let gas = if last { LAST_BUY_GAS } else { BUY_GAS };
    let plain = ILaunchHook::buyCall {
        launchId: U256::from(id),
        minTokensOut: U256::ZERO,
        auth: CaptchaAuth::default(),
    };
    if !launch_venue.asset.is_zero() {
        let input = ILaunchHook::buyWithQuoteCall {
            launchId: plain.launchId,
            quoteAmount: quote,
            minTokensOut: plain.minTokensOut,
            auth: plain.auth,
            referralCode: code.unwrap_or_default(),
        };
        return call(actor, launch_venue.hook, U256::ZERO, gas, input);
    }
    let Some(code) = code else {
        return call(actor, launch_venue.hook, quote, gas, plain);
    };
    let input = ILaunchHook::buyWithReferralCall {
        launchId: plain.launchId,
        minTokensOut: plain.minTokensOut,
        auth: plain.auth,
        referralCode: code,
    };
    call(actor, launch_venue.hook, quote, gas, input)
}

pub(crate) fn sell(launch_venue: LaunchVenue, actor: Account, id: u64, amount: u128) -> PlannedCall {
    let input = ILaunchHook::sellCall {
        launchId: U256::from(id),
        tokenAmount: amount,
        minEthOut: U256::ZERO,
        auth: CaptchaAuth::default(),
    };
    call(actor, launch_venue.hook, U256::ZERO, SELL_GAS, input)
}

/// Bids for the next day at any price up to `value`; the excess is refunded.
pub(crate) fn bid(auction: Address, actor: Account, token: Address, value: U256) -> PlannedCall {
    call(actor, auction, value, BID_GAS, IEmperorAuction::bidCall { token })
}

pub(crate) fn approve(actor: Account, token: Address, spender: Address) -> PlannedCall {
    let input = IERC20::approveCall { spender, amount: U256::MAX };
    call(actor, token, U256::ZERO, APPROVE_GAS, input)
}

/// Approves the universal router for a token through the permit contract.
pub(crate) fn permit(venue: &Venue, actor: Account, token: Address) -> PlannedCall {
    let input = IAllowanceTransfer::approveCall {
        token,
        spender: venue.universal_router,
        amount: U160::MAX,
        expiration: U48::MAX,
    };
    call(actor, venue.permit2, U256::ZERO, APPROVE_GAS, input)
}

/// Buys in the pool of a launch with the quote asset; the native coin is wrapped first.
pub(crate) fn pool_buy(
    venue: &Venue,
    launch_venue: LaunchVenue,
    actor: Account,
    token: Address,
    quote: U256,
) -> PlannedCall {
    let native = launch_venue.asset.is_zero();
    let swap = pool_swap(launch_venue, venue.paired(launch_venue), token, quote, !native);
    if !native {
        return pool_call(venue, actor, U256::ZERO, vec![swap]);
    }
    pool_call(venue, actor, quote, vec![pool_calls::wrap(quote), swap])
}

/// Sells tokens in the pool of a launch.
pub(crate) fn pool_sell(
    venue: &Venue,
    launch_venue: LaunchVenue,
    actor: Account,
    token: Address,
    amount: U256,
) -> PlannedCall {
    let swap = pool_swap(launch_venue, token, venue.paired(launch_venue), amount, true);
    pool_call(venue, actor, U256::ZERO, vec![swap])
}

fn pool_call(venue: &Venue, actor: Account, value: U256, commands: Vec<Command>) -> PlannedCall {
    call(actor, venue.universal_router, value, POOL_GAS, pool_calls::execute(commands))
}

/// A swap at any price.
fn pool_swap(
    launch_venue: LaunchVenue,
    paid: Address,
    bought: Address,
    amount: U256,
    from_caller: bool,
) -> Command {
    let (hook, minimum) = (launch_venue.hook, U256::ZERO);
    Swap { hook, paid, bought, amount, minimum, from_caller, into_router: false }.command()
}
