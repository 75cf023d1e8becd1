//! The same answers written otherwise: order and presence of members, letter case of addresses, errors of reverted calls.
use alloy::primitives::Address;
use serde_json::{Map, Value, json};

use super::calls::{each_answer, each_result};
use crate::http::exchange::{ProxiedResponse, RequestParts};
use crate::http::mutation::Mutation::Anywhere;
use crate::json::each_object;
use crate::variants::Ground::Standard;
use crate::variants::http::with_members_reversed;
use crate::variants::{VariantRow, variant};

#[rustfmt::skip]
pub(super) const ROWS: &[VariantRow] = &[
    variant!(Node, "node-addresses-with-checksums", Standard("execution API, address: digits of either case; EIP-55"), "addresses are written with the capitals of EIP-55", Anywhere(checksums)),
    variant!(Node, "node-members-in-another-order", Standard("RFC 8259 §4: an object is unordered"), "members of objects come in the opposite order", Anywhere(|_, response| response.spell(with_members_reversed))),
    variant!(Node, "node-more-members", Standard("execution API, block, transaction and receipt objects: further members"), "blocks, transactions, receipts and logs have members that no specification has", Anywhere(more_members)),
    variant!(Node, "node-input-and-data", Standard("execution API, transaction object; nodes that write both"), "a transaction has its input twice, as `input` and as `data`", Anywhere(input_and_data)),
    variant!(Node, "node-no-null-members", Standard("execution API: `to`, `contractAddress` and `blockHash` are optional"), "members that are null are left out", Anywhere(|sent, response| in_results(sent, response, |members| members.retain(|_, member| !member.is_null())))),
    variant!(Node, "node-null-members", Standard("execution API: `to` and `contractAddress` may be null"), "members that are absent are null", Anywhere(with_nulls), alone),
    variant!(Node, "node-reverts-within-data", Standard("JSON-RPC 2.0 §5.1: `data` is defined by the server"), "what a call reverted with is a member of the error's data", Anywhere(|sent, response| reverts(sent, response, within_data))),
    variant!(Node, "node-reverts-as-server-errors", Standard("JSON-RPC 2.0 §5.1: -32000 to -32099 are the server's"), "a reverted call has code -32000 and another message", Anywhere(|sent, response| reverts(sent, response, as_server_error))),
];

/// Visits every object of a result.
fn in_results(
    sent: &RequestParts,
    response: &mut ProxiedResponse,
    mut visit: impl FnMut(&mut Map<String, Value>),
) {
    each_result(sent, response, |_, result| each_object(result, &mut visit));
}

fn checksums(sent: &RequestParts, response: &mut ProxiedResponse) {
    in_results(sent, response, |members| {
        for name in ["from", "to", "address", "contractAddress", "miner"] {
            let address = members.get(name).and_then(|member| member.as_str()?.parse::<Address>().ok());
            if let Some(address) = address {
                members.insert(name.to_owned(), json!(address.to_checksum(None)));
            }
        }
    });
}

/// Blocks, transactions, receipts and logs.
fn is_of_the_chain(members: &Map<String, Value>) -> bool {
    ["parentHash", "blockHash"].iter().any(|name| members.contains_key(*name))
}

fn more_members(sent: &RequestParts, response: &mut ProxiedResponse) {
    in_results(sent, response, |members| {
        if is_of_the_chain(members) {
            members.insert("executionNanos".to_owned(), json!(1_250));
            members.insert("shard".to_owned(), json!({ "id": "0x1", "leader": null }));
            members.insert("l2Origin".to_owned(), json!(["0x1", true]));
        }
    });
}

fn input_and_data(sent: &RequestParts, response: &mut ProxiedResponse) {
    in_results(sent, response, |members| {
        if members.contains_key("nonce")
            && let Some(input) = members.get("input").cloned()
        {
            members.insert("data".to_owned(), input);
        }
    });
}

fn with_nulls(sent: &RequestParts, response: &mut ProxiedResponse) {
    in_results(sent, response, |members| {
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

fn within_data(error: &mut Value) {
    error["data"] = json!({ "message": "reverted", "data": error["data"].take() });
}

fn as_server_error(error: &mut Value) {
    error["code"] = json!(-32000);
    error["message"] = json!("VM Exception while processing transaction: revert");
}
