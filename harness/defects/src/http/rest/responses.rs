//! Defects in refusals, headers, batches, single tokens and capabilities.
use hyper::StatusCode;
use hyper::header::AUTHORIZATION;
use serde_json::Value;

use crate::http::exchange::{ProxiedResponse, RequestParts, remove};
use crate::http::mutation::Facts;
use crate::json::{exchange, items, list};

pub(crate) const LIST_PARAMETERS: [&str; 14] = [
    "page",
    "search",
    "status",
    "sortBy",
    "timeframe",
    "socials",
    "fundingMin",
    "fundingMax",
    "marketCapMin",
    "marketCapMax",
    "txCountMin",
    "txCountMax",
    "createdFrom",
    "createdTo",
];
const BATCH_FIELDS: [&str; 4] = ["addresses", "includeMetrics", "includeHolders", "includeSocials"];
/// Fields of a batch answer that hang on its flags.
pub(super) const METRICS: [&str; 4] = ["volume_24h", "price_change_24h", "txns_24h_buys", "txns_24h_sells"];
pub(super) const SOCIALS: [&str; 3] = ["messenger", "microblog", "website"];
/// Seconds for which a new token is not there yet.
const LAG: u64 = 30;

pub(super) fn unknown_parameter(request: &RequestParts, response: &mut ProxiedResponse) {
    if request.query.iter().any(|(name, _)| !LIST_PARAMETERS.contains(&name.as_str())) && response.is_ok() {
        response.refuse(StatusCode::BAD_REQUEST, "unknown parameter");
    }
}

pub(super) fn unknown_field(request: &RequestParts, response: &mut ProxiedResponse) {
    let unknown = |name: &String| !BATCH_FIELDS.contains(&name.as_str());
    if response.is_ok() && request.body.as_object().is_some_and(|fields| fields.keys().any(unknown)) {
        response.refuse(StatusCode::BAD_REQUEST, "unknown field");
    }
}

pub(super) fn amount_with_exponent(_: &RequestParts, response: &mut ProxiedResponse) {
    if let Some(digits) =
        response.body["target_raise"].as_str().and_then(|text| text.strip_suffix("000000000000000000"))
    {
        response.body["target_raise"] = format!("{digits}e18").into();
    }
}

pub(super) fn time_without_zone(_: &RequestParts, response: &mut ProxiedResponse) {
    let strip = |token: &mut Value| {
        if let Some(time) = token["created_at"].as_str().map(|text| text.trim_end_matches('Z').to_owned()) {
            token["created_at"] = time.into();
        }
    };
    strip(&mut response.body);
    response.tokens().into_iter().flatten().for_each(strip);
}

/// Adds an error for each address of a batch that was not found.
pub(crate) fn errors_of_unknown(response: &mut ProxiedResponse, error: fn(&Value) -> Value) {
    let missed = response.body["notFound"].as_array().cloned().unwrap_or_default();
    if let Some(errors) = list(&mut response.body, "errors") {
        errors.extend(missed.iter().map(error));
    }
}

pub(super) fn last_of_many_lost(request: &RequestParts, response: &mut ProxiedResponse) {
    if request.body["addresses"].as_array().is_some_and(|addresses| addresses.len() > 10)
        && let Some(tokens) = response.tokens()
    {
        tokens.pop();
    }
}

pub(super) fn malformed_unmentioned(_: &RequestParts, response: &mut ProxiedResponse) {
    if let Some(addresses) = list(&mut response.body, "notFound") {
        addresses.retain(|text| text.as_str().is_some_and(is_address));
    }
}

fn is_address(text: &str) -> bool {
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    digits.is_some_and(|digits| digits.len() == 40 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

pub(super) fn not_found_is_null(_: &RequestParts, response: &mut ProxiedResponse) {
    if response.status == StatusCode::NOT_FOUND {
        response.succeed(Value::Null);
    }
}

pub(super) fn new_token_late(facts: &Facts, _: &RequestParts, response: &mut ProxiedResponse) {
    let created = response.body["created_at"].as_str().and_then(|text| text.parse::<jiff::Timestamp>().ok());
    let seconds = created.and_then(|time| u64::try_from(time.as_second()).ok());
    if seconds.is_some_and(|created| created + LAG > facts.now) {
        response.refuse(StatusCode::NOT_FOUND, "no token has this address");
    }
}

pub(super) fn permit2_missing(_: &RequestParts, response: &mut ProxiedResponse) {
    if let Some(contracts) = response.body.pointer_mut("/activeCreationDeployment/v4") {
        remove(contracts, "permit2");
    }
}

pub(super) fn parts_exchanged(_: &RequestParts, response: &mut ProxiedResponse) {
    each_deployment(response, |deployment| {
        if let Some(v4) = deployment.get_mut("v4").filter(|v4| v4.is_object()) {
            exchange(v4, "quoter", "universalRouter");
        }
    });
}

/// Changes the active deployment and the tradeable ones.
pub(crate) fn each_deployment(response: &mut ProxiedResponse, change: fn(&mut Value)) {
    let active = response.body.get_mut("activeCreationDeployment");
    active.filter(|active| active.is_object()).into_iter().for_each(change);
    items(&mut response.body, "tradeableDeployments").for_each(change);
}

pub(super) fn hash_of_nothing(_: &RequestParts, response: &mut ProxiedResponse) {
    if let Some(hash) = response.body.pointer_mut("/activeCreationDeployment/runtimeHash") {
        *hash = "0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470".into();
    }
}

/// Takes tradeable deployments out of the list.
pub(super) fn unlist(response: &mut ProxiedResponse, lost: impl Fn(&Value) -> bool) {
    if let Some(deployments) = list(&mut response.body, "tradeableDeployments") {
        deployments.retain(|deployment| !lost(deployment));
    }
}

pub(super) fn current_hook_unlisted(_: &RequestParts, response: &mut ProxiedResponse) {
    let hook = response.body["activeCreationDeployment"]["hook"].clone();
    unlist(response, |deployment| deployment["hook"] == hook);
}

pub(super) fn last_bid_in_wei(_: &RequestParts, response: &mut ProxiedResponse) {
    if let Some(data) = response.body.get_mut("bidData") {
        data["lastBid"]["amount"] = data["lastBidAmount"].clone();
    }
}

/// Paths that the interface reads without a credential, besides those of tokens.
const OPEN: [&str; 5] =
    ["/api/eoti", "/api/koti", "/api/chat", "/api/referral/leaderboard", "/api/referral/register"];

pub(super) fn credential_wanted(request: &RequestParts, response: &mut ProxiedResponse) {
    let open = OPEN.contains(&request.path.as_str()) && !request.headers().contains_key("x-operator-key");
    if open && !request.headers().contains_key(AUTHORIZATION) {
        response.refuse(StatusCode::UNAUTHORIZED, "sign in first");
    }
}

pub(super) fn hook_of_stock(_: &RequestParts, response: &mut ProxiedResponse) {
    let deployments = response.body["tradeableDeployments"].as_array();
    let stock = deployments.and_then(|all| all.iter().find(|one| !one["quoteAsset"].is_null()));
    if let Some(hook) = stock.map(|stock| stock["hook"].clone()) {
        set_hook(response, hook);
    }
}

pub(super) fn set_hook(response: &mut ProxiedResponse, hook: Value) {
    if response.is_ok() {
        response.body["activeCreationDeployment"]["hook"] = hook;
    }
}
