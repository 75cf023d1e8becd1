//! The spelling of amounts, times and addresses, wherever they occur.
use super::endpoints::reads;
use super::http_semantics::same;
use crate::answers::members::{excerpt, members_within};
use crate::answers::reads::{BATCH, EOTI, OWNER, QUOTE, TOKEN, spellings};
use crate::model::figure::is_smallest_unit;
use crate::model::moment;
use crate::prelude::*;
use crate::sections::swap::listed::{if_quoted, pairs};
use crate::sections::swap::market::asks;
use crate::truth::market::{Listing, Market};
use crate::truth::steady::{Snapshot, no_verdict_on};

/// Number of quotes that are read.
const QUOTES: usize = 8;
/// Members of a quote that hold amounts in smallest units.
const AMOUNTS: [&str; 4] = ["amountIn", "amountOut", "minimumAmountOut", "maximumAmountIn"];
/// Members of bid data that hold amounts in wei.
const BIDS: [&str; 3] = ["currentBid", "startBid", "lastBidAmount"];
/// Members that hold a time as text.
const TIMES: [&str; 5] = ["created_at", "updated_at", "joined_at", "lastBidTime", "timestamp"];

clause! {
    SVC_AMOUNT = "SVC-AMOUNT" (S14):
        "Amounts in smallest units are strings of decimal digits: no sign, leading zero or exponent.";
    check!("service-amounts" [Read; Rest] amounts: "looks at the bids for the Emperor and the amounts of generated quotes");
}
pub(super) async fn amounts(trial: &Trial<'_>) -> Verdict {
    let bids = amounts_of_bids(trial).await?;
    let quotes = if trial.has(Need::Swap) { amounts_of_quotes(trial, &AMOUNTS).await? } else { 0 };
    need_material(bids + quotes != 0, "no answer holds an amount in smallest units")
}

async fn amounts_of_bids(trial: &Trial<'_>) -> Verdict<usize> {
    let response = trial.read(EOTI, &[param("includeBidData", "true")]).await?;
    let body = response.json().unwrap_or_default();
    if !response.status.is_success() || body["bidData"].is_null() {
        return Ok(0);
    }
    for name in BIDS {
        amount_as_text(trial, &response, name, &body["bidData"][name])?;
    }
    Ok(BIDS.len())
}

clause! {
    SVC_AMOUNT_CHOSEN = "SVC-AMOUNT-CHOSEN" (choice S14, S79):
        "The raise of a token and the fee of a quote are amounts in smallest units as well.";
    check!("service-chosen-amounts" [Read; Rest] chosen_amounts: "looks at the raise of tokens and the fees of generated quotes");
}
pub(super) async fn chosen_amounts(trial: &Trial<'_>) -> Verdict {
    let tokens = amounts_of_tokens(trial).await?;
    let quotes = if trial.has(Need::Swap) { amounts_of_quotes(trial, &["lpFee"]).await? } else { 0 };
    need_material(tokens + quotes != 0, "no answer holds a raise or a fee")
}

/// Judges the raise of single tokens, if it is given in whole smallest units.
async fn amounts_of_tokens(trial: &Trial<'_>) -> Verdict<usize> {
    let listing = Listing::read(trial).await?;
    let mut seen = 0;
    for address in listing.addresses.iter().take(QUOTES) {
        let (response, body) = trial.token(*address).await.map_err(no_verdict_on)?;
        let raise = &body["target_raise"];
        // A text with a decimal point is not an amount in smallest units.
        if raise.as_str().is_some_and(|text| !text.contains('.')) {
            amount_as_text(trial, &response, "target_raise", raise)?;
            seen += 1;
        }
    }
    Ok(seen)
}

async fn amounts_of_quotes(trial: &Trial<'_>, names: &[&str]) -> Verdict<usize> {
    let pairs = pairs(trial).await?;
    if pairs.is_empty() {
        return Ok(0);
    }
    let mut choices = trial.choices("service-amounts");
    let mut quoted = 0;
    for case in 0..QUOTES {
        let (one, other) = *choices.pick(&pairs);
        let amount = choices.between(U256::from(1_000_000), U256::from(ETHER));
        let mut request = get(trial.swap()?, QUOTE, &asks(one, other, "amount", amount));
        if case % 2 == 1 {
            request.url.query_pairs_mut().append_pair("slippage", "50");
        }
        let response = trial.request(request).await?;
        // Whether a route exists is left to other checks.
        if !response.status.is_success() {
            continue;
        }
        let body = trial.ok_json(&response)?;
        quoted += 1;
        for name in names {
            if let Some(value) = body.get(*name) {
                amount_as_text(trial, &response, name, value)?;
            }
        }
    }
    Ok(quoted)
}

fn amount_as_text(trial: &Trial<'_>, response: &Response, name: &str, value: &Value) -> Verdict {
    let good = value.as_str().is_some_and(is_smallest_unit);
    let expected = format!("{name} as a string of decimal digits");
    trial.require_or(response, good, &expected, || format!("{name} = {}", excerpt(value)))
}

clause! {
    SVC_TIME = "SVC-TIME" (S13): "created_at is an ISO 8601 string.";
    check!("service-times" [Read; Rest] every_time(&TIMES[..1], "ISO 8601", |text| moment::nanoseconds(text).is_some()):
        "looks at created_at in every answer");
}

clause! {
    SVC_TIME_ZONE = "SVC-TIME-ZONE" (choice S13, S52, S66, S67, S69):
        "Every time given as text is ISO 8601 and has a zone.";
    check!("service-time-zones" [Read; Rest] every_time(&TIMES, "ISO 8601 with a zone", moment::has_zone):
        "looks at every time in every answer");
}
async fn every_time(trial: &Trial<'_>, names: &[&str], form: &str, is_good: fn(&str) -> bool) -> Verdict {
    let mut requests = reads(trial).await?;
    let bids = get(trial.rest()?, EOTI, &[param("includeBidData", "true")]);
    if trial.request(bids.clone()).await?.status.is_success() {
        requests.push(bids);
    }
    let mut seen = 0;
    for request in requests {
        let (response, body) = trial.with_json(trial.request(request).await?)?;
        for (name, value) in times_within(names, &body) {
            let good = value.as_str().is_some_and(is_good);
            let shown = || format!("{name} = {}", excerpt(value));
            trial.require_or(&response, good, &format!("{name} as {form}"), shown)?;
            seen += 1;
        }
    }
    need_material(seen != 0, "no answer holds a time")
}

/// Returns every time within a value, with its name.
fn times_within<'v>(names: &[&str], value: &'v Value) -> impl Iterator<Item = (&'v str, &'v Value)> {
    // The Unix time of the last bid is a number by a separate rule.
    let is_time = |(name, member): &(&str, &Value)| {
        names.contains(name) && !(*name == "timestamp" && member.is_number())
    };
    members_within(value).into_iter().filter(is_time)
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
        let (response, found) = trial.with_json(trial.request(pairs[2].1.clone()).await?)?;
        let known = found["tokens"].as_array().is_some_and(|rows| rows.len() == 1);
        trial.require(&response, known, "the token under each spelling")?;
    }
    if trial.has(Need::Swap) {
        quotes(trial).await?;
    }
    Ok(())
}

async fn quotes(trial: &Trial<'_>) -> Verdict {
    let Some((query, _)) = if_quoted(trial).await? else { return Ok(()) };
    let mut other = query.clone();
    for ((_, token), spelling) in other.iter_mut().zip([1, 0]) {
        *token = spellings(token.parse().expect("a quote is asked between addresses"))[spelling].clone();
    }
    let swap = trial.swap()?;
    same(trial, &get(swap, QUOTE, &query), &get(swap, QUOTE, &other)).await
}
