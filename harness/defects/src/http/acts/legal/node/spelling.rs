//! Acts of nodes that write the same answers differently: presence of members, letter case of addresses, errors of reverted calls.
use alloy::primitives::Address;
use serde_json::{Map, Value, json};

use crate::http::act::{Act, Context, act};
use crate::http::calls::{each_answer, each_result};
use crate::http::exchange::{ProxiedResponse, RequestParts};
use crate::json::each_object;

pub(in crate::http::acts) const ACTS: &[Act] = &[
    act!(After checksums),
    act!(After more_members_of_the_chain),
    act!(After input_and_data),
    act!(After no_null_members),
    act!(After with_nulls),
    act!(After reverts_within_data),
    act!(After reverts_as_server_errors),
    act!(After reverts_after_a_word),
];

/// Visits every object of a result.
fn in_results(
    sent: &RequestParts,
    response: &mut ProxiedResponse,
    mut visit: impl FnMut(&mut Map<String, Value>),
) {
    each_result(sent, response, |_, result| each_object(result, &mut visit));
}

fn checksums(context: &Context<'_>, response: &mut ProxiedResponse) {
    in_results(context.sent, response, |members| {
        for name in ["from", "to", "address", "contractAddress", "miner"] {
            let address = members.get(name).and_then(|member| member.as_str()?.parse::<Address>().ok());
            if let Some(address) = address {
                members.insert(name.to_owned(), json!(address.to_checksum(None)));
            }
        }
    });
}

/// Whether it is a block, a transaction, a receipt or a log.
fn is_of_the_chain(members: &Map<String, Value>) -> bool {
    ["parentHash", "blockHash"].iter().any(|name| members.contains_key(*name))
}

fn more_members_of_the_chain(context: &Context<'_>, response: &mut ProxiedResponse) {
    in_results(context.sent, response, |members| {
        if is_of_the_chain(members) {
            members.insert("executionNanos".to_owned(), json!(1_250));
            members.insert("shard".to_owned(), json!({ "id": "0x1", "leader": null }));
            members.insert("l2Origin".to_owned(), json!(["0x1", true]));
        }
    });
}

fn input_and_data(context: &Context<'_>, response: &mut ProxiedResponse) {
    in_results(context.sent, response, |members| {
        if members.contains_key("nonce")
            && let Some(input) = members.get("input").cloned()
        {
            members.insert("data".to_owned(), input);
        }
    });
}

fn no_null_members(context: &Context<'_>, response: &mut ProxiedResponse) {
    in_results(context.sent, response, |members| members.retain(|_, member| !member.is_null()));
}

fn with_nulls(context: &Context<'_>, response: &mut ProxiedResponse) {
    in_results(context.sent, response, |members| {
        let names: &[&str] = match members {
            _ if members.contains_key("cumulativeGasUsed") => {
                &["to", "contractAddress", "blobGasPrice", "root"]
            }
            _ if members.contains_key("input") => &["to", "accessList", "blobVersionedHashes"],
            _ if members.contains_key("parentHash") => &["totalDifficulty", "requestsHash", "nonce"],
            _ => &[],
        };
        for name in names {
            members.entry(*name).or_insert(Value::Null);
        }
    });
}

/// Changes the error of each call that reverted with data.
fn reverts(sent: &RequestParts, response: &mut ProxiedResponse, change: fn(&mut Value)) {
    each_answer(sent, response, |_, answer| {
        if answer["error"]["data"].as_str().is_some_and(|data| data.starts_with("0x"))
            && answer["error"]["code"] == 3
        {
            change(&mut answer["error"]);
        }
    });
}

fn reverts_within_data(context: &Context<'_>, response: &mut ProxiedResponse) {
    reverts(context.sent, response, within_data);
}

fn reverts_as_server_errors(context: &Context<'_>, response: &mut ProxiedResponse) {
    reverts(context.sent, response, as_server_error);
}

fn reverts_after_a_word(context: &Context<'_>, response: &mut ProxiedResponse) {
    reverts(context.sent, response, after_a_word);
}

fn within_data(error: &mut Value) {
    error["data"] = json!({ "message": "reverted", "data": error["data"].take() });
}

fn after_a_word(error: &mut Value) {
    error["code"] = json!(-32015);
    error["message"] = json!("VM execution error.");
    if let Some(data) = error["data"].as_str() {
        error["data"] = json!(format!("Reverted {data}"));
    }
}

fn as_server_error(error: &mut Value) {
    error["code"] = json!(-32000);
    error["message"] = json!("VM Exception while processing transaction: revert");
}
