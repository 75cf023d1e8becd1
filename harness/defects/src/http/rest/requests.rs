//! Defects that misread a request.
use hyper::header::CONTENT_TYPE;
use hyper::header::HeaderValue;
use serde_json::{Value, json};

use crate::http::exchange::RequestParts;

/// An address that no token has.
const NOBODY: &str = "0x000000000000000000000000000000000000dEaD";
/// Names of all body fields of a batch.
const BATCH_FLAGS: [&str; 3] = ["includeMetrics", "includeHolders", "includeSocials"];

/// An address in capital letters leads nowhere.
pub(in crate::http) fn capital_address(request: &mut RequestParts) {
    request.change("address", |text| {
        let capital = text.chars().skip(2).all(|letter| !letter.is_ascii_lowercase())
            && text.chars().skip(2).any(|letter| letter.is_ascii_uppercase());
        if capital { NOBODY.to_owned() } else { text.to_owned() }
    });
}

/// Of several states only the last counts.
pub(in crate::http) fn last_status(request: &mut RequestParts) {
    request.change("status", |text| text.rsplit(',').next().unwrap_or_default().to_owned());
}

/// Among the live an address is looked for that no token has.
pub(in crate::http) fn live_address_unfound(request: &mut RequestParts) {
    if request.get("status") == Some("live") {
        request.change("search", |text| if text.starts_with("0x") { NOBODY } else { text }.to_owned());
    }
}

/// Of several links only the first counts.
pub(in crate::http) fn first_social(request: &mut RequestParts) {
    request.change("socials", |text| text.split(',').next().unwrap_or_default().to_owned());
}

/// The window is always a day.
pub(in crate::http) fn day_timeframe(request: &mut RequestParts) {
    if let Some("5m" | "1h" | "6h") = request.get("timeframe") {
        request.drop("timeframe");
    }
}

/// The upper bound of the market cap is passed over beside a lower one.
pub(in crate::http) fn lone_market_cap_min(request: &mut RequestParts) {
    drop_beside(request, "marketCapMin", "marketCapMax");
}

/// The upper bound of the count is passed over beside a lower one.
pub(in crate::http) fn lone_count_min(request: &mut RequestParts) {
    drop_beside(request, "txCountMin", "txCountMax");
}

/// A search passes over every other filter.
pub(in crate::http) fn search_alone(request: &mut RequestParts) {
    if request.has("search") {
        request.query.retain(|(name, _)| matches!(name.as_str(), "search" | "page" | "sortBy" | "timeframe"));
    }
}

fn drop_beside(request: &mut RequestParts, beside: &str, dropped: &str) {
    if request.has(beside) {
        request.drop(dropped);
    }
}

/// The time of day of the upper bound is cut off.
pub(in crate::http) fn created_to_midnight(request: &mut RequestParts) {
    request.change("createdTo", |text| match text.split_once('T') {
        Some((date, _)) => date.to_owned(),
        None => text.to_owned(),
    });
}

/// Page zero is the first page.
pub(in crate::http) fn page_zero(request: &mut RequestParts) {
    request.change("page", |text| if text == "0" { "1".to_owned() } else { text.to_owned() });
}

/// Bounds upside down change places, whatever they bound.
pub(in crate::http) fn exchange_bounds(request: &mut RequestParts) {
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

/// The oldest are asked for as the newest; the answer is turned around a page at a time.
pub(in crate::http) fn oldest_as_newest(request: &mut RequestParts) {
    request.change("sortBy", |text| if text == "oldest" { "newest".to_owned() } else { text.to_owned() });
}

/// A limit beyond the largest is the largest.
pub(in crate::http) fn clamp_to_hundred(request: &mut RequestParts) {
    clamp(request, 100);
}

/// A limit beyond the largest is the largest.
pub(in crate::http) fn clamp_to_fifty(request: &mut RequestParts) {
    clamp(request, 50);
}

fn clamp(request: &mut RequestParts, most: u64) {
    request.change("limit", |text| match text.parse::<u64>() {
        Ok(limit) if limit > most => most.to_string(),
        _ => text.to_owned(),
    });
}

/// Ten rows instead of twenty.
pub(in crate::http) fn ten_rows(request: &mut RequestParts) {
    if !request.has("limit") {
        request.set("limit", "10");
    }
}

/// Twenty rows instead of ten.
pub(in crate::http) fn twenty_rows(request: &mut RequestParts) {
    if !request.has("limit") {
        request.set("limit", "20");
    }
}

/// Volume is ordered as if it were market cap.
pub(in crate::http) fn volume_as_market_cap(request: &mut RequestParts) {
    request.change("sort", |text| {
        if text == "volume_24h_desc" { "market_cap_desc".to_owned() } else { text.to_owned() }
    });
}

/// Disabled tokens are always included.
pub(in crate::http) fn always_inactive(request: &mut RequestParts) {
    if request.get("includeInactive").is_none_or(|text| text == "false") {
        request.set("includeInactive", "true");
    }
}

/// Any media type is taken for JSON.
pub(in crate::http) fn any_content_type(request: &mut RequestParts) {
    request.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
}

/// What is beyond fifty addresses is cut off.
pub(in crate::http) fn cut_at_fifty(request: &mut RequestParts) {
    if let Some(addresses) = request.body.get_mut("addresses").and_then(Value::as_array_mut) {
        addresses.truncate(50);
    }
}

/// Two flags off turn off the third.
pub(in crate::http) fn linked_flags(request: &mut RequestParts) {
    let off = BATCH_FLAGS.iter().filter(|name| request.body[**name] == json!(false)).count();
    if off == 2 {
        for name in BATCH_FLAGS {
            request.body[name] = json!(false);
        }
    }
}

/// Without a chain the primary one is meant.
pub(in crate::http) fn default_chain(request: &mut RequestParts) {
    if !request.has("chainId") {
        request.set("chainId", "57073");
    }
}

/// An unknown chain is taken for the primary one.
pub(in crate::http) fn any_chain(request: &mut RequestParts) {
    request.change("chainId", |text| {
        if matches!(text, "57073" | "4663") { text.to_owned() } else { "57073".to_owned() }
    });
}

/// Every page but the first begins one row too late.
pub(in crate::http) fn late_offset(request: &mut RequestParts) {
    request.change("offset", |text| match text.parse::<u64>() {
        Ok(offset) if offset > 0 => (offset + 1).to_string(),
        _ => text.to_owned(),
    });
}

/// Links are passed over.
pub(in crate::http) fn no_socials(request: &mut RequestParts) {
    request.drop("socials");
}

/// The lower bound of progress is passed over.
pub(in crate::http) fn no_funding_min(request: &mut RequestParts) {
    request.drop("fundingMin");
}

/// A limit or an offset that is no number is passed over.
pub(in crate::http) fn any_page(request: &mut RequestParts) {
    for name in ["limit", "offset"] {
        if request.get(name).is_some_and(|text| text.parse::<u64>().is_err()) {
            request.drop(name);
        }
    }
}
