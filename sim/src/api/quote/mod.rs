//! Quotes of the exchange: the best route for an exact input or output, its bounds, and on request the transaction for it.
mod holding;
mod transaction;

use std::sync::Arc;

use alloy::primitives::{Address, U256, U512};
use arc_swap::ArcSwap;
use schemars::JsonSchema;
use serde::Serialize;

use super::refusal::Refusal;
use super::schema::{AddressText, Share, Units};
use crate::chain::Chain;
use crate::clock::Clock;
use slipway_math::exchange::{LP_FEE_SCALE, Quote, RATE_SCALE, RouteError, maximum_in_up, minimum_out_down};

pub(crate) use crate::state::exchange::ExchangeState;
pub(crate) use transaction::{NO_GAS, OUT_OF_REACH, SwapTransaction};

/// The address that stands for the native coin in requests.
pub(crate) const NATIVE: Address = Address::ZERO;
/// The largest slippage, in basis points: the whole amount may be lost.
pub(crate) const MAX_SLIPPAGE_BPS: u16 = 10_000;

/// The contracts of the exchange and the price for its dollar figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Venue {
    /// The wrapped native coin.
    pub wrapped: Address,
    pub router: Address,
    /// Fixed price of the native coin, in whole dollars.
    pub native_price_usd: u64,
}

/// The given side of the trade.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum QuoteAmount {
    /// Exact input.
    In(U256),
    /// Exact output.
    Out(U256),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct QuoteRequest {
    /// The input token; the zero address is the native coin.
    pub token_in: Address,
    /// The output token; the zero address is the native coin.
    pub token_out: Address,
    /// The known amount, in the smallest unit; not zero.
    pub amount: QuoteAmount,
    /// Tolerated slippage, in basis points, at most 10 000.
    pub slippage_bps: Option<u16>,
    /// The sender of the transaction to build, if one is requested.
    pub build_for: Option<Address>,
}

/// A quote.
///
/// Clause: QUOTE-SHAPE
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Quote")]
pub(crate) struct QuoteAnswer {
    pub amount_in: Units,
    pub amount_out: Units,
    // For an exact input with slippage.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Units")]
    pub minimum_amount_out: Option<Units>,
    // For an exact output.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Units")]
    maximum_amount_in: Option<Units>,
    // Whole tokens out per whole token in, scaled by 1e18; plain 1 where the coin is only wrapped.
    pub execution_rate: Units<U512>,
    // The rate of a trade too small to move the price, before fees.
    spot_rate: Units<U512>,
    // The wrapped coin replaces the native one wherever there are pairs.
    #[schemars(length(min = 2))]
    pub path: Vec<AddressText<Arc<str>>>,
    // One minus execution over spot.
    #[schemars(with = "Share")]
    pub price_impact: f64,
    // In units of the input.
    pub lp_fee: Units,
    metadata: Metadata,
    // Present if requested and if there is a route.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SwapTransaction")]
    pub transaction: Option<SwapTransaction>,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Metadata {
    // The fee as a fraction of the input.
    #[schemars(with = "Share")]
    lp_fee_percent: f64,
    router_address: AddressText<Arc<str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u16", range(max = MAX_SLIPPAGE_BPS))]
    slippage_bps: Option<u16>,
}

/// Quotes from the latest fold of the exchange; only a transaction asks the chain.
#[derive(Debug)]
pub(crate) struct SwapApi {
    venue: Venue,
    /// The router's address as every answer writes it.
    router: Arc<str>,
    exchange: Arc<ArcSwap<ExchangeState>>,
    clock: Clock,
    chain: Chain,
}

impl SwapApi {
    /// Quotes from the published folds of the exchange.
    pub(crate) fn new(
        venue: Venue,
        exchange: Arc<ArcSwap<ExchangeState>>,
        clock: Clock,
        chain: Chain,
    ) -> Self {
        let router = venue.router.to_checksum(None).into();
        Self { venue, router, exchange, clock, chain }
    }

    #[must_use]
    pub(crate) fn venue(&self) -> &Venue {
        &self.venue
    }

    pub(crate) fn exchange(&self) -> Arc<ExchangeState> {
        self.exchange.load_full()
    }

    pub(crate) fn now(&self) -> u64 {
        self.clock.now()
    }

    /// Answers a request; a request without a route and a transaction that would fail are refused (500).
    pub(crate) async fn quote(&self, request: &QuoteRequest) -> Result<QuoteAnswer, Refusal> {
        let (quote, mut answer) = self.quote_now(request)?;
        if let (Some(user), Some(quote)) = (request.build_for, quote) {
            answer.transaction = Some(self.build(request, user, &quote, &answer).await?);
        }
        Ok(answer)
    }

    /// The answer without its transaction, and the route if there is one; makes no node calls.
    pub(crate) fn quote_now(&self, request: &QuoteRequest) -> Result<(Option<Quote>, QuoteAnswer), Refusal> {
        if self.traded(request.token_in) == self.traded(request.token_out) {
            return if request.token_in == request.token_out {
                Err(Refusal::bad_input("quote-same-token", "tokenIn and tokenOut are the same token"))
            } else {
                Ok((None, wrap(request, &self.router)))
            };
        }
        let (quote, answer) = self.route(request)?;
        Ok((Some(quote), answer))
    }

    fn route(&self, request: &QuoteRequest) -> Result<(Quote, QuoteAnswer), Refusal> {
        let exchange = self.exchange.load();
        let (token_in, token_out) = (self.traded(request.token_in), self.traded(request.token_out));
        let insufficient = RouteError::InsufficientLiquidity { token_in, token_out };
        let (QuoteAmount::In(amount) | QuoteAmount::Out(amount)) = request.amount;
        let graph = exchange.graph();
        let found = match (u128::try_from(amount), request.amount) {
            (Ok(amount), QuoteAmount::In(_)) => graph.best_exact_in(token_in, token_out, amount),
            (Ok(amount), QuoteAmount::Out(_)) => graph.best_exact_out(token_in, token_out, amount),
            (Err(_), _) => Err(insufficient),
        };
        let quote = found.map_err(no_route)?;
        let answer =
            answer(&exchange, &quote, request, &self.router).ok_or_else(|| no_route(insufficient))?;
        Ok((quote, answer))
    }

    /// The token whose pairs are used for a side.
    fn traded(&self, token: Address) -> Address {
        if token == NATIVE { self.venue.wrapped } else { token }
    }
}

/// `None` if the fold lacks a token of the route, which a route rules out.
///
/// Clause: QUOTE-RATES, QUOTE-UNITS, FIG-RATES
fn answer(
    exchange: &ExchangeState,
    quote: &Quote,
    request: &QuoteRequest,
    router: &Arc<str>,
) -> Option<QuoteAnswer> {
    let path = quote.path();
    let (first, last) = (exchange.token(*path.first()?)?, exchange.token(*path.last()?)?);
    let (decimals_in, decimals_out) = (first.token.decimals, last.token.decimals);
    let units = |amount| Units(U256::from(amount));
    let (minimum, maximum) = match request.amount {
        QuoteAmount::In(_) => {
            (request.slippage_bps.map(|slippage| minimum_out_down(quote.amount_out(), slippage)), None)
        }
        QuoteAmount::Out(_) => {
            (None, Some(maximum_in_up(quote.amount_in(), request.slippage_bps.unwrap_or(0))?))
        }
    };
    let names = path.iter().map(|token| Some(AddressText(Arc::clone(&exchange.token(*token)?.checksummed))));
    Some(QuoteAnswer {
        amount_in: units(quote.amount_in()),
        amount_out: units(quote.amount_out()),
        minimum_amount_out: minimum.map(units),
        maximum_amount_in: maximum.map(units),
        execution_rate: Units(quote.execution_rate_down(decimals_in, decimals_out)?),
        spot_rate: Units(quote.spot_rate_down(decimals_in, decimals_out)?),
        path: names.collect::<Option<_>>()?,
        price_impact: quote.price_impact_down() as f64 / RATE_SCALE as f64,
        lp_fee: units(quote.lp_fee_down()),
        metadata: Metadata {
            lp_fee_percent: f64::from(quote.lp_fee_part()) / f64::from(LP_FEE_SCALE),
            router_address: AddressText(Arc::clone(router)),
            slippage_bps: request.slippage_bps,
        },
        transaction: None,
    })
}

/// Wraps or unwraps the native coin: one to one, without a route.
///
/// Clause: QUOTE-WRAP
fn wrap(request: &QuoteRequest, router: &Arc<str>) -> QuoteAnswer {
    let (QuoteAmount::In(amount) | QuoteAmount::Out(amount)) = request.amount;
    let (minimum, maximum) = match request.amount {
        QuoteAmount::In(_) => {
            let least = |slippage| scaled_down(amount, MAX_SLIPPAGE_BPS.saturating_sub(slippage));
            (request.slippage_bps.map(least), None)
        }
        QuoteAmount::Out(_) => {
            let slippage = request.slippage_bps.unwrap_or(0);
            (None, Some(scaled_up(amount, MAX_SLIPPAGE_BPS.saturating_add(slippage))))
        }
    };
    let path = [request.token_in, request.token_out];
    QuoteAnswer {
        amount_in: Units(amount),
        amount_out: Units(amount),
        minimum_amount_out: minimum.map(Units),
        maximum_amount_in: maximum.map(Units),
        execution_rate: Units(U512::ONE),
        spot_rate: Units(U512::ONE),
        path: path.map(|token| AddressText(token.to_checksum(None).into())).to_vec(),
        price_impact: 0.0,
        lp_fee: Units(U256::ZERO),
        metadata: Metadata {
            lp_fee_percent: 0.0,
            router_address: AddressText(Arc::clone(router)),
            slippage_bps: request.slippage_bps,
        },
        transaction: None,
    }
}

/// `bps` ten-thousandths of an amount, for any amount, rounded down.
///
/// Clause: QUOTE-MIN-OUT
fn scaled_down(amount: U256, bps: u16) -> U256 {
    U256::saturating_from(U512::from(amount) * U512::from(bps) / U512::from(MAX_SLIPPAGE_BPS))
}

/// `bps` ten-thousandths of an amount, for any amount, rounded up; saturates at the largest integer.
///
/// Clause: QUOTE-MAX-IN
fn scaled_up(amount: U256, bps: u16) -> U256 {
    let product = U512::from(amount) * U512::from(bps);
    U256::saturating_from(product.div_ceil(U512::from(MAX_SLIPPAGE_BPS)))
}

/// Message of the refusal of a swap without a route.
pub(crate) const NO_ROUTE: &str = "the router cannot produce a route";

/// Clause: QUOTE-NO-ROUTE, QUOTE-CURVE
fn no_route(error: RouteError) -> Refusal {
    let cause = match error {
        RouteError::UnknownToken { .. } => "quote-unknown-token",
        RouteError::FeeOnTransfer { .. } => "quote-fee-on-transfer",
        RouteError::Decimals { .. } => "quote-decimals",
        RouteError::SameToken { .. } => "quote-same-token",
        RouteError::NoRoute { .. } => "quote-no-route",
        RouteError::InsufficientLiquidity { .. } => "quote-liquidity",
    };
    Refusal::internal(cause, NO_ROUTE).with_details(error.to_string())
}
