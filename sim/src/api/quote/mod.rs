//! Quotes of the exchange: the best route for an exact input or output, its bounds, and on request the transaction for it.
mod transaction;

use std::sync::Arc;

use alloy::primitives::{Address, U256, U512};
use arc_swap::ArcSwap;

use super::refusal::Refusal;
use crate::chain::Chain;
use crate::clock::Clock;
use crate::state::exchange::ExchangeState;
use slipway_math::exchange::{Quote, RouteError, maximum_in_up, minimum_out_down};

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
    /// The router that executes the transactions.
    pub router: Address,
    /// Fixed price of the native coin, in whole dollars.
    pub native_price_usd: u64,
}

/// Which side of the trade is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum QuoteAmount {
    /// Exact input.
    In(U256),
    /// Exact output.
    Out(U256),
}

/// A request for a quote.
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

/// The limit beyond which the trade must fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bound {
    /// The minimum output.
    MinimumOut(U256),
    /// The maximum input.
    MaximumIn(U256),
}

/// A quote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct QuoteAnswer {
    /// Units of the input.
    pub amount_in: U256,
    /// Units of the output.
    pub amount_out: U256,
    /// The bound for this kind of request: the maximum always, the minimum only with slippage.
    pub bound: Option<Bound>,
    /// Whole tokens out per whole token in, scaled by 1e18; plain 1 where the coin is only wrapped.
    pub execution_rate: U512,
    /// The same for a trade too small to move the price, before fees.
    pub spot_rate: U512,
    /// Addresses of the route in mixed case. The wrapped coin replaces the native one wherever there are pairs.
    pub path: Vec<Arc<str>>,
    /// One minus execution over spot, scaled by 1e18.
    pub price_impact: u64,
    /// Fees of the liquidity providers, in units of the input.
    pub lp_fee: U256,
    /// The same as a part of the input, scaled by 1e9.
    pub lp_fee_part: u32,
    /// The requested slippage, in basis points.
    pub slippage_bps: Option<u16>,
    /// The transaction to sign, if it was requested and there is a route.
    pub transaction: Option<SwapTransaction>,
}

/// Quotes from the latest fold of the exchange; only a transaction asks the chain.
#[derive(Debug)]
pub(crate) struct SwapApi {
    venue: Venue,
    exchange: Arc<ArcSwap<ExchangeState>>,
    clock: Clock,
    chain: Chain,
    router_name: String,
}

impl SwapApi {
    /// Quotes from the published folds of the exchange.
    pub(crate) fn new(
        venue: Venue,
        exchange: Arc<ArcSwap<ExchangeState>>,
        clock: Clock,
        chain: Chain,
    ) -> Self {
        Self { venue, exchange, clock, chain, router_name: venue.router.to_checksum(None) }
    }

    /// The contracts of the exchange.
    #[must_use]
    pub(crate) fn venue(&self) -> &Venue {
        &self.venue
    }

    /// The router's address in mixed case.
    pub(crate) fn router_name(&self) -> &str {
        &self.router_name
    }

    /// The current state of the exchange.
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
            answer.transaction = Some(self.build(request, user, &quote, answer.bound).await?);
        }
        Ok(answer)
    }

    /// The answer without its transaction, and the route if there is one; makes no calls.
    pub(crate) fn quote_now(&self, request: &QuoteRequest) -> Result<(Option<Quote>, QuoteAnswer), Refusal> {
        if self.traded(request.token_in) == self.traded(request.token_out) {
            return if request.token_in == request.token_out {
                Err(Refusal::bad_input("quote-same-token", "tokenIn and tokenOut are the same token"))
            } else {
                Ok((None, wrap(request)))
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
        let answer = answer(&exchange, &quote, request).ok_or_else(|| no_route(insufficient))?;
        Ok((quote, answer))
    }

    /// The token whose pairs are used for a side.
    fn traded(&self, token: Address) -> Address {
        if token == NATIVE { self.venue.wrapped } else { token }
    }
}

/// None when the fold does not know a token of the route, which the route itself rules out.
///
/// Clause: QUOTE-RATES, FIG-RATES
fn answer(exchange: &ExchangeState, quote: &Quote, request: &QuoteRequest) -> Option<QuoteAnswer> {
    let path = quote.path();
    let (first, last) = (exchange.token(*path.first()?)?, exchange.token(*path.last()?)?);
    let (decimals_in, decimals_out) = (first.token.decimals, last.token.decimals);
    let bound = match request.amount {
        QuoteAmount::In(_) => request
            .slippage_bps
            .map(|slippage| Bound::MinimumOut(U256::from(minimum_out_down(quote.amount_out(), slippage)))),
        QuoteAmount::Out(_) => {
            let most = maximum_in_up(quote.amount_in(), request.slippage_bps.unwrap_or(0))?;
            Some(Bound::MaximumIn(U256::from(most)))
        }
    };
    let names = path.iter().map(|token| exchange.token(*token).map(|listed| Arc::clone(&listed.checksummed)));
    Some(QuoteAnswer {
        amount_in: U256::from(quote.amount_in()),
        amount_out: U256::from(quote.amount_out()),
        bound,
        execution_rate: quote.execution_rate_down(decimals_in, decimals_out)?,
        spot_rate: quote.spot_rate_down(decimals_in, decimals_out)?,
        path: names.collect::<Option<_>>()?,
        price_impact: quote.price_impact_down(),
        lp_fee: U256::from(quote.lp_fee_down()),
        lp_fee_part: quote.lp_fee_part(),
        slippage_bps: request.slippage_bps,
        transaction: None,
    })
}

/// Wraps or unwraps the native coin: one to one, without a route.
///
/// Clause: QUOTE-WRAP
fn wrap(request: &QuoteRequest) -> QuoteAnswer {
    let (QuoteAmount::In(amount) | QuoteAmount::Out(amount)) = request.amount;
    let bound = match request.amount {
        QuoteAmount::In(_) => request.slippage_bps.map(|slippage| {
            Bound::MinimumOut(scaled_down(amount, MAX_SLIPPAGE_BPS.saturating_sub(slippage)))
        }),
        QuoteAmount::Out(_) => Some(Bound::MaximumIn(scaled_up(
            amount,
            MAX_SLIPPAGE_BPS.saturating_add(request.slippage_bps.unwrap_or(0)),
        ))),
    };
    QuoteAnswer {
        amount_in: amount,
        amount_out: amount,
        bound,
        execution_rate: U512::ONE,
        spot_rate: U512::ONE,
        path: [request.token_in, request.token_out].map(|token| token.to_checksum(None).into()).to_vec(),
        price_impact: 0,
        lp_fee: U256::ZERO,
        lp_fee_part: 0,
        slippage_bps: request.slippage_bps,
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

/// Clause: QUOTE-NO-ROUTE
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
