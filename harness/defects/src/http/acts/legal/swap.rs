//! Acts of variants of the swap service.
use serde_json::{Map, Value, json};

use crate::http::act::{Act, Context, act};
use crate::http::exchange::ProxiedResponse;
use crate::json::{change_text, each_member};

pub(super) const ACTS: &[Act] = &[
    act!(After rates_as_decimals),
    act!(After rates_of_nine_places),
    act!(After fee_in_whole_tokens),
    act!(After gas_in_hexadecimal),
    act!(After far_deadline),
    act!(After minimum_of_the_sdk),
    act!(After camel_case_pairs),
];

/// The rates of a quote.
const RATES: [&str; 2] = ["executionRate", "spotRate"];

fn rates_as_decimals(_: &Context<'_>, response: &mut ProxiedResponse) {
    each_member(&mut response.body, &|_| true, &|name| RATES.contains(&name), &as_decimal);
}

fn rates_of_nine_places(_: &Context<'_>, response: &mut ProxiedResponse) {
    each_member(&mut response.body, &|_| true, &|name| RATES.contains(&name), &by_a_billion);
}

fn fee_in_whole_tokens(_: &Context<'_>, response: &mut ProxiedResponse) {
    each_member(&mut response.body, &|_| true, &|name| name == "lpFee", &as_decimal);
}

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

fn gas_in_hexadecimal(_: &Context<'_>, response: &mut ProxiedResponse) {
    for name in ["gas", "gasPrice", "value"] {
        let value = response.body.pointer_mut(&format!("/transaction/{name}"));
        if let Some(value) = value
            && let Some(number) = value.as_str().and_then(|text| text.parse::<u128>().ok())
        {
            *value = json!(format!("{number:#x}"));
        }
    }
}

/// The deadline is the last word before the path, whose offset an earlier word has.
fn far_deadline(_: &Context<'_>, response: &mut ProxiedResponse) {
    const SELECTOR: usize = 10;
    const WORD: usize = 64;
    let Some(data) = response.body.pointer_mut("/transaction/data") else { return };
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

/// The least output is the amount that becomes the output with slippage added, in the figure and in the call.
fn minimum_of_the_sdk(context: &Context<'_>, response: &mut ProxiedResponse) {
    const WHOLE: u128 = 10_000;
    let units = |name: &str| response.body[name].as_str().and_then(|text| text.parse::<u128>().ok());
    let points = context.sent.get("slippage").and_then(|text| text.trim().parse::<u128>().ok());
    let figures = units("amountOut").zip(units("minimumAmountOut")).zip(points);
    let Some(((out, before), points)) = figures else { return };
    let Some(scaled) = out.checked_mul(WHOLE) else { return };
    let least = scaled / (WHOLE + points);
    response.body["minimumAmountOut"] = json!(least.to_string());
    if let Some(data) = response.body.pointer_mut("/transaction/data") {
        change_text(data, |text| text.replacen(&format!("{before:064x}"), &format!("{least:064x}"), 1));
    }
}

fn camel_case_pairs(_: &Context<'_>, response: &mut ProxiedResponse) {
    for pair in response.body.as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut) {
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
