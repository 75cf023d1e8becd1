//! Variants of the REST service in the figures, times and addresses of its answers, and in what its filters make of them.
use serde_json::{Value, json};

use super::Ground::{Choice, Standard};
use super::{VariantRow, variant};
use crate::http::consistent::{at, tokens};
use crate::http::exchange::{ProxiedResponse, RequestParts};
use crate::http::mutation::Mutation::{Anywhere, Lie, Request, Response};
use crate::json::{each, each_member, items, times};

/// The tables of this layer.
pub(super) const TABLES: &[&[VariantRow]] = &[FIGURES, TIMES, POINTS, READINGS];

#[rustfmt::skip]
const FIGURES: &[VariantRow] = &[
    variant!(Rest, "figures-of-nine-digits", Choice("SVC-CHOSEN"), "figures of tokens have nine significant digits", Anywhere(|_, response| figures(&mut response.body, 9))),
    variant!(Rest, "list-figures-of-twelve-digits", Choice("FIG-ALIKE"), "figures of the list have twelve significant digits, those of other endpoints fifteen", Response("/api/tokens", |_, response| figures(&mut response.body, 12)), alone),
    variant!(Rest, "price-of-a-buyer", Choice("FIG-PRICE"), "price_eth is what a buyer pays, fees included", Anywhere(|_, response| tokens(response, "price_eth", |value| times(value, 1.02)))),
    variant!(Rest, "market-cap-of-four-fifths", Choice("FIG-MCAP"), "market_cap is the price of the supply in circulation", Lie(|request| bounds(request, ["marketCapMin", "marketCapMax"], |shown| shown / 0.8), |_, response| tokens(response, "market_cap", |value| times(value, 0.8)))),
    variant!(Rest, "progress-by-tokens", Choice("FIG-PROGRESS"), "funding_progress is the part of the tokens that is sold", Lie(progress_bounds, |_, response| tokens(response, "funding_progress", by_tokens))),
    variant!(Rest, "volume-net-of-fees", Choice("FIG-VOLUME"), "volumes leave fees out", Anywhere(|_, response| ["volume_24h", "volume_1h"].iter().for_each(|name| tokens(response, name, |value| times(value, 0.98))))),
    variant!(Rest, "change-since-another-price", Choice("FIG-CHANGE"), "changes of the price count from another price", Anywhere(|_, response| ["price_change_24h", "price_change_1h"].iter().for_each(|name| tokens(response, name, |value| times(value, 0.9))))),
    variant!(Rest, "holders-with-contracts", Choice("FIG-HOLDERS"), "the contracts of the platform are holders", Anywhere(|_, response| holders(response))),
    variant!(Rest Swap, "addresses-in-small-letters", Choice("FIG-ALIKE"), "addresses are written in small letters", Anywhere(|_, response| small_addresses(&mut response.body))),
];

#[rustfmt::skip]
const TIMES: &[VariantRow] = &[
    variant!(Rest, "times-with-milliseconds", Standard("ISO 8601-1 section 5.3"), "times have milliseconds", Anywhere(|_, response| each_time(&mut response.body, |seconds| format!("{seconds}.000Z")))),
    variant!(Rest, "times-with-offset", Standard("ISO 8601-1 section 5.3"), "the zone of times is an offset", Anywhere(|_, response| each_time(&mut response.body, |seconds| format!("{seconds}+00:00"))), alone),
    variant!(Rest, "times-of-another-zone", Standard("ISO 8601-1 section 5.3"), "times are those of another zone, with its offset", Anywhere(|_, response| each_time(&mut response.body, in_another_zone)), alone),
    variant!(Rest, "times-without-zone", Choice("SVC-TIME-ZONE"), "times other than created_at have no zone", Anywhere(|request, response| OTHER_TIMES.iter().for_each(|name| at(request, response, "/api/", name, without_zone)))),
    variant!(Rest, "times-in-seconds", Choice("SVC-TIME-ZONE"), "times other than created_at are Unix seconds in digits", Anywhere(|request, response| OTHER_TIMES.iter().for_each(|name| at(request, response, "/api/", name, in_seconds))), alone),
];

#[rustfmt::skip]
const POINTS: &[VariantRow] = &[
    variant!(Rest, "ten-times-the-points", Choice("REF-POINTS"), "everything earns ten times the points", Anywhere(ten_times_the_points)),
    variant!(Rest, "activity-in-other-words", Choice("FIG-REF"), "launches of referrals are an activity of another name", Response("/api/referral/stats", |_, response| activity(response, "token_creation", "launch"))),
    variant!(Rest, "milestones-in-other-words", Choice("REF-REWARD-MILESTONE"), "milestones of referrals are an activity of another name", Response("/api/referral/stats", |_, response| activity(response, "milestone", "graduation"))),
    variant!(Rest, "leaderboard-net-of-fees", Choice("FIG-LEAD"), "the volume of the leaderboard leaves fees out", Response("/api/leaderboard", |request, response| at(request, response, "/api/leaderboard", "volume_eth", |value| times(value, 0.98)))),
];

#[rustfmt::skip]
const READINGS: &[VariantRow] = &[
    variant!(Rest, "trending-by-market-cap", Choice("LIST-SORT-TRENDING"), "what trends is what is worth most", Request("/api/tokens", |request| request.replace("sortBy", "trending", "mcap-high"))),
    variant!(Rest, "bounds-excluded", Choice("LIST-READING"), "bounds of progress and market cap are excluded", Request("/api/tokens", excluded), alone),
    variant!(Rest, "transaction-bounds-excluded", Choice("LIST-TRADES"), "bounds of the transaction count are excluded", Request("/api/tokens", |request| request.change_number("txCountMin", |count: u64| count.saturating_add(1))), alone),
    variant!(Rest, "nothing-fills-a-page", Choice("LIST-NOTHING"), "a list without tokens has one page", Response("/api/tokens", |_, response| one_page(&mut response.body)), alone),
    variant!(Rest, "nothing-of-an-owner-fills-a-page", Choice("OWNER-NOTHING"), "an owner without tokens has one page", Response("/api/tokens/by-owner", |_, response| one_page(&mut response.body["pagination"])), alone),
    variant!(Rest, "recent-bounds-clamped", Choice("RECENT-ORDER"), "limits and offsets of recent launches that are out of bounds are brought within them", Request("/api/tokens/recent-v2", within_bounds)),
];

const OTHER_TIMES: [&str; 4] = ["updated_at", "joined_at", "timestamp", "lastBidTime"];

/// A number with so many significant digits.
fn significant(number: f64, digits: usize) -> f64 {
    format!("{number:.*e}", digits - 1).parse().unwrap_or(number)
}

fn figures(value: &mut Value, digits: usize) {
    each(value, &mut |value| {
        if let Some(number) = value.as_f64().filter(|_| value.is_f64()) {
            *value = json!(significant(number, digits));
        }
    });
}

/// A sold part of the tokens: it rises with the contributions, is ahead of them, and ends where they end.
fn by_tokens(value: &mut Value) {
    if let Some(number) = value.as_f64().filter(|number| *number > 0.0 && *number < 1.0) {
        *value = json!(number.powf(0.9));
    }
}

/// Changes the bounds of a figure, a little wider than exact so that a token stays within a bound that is its own figure.
fn bounds(request: &mut RequestParts, names: [&str; 2], change: impl Fn(f64) -> f64) {
    for (name, wider) in names.into_iter().zip([1.0 - 1e-12, 1.0 + 1e-12]) {
        request.change(name, |text| match text.trim().parse::<f64>() {
            Ok(bound) if bound > 0.0 && bound.is_finite() => (change(bound) * wider).to_string(),
            _ => text.to_owned(),
        });
    }
}

fn progress_bounds(request: &mut RequestParts) {
    for (name, wider) in [("fundingMin", 1.0 - 1e-12), ("fundingMax", 1.0 + 1e-12)] {
        request.change(name, |text| match text.trim().parse::<f64>() {
            Ok(bound) if bound > 0.0 && bound < 1.0 => {
                (bound.powf(1.0 / 0.9) * wider).min(1.0 - 1e-9).to_string()
            }
            _ => text.to_owned(),
        });
    }
}

fn holders(response: &mut ProxiedResponse) {
    tokens(response, "total_holders", |value| *value = json!(value.as_u64().unwrap_or_default() + 2));
    tokens(response, "dev_holding_percentage", |value| times(value, 0.9));
}

fn is_address(text: &str) -> bool {
    text.len() == 42 && text.starts_with("0x") && text.bytes().skip(2).all(|digit| digit.is_ascii_hexdigit())
}

fn small_addresses(value: &mut Value) {
    each(value, &mut |value| match value {
        Value::String(text) if is_address(text) => text.make_ascii_lowercase(),
        _ => {}
    });
}

/// Writes every time anew, given its date and time of day in UTC.
fn each_time(value: &mut Value, change: fn(&str) -> String) {
    each(value, &mut |value| {
        if let Some(seconds) = value.as_str().and_then(seconds_of) {
            *value = json!(change(seconds));
        }
    });
}

/// The date and the time of day of a time in UTC.
fn seconds_of(text: &str) -> Option<&str> {
    let seconds = text.strip_suffix('Z').filter(|seconds| seconds.len() >= 19)?;
    (text.parse::<jiff::Timestamp>().is_ok() && seconds.as_bytes()[10] == b'T').then(|| &seconds[..19])
}

fn in_another_zone(seconds: &str) -> String {
    let offset = jiff::tz::offset(2);
    let time = format!("{seconds}Z").parse::<jiff::Timestamp>().map(|time| offset.to_datetime(time));
    time.map_or_else(|_| format!("{seconds}Z"), |time| format!("{time}+02:00"))
}

fn without_zone(value: &mut Value) {
    if let Some(seconds) = value.as_str().and_then(seconds_of) {
        *value = json!(seconds);
    }
}

fn in_seconds(value: &mut Value) {
    if let Some(time) = value.as_str().and_then(|text| text.parse::<jiff::Timestamp>().ok()) {
        *value = json!(time.as_second().to_string());
    }
}

fn ten_times_the_points(request: &RequestParts, response: &mut ProxiedResponse) {
    if request.path.starts_with("/api/referral/") || request.path == "/api/leaderboard" {
        let wanted = |name: &str| name.contains("points");
        each_member(&mut response.body, &|_| true, &wanted, &|points| times(points, 10.0));
    }
}

fn activity(response: &mut ProxiedResponse, from: &str, to: &str) {
    for item in items(&mut response.body, "recent_activity").filter(|item| item["type"] == from) {
        item["type"] = json!(to);
    }
}

fn excluded(request: &mut RequestParts) {
    for (figure, most) in [("funding", 1.0), ("marketCap", 1e30)] {
        let names = ["Min", "Max"].map(|end| format!("{figure}{end}"));
        let [least, greatest] = names.each_ref().map(|name| {
            let bound: Option<f64> = request.get(name).and_then(|text| text.trim().parse().ok());
            bound.filter(|bound| *bound > 0.0 && *bound < most)
        });
        let above = least.map(f64::next_up);
        let below = greatest.map(f64::next_down).map(|below| match least {
            // Between one figure and itself there is none; the bounds stay in their order.
            Some(least) if Some(least) == greatest => least.next_up(),
            _ => below,
        });
        for (name, bound) in names.iter().zip([above, below]) {
            if let Some(bound) = bound {
                request.set(name, bound.to_string());
            }
        }
    }
}

fn one_page(totals: &mut Value) {
    let is_empty = ["totalCount", "total"].iter().any(|name| totals.get(*name) == Some(&json!(0)));
    if is_empty {
        totals["totalPages"] = json!(1);
    }
}

/// Brings limits and offsets that are out of bounds within them.
fn within_bounds(request: &mut RequestParts) {
    request.change_number("limit", |limit: i64| limit.clamp(1, 50));
    request.change_number("offset", |offset: i64| offset.max(0));
}
