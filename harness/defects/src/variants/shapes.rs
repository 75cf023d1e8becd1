//! Variants of the REST service in the shapes of answers whose fields the interface does not show.
use hyper::header::CACHE_CONTROL;
use serde_json::{Map, Value, json};

use super::Ground::Choice;
use super::{VariantRow, variant};
use crate::http::consistent::at;
use crate::http::exchange::{ProxiedResponse, RequestParts, remove};
use crate::http::mutation::Mutation::{Anywhere, Response};
use crate::http::rest::{each_deployment, errors_of_unknown};
use crate::json::items;

/// The tables of this layer.
pub(super) const TABLES: &[&[VariantRow]] = &[RECORDS, CAPABILITIES, OTHERS];

#[rustfmt::skip]
const RECORDS: &[VariantRow] = &[
    variant!(Rest, "token-record-wrapped", Choice("TOKEN-FIELDS"), "a token record is in a member `token`", Response("/api/token", |_, response| wrap(response, "token")), alone),
    variant!(Rest, "token-record-in-camel-case", Choice("FIG-RECORD"), "the fields of a launch have names in camel case", Anywhere(camel_case)),
    variant!(Rest, "recent-rows-lean", Choice("RECENT-SHAPE"), "rows of recent launches have identity and figures, and nothing of their launch but the hook", Response("/api/tokens/recent-v2", |_, response| lean_rows(response)), alone),
    variant!(Rest, "leaderboard-as-array", Choice("LEAD-SHAPE"), "the leaderboard is an array", Response("/api/leaderboard", |_, response| unwrap(response, "leaderboard")), alone),
    variant!(Rest, "leaderboard-in-other-words", Choice("LEAD-SHAPE"), "rows of the leaderboard have other names", Response("/api/leaderboard", |_, response| leaders(response))),
    variant!(Rest, "king-wrapped", Choice("KOTI-TOP"), "the King is in a member `koti`", Response("/api/koti", |_, response| wrap(response, "koti")), alone),
    variant!(Rest, "king-by-address", Choice("KOTI-TOP"), "of the King there is an address and a progress", Response("/api/koti", |_, response| king(response))),
    variant!(Rest, "batch-reports-unknown", Choice("BATCH-ERRORS"), "addresses of a batch that were not found are errors as well", Response("/api/tokens/batch", |_, response| errors_of_unknown(response, |address| json!(format!("{address} was not found"))))),
    variant!(Rest, "batch-by-get-in-another-shape", Choice("BATCH-GET"), "the GET form of a batch is an array of tokens", Response("/api/tokens/batch", |request, response| if request.has("addresses") { unwrap(response, "tokens") }), alone),
];

#[rustfmt::skip]
const CAPABILITIES: &[VariantRow] = &[
    variant!(Rest, "flags-as-numbers", Choice("CAP-PARTS"), "flags are 0 or 1", Response("/api/capabilities", |_, response| flags(response, |name, on| Some((name.to_owned(), json!(u8::from(on))))))),
    variant!(Rest, "flags-of-other-names", Choice("CAP-PARTS"), "flags other than `create` have other names", Response("/api/capabilities", |_, response| flags(response, other_flag)), alone),
    variant!(Rest, "v4-in-other-words", Choice("FIG-PARTS"), "V4 contracts have other names", Response("/api/capabilities", |_, response| each_deployment(response, snake_v4))),
    variant!(Rest, "runtime-hash-of-another-kind", Choice("CAP-CODE"), "runtimeHash is another hash of the code", Response("/api/capabilities", |_, response| each_deployment(response, another_hash))),
    variant!(Rest, "start-block-of-the-registry", Choice("CAP-CODE"), "startBlock is where the operator begins to read", Response("/api/capabilities", |_, response| each_deployment(response, |deployment| deployment["startBlock"] = json!(0))), alone),
    variant!(Rest, "deployments-lean", Choice("FIG-PARTS"), "deployments have the parts that the interface names, and no other", Response("/api/capabilities", |_, response| each_deployment(response, lean_deployment)), alone),
];

#[rustfmt::skip]
const OTHERS: &[VariantRow] = &[
    variant!(Rest, "quote-assets-as-array", Choice("STOCK-ASSETS"), "quote assets are an array", Response("/api/stocks/quote-assets", |_, response| unwrap(response, "quoteAssets")), alone),
    variant!(Rest, "quote-assets-in-other-words", Choice("STOCK-ASSETS"), "quote assets have other names", Response("/api/stocks/quote-assets", |_, response| assets(response))),
    variant!(Rest, "images-stored-elsewhere", Choice("FIG-UPLOAD"), "images are stored in a bucket", Response("/api/upload", |_, response| storage(response))),
    variant!(Rest, "images-cached-for-an-hour", Choice("UP-SERVED"), "images may be kept for an hour", Anywhere(short_cache)),
    variant!(Rest, "social-proof-in-another-form", Choice("UP-SERVED"), "the social proof is an object", Response("/api/upload", |_, response| social_proof(response)), alone),
    variant!(Rest, "target-raise-in-ether", Choice("SVC-AMOUNT-CHOSEN"), "the raise of a token is a number of ether", Anywhere(|request, response| at(request, response, "/api/", "target_raise", in_ether))),
    variant!(Rest, "message-ids-of-another-form", Choice("SVC-CHOSEN"), "ids of messages have a prefix", Response("/api/chat", |_, response| message_ids(&mut response.body))),
    variant!(Rest, "registered-in-other-words", Choice("SVC-CHOSEN"), "a registration has another message", Response("/api/referral/register", |_, response| registered(response))),
];

fn wrap(response: &mut ProxiedResponse, name: &str) {
    if response.is_ok() {
        response.body = json!({ "success": true, name: response.body.take() });
    }
}

fn unwrap(response: &mut ProxiedResponse, name: &str) {
    if response.is_ok() && response.body[name].is_array() {
        response.body = response.body[name].take();
    }
}

/// The terms and the birth of a launch, which the interface does not show; figures, hook and asset are not among them.
const OF_A_LAUNCH: [&str; 14] = [
    "version",
    "chain_id",
    "launch_id",
    "target_raise",
    "gain_bps",
    "creator_fee_split_bps",
    "anti_snipe_seconds",
    "start_time",
    "transaction_hash",
    "block_number",
    "pool",
    "quote_asset_symbol",
    "quote_asset_name",
    "quote_asset_decimals",
];

fn camel(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |name, word| {
        let (initial, rest) = word.split_at(word.len().min(1));
        format!("{name}{}{rest}", initial.to_ascii_uppercase())
    })
}

fn camel_case(request: &RequestParts, response: &mut ProxiedResponse) {
    fn renamed(object: &mut Map<String, Value>) {
        let members = std::mem::take(object);
        object.extend(members.into_iter().map(|(name, value)| {
            let name = if OF_A_LAUNCH.contains(&name.as_str()) { camel(&name) } else { name };
            (name, value)
        }));
    }
    match request.path.as_str() {
        "/api/token" | "/api/koti" => response.body.as_object_mut().into_iter().for_each(renamed),
        "/api/tokens/recent-v2" => {
            response.tokens().into_iter().flatten().filter_map(Value::as_object_mut).for_each(renamed);
        }
        _ => {}
    }
}

fn lean_rows(response: &mut ProxiedResponse) {
    for row in response.tokens().into_iter().flatten().filter_map(Value::as_object_mut) {
        row.retain(|name, _| !OF_A_LAUNCH.contains(&name.as_str()));
    }
}

fn leaders(response: &mut ProxiedResponse) {
    for row in items(&mut response.body, "leaderboard") {
        *row = json!({ "position": row["rank"], "wallet": row["address"], "score": row["points"] });
    }
}

fn king(response: &mut ProxiedResponse) {
    if response.is_ok() {
        response.body = json!({ "tokenAddress": response.body["address"], "progress": response.body["funding_progress"] });
    }
}

fn flags(response: &mut ProxiedResponse, change: fn(&str, bool) -> Option<(String, Value)>) {
    if let Some(flags) = response.body.get_mut("flags").and_then(Value::as_object_mut) {
        let changed = flags.iter().filter_map(|(name, on)| change(name, on.as_bool()?)).collect();
        *flags = changed;
    }
}

fn other_flag(name: &str, on: bool) -> Option<(String, Value)> {
    let name = if name == "create" { name.to_owned() } else { format!("{name}Enabled") };
    Some((name, json!(on)))
}

fn snake_v4(deployment: &mut Value) {
    if let Some(contracts) = deployment.get_mut("v4").and_then(Value::as_object_mut) {
        let named = std::mem::take(contracts).into_iter();
        contracts.extend(named.map(|(name, address)| (format!("v4_{}", name.to_lowercase()), address)));
    }
}

fn another_hash(deployment: &mut Value) {
    if let Some(hash) = deployment["runtimeHash"].as_str() {
        let turned: String = hash.trim_start_matches("0x").chars().rev().collect();
        deployment["runtimeHash"] = json!(format!("0x{turned}"));
    }
}

fn lean_deployment(deployment: &mut Value) {
    const NAMED: [&str; 8] =
        ["version", "hook", "abiFamily", "feeWithdrawalMode", "runtimeHash", "v4", "startBlock", "status"];
    if let Some(members) = deployment.as_object_mut() {
        members.retain(|name, _| NAMED.contains(&name.as_str()));
    }
}

fn assets(response: &mut ProxiedResponse) {
    for asset in items(&mut response.body, "quoteAssets") {
        *asset = json!({ "token": asset["address"], "ticker": asset["symbol"], "launchHook": asset["hook"] });
    }
}

fn storage(response: &mut ProxiedResponse) {
    if response.headers.contains_key("x-service-image-storage") {
        response.header("x-service-image-storage", "bucket-eu-1");
    }
}

fn short_cache(request: &RequestParts, response: &mut ProxiedResponse) {
    if request.path.starts_with("/cdn/") && response.headers.contains_key(CACHE_CONTROL) {
        response.header("cache-control", "public, max-age=3600");
    }
}

fn social_proof(response: &mut ProxiedResponse) {
    if let Some(proof) = response.body.get_mut("socialHumanProof").filter(|proof| proof.is_string()) {
        *proof = json!({ "proof": proof.take() });
    }
}

fn in_ether(value: &mut Value) {
    if let Some(wei) = value.as_str().and_then(|text| text.parse::<f64>().ok()) {
        *value = json!(wei / 1e18);
    }
}

fn message_ids(value: &mut Value) {
    match value {
        Value::Array(messages) => messages.iter_mut().for_each(message_ids),
        Value::Object(message) => {
            if let Some(id) = message.get_mut("id").filter(|id| id.is_string()) {
                *id = json!(format!("msg_{}", id.as_str().unwrap_or_default()));
            }
        }
        _ => {}
    }
}

fn registered(response: &mut ProxiedResponse) {
    if response.is_ok() {
        remove(&mut response.body, "message");
        response.body["message"] = json!("Willkommen!");
    }
}
