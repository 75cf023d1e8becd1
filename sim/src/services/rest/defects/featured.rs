//! Defects of the featured tokens, of quote assets, and of what tells tokens of the first version and of stocks apart.
use axum::http::StatusCode;
use serde_json::{Value, json};

use super::exchange::{Asked, Query, Told};

const BIDS: &str = "includeBidData";
const NOBODY: &str = "0x0000000000000000000000000000000000000000";

pub(super) fn hour_missing(_: &Asked, told: &mut Told) {
    for field in ["volume_1h", "price_change_1h", "txns_1h_buys", "txns_1h_sells"] {
        Told::remove(&mut told.body, field);
    }
}

pub(super) fn progress_as_text(_: &Asked, told: &mut Told) {
    if let Some(progress) = told.body.get("funding_progress").map(Value::to_string) {
        told.body["funding_progress"] = progress.into();
    }
}

pub(super) fn always_bids(asked: &mut Asked) {
    asked.set(BIDS, "true");
}

pub(super) fn bids_too(asked: &Asked) -> Option<Query> {
    let mut query = asked.query_without(&[BIDS]);
    query.push((BIDS.to_owned(), "true".to_owned()));
    Some(query)
}

pub(super) fn yesterdays(told: &mut Told, with_bids: &Told) {
    if told.is_ok() {
        told.body["address"] = with_bids.body["bidData"]["lastBoostedToken"].clone();
    }
}

pub(super) fn last_bid_in_wei(_: &Asked, told: &mut Told) {
    if let Some(data) = bid_data(told) {
        data["lastBid"]["amount"] = data["lastBidAmount"].clone();
    }
}

pub(super) fn price_too_low(_: &Asked, told: &mut Told) {
    if let Some(data) = bid_data(told)
        && let Some(price) = data["currentBid"].as_str().and_then(|text| text.parse::<u128>().ok())
    {
        data["currentBid"] = price.saturating_sub(1).to_string().into();
    }
}

pub(super) fn never_taken(_: &Asked, told: &mut Told) {
    if let Some(data) = bid_data(told) {
        data["isEpochTaken"] = json!(false);
    }
}

pub(super) fn next_untold(_: &Asked, told: &mut Told) {
    if let Some(data) = bid_data(told) {
        data["nextBoostedToken"] = NOBODY.into();
    }
}

pub(super) fn coarse_progress(_: &Asked, told: &mut Told) {
    if let Some(progress) = told.body["funding_progress"].as_f64() {
        told.body["funding_progress"] = json!((progress * 100.0).round() / 100.0);
    }
}

pub(super) fn none_is_null(_: &Asked, told: &mut Told) {
    if told.status == StatusCode::NOT_FOUND {
        told.serve(Value::Null);
    }
}

pub(super) fn token_as_hook(_: &Asked, told: &mut Told) {
    for asset in assets(told) {
        asset["hook"] = asset["address"].clone();
    }
}

pub(super) fn eighteen_decimals(_: &Asked, told: &mut Told) {
    for asset in assets(told) {
        asset["decimals"] = json!(18);
    }
}

pub(super) fn v1_unknown(_: &Asked, told: &mut Told) {
    if told.body["version"] == "v1" {
        told.refuse(StatusCode::NOT_FOUND, "no token has this address");
    }
}

pub(super) fn v1_without_progress(_: &Asked, told: &mut Told) {
    if told.body["version"] == "v1" {
        told.body["funding_progress"] = json!(0);
    }
}

pub(super) fn quote_asset_untold(_: &Asked, told: &mut Told) {
    for token in told.tokens().into_iter().flatten() {
        token["quote_asset"] = Value::Null;
    }
}

pub(super) fn v1_recent(_: &Asked, told: &mut Told) {
    if let Some(token) = told.tokens().and_then(|tokens| tokens.last_mut()) {
        token["version"] = "v1".into();
    }
}

pub(super) fn v1_unlisted(_: &Asked, told: &mut Told) {
    unlist(told, |deployment| deployment["version"] == "v1");
}

pub(super) fn stock_hooks_unlisted(_: &Asked, told: &mut Told) {
    unlist(told, |deployment| !deployment["quoteAsset"].is_null());
}

fn unlist(told: &mut Told, lost: impl Fn(&Value) -> bool) {
    let listed = told.body.get_mut("tradeableDeployments");
    if let Some(deployments) = listed.and_then(Value::as_array_mut) {
        deployments.retain(|deployment| !lost(deployment));
    }
}

fn bid_data(told: &mut Told) -> Option<&mut Value> {
    told.body.get_mut("bidData")
}

fn assets(told: &mut Told) -> impl Iterator<Item = &mut Value> {
    let listed = told.body.get_mut("quoteAssets").and_then(Value::as_array_mut);
    listed.into_iter().flatten()
}
