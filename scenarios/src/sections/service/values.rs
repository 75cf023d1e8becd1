//! Amounts, times and addresses, wherever they stand.
use alloy::primitives::U256;
use serde_json::{Value, json};

use super::endpoints::{ONE, QUOTE, pairs, quote, reads};
use super::http_semantics::same;
use crate::check::{Inconclusive, Need, Verdict};
use crate::client::http::{Answer, Ask};
use crate::expect::fields::excerpt;
use crate::expect::figure::is_smallest_unit;
use crate::expect::{holds, moment, ok_json};
use crate::market::{Listing, Market, Snapshot, as_no_verdict};
use crate::reads::{BATCH, OWNER, TOKEN, get, param, spellings};
use crate::world::World;

/// How many quotes are looked at.
const QUOTES: usize = 8;
/// Members of a quote that are amounts.
const AMOUNTS: [&str; 5] = ["amountIn", "amountOut", "minimumAmountOut", "maximumAmountIn", "lpFee"];
/// Members that hold a time as text.
const TIMES: [&str; 5] = ["created_at", "updated_at", "joined_at", "lastBidTime", "timestamp"];

pub(super) async fn amounts(world: &World) -> Verdict {
    let tokens = amounts_of_tokens(world).await?;
    let quotes = if world.has(Need::Swap) { amounts_of_quotes(world).await? } else { 0 };
    if tokens + quotes == 0 {
        let reason = "no answer holds an amount in smallest units".to_owned();
        return Err(Inconclusive::NoMaterial { reason }.into());
    }
    Ok(())
}

/// The raise of single tokens, where it is told as whole smallest units.
async fn amounts_of_tokens(world: &World) -> Verdict<usize> {
    let listing = Listing::read(world).await?;
    let mut seen = 0;
    for address in listing.addresses.iter().take(QUOTES) {
        let (answer, body) = world.token("SVC-AMOUNT", *address).await.map_err(as_no_verdict)?;
        let raise = &body["target_raise"];
        // With a decimal point it is no amount in smallest units.
        if raise.as_str().is_some_and(|text| !text.contains('.')) {
            amount_as_text(&answer, "target_raise", raise)?;
            seen += 1;
        }
    }
    Ok(seen)
}

async fn amounts_of_quotes(world: &World) -> Verdict<usize> {
    const CLAUSE: &str = "SVC-AMOUNT";
    let pairs = pairs(world).await?;
    if pairs.is_empty() {
        return Ok(0);
    }
    let mut choices = world.choices("service-amounts");
    let highest: U256 = ONE.parse().expect("digits");
    let mut quoted = 0;
    for case in 0..QUOTES {
        let (one, other) = *choices.pick(&pairs);
        let amount = choices.between(U256::from(1_000_000), highest).to_string();
        let mut ask = quote(world.swap()?, one, other, &amount);
        if case % 2 == 1 {
            ask.url.query_pairs_mut().append_pair("slippage", "50");
        }
        let answer = world.ask(ask).await?;
        // Whether there is a route is for other checks.
        if answer.status.as_u16() == 500 {
            continue;
        }
        let body = ok_json(CLAUSE, &answer)?;
        quoted += 1;
        for name in AMOUNTS {
            if let Some(value) = body.get(name) {
                amount_as_text(&answer, name, value)?;
            }
        }
        amount_as_text(&answer, "amountIn", &body["amountIn"])?;
        amount_as_text(&answer, "amountOut", &body["amountOut"])?;
    }
    Ok(quoted)
}

fn amount_as_text(answer: &Answer, name: &str, value: &Value) -> Verdict {
    let good = value.as_str().is_some_and(is_smallest_unit);
    let expected = format!("{name} as a string of decimal digits");
    holds("SVC-AMOUNT", answer, good, &expected, || format!("{name} = {}", excerpt(value)))
}

pub(super) async fn times(world: &World) -> Verdict {
    let mut seen = 0;
    for ask in reads(world).await? {
        let answer = world.ask(ask).await?;
        let body = ok_json("SVC-TIME", &answer)?;
        seen += times_within(&answer, &body)?;
    }
    if seen == 0 {
        let reason = "no answer holds a time".to_owned();
        return Err(Inconclusive::NoMaterial { reason }.into());
    }
    Ok(())
}

/// Judges every time inside a value; answers how many there were.
fn times_within(answer: &Answer, value: &Value) -> Verdict<usize> {
    let mut seen = 0;
    match value {
        Value::Array(items) => {
            for item in items {
                seen += times_within(answer, item)?;
            }
        }
        Value::Object(members) => {
            for (name, member) in members {
                // The Unix time of the last bid is a number by its own rule.
                if TIMES.contains(&name.as_str()) && !(name == "timestamp" && member.is_number()) {
                    let good = member.as_str().and_then(moment::nanoseconds).is_some();
                    holds("SVC-TIME", answer, good, &format!("{name} as ISO 8601 with a zone"), || {
                        format!("{name} = {}", excerpt(member))
                    })?;
                    seen += 1;
                }
                seen += times_within(answer, member)?;
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
    Ok(seen)
}

pub(super) async fn addresses(world: &World) -> Verdict {
    const CLAUSE: &str = "SVC-ADDR";
    let market = Market::read(world).await?;
    market.at_least(1)?;
    let tokens: Vec<_> = market.tokens().collect();
    let token = *world.choices("service-addresses").pick(&tokens);
    let rest = world.rest()?;
    let (by_token, by_owner) = (spellings(token.address), spellings(token.owner));
    for (address, owner) in by_token.iter().zip(&by_owner).skip(1) {
        let pairs = [
            (
                get(rest, TOKEN, &[param("address", &by_token[0])]),
                get(rest, TOKEN, &[param("address", address)]),
            ),
            (get(rest, OWNER, &[param("owner", &by_owner[0])]), get(rest, OWNER, &[param("owner", owner)])),
            (
                Ask::post_json(rest, BATCH, &json!({ "addresses": [by_token[0]] })),
                Ask::post_json(rest, BATCH, &json!({ "addresses": [address] })),
            ),
        ];
        for (plain, other) in &pairs {
            same(world, CLAUSE, plain, other).await?;
        }
        let answer = world.ask(pairs[2].1.clone()).await?;
        let found = ok_json(CLAUSE, &answer)?;
        let known = found["tokens"].as_array().is_some_and(|rows| rows.len() == 1);
        holds(CLAUSE, &answer, known, "the token under each spelling", || answer.excerpt())?;
    }
    if world.has(Need::Swap) {
        quotes(world).await?;
    }
    Ok(())
}

async fn quotes(world: &World) -> Verdict {
    let Some((one, other)) = pairs(world).await?.first().copied() else {
        return Ok(());
    };
    let swap = world.swap()?;
    let plain = quote(swap, one, other, ONE);
    let [_, upper, _] = spellings(one);
    let [lower, ..] = spellings(other);
    let query = [param("tokenIn", upper), param("tokenOut", lower), param("amount", ONE)];
    same(world, "SVC-ADDR", &plain, &get(swap, QUOTE, &query)).await?;
    Ok(())
}
