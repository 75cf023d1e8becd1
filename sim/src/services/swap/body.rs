//! The JSON bodies of the swap service. Amounts are decimal text; only figures for display are numbers.
use alloy::primitives::{U256, U512};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use crate::api::exchange::{PairRecord, TokenRecord};
use crate::api::quote::{Bound, MAX_SLIPPAGE_BPS, QuoteAnswer, SwapTransaction};
use crate::api::schema::{AddressText, Amount, Bytes, Share, Units};
use crate::state::exchange::ListedToken;
use slipway_math::exchange::{FEE_DENOMINATOR, FEE_NUMERATOR, LP_FEE_SCALE, RATE_SCALE};

/// Which exchange the pairs belong to.
const VERSION: &str = "v2";
/// A pair's fee in hundredths of a basis point.
const FEE_TIER: u128 = (FEE_DENOMINATOR - FEE_NUMERATOR) * 1_000_000 / FEE_DENOMINATOR;

/// A quote.
///
/// Clause: QUOTE-SHAPE
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Quote<'answer> {
    #[serde(serialize_with = "decimal")]
    #[schemars(with = "Units")]
    amount_in: U256,
    #[serde(serialize_with = "decimal")]
    #[schemars(with = "Units")]
    amount_out: U256,
    #[serde(serialize_with = "decimal_or_nothing", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Units")]
    minimum_amount_out: Option<U256>,
    #[serde(serialize_with = "decimal_or_nothing", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Units")]
    maximum_amount_in: Option<U256>,
    #[serde(serialize_with = "decimal_rate")]
    #[schemars(with = "Units")]
    execution_rate: U512,
    #[serde(serialize_with = "decimal_rate")]
    #[schemars(with = "Units")]
    spot_rate: U512,
    #[schemars(with = "Vec<AddressText>", length(min = 2))]
    path: Vec<&'answer str>,
    #[schemars(with = "Share")]
    price_impact: f64,
    #[serde(serialize_with = "decimal")]
    #[schemars(with = "Units")]
    lp_fee: U256,
    metadata: Metadata<'answer>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Transaction")]
    transaction: Option<Transaction>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Metadata<'answer> {
    #[schemars(with = "Share")]
    lp_fee_percent: f64,
    #[schemars(with = "AddressText")]
    router_address: &'answer str,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u16", range(max = MAX_SLIPPAGE_BPS))]
    slippage_bps: Option<u16>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Transaction {
    #[schemars(with = "AddressText")]
    from: String,
    #[schemars(with = "AddressText")]
    to: String,
    #[schemars(with = "Bytes")]
    data: String,
    #[serde(serialize_with = "decimal")]
    #[schemars(with = "Units")]
    value: U256,
    #[schemars(with = "Units")]
    gas_price: String,
    #[schemars(with = "Units")]
    gas: String,
}

impl<'answer> Quote<'answer> {
    pub(super) fn new(answer: &'answer QuoteAnswer, router: &'answer str) -> Self {
        let (minimum_amount_out, maximum_amount_in) = match answer.bound {
            Some(Bound::MinimumOut(amount)) => (Some(amount), None),
            Some(Bound::MaximumIn(amount)) => (None, Some(amount)),
            None => (None, None),
        };
        Self {
            amount_in: answer.amount_in,
            amount_out: answer.amount_out,
            minimum_amount_out,
            maximum_amount_in,
            execution_rate: answer.execution_rate,
            spot_rate: answer.spot_rate,
            path: answer.path.iter().map(|token| &**token).collect(),
            price_impact: fraction(answer.price_impact, RATE_SCALE),
            lp_fee: answer.lp_fee,
            metadata: Metadata {
                lp_fee_percent: f64::from(answer.lp_fee_part) / f64::from(LP_FEE_SCALE),
                router_address: router,
                slippage_bps: answer.slippage_bps,
            },
            transaction: answer.transaction.as_ref().map(Transaction::new),
        }
    }
}

impl Transaction {
    fn new(transaction: &SwapTransaction) -> Self {
        let call = &transaction.call;
        Self {
            from: call.from.to_checksum(None),
            to: call.to.to_checksum(None),
            data: call.data.to_string(),
            value: call.value,
            gas_price: transaction.gas_price.to_string(),
            gas: transaction.gas.to_string(),
        }
    }
}

/// A pair in the list.
#[derive(Serialize, JsonSchema)]
pub(super) struct Pair<'record> {
    #[schemars(with = "AddressText")]
    pair_address: &'record str,
    token0: PairToken<'record>,
    token1: PairToken<'record>,
    #[schemars(with = "Units")]
    reserve0: String,
    #[schemars(with = "Units")]
    reserve1: String,
    #[schemars(with = "Amount")]
    liquidity_usd: f64,
    #[schemars(with = "Amount")]
    volume_24h: f64,
    #[schemars(with = "Amount")]
    apr: f64,
    #[schemars(extend("const" = u64::try_from(FEE_TIER).expect("a small constant")))]
    fee_tier: u128,
    #[schemars(extend("const" = VERSION))]
    version: &'static str,
    #[schemars(with = "Amount")]
    daily_fees: f64,
}

#[derive(Serialize, JsonSchema)]
struct PairToken<'record> {
    #[schemars(with = "AddressText")]
    address: &'record str,
    symbol: &'record str,
    decimals: u8,
}

impl<'record> Pair<'record> {
    pub(super) fn new(record: &'record PairRecord) -> Self {
        let [token0, token1] = &record.tokens;
        Self {
            pair_address: &record.address,
            token0: PairToken::new(token0),
            token1: PairToken::new(token1),
            reserve0: record.pair.reserves.reserve0.to_string(),
            reserve1: record.pair.reserves.reserve1.to_string(),
            liquidity_usd: record.liquidity_usd,
            volume_24h: record.volume_24h,
            apr: record.apr,
            fee_tier: FEE_TIER,
            version: VERSION,
            daily_fees: record.daily_fees,
        }
    }
}

impl<'record> PairToken<'record> {
    fn new(listed: &'record ListedToken) -> Self {
        Self { address: &listed.checksummed, symbol: &listed.token.symbol, decimals: listed.token.decimals }
    }
}

/// A token in the list; none of them has a logo.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ExchangeToken")]
pub(super) struct Token<'record> {
    #[schemars(with = "AddressText")]
    address: &'record str,
    name: &'record str,
    symbol: &'record str,
    decimals: u8,
    #[serde(rename = "logoURI")]
    logo_uri: Option<&'record str>,
    #[schemars(with = "Amount")]
    price_eth: f64,
}

impl<'record> Token<'record> {
    pub(super) fn new(record: &'record TokenRecord) -> Self {
        let listed = &record.token;
        Self {
            address: &listed.checksummed,
            name: &listed.token.name,
            symbol: &listed.token.symbol,
            decimals: listed.token.decimals,
            logo_uri: None,
            price_eth: record.price_eth,
        }
    }
}

/// A scaled fraction as a number for display.
fn fraction(part: u64, scale: u64) -> f64 {
    part as f64 / scale as f64
}

/// Formats an amount. Most amounts fit 128 bits, whose digits are much cheaper.
///
/// Clause: SVC-AMOUNT, SVC-AMOUNT-CHOSEN
fn decimal<S: Serializer>(amount: &U256, serializer: S) -> Result<S::Ok, S::Error> {
    match u128::try_from(amount) {
        Ok(amount) => serializer.serialize_str(itoa::Buffer::new().format(amount)),
        Err(_) => serializer.collect_str(amount),
    }
}

fn decimal_rate<S: Serializer>(rate: &U512, serializer: S) -> Result<S::Ok, S::Error> {
    match u128::try_from(rate) {
        Ok(rate) => serializer.serialize_str(itoa::Buffer::new().format(rate)),
        Err(_) => serializer.collect_str(rate),
    }
}

fn decimal_or_nothing<S: Serializer>(amount: &Option<U256>, serializer: S) -> Result<S::Ok, S::Error> {
    match amount {
        Some(amount) => decimal(amount, serializer),
        None => serializer.serialize_none(),
    }
}
