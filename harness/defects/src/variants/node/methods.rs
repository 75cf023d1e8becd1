//! Nodes without some methods, tags or old states, and answers of sending that a client must expect.
use hyper::StatusCode;
use serde_json::{Value, json};

use super::calls::{
    each_answer, each_call, each_result, method, mirrored, number, refuse, send_along, taken_out,
};
use crate::http::exchange::{ProxiedResponse, RequestParts};
use crate::http::mutation::Mutation::{Anywhere, Instead, Lie};
use crate::variants::Ground::{Choice, Standard};
use crate::variants::{Ground, VariantRow, variant};

const NO_METHOD: Ground =
    Standard("JSON-RPC 2.0 §5.1, error -32601: method not found; no part of the execution API");

#[rustfmt::skip]
pub(super) const ROWS: &[VariantRow] = &[
    variant!(Node, "node-no-development-methods", NO_METHOD, "methods of development nodes (anvil_, evm_, hardhat_) do not exist", Lie(|request| disarm(request, is_development), |sent, response| no_method(sent, response, is_development))),
    variant!(Node, "node-no-accounts", Standard("execution API, eth_accounts"), "the node has no accounts and signs nothing", Lie(|request| disarm(request, signs), no_accounts)),
    variant!(Node, "node-no-synchronous-sending", NO_METHOD, "eth_sendRawTransactionSync does not exist", Lie(|request| disarm(request, is_sync), |sent, response| no_method(sent, response, is_sync))),
    variant!(Node, "node-synchronous-sending-unsupported", Standard("EIP-1474, error -32004: method not supported"), "eth_sendRawTransactionSync is refused as a method that is not supported", Lie(|request| disarm(request, is_sync), unsupported_sync)),
    variant!(Node, "node-synchronous-sending-times-out", Standard("EIP-7966, error 4: timeout"), "eth_sendRawTransactionSync takes the transaction and answers that its receipt took too long", Lie(sent_at_once, timed_out), alone),
    variant!(Node, "node-no-simulation", NO_METHOD, "eth_simulateV1 does not exist", Anywhere(|sent, response| no_method(sent, response, |method| method == "eth_simulateV1"))),
    variant!(Node, "node-no-tracing", NO_METHOD, "debug_ and trace_ methods do not exist", Anywhere(|sent, response| no_method(sent, response, |method| method.starts_with("debug_") || method.starts_with("trace_")))),
    variant!(Node, "node-no-fee-suggestions", NO_METHOD, "eth_feeHistory and eth_maxPriorityFeePerGas do not exist", Anywhere(|sent, response| no_method(sent, response, |method| matches!(method, "eth_feeHistory" | "eth_maxPriorityFeePerGas")))),
    variant!(Node, "node-no-final-blocks", Standard("execution API, eth_getBlockByNumber: null where there is no such block"), "there is no safe and no finalized block yet", Anywhere(no_final_block)),
    variant!(Node, "node-no-old-states", Standard("execution API, error 4444 and nodes without an archive"), "states of blocks more than 128 below the newest are gone", Lie(height_along, no_old_state)),
    variant!(Node, "node-no-batches", Standard("JSON-RPC 2.0 §6: a batch may be refused as an invalid request"), "a batch is answered with one error", Instead(|sent, _| batch_refused(sent, StatusCode::OK))),
    variant!(Node, "node-batches-are-bad-requests", Standard("RFC 9110 §15.5.1; JSON-RPC 2.0 §6"), "a batch is refused with status 400", Instead(|sent, _| batch_refused(sent, StatusCode::BAD_REQUEST))),
    variant!(Node, "node-proxied-hook", Choice("CAP-CODE"), "the code at a hook is that of a minimal proxy (EIP-1167), whose implementation has the hook's code", Lie(implementation_along, proxy_code), alone),
];

/// Refuses methods that do not exist.
fn no_method(sent: &RequestParts, response: &mut ProxiedResponse, absent: fn(&str) -> bool) {
    each_answer(sent, response, |call, answer| {
        if absent(method(call)) {
            refuse(answer, -32601, &format!("the method {} does not exist/is not available", method(call)));
        }
    });
}

/// Calls of these methods have no effect at the node.
fn disarm(request: &mut RequestParts, absent: fn(&str) -> bool) {
    each_call(request, |call| {
        if absent(method(call)) {
            (call["method"], call["params"]) = (json!("eth_chainId"), json!([]));
        }
    });
}

fn is_development(method: &str) -> bool {
    ["anvil_", "evm_", "hardhat_"].iter().any(|prefix| method.starts_with(prefix))
}

fn is_sync(method: &str) -> bool {
    method == "eth_sendRawTransactionSync"
}

fn signs(method: &str) -> bool {
    matches!(method, "eth_sendTransaction" | "eth_sign" | "eth_signTransaction" | "eth_signTypedData_v4")
}

fn no_accounts(sent: &RequestParts, response: &mut ProxiedResponse) {
    no_method(sent, response, signs);
    each_result(sent, response, |call, result| {
        if method(call) == "eth_accounts" {
            *result = json!([]);
        }
    });
}

fn unsupported_sync(sent: &RequestParts, response: &mut ProxiedResponse) {
    each_answer(sent, response, |call, answer| {
        if is_sync(method(call)) {
            refuse(answer, -32004, "method not supported");
        }
    });
}

fn sent_at_once(request: &mut RequestParts) {
    each_call(request, |call| {
        if is_sync(method(call)) {
            call["method"] = json!("eth_sendRawTransaction");
            if let Some(params) = call["params"].as_array_mut() {
                params.truncate(1);
            }
        }
    });
}

fn timed_out(sent: &RequestParts, response: &mut ProxiedResponse) {
    each_answer(sent, response, |call, answer| {
        if is_sync(method(call)) && answer["result"].is_string() {
            let hash = answer["result"].take();
            refuse(answer, 4, "the transaction was added to the pool but was not mined within 0 ms");
            answer["error"]["data"] = hash;
        }
    });
}

fn no_final_block(sent: &RequestParts, response: &mut ProxiedResponse) {
    each_result(sent, response, |call, result| {
        if method(call) == "eth_getBlockByNumber"
            && (call["params"][0] == "safe" || call["params"][0] == "finalized")
        {
            *result = Value::Null;
        }
    });
}

fn batch_refused(sent: &RequestParts, status: StatusCode) -> Option<ProxiedResponse> {
    let error = json!({ "code": -32600, "message": "batch requests are not supported" });
    let body = json!({ "jsonrpc": "2.0", "id": null, "error": error });
    sent.body.is_array().then(|| ProxiedResponse::of(status, &body))
}

/// The call that is sent along to learn the height of the chain.
const HEIGHT: &str = "height for states";
/// Blocks below the newest whose states are kept.
const KEPT: u64 = 128;

/// The block whose state a call reads, where it names one by its number.
fn state_of(call: &Value) -> Option<u64> {
    let place = match method(call) {
        "eth_call" | "eth_estimateGas" | "eth_getBalance" | "eth_getCode" | "eth_getTransactionCount" => 1,
        "eth_simulateV1" => 1,
        "eth_getStorageAt" | "eth_getProof" => 2,
        _ => return None,
    };
    match &call["params"][place] {
        tag if *tag == "earliest" => Some(0),
        block if block.is_object() => number(&block["blockNumber"]),
        block => number(block),
    }
}

fn height_along(request: &mut RequestParts) {
    let mut reads_state = false;
    each_call(request, |call| reads_state |= state_of(call).is_some());
    if reads_state {
        send_along(request, HEIGHT, "eth_blockNumber", &json!([]));
    }
}

fn no_old_state(sent: &RequestParts, response: &mut ProxiedResponse) {
    let Some(height) = taken_out(sent, response, HEIGHT).as_ref().and_then(number) else {
        return;
    };
    each_answer(sent, response, |call, answer| {
        if state_of(call).is_some_and(|block| block + KEPT < height) {
            refuse(answer, -32000, "missing trie node 5f1b4c0e (path ) <nil>");
        }
    });
}

/// The selector of `createLaunch`, which the code of a hook contains.
const CREATE_LAUNCH: &str = "8dbbea4d";
const IMPLEMENTATION: &str = "implementation of ";

/// Asks too whether the address is that of an implementation: that of a hook with its digits mirrored.
fn implementation_along(request: &mut RequestParts) {
    let mut along = Vec::new();
    each_call(request, |call| {
        if method(call) == "eth_getCode"
            && let Some(address) = call["params"][0].as_str()
        {
            let params = json!([mirrored(address), call["params"][1]]);
            along.push((format!("{IMPLEMENTATION}{}", call["id"]), params));
        }
    });
    for (id, params) in along {
        send_along(request, &id, "eth_getCode", &params);
    }
}

fn proxy_code(sent: &RequestParts, response: &mut ProxiedResponse) {
    let mut asked = Vec::new();
    let mut copy = sent.clone();
    each_call(&mut copy, |call| {
        if method(call) == "eth_getCode" {
            asked.push(call["id"].clone());
        }
    });
    let mirrors = asked.into_iter().filter_map(|id| {
        let code = taken_out(sent, response, &format!("{IMPLEMENTATION}{id}"))?;
        Some((id, code))
    });
    let mirrors: Vec<(Value, Value)> = mirrors.collect();
    let is_hook = |code: &Value| code.as_str().is_some_and(|code| code.contains(CREATE_LAUNCH));
    each_result(sent, response, |call, result| {
        let mirror = mirrors.iter().find(|(id, _)| *id == call["id"]).map(|(_, code)| code);
        let address = call["params"][0].as_str().map(mirrored).unwrap_or_default();
        match mirror {
            Some(_) if is_hook(result) => {
                let target = address.trim_start_matches("0x");
                *result = json!(format!("0x363d3d373d3d3d363d73{target}5af43d82803e903d91602b57fd5bf3"));
            }
            Some(code) if *result == "0x" && is_hook(code) => *result = code.clone(),
            _ => {}
        }
    });
}
