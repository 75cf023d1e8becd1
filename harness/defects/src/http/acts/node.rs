//! Acts of defects of nodes.
use serde_json::{Value, json};

use crate::http::act::{Act, Context, act};
use crate::http::calls::{each_answer, each_result, method, refuse};
use crate::http::exchange::ProxiedResponse;

pub(super) const ACTS: &[Act] =
    &[act!(After late_block), act!(After no_state_at_tags), act!(After no_deposit)];

/// The topic of `Deposit(address,uint256)`.
const DEPOSIT: &str = "0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c";

/// The second block claims a time in the far future, so that time goes backwards at the third.
fn late_block(context: &Context<'_>, response: &mut ProxiedResponse) {
    each_result(context.sent, response, |_, result| {
        if result["number"] == "0x2" && result["parentHash"].is_string() {
            result["timestamp"] = json!("0x7fffffff");
        }
    });
}

/// State can be read by block number and by `latest` only.
fn no_state_at_tags(context: &Context<'_>, response: &mut ProxiedResponse) {
    each_answer(context.sent, response, |call, answer| {
        let reads = matches!(method(call), "eth_getBalance" | "eth_getCode" | "eth_call");
        if reads && (call["params"][1] == "safe" || call["params"][1] == "finalized") {
            refuse(answer, -32000, "state is not available");
        }
    });
}

/// A contract whose only event is a deposit to itself took the ether and gave nothing in return.
fn no_deposit(context: &Context<'_>, response: &mut ProxiedResponse) {
    each_result(context.sent, response, |call, result| {
        if method(call).starts_with("eth_sendRaw") || method(call) == "eth_getTransactionReceipt" {
            let deposits = result["logs"].as_array().is_some_and(|logs| {
                matches!(&logs[..], [log] if log["topics"][0] == DEPOSIT && log["address"] == result["to"])
            });
            if deposits {
                (result["status"], result["logs"]) = (json!("0x0"), Value::Array(Vec::new()));
            }
        }
    });
}
