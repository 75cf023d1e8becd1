//! Amounts, times and addresses, wherever they stand.

use super::endpoints::{ONE, QUOTE, pairs, quote, reads};
use super::http_semantics::same;
use crate::expect::fields::excerpt;
use crate::expect::figure::is_smallest_unit;
use crate::expect::moment;
use crate::market::{Listing, Market, Snapshot, as_no_verdict};
use crate::prelude::*;
use crate::reads::{BATCH, OWNER, TOKEN, spellings};

/// How many quotes are looked at.
const QUOTES: usize = 8;
/// Members of a quote that are amounts.
const AMOUNTS: [&str; 5] = ["amountIn", "amountOut", "minimumAmountOut", "maximumAmountIn", "lpFee"];
/// Members that hold a time as text.
const TIMES: [&str; 5] = ["created_at", "updated_at", "joined_at", "lastBidTime", "timestamp"];

clause! {
    SVC_AMOUNT = "SVC-AMOUNT" (S14):
        "Amounts in smallest units are strings of decimal digits: no sign, leading zero or exponent.";
    check!("service-amounts" [Read; Rest] amounts: "looks at the raise of tokens and the amounts of generated quotes");
}
pub(super) async fn amounts(trial: &Trial<'_>) -> Verdict {
    let tokens = amounts_of_tokens(trial).await?;
    let quotes = if trial.has(Need::Swap) { amounts_of_quotes(trial).await? } else { 0 };
    need_material(tokens + quotes != 0, "no answer holds an amount in smallest units")?;
    Ok(())
}

/// The raise of single tokens, where it is given as whole smallest units.
async fn amounts_of_tokens(trial: &Trial<'_>) -> Verdict<usize> {
    let listing = Listing::read(trial).await?;
    let mut seen = 0;
    for address in listing.addresses.iter().take(QUOTES) {
        let (response, body) = trial.token(*address).await.map_err(as_no_verdict)?;
        let raise = &body["target_raise"];
        // With a decimal point it is no amount in smallest units.
        if raise.as_str().is_some_and(|text| !text.contains('.')) {
            amount_as_text(trial, &response, "target_raise", raise)?;
            seen += 1;
        }
    }
    Ok(seen)
}

async fn amounts_of_quotes(trial: &Trial<'_>) -> Verdict<usize> {
    let pairs = pairs(trial).await?;
    if pairs.is_empty() {
        return Ok(0);
    }
    let mut choices = trial.choices("service-amounts");
    let highest: U256 = ONE.parse().expect("digits");
    let mut quoted = 0;
    for case in 0..QUOTES {
        let (one, other) = *choices.pick(&pairs);
        let amount = choices.between(U256::from(1_000_000), highest).to_string();
        let mut request = quote(trial.swap()?, one, other, &amount);
        if case % 2 == 1 {
            request.url.query_pairs_mut().append_pair("slippage", "50");
        }
        let response = trial.request(request).await?;
        // Whether there is a route is for other checks.
        if response.code() == 500 {
            continue;
        }
        let body = trial.ok_json(&response)?;
        quoted += 1;
        for name in AMOUNTS {
            if let Some(value) = body.get(name) {
                amount_as_text(trial, &response, name, value)?;
            }
        }
        amount_as_text(trial, &response, "amountIn", &body["amountIn"])?;
        amount_as_text(trial, &response, "amountOut", &body["amountOut"])?;
    }
    Ok(quoted)
}

fn amount_as_text(trial: &Trial<'_>, response: &Response, name: &str, value: &Value) -> Verdict {
    let good = value.as_str().is_some_and(is_smallest_unit);
    let expected = format!("{name} as a string of decimal digits");
    trial.holds(response, good, &expected, || format!("{name} = {}", excerpt(value)))
}

clause! {
    SVC_TIME = "SVC-TIME" (S13, S52): "Times given as text are ISO 8601 and carry a zone.";
    check!("service-times" [Read; Rest] times: "looks at every time in every answer");
}
pub(super) async fn times(trial: &Trial<'_>) -> Verdict {
    let mut seen = 0;
    for request in reads(trial).await? {
        let response = trial.request(request).await?;
        let body = trial.ok_json(&response)?;
        seen += times_within(trial, &response, &body)?;
    }
    need_material(seen != 0, "no answer holds a time")?;
    Ok(())
}

/// Judges every time inside a value; answers how many there were.
fn times_within(trial: &Trial<'_>, response: &Response, value: &Value) -> Verdict<usize> {
    let mut seen = 0;
    match value {
        Value::Array(items) => {
            for item in items {
                seen += times_within(trial, response, item)?;
            }
        }
        Value::Object(members) => {
            for (name, member) in members {
                // The Unix time of the last bid is a number by its own rule.
                if TIMES.contains(&name.as_str()) && !(name == "timestamp" && member.is_number()) {
                    let good = member.as_str().and_then(moment::nanoseconds).is_some();
                    trial.holds(response, good, &format!("{name} as ISO 8601 with a zone"), || {
                        format!("{name} = {}", excerpt(member))
                    })?;
                    seen += 1;
                }
                seen += times_within(trial, response, member)?;
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
    Ok(seen)
}

clause! {
    SVC_ADDR = "SVC-ADDR" (choice S16): "The letter case of an address does not matter to the answer.";
    check!("service-addresses" [Read; Rest] addresses:
        "repeats every read that takes an address in lower, upper and mixed case and compares");
}
pub(super) async fn addresses(trial: &Trial<'_>) -> Verdict {
    let market = Market::read(trial).await?;
    market.at_least(1)?;
    let tokens: Vec<_> = market.tokens().collect();
    let token = *trial.choices("service-addresses").pick(&tokens);
    let rest = trial.rest()?;
    let (by_token, by_owner) = (spellings(token.address), spellings(token.owner));
    for (address, owner) in by_token.iter().zip(&by_owner).skip(1) {
        let pairs = [
            (
                get(rest, TOKEN, &[param("address", &by_token[0])]),
                get(rest, TOKEN, &[param("address", address)]),
            ),
            (get(rest, OWNER, &[param("owner", &by_owner[0])]), get(rest, OWNER, &[param("owner", owner)])),
            (
                Request::post_json(rest, BATCH, &json!({ "addresses": [by_token[0]] })),
                Request::post_json(rest, BATCH, &json!({ "addresses": [address] })),
            ),
        ];
        for (plain, other) in &pairs {
            same(trial, plain, other).await?;
        }
        let response = trial.request(pairs[2].1.clone()).await?;
        let found = trial.ok_json(&response)?;
        let known = found["tokens"].as_array().is_some_and(|rows| rows.len() == 1);
        trial.shows(&response, known, "the token under each spelling")?;
    }
    if trial.has(Need::Swap) {
        quotes(trial).await?;
    }
    Ok(())
}

async fn quotes(trial: &Trial<'_>) -> Verdict {
    let Some((one, other)) = pairs(trial).await?.first().copied() else {
        return Ok(());
    };
    let swap = trial.swap()?;
    let plain = quote(swap, one, other, ONE);
    let [_, upper, _] = spellings(one);
    let [lower, ..] = spellings(other);
    let query = [param("tokenIn", upper), param("tokenOut", lower), param("amount", ONE)];
    same(trial, &plain, &get(swap, QUOTE, &query)).await?;
    Ok(())
}
