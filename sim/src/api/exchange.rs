//! Lists of the exchange: its pairs and tokens, with figures computed from reserves and from the trades of a day.
//!
//! Values are exact integers up to the last step; only the printed figures are floating-point numbers.
use std::sync::Arc;

use alloy::primitives::map::AddressMap;
use alloy::primitives::{Address, U512};
use schemars::JsonSchema;
use serde::Serialize;

use super::quote::SwapApi;
use super::schema::{AddressText, Amount, Units};
use crate::state::exchange::{ExchangeState, ListedToken};
use slipway_math::exchange::{FEE_DENOMINATOR, FEE_NUMERATOR, PairView};

/// Scale of values and prices below a wei.
const VALUE_SCALE: u64 = 1_000_000_000_000_000_000;
/// Scaled wei in one whole native coin, as the divisor of a printed figure.
const SCALED_COIN: f64 = 1e36;
const DAYS_A_YEAR: f64 = 365.0;
const PERCENT: f64 = 100.0;

/// The version of the exchange that the pairs belong to.
const VERSION: &str = "v2";
/// A pair's fee in hundredths of a basis point.
const FEE_TIER: u128 = (FEE_DENOMINATOR - FEE_NUMERATOR) * 1_000_000 / FEE_DENOMINATOR;

/// A pair in the list.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct Pair {
    pair_address: AddressText,
    token0: PairToken,
    token1: PairToken,
    reserve0: Units<u128>,
    reserve1: Units<u128>,
    // Value of both reserves; 0 while no pair connects to the native coin.
    #[schemars(with = "Amount")]
    liquidity_usd: f64,
    // In dollars.
    #[schemars(with = "Amount")]
    volume_24h: f64,
    // The fees of the day as a yearly rate of the liquidity, in percent.
    #[schemars(with = "Amount")]
    apr: f64,
    #[schemars(extend("const" = u64::try_from(FEE_TIER).expect("a small constant")))]
    fee_tier: u128,
    #[schemars(extend("const" = VERSION))]
    version: &'static str,
    // The liquidity providers' fees, in dollars.
    #[schemars(with = "Amount")]
    daily_fees: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
struct PairToken {
    address: AddressText<Arc<str>>,
    symbol: String,
    decimals: u8,
}

impl PairToken {
    fn of(listed: &ListedToken) -> Self {
        Self {
            address: AddressText(Arc::clone(&listed.checksummed)),
            symbol: listed.token.symbol.clone(),
            decimals: listed.token.decimals,
        }
    }
}

/// A token in the list; none of them has a logo.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "ExchangeToken")]
pub(crate) struct Token {
    address: AddressText<Arc<str>>,
    name: String,
    symbol: String,
    decimals: u8,
    #[serde(rename = "logoURI")]
    logo_uri: Option<String>,
    // Native coins for one whole token; 0 while no pair connects to the native coin.
    #[schemars(with = "Amount")]
    price_eth: f64,
}

/// Scaled wei per whole token, for every token that pairs connect to the native coin.
struct Prices<'state> {
    exchange: &'state ExchangeState,
    by_token: AddressMap<U512>,
}

impl SwapApi {
    /// Every pair of the factory, in creation order.
    ///
    /// Clause: PAIRS, PAIRS-LISTED, FIG-PAIRS
    #[must_use]
    pub(crate) fn pairs(&self) -> Vec<Pair> {
        let exchange = self.exchange();
        let prices = Prices::of(&exchange, self.venue().wrapped);
        exchange.pairs().filter_map(|pair| self.pair(&exchange, &prices, pair)).collect()
    }

    /// Every token that has a pair, in order of appearance.
    ///
    /// Clause: SWAP-TOKENS
    #[must_use]
    pub(crate) fn tokens(&self) -> Vec<Token> {
        let exchange = self.exchange();
        let prices = Prices::of(&exchange, self.venue().wrapped);
        let token = |listed: &ListedToken| Token {
            address: AddressText(Arc::clone(&listed.checksummed)),
            name: listed.token.name.clone(),
            symbol: listed.token.symbol.clone(),
            decimals: listed.token.decimals,
            logo_uri: None,
            price_eth: printed(prices.by_token.get(&listed.token.address).copied()),
        };
        exchange.tokens().map(token).collect()
    }

    fn pair(&self, exchange: &ExchangeState, prices: &Prices<'_>, pair: PairView) -> Option<Pair> {
        let usd = |value: Option<U512>| printed(value) * to_float(self.venue().native_price_usd);
        let value0 = prices.value_down(pair.token0, pair.reserves.reserve0);
        let value1 = prices.value_down(pair.token1, pair.reserves.reserve1);
        let liquidity_usd = usd(value0) + usd(value1);
        let volume = exchange.volume_of_day(pair.address, self.now());
        let traded0 = prices.value_down(pair.token0, volume.amount0);
        let volume_24h = usd(traded0.or_else(|| prices.value_down(pair.token1, volume.amount1)));
        let daily_fees = volume_24h * to_float(FEE_DENOMINATOR - FEE_NUMERATOR) / to_float(FEE_DENOMINATOR);
        let apr = if liquidity_usd > 0.0 { daily_fees * DAYS_A_YEAR / liquidity_usd * PERCENT } else { 0.0 };
        Some(Pair {
            pair_address: AddressText(pair.address),
            token0: PairToken::of(exchange.token(pair.token0)?),
            token1: PairToken::of(exchange.token(pair.token1)?),
            reserve0: Units(pair.reserves.reserve0),
            reserve1: Units(pair.reserves.reserve1),
            liquidity_usd,
            volume_24h,
            apr,
            fee_tier: FEE_TIER,
            version: VERSION,
            daily_fees,
        })
    }
}

impl<'state> Prices<'state> {
    /// Starts at the wrapped coin and goes outward; a token takes its price from the pair with the highest value on the other side.
    fn of(exchange: &'state ExchangeState, wrapped: Address) -> Self {
        let mut prices = Self { exchange, by_token: AddressMap::default() };
        prices.by_token.insert(wrapped, U512::from(VALUE_SCALE) * U512::from(VALUE_SCALE));
        let mut waiting: Vec<PairView> = exchange.pairs().collect();
        loop {
            let mut deepest: AddressMap<(U512, U512)> = AddressMap::default();
            waiting.retain(|pair| prices.look(pair, &mut deepest));
            if deepest.is_empty() {
                return prices;
            }
            prices.by_token.extend(deepest.into_iter().map(|(token, (_, price))| (token, price)));
        }
    }

    /// Records the price that a pair gives its unpriced token; returns whether the pair must be visited again.
    fn look(&self, pair: &PairView, deepest: &mut AddressMap<(U512, U512)>) -> bool {
        let (first, second) = ((pair.token0, pair.reserves.reserve0), (pair.token1, pair.reserves.reserve1));
        let ((known, held), (unknown, other)) =
            match (self.by_token.contains_key(&pair.token0), self.by_token.contains_key(&pair.token1)) {
                (true, false) => (first, second),
                (false, true) => (second, first),
                (both, _) => return !both,
            };
        let priced = self
            .value_down(known, held)
            .and_then(|value| Some((value, self.price_down(unknown, other, value)?)));
        if let Some((value, price)) = priced {
            let best = deepest.entry(unknown).or_insert((value, price));
            if value > best.0 {
                *best = (value, price);
            }
        }
        true
    }

    /// Scaled wei per whole token, given that `amount` units are worth `value`.
    fn price_down(&self, token: Address, amount: u128, value: U512) -> Option<U512> {
        value.checked_mul(self.units(token)?)?.checked_div(U512::from(amount))
    }

    /// Value of `amount` units of a priced token, in scaled wei.
    fn value_down(&self, token: Address, amount: u128) -> Option<U512> {
        self.by_token.get(&token)?.checked_mul(U512::from(amount))?.checked_div(self.units(token)?)
    }

    /// Units of one whole token; the wrapped coin may have no pair, and has 18 decimals.
    fn units(&self, token: Address) -> Option<U512> {
        let decimals = self.exchange.token(token).map_or(18, |listed| listed.token.decimals);
        U512::from(10).checked_pow(U512::from(decimals))
    }
}

fn printed(value: Option<U512>) -> f64 {
    value.map_or(0.0, |value| f64::from(value) / SCALED_COIN)
}

/// Converts small whole numbers exactly.
fn to_float(value: impl TryInto<u32>) -> f64 {
    f64::from(value.try_into().unwrap_or(u32::MAX))
}
