//! Defects that misread a request.
use axum::http::HeaderValue;
use axum::http::header::CONTENT_TYPE;
use serde_json::{Value, json};

use super::exchange::Asked;

/// An address that no token has.
const NOBODY: &str = "0x000000000000000000000000000000000000dEaD";
/// Names of all body fields of a batch.
const BATCH_FLAGS: [&str; 3] = ["includeMetrics", "includeHolders", "includeSocials"];

/// An address in capital letters leads nowhere.
pub(super) fn capital_address(asked: &mut Asked) {
    asked.change("address", |text| {
        let capital = text.chars().skip(2).all(|letter| !letter.is_ascii_lowercase())
            && text.chars().skip(2).any(|letter| letter.is_ascii_uppercase());
        if capital { NOBODY.to_owned() } else { text.to_owned() }
    });
}

/// Of several states only the last counts.
pub(super) fn last_status(asked: &mut Asked) {
    asked.change("status", |text| text.rsplit(',').next().unwrap_or_default().to_owned());
}

/// Of several links only the first counts.
pub(super) fn first_social(asked: &mut Asked) {
    asked.change("socials", |text| text.split(',').next().unwrap_or_default().to_owned());
}

/// The window is always a day.
pub(super) fn day_timeframe(asked: &mut Asked) {
    if let Some("5m" | "1h" | "6h") = asked.get("timeframe") {
        asked.drop("timeframe");
    }
}

/// The upper bound of the market cap is passed over beside a lower one.
pub(super) fn lone_market_cap_min(asked: &mut Asked) {
    drop_beside(asked, "marketCapMin", "marketCapMax");
}

/// The upper bound of the count is passed over beside a lower one.
pub(super) fn lone_count_min(asked: &mut Asked) {
    drop_beside(asked, "txCountMin", "txCountMax");
}

/// A search passes over every other filter.
pub(super) fn search_alone(asked: &mut Asked) {
    if asked.has("search") {
        asked.query.retain(|(name, _)| matches!(name.as_str(), "search" | "page" | "sortBy" | "timeframe"));
    }
}

fn drop_beside(asked: &mut Asked, beside: &str, dropped: &str) {
    if asked.has(beside) {
        asked.drop(dropped);
    }
}

/// The time of day of the upper bound is cut off.
pub(super) fn created_to_midnight(asked: &mut Asked) {
    asked.change("createdTo", |text| match text.split_once('T') {
        Some((date, _)) => date.to_owned(),
        None => text.to_owned(),
    });
}

/// Page zero is the first page.
pub(super) fn page_zero(asked: &mut Asked) {
    asked.change("page", |text| if text == "0" { "1".to_owned() } else { text.to_owned() });
}

/// Bounds upside down change places, whatever they bound.
pub(super) fn exchange_bounds(asked: &mut Asked) {
    for (low, high) in
        [("fundingMin", "fundingMax"), ("marketCapMin", "marketCapMax"), ("txCountMin", "txCountMax")]
    {
        let number = |name| asked.get(name).and_then(|text: &str| text.parse::<f64>().ok());
        if let (Some(least), Some(most)) = (number(low), number(high))
            && least > most
        {
            let (least, most) = (asked.get(low).map(str::to_owned), asked.get(high).map(str::to_owned));
            asked.set(low, most.unwrap_or_default());
            asked.set(high, least.unwrap_or_default());
        }
    }
}

/// The oldest are asked for as the newest; the answer is turned around a page at a time.
pub(super) fn oldest_as_newest(asked: &mut Asked) {
    asked.change("sortBy", |text| if text == "oldest" { "newest".to_owned() } else { text.to_owned() });
}

/// A limit beyond the largest is the largest.
pub(super) fn clamp_to_hundred(asked: &mut Asked) {
    clamp(asked, 100);
}

/// A limit beyond the largest is the largest.
pub(super) fn clamp_to_fifty(asked: &mut Asked) {
    clamp(asked, 50);
}

fn clamp(asked: &mut Asked, most: u64) {
    asked.change("limit", |text| match text.parse::<u64>() {
        Ok(limit) if limit > most => most.to_string(),
        _ => text.to_owned(),
    });
}

/// Ten rows instead of twenty.
pub(super) fn ten_rows(asked: &mut Asked) {
    if !asked.has("limit") {
        asked.set("limit", "10");
    }
}

/// Twenty rows instead of ten.
pub(super) fn twenty_rows(asked: &mut Asked) {
    if !asked.has("limit") {
        asked.set("limit", "20");
    }
}

/// Volume is ordered as if it were market cap.
pub(super) fn volume_as_market_cap(asked: &mut Asked) {
    asked.change("sort", |text| {
        if text == "volume_24h_desc" { "market_cap_desc".to_owned() } else { text.to_owned() }
    });
}

/// Disabled tokens are always included.
pub(super) fn always_inactive(asked: &mut Asked) {
    if asked.get("includeInactive").is_none_or(|text| text == "false") {
        asked.set("includeInactive", "true");
    }
}

/// Any media type is taken for JSON.
pub(super) fn any_content_type(asked: &mut Asked) {
    asked.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
}

/// What is beyond fifty addresses is cut off.
pub(super) fn cut_at_fifty(asked: &mut Asked) {
    if let Some(addresses) = asked.body.get_mut("addresses").and_then(Value::as_array_mut) {
        addresses.truncate(50);
    }
}

/// Two flags off turn off the third.
pub(super) fn linked_flags(asked: &mut Asked) {
    let off = BATCH_FLAGS.iter().filter(|name| asked.body[**name] == json!(false)).count();
    if off == 2 {
        for name in BATCH_FLAGS {
            asked.body[name] = json!(false);
        }
    }
}

/// Without a chain the primary one is meant.
pub(super) fn default_chain(asked: &mut Asked) {
    if !asked.has("chainId") {
        asked.set("chainId", "57073");
    }
}

/// An unknown chain is taken for the primary one.
pub(super) fn any_chain(asked: &mut Asked) {
    asked.change("chainId", |text| {
        if matches!(text, "57073" | "4663") { text.to_owned() } else { "57073".to_owned() }
    });
}

/// Every page but the first begins one row too late.
pub(super) fn late_offset(asked: &mut Asked) {
    asked.change("offset", |text| match text.parse::<u64>() {
        Ok(offset) if offset > 0 => (offset + 1).to_string(),
        _ => text.to_owned(),
    });
}
