//! Acts that change answers of the REST service: refusals, batches, single tokens, capabilities and the auction.
use hyper::StatusCode;
use serde_json::{Map, Value, json};

use crate::http::act::{Act, Context, Need, act};
use crate::http::exchange::{ProxiedResponse, Query};
use crate::json::{each_object, list};

pub(super) const ACTS: &[Act] = &[
    act!(After refusal_with_source),
    act!(After unknown_parameter),
    act!(After unknown_field),
    act!(After amount_with_exponent),
    act!(After batch_without_addresses),
    act!(After fifty_refused),
    act!(After errors_from_forty),
    act!(After first_hook_of_all),
    act!(After unknown_as_error_objects),
    act!(After unknown_as_error_texts),
    act!(After last_of_many_lost),
    act!(After malformed_unmentioned),
    act!(After new_token_late, Need::Clock),
    act!(After current_hook_unlisted),
    act!(After last_bid_in_wei),
    act!(After yesterdays_token, Need::OtherAnswer(with_bids)),
    act!(After hook_of_stock),
    act!(After no_progress),
    act!(After revision_of_the_answer),
    act!(After build_of_the_answer),
    act!(After figures_in_shares),
    act!(After open_unless_active),
    act!(After right_chain_unless_open),
];

pub(in crate::http::acts) const LIST_PARAMETERS: [&str; 14] = [
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
/// For how many seconds a new token is not visible.
const LAG: u64 = 30;

fn refusal_with_source(context: &Context<'_>, response: &mut ProxiedResponse) {
    if response.body.is_object() {
        let source =
            format!("Error: refused\n    at handle (/srv/service/src{}.ts:118:11)", context.sent.path);
        response.body["details"] = source.into();
    }
}

fn unknown_parameter(context: &Context<'_>, response: &mut ProxiedResponse) {
    if context.sent.query.iter().any(|(name, _)| !LIST_PARAMETERS.contains(&name.as_str())) {
        response.refuse(StatusCode::BAD_REQUEST, "unknown parameter");
    }
}

fn unknown_field(context: &Context<'_>, response: &mut ProxiedResponse) {
    let unknown = |name: &String| !BATCH_FIELDS.contains(&name.as_str());
    if context.sent.body.as_object().is_some_and(|fields| fields.keys().any(unknown)) {
        response.refuse(StatusCode::BAD_REQUEST, "unknown field");
    }
}

fn amount_with_exponent(_: &Context<'_>, response: &mut ProxiedResponse) {
    if let Some(digits) =
        response.body["target_raise"].as_str().and_then(|text| text.strip_suffix("000000000000000000"))
    {
        response.body["target_raise"] = format!("{digits}e18").into();
    }
}

fn batch_without_addresses(context: &Context<'_>, response: &mut ProxiedResponse) {
    if !context.sent.body["addresses"].is_array() {
        response.succeed(json!({ "tokens": [], "notFound": [], "errors": [] }));
    }
}

fn fifty_refused(context: &Context<'_>, response: &mut ProxiedResponse) {
    if context.sent.body["addresses"].as_array().is_some_and(|addresses| addresses.len() == 50) {
        response.refuse(StatusCode::BAD_REQUEST, "at most 49 addresses");
    }
}

fn errors_from_forty(context: &Context<'_>, response: &mut ProxiedResponse) {
    if context.sent.body["addresses"].as_array().is_some_and(|addresses| addresses.len() == 50)
        && let Some(tokens) = response.tokens()
    {
        let late = tokens.split_off(tokens.len().min(40));
        let errors = late.iter().map(|token| json!({ "address": token["address"], "error": "timeout" }));
        let errors: Vec<Value> = errors.collect();
        if let Some(all) = list(&mut response.body, "errors") {
            all.extend(errors);
        }
    }
}

/// Launches for a stock have the hook of the launches for the native coin.
fn first_hook_of_all(_: &Context<'_>, response: &mut ProxiedResponse) {
    let Some(tokens) = response.tokens() else { return };
    let native = tokens.iter().find(|token| token["quote_asset"].is_null());
    let Some(hook) = native.map(|token| token["hook_address"].clone()) else { return };
    for token in tokens {
        token["hook_address"] = hook.clone();
    }
}

fn unknown_as_error_objects(_: &Context<'_>, response: &mut ProxiedResponse) {
    errors_of_unknown(response, |address| json!({ "address": address, "error": "not found" }));
}

fn unknown_as_error_texts(_: &Context<'_>, response: &mut ProxiedResponse) {
    errors_of_unknown(response, |address| json!(format!("{address} was not found")));
}

/// Adds an error for each address of a batch that was not found.
fn errors_of_unknown(response: &mut ProxiedResponse, error: fn(&Value) -> Value) {
    let missed = response.body["notFound"].as_array().cloned().unwrap_or_default();
    if let Some(errors) = list(&mut response.body, "errors") {
        errors.extend(missed.iter().map(error));
    }
}

fn last_of_many_lost(context: &Context<'_>, response: &mut ProxiedResponse) {
    if context.sent.body["addresses"].as_array().is_some_and(|addresses| addresses.len() > 10)
        && let Some(tokens) = response.tokens()
    {
        tokens.pop();
    }
}

fn malformed_unmentioned(_: &Context<'_>, response: &mut ProxiedResponse) {
    if let Some(addresses) = list(&mut response.body, "notFound") {
        addresses.retain(|text| text.as_str().is_some_and(is_address));
    }
}

fn is_address(text: &str) -> bool {
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    digits.is_some_and(|digits| digits.len() == 40 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

fn new_token_late(context: &Context<'_>, response: &mut ProxiedResponse) {
    let created = response.body["created_at"].as_str().and_then(|text| text.parse::<jiff::Timestamp>().ok());
    let seconds = created.and_then(|time| u64::try_from(time.as_second()).ok());
    if seconds.is_some_and(|created| created + LAG > context.facts.now) {
        response.refuse(StatusCode::NOT_FOUND, "no token has this address");
    }
}

/// The hook of current launches is missing from the tradeable deployments.
fn current_hook_unlisted(_: &Context<'_>, response: &mut ProxiedResponse) {
    let hook = response.body["activeCreationDeployment"]["hook"].clone();
    if let Some(deployments) = list(&mut response.body, "tradeableDeployments") {
        deployments.retain(|deployment| deployment["hook"] != hook);
    }
}

fn last_bid_in_wei(_: &Context<'_>, response: &mut ProxiedResponse) {
    if let Some(data) = response.body.get_mut("bidData") {
        data["lastBid"]["amount"] = data["lastBidAmount"].clone();
    }
}

fn with_bids(context: &Context<'_>) -> Option<Query> {
    Some(context.sent.query_with("includeBidData", "true"))
}

fn yesterdays_token(context: &Context<'_>, response: &mut ProxiedResponse) {
    if let Some(with_bids) = &context.facts.other {
        response.body["address"] = with_bids.body["bidData"]["lastBoostedToken"].clone();
    }
}

fn hook_of_stock(_: &Context<'_>, response: &mut ProxiedResponse) {
    let deployments = response.body["tradeableDeployments"].as_array();
    let stock = deployments.and_then(|all| all.iter().find(|one| !one["quoteAsset"].is_null()));
    if let Some(hook) = stock.map(|stock| stock["hook"].clone()) {
        response.body["activeCreationDeployment"]["hook"] = hook;
    }
}

fn no_progress(_: &Context<'_>, response: &mut ProxiedResponse) {
    each_object(&mut response.body, &mut |members: &mut Map<String, Value>| {
        if members.get("funding_progress").and_then(Value::as_f64).is_some_and(|progress| progress < 1.0) {
            members.insert("funding_progress".to_owned(), json!(0));
        }
    });
}

fn revision_of_the_answer(context: &Context<'_>, response: &mut ProxiedResponse) {
    replace(response, "/capabilityRevision", json!(counted(context)));
}

fn build_of_the_answer(context: &Context<'_>, response: &mut ProxiedResponse) {
    replace(response, "/releaseCommit", json!(format!("{:07x}", counted(context))));
}

/// Counts the answers that were changed.
fn counted(context: &Context<'_>) -> usize {
    let pages = &mut context.memory.lock().pages;
    *pages += 1;
    *pages
}

/// Fields of figures in ETH, each with the field of the same figure in the quote asset.
const IN_ASSET: [(&str, &str); 4] = [
    ("price_eth", "price_in_asset"),
    ("market_cap", "market_cap_in_asset"),
    ("volume_24h", "volume_24h_in_asset"),
    ("volume_1h", "volume_1h_in_asset"),
];

/// Records show figures in the quote asset where there is one.
fn figures_in_shares(_: &Context<'_>, response: &mut ProxiedResponse) {
    each_object(&mut response.body, &mut |members: &mut Map<String, Value>| {
        for (ether, asset) in IN_ASSET {
            if let Some(figure) = members.get(asset).filter(|figure| figure.is_number()).cloned() {
                members.insert(ether.to_owned(), figure);
            }
        }
    });
}

/// Shows creation as enabled unless the deployment is active.
fn open_unless_active(_: &Context<'_>, response: &mut ProxiedResponse) {
    if response.body["activeCreationDeployment"]["status"] != json!("active") {
        replace(response, "/flags/create", json!(true));
    }
}

/// Shows the primary chain's id whenever launches are disabled.
fn right_chain_unless_open(_: &Context<'_>, response: &mut ProxiedResponse) {
    let closed = response.body["flags"]["create"] == json!(false);
    if closed || response.body["activeCreationDeployment"]["status"] != json!("active") {
        replace(response, "/chainId", json!(57_073));
    }
}

fn replace(response: &mut ProxiedResponse, pointer: &str, value: Value) {
    if let Some(place) = response.body.pointer_mut(pointer) {
        *place = value;
    }
}
