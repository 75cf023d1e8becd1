//! The query of a quote.
//!
//! Clause: QUOTE-REQ, QUOTE-ONE-AMOUNT, QUOTE-SLIP, QUOTE-NATIVE, QUOTE-READING
use alloy::primitives::U256;
use axum::http::Uri;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::api::quote::{MAX_SLIPPAGE_BPS, NATIVE, QuoteAmount, QuoteRequest};
use crate::api::refusal::Refusal;
use crate::services::input::kinds::{AccountAddress, Whole};
use crate::services::input::query;
use crate::services::openapi::Operation;

/// An amount that most pairs can trade.
const EXAMPLE: &str = "1000000";
const UNITS: &str = "must be a positive whole number of the token's smallest units, of at most 256 bits";

/// A positive amount in smallest units.
#[derive(Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(with = "String", extend("pattern" = "^0*[1-9][0-9]{0,77}$", "x-rule" = UNITS))]
struct PositiveUnits(U256);

impl TryFrom<String> for PositiveUnits {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        units(&text).map(Self).ok_or(UNITS)
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct QuoteParameters {
    /// input token; the zero address is the native coin
    #[schemars(extend("examples" = [NATIVE.to_string()]))]
    #[schemars(extend("x-cause" = "quote-address", "x-absence" = "quote-missing"))]
    token_in: AccountAddress,
    /// output token; the zero address is the native coin
    #[schemars(extend("x-cause" = "quote-address", "x-absence" = "quote-missing"))]
    token_out: AccountAddress,
    /// exact input
    #[schemars(extend("examples" = [EXAMPLE], "x-cause" = "quote-amount"))]
    amount: Option<PositiveUnits>,
    /// exact output
    #[schemars(extend("examples" = [EXAMPLE], "x-cause" = "quote-amount"))]
    amount_out: Option<PositiveUnits>,
    /// accepted slippage, basis points
    #[schemars(extend("x-cause" = "quote-slippage"))]
    slippage: Option<Whole<0, { MAX_SLIPPAGE_BPS as u64 }>>,
    /// build the call of the router
    #[serde(default)]
    #[schemars(extend("x-cause" = "quote-build-flag"))]
    build_tx: bool,
    /// wallet that swaps
    #[schemars(extend("x-cause" = "quote-user-address"))]
    user_address: Option<AccountAddress>,
}

/// The operation of a quote, without its answers.
pub(super) fn operation() -> Operation {
    Operation::get("getQuote", "Quotes a swap, and builds its transaction")
        .asks::<QuoteParameters>()
        .refuses(400, format!("amount {UNITS}"))
        .refuses(400, format!("amountOut {UNITS}"))
        .refuses(400, "tokenIn and tokenOut are the same token")
        .refuses(400, "both or neither of amount and amountOut are sent")
        .refuses(400, "buildTx is true and userAddress is missing")
}

/// Reads the query of a quote; other parameters are ignored.
pub(super) fn parse(uri: &Uri) -> Result<QuoteRequest, Refusal> {
    let asked: QuoteParameters = query(uri)?;
    let (token_in, token_out) = (asked.token_in.0, asked.token_out.0);
    let amount = match (asked.amount, asked.amount_out) {
        (Some(_), Some(_)) => Err(("quote-both-amounts", "amount and amountOut exclude each other")),
        (Some(units), None) => Ok(QuoteAmount::In(units.0)),
        (None, Some(units)) => Ok(QuoteAmount::Out(units.0)),
        (None, None) => Err(("quote-no-amount", "one of amount and amountOut is required")),
    };
    let amount = amount.map_err(|(cause, message)| Refusal::bad_input(cause, message))?;
    let slippage_bps = asked.slippage.and_then(|bps| u16::try_from(bps.0).ok());
    let user = asked.user_address.map(|user| user.0).filter(|_| asked.build_tx);
    if asked.build_tx && user.is_none() {
        return Err(Refusal::bad_input("quote-user-address", "userAddress is required when buildTx is true"));
    }
    Ok(QuoteRequest { token_in, token_out, amount, slippage_bps, build_for: user })
}

/// Parses a positive amount: only decimal digits.
fn units(text: &str) -> Option<U256> {
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    // Most amounts fit 128 bits, which are parsed much faster.
    let units = match text.parse::<u128>() {
        Ok(units) => U256::from(units),
        Err(_) => U256::from_str_radix(text, 10).ok()?,
    };
    Some(units).filter(|units| !units.is_zero())
}
