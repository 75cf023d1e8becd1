//! The query of a quote.
//!
//! Clause: QUOTE-REQ, QUOTE-ONE-AMOUNT, QUOTE-SLIP, QUOTE-NATIVE, QUOTE-READING
use alloy::primitives::U256;
use axum::http::Uri;
use serde_json::{Value, json};

use crate::api::quote::{MAX_SLIPPAGE_BPS, NATIVE, QuoteAmount, QuoteRequest};
use crate::api::refusal::Refusal;
use crate::services::input::{
    ACCOUNT_ADDRESS, AccountAddress, Boolean, Custom, DefaultTo, Input, Optional, Query, RequiredOr,
    WholeNumber,
};
use crate::services::openapi::Operation;

const TOKEN_IN: Input<AccountAddress, RequiredOr> = Input {
    name: "tokenIn",
    cause: "quote-address",
    meaning: "input token; the zero address is the native coin",
    kind: ACCOUNT_ADDRESS,
    presence: RequiredOr("quote-missing"),
};
const TOKEN_OUT: Input<AccountAddress, RequiredOr> = Input {
    name: "tokenOut",
    cause: "quote-address",
    meaning: "output token; the zero address is the native coin",
    kind: ACCOUNT_ADDRESS,
    presence: RequiredOr("quote-missing"),
};
/// An amount that most pairs can trade.
const EXAMPLE: u64 = 1_000_000;
macro_rules! units_rule {
    () => {
        "must be a positive whole number of the token's smallest units, of at most 256 bits"
    };
}
const UNITS: Custom<U256> = Custom {
    parse: units,
    rule: units_rule!(),
    schema: || json!({ "type": "string", "pattern": "^0*[1-9][0-9]{0,77}$" }),
};
const AMOUNT: Input<Custom<U256>, Optional> =
    Input { name: "amount", cause: "quote-amount", meaning: "exact input", kind: UNITS, presence: Optional };
const AMOUNT_OUT: Input<Custom<U256>, Optional> = Input {
    name: "amountOut",
    cause: "quote-amount",
    meaning: "exact output",
    kind: UNITS,
    presence: Optional,
};
const SLIPPAGE: Input<WholeNumber, Optional> = Input {
    name: "slippage",
    cause: "quote-slippage",
    meaning: "accepted slippage, basis points",
    kind: WholeNumber { min: 0, max: MAX_SLIPPAGE_BPS as u64 },
    presence: Optional,
};
const BUILD_TX: Input<Boolean, DefaultTo<bool>> = Input {
    name: "buildTx",
    cause: "quote-build-flag",
    meaning: "build the call of the router",
    kind: Boolean,
    presence: DefaultTo(false),
};
const USER_ADDRESS: Input<AccountAddress, Optional> = Input {
    name: "userAddress",
    cause: "quote-user-address",
    meaning: "wallet that swaps",
    kind: ACCOUNT_ADDRESS,
    presence: Optional,
};

/// The operation of a quote, without its answers.
pub(super) fn operation() -> Operation {
    let with_example = |mut parameter: Value, example: String| {
        parameter["schema"]["examples"] = json!([example]);
        parameter
    };
    Operation::get("getQuote", "Quotes a swap, and builds its transaction")
        .takes_written(with_example(TOKEN_IN.parameter(), NATIVE.to_string()))
        .takes(&TOKEN_OUT)
        .takes_written(with_example(AMOUNT.parameter(), EXAMPLE.to_string()))
        .takes_written(with_example(AMOUNT_OUT.parameter(), EXAMPLE.to_string()))
        .takes(&SLIPPAGE)
        .takes(&BUILD_TX)
        .takes(&USER_ADDRESS)
        .refuses(400, concat!("amount ", units_rule!()))
        .refuses(400, concat!("amountOut ", units_rule!()))
        .refuses(400, "tokenIn and tokenOut are the same token")
        .refuses(400, "both or neither of amount and amountOut are sent")
        .refuses(400, "buildTx is true and userAddress is missing")
}

/// Reads the query of a quote; other parameters are ignored.
pub(super) fn parse(uri: &Uri) -> Result<QuoteRequest, Refusal> {
    let query = Query::decode(uri)?;
    let (token_in, token_out) = (query.read(&TOKEN_IN)?, query.read(&TOKEN_OUT)?);
    let amount = amount(&query)?;
    let slippage_bps = query.read(&SLIPPAGE)?.and_then(|bps| u16::try_from(bps).ok());
    let build = query.read(&BUILD_TX)?;
    let user = query.read(&USER_ADDRESS)?;
    if build && user.is_none() {
        return Err(Refusal::bad_input(USER_ADDRESS.cause, "userAddress is required when buildTx is true"));
    }
    Ok(QuoteRequest { token_in, token_out, amount, slippage_bps, build_for: user.filter(|_| build) })
}

fn amount(query: &Query<'_>) -> Result<QuoteAmount, Refusal> {
    if query.has(&AMOUNT)? && query.has(&AMOUNT_OUT)? {
        return Err(Refusal::bad_input("quote-both-amounts", "amount and amountOut exclude each other"));
    }
    if let Some(units) = query.read(&AMOUNT)? {
        return Ok(QuoteAmount::In(units));
    }
    let units = query.read(&AMOUNT_OUT)?;
    units
        .map(QuoteAmount::Out)
        .ok_or_else(|| Refusal::bad_input("quote-no-amount", "one of amount and amountOut is required"))
}

/// A positive amount: only decimal digits.
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
