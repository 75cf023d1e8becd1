//! Variants of the swap service.
use serde_json::{Map, Value, json};

use super::Ground::Choice;
use super::{VariantRow, variant};
use crate::http::consistent::at;
use crate::http::exchange::{ProxiedResponse, remove};
use crate::http::mutation::Mutation::Response;
use crate::json::{round, times};

/// The tables of this layer.
pub(super) const TABLES: &[&[VariantRow]] = &[QUOTES, LISTS];

#[rustfmt::skip]
const QUOTES: &[VariantRow] = &[
    variant!(Swap, "rates-as-decimals", Choice("FIG-RATES"), "rates are decimal texts in whole tokens", Response("/api/quote", |request, response| ["executionRate", "spotRate"].iter().for_each(|name| at(request, response, "/api/quote", name, as_decimal)))),
    variant!(Swap, "rates-of-nine-places", Choice("FIG-RATES"), "rates are scaled by a billion", Response("/api/quote", |request, response| ["executionRate", "spotRate"].iter().for_each(|name| at(request, response, "/api/quote", name, by_a_billion))), alone),
    variant!(Swap, "fee-in-percent", Choice("FIG-RATES"), "lpFeePercent is a percentage", Response("/api/quote", |request, response| at(request, response, "/api/quote", "lpFeePercent", |value| times(value, 100.0)))),
    variant!(Swap, "impact-of-four-places", Choice("FIG-RATES"), "priceImpact has four decimal places", Response("/api/quote", |request, response| at(request, response, "/api/quote", "priceImpact", |impact| round(impact, 1e4)))),
    variant!(Swap, "fee-in-whole-tokens", Choice("SVC-AMOUNT-CHOSEN"), "lpFee is a decimal text in whole tokens", Response("/api/quote", |request, response| at(request, response, "/api/quote", "lpFee", as_decimal))),
    variant!(Swap, "slippage-not-repeated", Choice("SVC-CHOSEN"), "metadata do not repeat the slippage", Response("/api/quote", |_, response| remove(&mut response.body["metadata"], "slippageBps"))),
    variant!(Swap, "gas-with-a-wide-margin", Choice("FIG-GAS"), "a transaction names five times the gas it takes", Response("/api/quote", |request, response| at(request, response, "/api/quote", "gas", five_times))),
    variant!(Swap, "gas-in-hexadecimal", Choice("SVC-CHOSEN"), "gas, gas price and value of a transaction are hexadecimal quantities", Response("/api/quote", |_, response| hexadecimal(&mut response.body)), alone),
    variant!(Swap, "transaction-more-members", Choice("SVC-CHOSEN"), "a transaction names its type, chain and nonce as well", Response("/api/quote", |_, response| more_members(&mut response.body))),
    variant!(Swap, "deadline-far-ahead", Choice("QUOTE-DEADLINE"), "the call of a transaction is valid for ever", Response("/api/quote", |_, response| far_deadline(&mut response.body))),
];

#[rustfmt::skip]
const LISTS: &[VariantRow] = &[
    variant!(Swap, "pairs-wrapped", Choice("PAIRS"), "pairs are in a member `pairs`", Response("/api/pairs", |_, response| wrap(response, "pairs")), alone),
    variant!(Swap, "pairs-in-camel-case", Choice("PAIRS"), "fields of pairs have other names", Response("/api/pairs", |_, response| camel_case(&mut response.body))),
    variant!(Swap, "pair-figures-net", Choice("FIG-PAIRS"), "volumes and yields of pairs leave fees out", Response("/api/pairs", |request, response| ["volume_24h", "apr", "daily_fees", "liquidity_usd"].iter().for_each(|name| at(request, response, "/api/pairs", name, |value| times(value, 0.97)))), alone),
    variant!(Swap, "exchange-tokens-wrapped", Choice("SWAP-TOKENS"), "listed tokens are in a member `tokens`", Response("/api/tokens", |_, response| wrap(response, "tokens")), alone),
    variant!(Swap, "exchange-tokens-as-token-list", Choice("SWAP-TOKENS"), "listed tokens have the fields of a token list", Response("/api/tokens", |_, response| token_list(response))),
];

/// An amount of 18 places as a decimal text; the literal 1 of a wrap and 0 stay.
fn as_decimal(value: &mut Value) {
    if let Some(text) =
        value.as_str().filter(|text| text.len() > 1 && text.bytes().all(|digit| digit.is_ascii_digit()))
    {
        let padded = format!("{text:0>19}");
        let (whole, places) = padded.split_at(padded.len() - 18);
        *value = json!(format!("{whole}.{places}"));
    }
}

fn by_a_billion(value: &mut Value) {
    if let Some(text) = value.as_str().filter(|text| text.len() > 9) {
        *value = json!(text[..text.len() - 9]);
    }
}

fn five_times(value: &mut Value) {
    if let Some(gas) = value.as_str().and_then(|text| text.parse::<u64>().ok()) {
        *value = json!((gas * 5).to_string());
    }
}

fn hexadecimal(quote: &mut Value) {
    for name in ["gas", "gasPrice", "value"] {
        let value = quote.pointer_mut(&format!("/transaction/{name}"));
        if let Some(value) = value
            && let Some(number) = value.as_str().and_then(|text| text.parse::<u128>().ok())
        {
            *value = json!(format!("{number:#x}"));
        }
    }
}

fn more_members(quote: &mut Value) {
    if let Some(transaction) = quote.get_mut("transaction").and_then(Value::as_object_mut) {
        transaction.extend([
            ("type".to_owned(), json!("0x2")),
            ("chainId".to_owned(), json!(57073)),
            ("nonce".to_owned(), Value::Null),
        ]);
    }
}

/// The deadline is the last word before the path, whose offset an earlier word has.
fn far_deadline(quote: &mut Value) {
    const SELECTOR: usize = 10;
    const WORD: usize = 64;
    let Some(data) = quote.pointer_mut("/transaction/data") else { return };
    let Some(text) = data.as_str().filter(|text| text.len() > SELECTOR + 4 * WORD) else { return };
    let word = |at: usize| text.get(SELECTOR + at * WORD..SELECTOR + (at + 1) * WORD);
    let is_place =
        |at: usize, words: usize| word(at).is_some_and(|word| word == format!("{:064x}", words * 32));
    let words = if is_place(2, 5) {
        5
    } else if is_place(1, 4) {
        4
    } else {
        return;
    };
    let at = SELECTOR + (words - 1) * WORD;
    *data = json!(format!("{}{:064x}{}", &text[..at], u32::MAX, &text[at + WORD..]));
}

fn wrap(response: &mut ProxiedResponse, name: &str) {
    if response.is_ok() {
        response.body = json!({ name: response.body.take(), "updatedAt": 0 });
    }
}

fn camel_case(pairs: &mut Value) {
    for pair in pairs.as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut) {
        let members: Map<String, Value> = std::mem::take(pair);
        pair.extend(members.into_iter().map(|(name, value)| {
            let name = match name.as_str() {
                "pair_address" => "pairAddress",
                "liquidity_usd" => "tvlUsd",
                "volume_24h" => "volumeUsd",
                other => other,
            };
            (name.to_owned(), value)
        }));
    }
}

fn token_list(response: &mut ProxiedResponse) {
    for token in response.body.as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut) {
        token.insert("chainId".to_owned(), json!(57073));
        token.shift_remove("price_eth");
        token.insert(
            "logoURI".to_owned(),
            json!("ipfs://bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi"),
        );
    }
}
