//! Acts that misread a request.
use hyper::header::{CONTENT_TYPE, HeaderValue};
use serde_json::json;

use crate::http::act::{Act, Context, act};
use crate::http::exchange::RequestParts;

pub(super) const ACTS: &[Act] = &[
    act!(Before capital_address_unknown),
    act!(Before live_address_unfound),
    act!(Before last_state),
    act!(Before first_link),
    act!(Before created_to_midnight),
    act!(Before search_alone),
    act!(Before day_timeframe),
    act!(Before exchanged_bounds),
    act!(Before first_address),
    act!(Before king_of_the_graduated),
    act!(Before any_content_type),
    act!(Before linked_flags),
    act!(Before any_chain),
    act!(Before late_offset),
    act!(Before unknown_period_dropped),
];

/// An address that no token has.
const NOBODY: &str = "0x000000000000000000000000000000000000dEaD";
/// Names of all flags in the body of a batch.
const BATCH_FLAGS: [&str; 3] = ["includeMetrics", "includeHolders", "includeSocials"];

fn capital_address_unknown(_: &Context<'_>, request: &mut RequestParts) {
    request.change("address", |text| {
        let capital = text.chars().skip(2).all(|letter| !letter.is_ascii_lowercase())
            && text.chars().skip(2).any(|letter| letter.is_ascii_uppercase());
        if capital { NOBODY.to_owned() } else { text.to_owned() }
    });
}

fn live_address_unfound(_: &Context<'_>, request: &mut RequestParts) {
    if request.get("status") == Some("live") {
        request.change("search", |text| if text.starts_with("0x") { NOBODY } else { text }.to_owned());
    }
}

fn day_timeframe(_: &Context<'_>, request: &mut RequestParts) {
    if let Some("5m" | "1h" | "6h") = request.get("timeframe") {
        request.drop("timeframe");
    }
}

fn first_address(_: &Context<'_>, request: &mut RequestParts) {
    request.change("addresses", |text| text.split(',').next().unwrap_or_default().to_owned());
}

/// Asks for graduated tokens instead.
fn king_of_the_graduated(_: &Context<'_>, request: &mut RequestParts) {
    "/api/tokens".clone_into(&mut request.path);
    request.set("status", "live");
}

fn exchanged_bounds(_: &Context<'_>, request: &mut RequestParts) {
    for (low, high) in
        [("fundingMin", "fundingMax"), ("marketCapMin", "marketCapMax"), ("txCountMin", "txCountMax")]
    {
        let number = |name| request.get(name).and_then(|text: &str| text.parse::<f64>().ok());
        if let (Some(least), Some(most)) = (number(low), number(high))
            && least > most
        {
            let (least, most) = (request.get(low).map(str::to_owned), request.get(high).map(str::to_owned));
            request.set(low, most.unwrap_or_default());
            request.set(high, least.unwrap_or_default());
        }
    }
}

fn any_content_type(_: &Context<'_>, request: &mut RequestParts) {
    request.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
}

/// Only the last of several states counts.
fn last_state(_: &Context<'_>, request: &mut RequestParts) {
    request.change("status", |text| text.rsplit(',').next().unwrap_or_default().to_owned());
}

fn first_link(_: &Context<'_>, request: &mut RequestParts) {
    request.change("socials", |text| text.split(',').next().unwrap_or_default().to_owned());
}

fn created_to_midnight(_: &Context<'_>, request: &mut RequestParts) {
    request.change("createdTo", |text| text.split_once('T').map_or(text, |(date, _)| date).to_owned());
}

fn search_alone(_: &Context<'_>, request: &mut RequestParts) {
    request.query.retain(|(name, _)| matches!(name.as_str(), "search" | "page" | "sortBy" | "timeframe"));
}

fn unknown_period_dropped(_: &Context<'_>, request: &mut RequestParts) {
    if request.get("period").is_some_and(|period| !["24h", "7d", "30d", "all"].contains(&period)) {
        request.drop("period");
    }
}

fn linked_flags(_: &Context<'_>, request: &mut RequestParts) {
    let off = BATCH_FLAGS.iter().filter(|name| request.body[**name] == json!(false)).count();
    if off == 2 {
        for name in BATCH_FLAGS {
            request.body[name] = json!(false);
        }
    }
}

fn any_chain(_: &Context<'_>, request: &mut RequestParts) {
    request.change("chainId", |text| {
        if matches!(text, "57073" | "4663") { text.to_owned() } else { "57073".to_owned() }
    });
}

fn late_offset(_: &Context<'_>, request: &mut RequestParts) {
    request.change_number("offset", |offset: u64| offset + u64::from(offset > 0));
}
