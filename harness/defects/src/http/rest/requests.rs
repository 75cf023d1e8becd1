//! Defects that misread a request.
use serde_json::json;

use crate::http::exchange::RequestParts;
use crate::json::list;

/// An address that no token has.
const NOBODY: &str = "0x000000000000000000000000000000000000dEaD";
/// Names of all body fields of a batch.
const BATCH_FLAGS: [&str; 3] = ["includeMetrics", "includeHolders", "includeSocials"];

pub(super) fn capital_address(request: &mut RequestParts) {
    request.change("address", |text| {
        let capital = text.chars().skip(2).all(|letter| !letter.is_ascii_lowercase())
            && text.chars().skip(2).any(|letter| letter.is_ascii_uppercase());
        if capital { NOBODY.to_owned() } else { text.to_owned() }
    });
}

pub(super) fn live_address_unfound(request: &mut RequestParts) {
    if request.get("status") == Some("live") {
        request.change("search", |text| if text.starts_with("0x") { NOBODY } else { text }.to_owned());
    }
}

pub(super) fn day_timeframe(request: &mut RequestParts) {
    if let Some("5m" | "1h" | "6h") = request.get("timeframe") {
        request.drop("timeframe");
    }
}

pub(super) fn exchange_bounds(request: &mut RequestParts) {
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

pub(super) fn clamp(request: &mut RequestParts, most: u64) {
    request.change_number("limit", |limit: u64| limit.min(most));
}

pub(crate) fn cut_at_fifty(request: &mut RequestParts) {
    if let Some(addresses) = list(&mut request.body, "addresses") {
        addresses.truncate(50);
    }
}

pub(super) fn linked_flags(request: &mut RequestParts) {
    let off = BATCH_FLAGS.iter().filter(|name| request.body[**name] == json!(false)).count();
    if off == 2 {
        for name in BATCH_FLAGS {
            request.body[name] = json!(false);
        }
    }
}

pub(super) fn any_chain(request: &mut RequestParts) {
    request.change("chainId", |text| {
        if matches!(text, "57073" | "4663") { text.to_owned() } else { "57073".to_owned() }
    });
}

pub(super) fn late_offset(request: &mut RequestParts) {
    request.change_number("offset", |offset: u64| offset + u64::from(offset > 0));
}
