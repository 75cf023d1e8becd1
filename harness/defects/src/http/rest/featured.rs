//! Defects of the featured tokens, of quote assets, and of what tells tokens of the first version and of stocks apart.
use serde_json::{Value, json};

use crate::http::exchange::{ProxiedResponse, Query, RequestParts};

const NOBODY: &str = "0x0000000000000000000000000000000000000000";

pub(super) fn progress_as_text(_: &RequestParts, response: &mut ProxiedResponse) {
    if let Some(progress) = response.body.get("funding_progress").map(Value::to_string) {
        response.body["funding_progress"] = progress.into();
    }
}

pub(super) fn bids_too(request: &RequestParts) -> Option<Query> {
    let mut query = request.query_without(&["includeBidData"]);
    query.push(("includeBidData".to_owned(), "true".to_owned()));
    Some(query)
}

pub(super) fn last_bid_in_wei(_: &RequestParts, response: &mut ProxiedResponse) {
    if let Some(data) = bid_data(response) {
        data["lastBid"]["amount"] = data["lastBidAmount"].clone();
    }
}

pub(super) fn price_too_low(_: &RequestParts, response: &mut ProxiedResponse) {
    if let Some(data) = bid_data(response)
        && let Some(price) = data["currentBid"].as_str().and_then(|text| text.parse::<u128>().ok())
    {
        data["currentBid"] = price.saturating_sub(1).to_string().into();
    }
}

pub(super) fn never_taken(_: &RequestParts, response: &mut ProxiedResponse) {
    if let Some(data) = bid_data(response) {
        data["isEpochTaken"] = json!(false);
    }
}

pub(super) fn next_untold(_: &RequestParts, response: &mut ProxiedResponse) {
    if let Some(data) = bid_data(response) {
        data["nextBoostedToken"] = NOBODY.into();
    }
}

pub(super) fn coarse_progress(_: &RequestParts, response: &mut ProxiedResponse) {
    if let Some(progress) = response.body["funding_progress"].as_f64() {
        response.body["funding_progress"] = json!((progress * 100.0).round() / 100.0);
    }
}

pub(super) fn v1_recent(_: &RequestParts, response: &mut ProxiedResponse) {
    if let Some(token) = response.tokens().and_then(|tokens| tokens.last_mut()) {
        token["version"] = "v1".into();
    }
}

fn bid_data(response: &mut ProxiedResponse) -> Option<&mut Value> {
    response.body.get_mut("bidData")
}
