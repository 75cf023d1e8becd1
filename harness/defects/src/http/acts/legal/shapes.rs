//! Acts of variants in the shapes of answers whose fields the interface does not show.
use serde_json::{Map, Value, json};

use crate::http::act::{Act, Context, act};
use crate::http::exchange::ProxiedResponse;
use crate::json::{change_text, each_member, items};

pub(super) const ACTS: &[Act] = &[
    act!(After camel_case_records),
    act!(After lean_rows),
    act!(After leaders_in_other_words),
    act!(After king_by_address),
    act!(After flags_as_numbers),
    act!(After flags_of_other_names),
    act!(After v4_in_other_words),
    act!(After hash_of_another_kind),
    act!(After lean_deployments),
    act!(After assets_in_other_words),
    act!(After raise_in_ether),
    act!(After message_ids),
];

/// The terms and the creation of a launch, whose fields the interface does not show; figures, hook and asset are excluded.
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

fn camel_case_records(context: &Context<'_>, response: &mut ProxiedResponse) {
    fn renamed(object: &mut Map<String, Value>) {
        let members = std::mem::take(object);
        object.extend(members.into_iter().map(|(name, value)| {
            let name = if OF_A_LAUNCH.contains(&name.as_str()) { camel(&name) } else { name };
            (name, value)
        }));
    }
    match context.sent.path.as_str() {
        "/api/token" | "/api/koti" => response.body.as_object_mut().into_iter().for_each(renamed),
        "/api/tokens/recent-v2" => {
            response.tokens().into_iter().flatten().filter_map(Value::as_object_mut).for_each(renamed);
        }
        _ => {}
    }
}

fn lean_rows(_: &Context<'_>, response: &mut ProxiedResponse) {
    for row in response.tokens().into_iter().flatten().filter_map(Value::as_object_mut) {
        row.retain(|name, _| !OF_A_LAUNCH.contains(&name.as_str()));
    }
}

fn leaders_in_other_words(_: &Context<'_>, response: &mut ProxiedResponse) {
    for row in items(&mut response.body, "leaderboard") {
        *row = json!({ "position": row["rank"], "wallet": row["address"], "score": row["points"] });
    }
}

fn king_by_address(_: &Context<'_>, response: &mut ProxiedResponse) {
    if response.is_ok() {
        response.body = json!({ "tokenAddress": response.body["address"], "progress": response.body["funding_progress"] });
    }
}

fn flags_as_numbers(_: &Context<'_>, response: &mut ProxiedResponse) {
    flags(response, |name, on| (name.to_owned(), json!(u8::from(on))));
}

/// Flags other than `create` have other names.
fn flags_of_other_names(_: &Context<'_>, response: &mut ProxiedResponse) {
    flags(response, |name, on| {
        let name = if name == "create" { name.to_owned() } else { format!("{name}Enabled") };
        (name, json!(on))
    });
}

fn flags(response: &mut ProxiedResponse, change: fn(&str, bool) -> (String, Value)) {
    if let Some(flags) = response.body.get_mut("flags").and_then(Value::as_object_mut) {
        let changed = flags.iter().filter_map(|(name, on)| Some(change(name, on.as_bool()?))).collect();
        *flags = changed;
    }
}

/// Changes the active deployment and the tradeable ones.
fn each_deployment(response: &mut ProxiedResponse, change: fn(&mut Value)) {
    let active = response.body.get_mut("activeCreationDeployment");
    active.filter(|active| active.is_object()).into_iter().for_each(change);
    items(&mut response.body, "tradeableDeployments").for_each(change);
}

fn v4_in_other_words(_: &Context<'_>, response: &mut ProxiedResponse) {
    each_deployment(response, snake_v4);
}

fn hash_of_another_kind(_: &Context<'_>, response: &mut ProxiedResponse) {
    each_deployment(response, another_hash);
}

fn lean_deployments(_: &Context<'_>, response: &mut ProxiedResponse) {
    each_deployment(response, lean_deployment);
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

fn assets_in_other_words(_: &Context<'_>, response: &mut ProxiedResponse) {
    for asset in items(&mut response.body, "quoteAssets") {
        *asset = json!({ "token": asset["address"], "ticker": asset["symbol"], "launchHook": asset["hook"] });
    }
}

fn raise_in_ether(_: &Context<'_>, response: &mut ProxiedResponse) {
    each_member(&mut response.body, &|_| true, &|name| name == "target_raise", &in_ether);
}

fn in_ether(value: &mut Value) {
    if let Some(wei) = value.as_str().and_then(|text| text.parse::<f64>().ok()) {
        *value = json!(wei / 1e18);
    }
}

/// Ids of messages have a prefix, in lists and alone.
fn message_ids(_: &Context<'_>, response: &mut ProxiedResponse) {
    each_member(&mut response.body, &|_| true, &|name| name == "id", &|id| {
        change_text(id, |id| format!("msg_{id}"));
    });
}
