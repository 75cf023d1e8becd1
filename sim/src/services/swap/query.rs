//! The query of a quote.
//!
//! Clause: QUOTE-REQ, QUOTE-ONE-AMOUNT, QUOTE-SLIP, QUOTE-NATIVE, QUOTE-READING
use alloy::primitives::U256;
use axum::http::Uri;
use serde_json::{Value, json};

use crate::api::quote::{MAX_SLIPPAGE_BPS, NATIVE, QuoteAmount, QuoteRequest};
use crate::api::refusal::Refusal;
use crate::services::input::{
    AccountAddress, Boolean, Custom, DefaultTo, Input, Optional, Query, RequiredOr, WholeNumber,
};
use crate::services::openapi::Operation;

const TOKEN_IN: Input<AccountAddress, RequiredOr> = Input {
    name: "tokenIn",
    cause: "quote-address",
    meaning: "input token; the zero address is the native coin",
    kind: AccountAddress,
    presence: RequiredOr("quote-missing"),
};
const TOKEN_OUT: Input<AccountAddress, RequiredOr> = Input {
    name: "tokenOut",
    cause: "quote-address",
    meaning: "output token; the zero address is the native coin",
    kind: AccountAddress,
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
    schema: || json!({ "type": "string", "pattern": "^0*[1-9][0-9]{0,77}$", "x-source": "uint256" }),
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
    kind: AccountAddress,
    presence: Optional,
};

/// A quote, but for what is answered.
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
        .refuses_beyond_form(concat!("amount ", units_rule!()))
        .refuses_beyond_form(concat!("amountOut ", units_rule!()))
        .distinct([TOKEN_IN.name, TOKEN_OUT.name])
        .exactly_one_of(&[AMOUNT.name, AMOUNT_OUT.name])
        .needs(BUILD_TX.name, true, USER_ADDRESS.name)
}

/// Reads the query of a quote; parameters of other names are passed over.
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

/// A positive amount: decimal digits and nothing else.
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

#[cfg(test)]
mod tests {
    use super::QuoteRequest;
    use crate::api::quote::QuoteAmount;
    use crate::api::refusal::Refusal;
    use alloy::primitives::{Address, U256};

    fn parse(query: &str) -> Result<QuoteRequest, Refusal> {
        super::parse(&format!("/api/quote?{query}").parse().expect("a request target"))
    }

    const TOKENS: &str = "tokenIn=0x0000000000000000000000000000000000000000&tokenOut=0x00000000000000000000000000000000000000Aa";

    fn cause(query: &str) -> &'static str {
        let refusal = parse(query).expect_err("the query is refused");
        assert_eq!(refusal.status, 400, "{query}");
        refusal.cause
    }

    fn with(rest: &str) -> String {
        format!("{TOKENS}&{rest}")
    }

    #[test]
    fn full_query_is_read() {
        let user = "0x00000000000000000000000000000000000000bb";
        let query = with(&format!("amount=007&slippage=50&buildTx=true&userAddress={user}&other=1"));
        let expected = QuoteRequest {
            token_in: Address::ZERO,
            token_out: Address::with_last_byte(0xaa),
            amount: QuoteAmount::In(U256::from(7)),
            slippage_bps: Some(50),
            build_for: Some(Address::with_last_byte(0xbb)),
        };
        assert_eq!(parse(&query), Ok(expected));
        let plain = parse(&with("amountOut=7&userAddress=")).expect("a quote without a transaction");
        assert_eq!(
            (plain.amount, plain.slippage_bps, plain.build_for),
            (QuoteAmount::Out(U256::from(7)), None, None)
        );
    }

    #[test]
    fn refusals_carry_their_cause() {
        let too_large = format!("amount={}0", U256::MAX);
        let cases = [
            ("", "quote-missing"),
            ("tokenIn=0x0000000000000000000000000000000000000000&amount=1", "quote-missing"),
            ("tokenIn=&tokenOut=&amount=1", "quote-missing"),
            (&with(""), "quote-no-amount"),
            (&with("amount="), "quote-no-amount"),
            (&with("amount=&amountOut="), "quote-no-amount"),
            (&with("amount=x&amountOut=1"), "quote-both-amounts"),
            (&with("amount=1&amountOut=1"), "quote-both-amounts"),
            (&with("amount=1&amount=1"), "query-repeated"),
            (&with(&too_large), "quote-amount"),
            (&with("amount=1&buildTx=yes"), "quote-build-flag"),
            (&with("amount=1&buildTx=true"), "quote-user-address"),
            (&with("amount=1&buildTx=true&userAddress="), "quote-user-address"),
            (&with("amount=1&userAddress=0x12"), "quote-user-address"),
            ("tokenIn=WETH&tokenOut=0x00000000000000000000000000000000000000aa&amount=1", "quote-address"),
            ("tokenIn=0x00000000000000000000000000000000000000zz&tokenOut=0x0&amount=1", "quote-address"),
        ];
        for (query, expected) in cases {
            assert_eq!(cause(query), expected, "{query}");
        }
        for text in ["0", "000", "-1", "%2B1", "1.0", "1e18", "0x10", "1+", "one", "%D9%A1"] {
            assert_eq!(cause(&with(&format!("amount={text}"))), "quote-amount", "{text}");
            assert_eq!(cause(&with(&format!("amountOut={text}"))), "quote-amount", "{text}");
        }
    }

    #[test]
    fn slippage_is_basis_points_up_to_100_percent() {
        for text in
            ["-1", "10001", "65537", "99999999999999999999", "0.5", "1e2", "abc", "%20", "NaN", "null"]
        {
            assert_eq!(cause(&with(&format!("amount=1&slippage={text}"))), "quote-slippage", "{text}");
        }
        for (text, bps) in [("0", 0), ("100", 100), ("50.0", 50), ("10000", 10_000)] {
            let request = parse(&with(&format!("amount=1&slippage={text}"))).expect("inside the limits");
            assert_eq!(request.slippage_bps, Some(bps));
        }
    }
}
