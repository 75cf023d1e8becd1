//! The query of a quote, read strictly: what is not understood is refused by its own rule, never guessed.
use alloy::primitives::{Address, U256};
use axum::http::Uri;
use serde_json::{Value, json};

use crate::api::quote::{MAX_SLIPPAGE_BPS, NATIVE, QuoteAmount, QuoteRequest};
use crate::api::refusal::Refusal;
use crate::services::form::{Account, Flag, Form, Optional, Otherwise, Parameter, Read, Required};
use crate::services::openapi::Operation;
use crate::services::parameters::{Parameters, whole};

const TOKEN_IN: Parameter<Account, Required> = Parameter {
    name: "tokenIn",
    cause: "quote-address",
    meaning: "input token; the zero address is the native coin",
    form: Account,
    absent: Required,
};
const TOKEN_OUT: Parameter<Account, Required> = Parameter {
    name: "tokenOut",
    cause: "quote-address",
    meaning: "output token; the zero address is the native coin",
    form: Account,
    absent: Required,
};
/// An amount that most pairs can trade.
const EXAMPLE: u64 = 1_000_000;
const UNITS: Read<U256> = Read {
    read: units,
    rule: "must be a positive whole number of the token's smallest units, of at most 256 bits",
    schema: || json!({ "type": "string", "format": "uint256", "pattern": "^0*[1-9][0-9]*$" }),
};
const AMOUNT: Parameter<Read<U256>, Optional> = Parameter {
    name: "amount",
    cause: "quote-amount",
    meaning: "exact input",
    form: UNITS,
    absent: Optional,
};
const AMOUNT_OUT: Parameter<Read<U256>, Optional> = Parameter {
    name: "amountOut",
    cause: "quote-amount",
    meaning: "exact output",
    form: UNITS,
    absent: Optional,
};
const SLIPPAGE: Parameter<Read<u16>, Optional> = Parameter {
    name: "slippage",
    cause: "quote-slippage",
    meaning: "slippage that is borne, basis points",
    form: Read {
        read: slippage,
        rule: "must be a whole number of basis points from 0 to 10000",
        schema: || json!({ "type": "integer", "minimum": 0, "maximum": MAX_SLIPPAGE_BPS }),
    },
    absent: Optional,
};
const BUILD_TX: Parameter<Flag, Otherwise<bool>> = Parameter {
    name: "buildTx",
    cause: "quote-build-flag",
    meaning: "build the call of the router",
    form: Flag,
    absent: Otherwise(false),
};
const USER_ADDRESS: Parameter<Account, Optional> = Parameter {
    name: "userAddress",
    cause: "quote-user-address",
    meaning: "wallet that swaps; an empty one is as good as none",
    form: Account,
    absent: Optional,
};

/// A quote, but for what is answered.
pub(super) fn described() -> Operation {
    let with_example = |mut parameter: Value, example: String| {
        parameter["schema"]["examples"] = json!([example]);
        parameter
    };
    let mut user = USER_ADDRESS.described();
    user["allowEmptyValue"] = true.into();
    Operation::get("getQuote", "Quotes a swap, and builds its transaction")
        .takes_written(with_example(TOKEN_IN.described(), NATIVE.to_string()))
        .takes(&TOKEN_OUT)
        .takes_written(with_example(AMOUNT.described(), EXAMPLE.to_string()))
        .takes_written(with_example(AMOUNT_OUT.described(), EXAMPLE.to_string()))
        .takes(&SLIPPAGE)
        .takes(&BUILD_TX)
        .takes_written(user)
        .distinct([TOKEN_IN.name, TOKEN_OUT.name])
        .exactly_one_of(&[AMOUNT.name, AMOUNT_OUT.name])
        .needs(BUILD_TX.name, true, USER_ADDRESS.name)
}

/// Reads the query of a quote; parameters of other names are passed over.
pub(super) fn parse(uri: &Uri) -> Result<QuoteRequest, Refusal> {
    let query = Parameters::of(uri)?;
    let (token_in, token_out) = (token(&query, &TOKEN_IN)?, token(&query, &TOKEN_OUT)?);
    let amount = amount(&query)?;
    let slippage_bps = query.take(&SLIPPAGE)?;
    let build = query.take(&BUILD_TX)?;
    let user = user(&query)?;
    if build && user.is_none() {
        return Err(Refusal::bad_input(USER_ADDRESS.cause, "userAddress is required when buildTx is true"));
    }
    Ok(QuoteRequest { token_in, token_out, amount, slippage_bps, build_for: user.filter(|_| build) })
}

/// A required token; an empty one is as good as none.
fn token(query: &Parameters<'_>, field: &Parameter<Account, Required>) -> Result<Address, Refusal> {
    match query.text(field.name)? {
        None | Some("") => Err(Refusal::bad_input("quote-missing", format!("{} is required", field.name))),
        Some(text) => field.form.read(text).ok_or_else(|| field.refuse(text)),
    }
}

fn amount(query: &Parameters<'_>) -> Result<QuoteAmount, Refusal> {
    match (query.text(AMOUNT.name)?, query.text(AMOUNT_OUT.name)?) {
        (Some(text), None) => units(text).map(QuoteAmount::In).ok_or_else(|| AMOUNT.refuse(text)),
        (None, Some(text)) => units(text).map(QuoteAmount::Out).ok_or_else(|| AMOUNT_OUT.refuse(text)),
        (Some(_), Some(_)) => {
            Err(Refusal::bad_input("quote-both-amounts", "amount and amountOut exclude each other"))
        }
        (None, None) => Err(Refusal::bad_input("quote-no-amount", "one of amount and amountOut is required")),
    }
}

/// A positive amount: decimal digits and nothing else.
fn units(text: &str) -> Option<U256> {
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    // Amounts mostly fit a machine's integer, which is read much faster.
    let units = match text.parse::<u128>() {
        Ok(units) => U256::from(units),
        Err(_) => U256::from_str_radix(text, 10).ok()?,
    };
    Some(units).filter(|units| !units.is_zero())
}

fn slippage(text: &str) -> Option<u16> {
    whole(text).and_then(|bps| u16::try_from(bps).ok()).filter(|bps| *bps <= MAX_SLIPPAGE_BPS)
}

/// An empty address is what a client without a wallet sends: none.
fn user(query: &Parameters<'_>) -> Result<Option<Address>, Refusal> {
    match query.text(USER_ADDRESS.name)? {
        None | Some("") => Ok(None),
        Some(text) => USER_ADDRESS.form.read(text).map(Some).ok_or_else(|| USER_ADDRESS.refuse(text)),
    }
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
    fn a_full_query_is_read() {
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
    fn every_rule_refuses_by_its_own_name() {
        let too_large = format!("amount={}0", U256::MAX);
        let cases = [
            ("", "quote-missing"),
            ("tokenIn=0x0000000000000000000000000000000000000000&amount=1", "quote-missing"),
            ("tokenIn=&tokenOut=&amount=1", "quote-missing"),
            (&with(""), "quote-no-amount"),
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
        for text in ["", "0", "000", "-1", "%2B1", "1.0", "1e18", "0x10", "1+", "one", "%D9%A1"] {
            assert_eq!(cause(&with(&format!("amount={text}"))), "quote-amount", "{text}");
            assert_eq!(cause(&with(&format!("amountOut={text}"))), "quote-amount", "{text}");
        }
    }

    #[test]
    fn slippage_is_a_whole_number_up_to_the_whole() {
        for text in
            ["", "-1", "10001", "65537", "99999999999999999999", "0.5", "1e2", "abc", "%20", "NaN", "null"]
        {
            assert_eq!(cause(&with(&format!("amount=1&slippage={text}"))), "quote-slippage", "{text}");
        }
        for (text, bps) in [("0", 0), ("100", 100), ("10000", 10_000)] {
            let request = parse(&with(&format!("amount=1&slippage={text}"))).expect("inside the limits");
            assert_eq!(request.slippage_bps, Some(bps));
        }
    }
}
