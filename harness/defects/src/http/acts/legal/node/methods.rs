//! Acts of nodes that lack some methods, tags or old states, and of answers to sending that a client must expect.
use hyper::StatusCode;
use serde_json::{Value, json};

use crate::http::act::{Act, Context, act};
use crate::http::calls::{
    each_answer, each_call, each_result, method, mirrored, number, refuse, send_along, taken_out,
};
use crate::http::exchange::{ProxiedResponse, RequestParts};

pub(in crate::http::acts) const ACTS: &[Act] = &[
    act!(Before disarm_development),
    act!(Before disarm_accounts),
    act!(Before disarm_sync),
    act!(After no_accounts),
    act!(Before sent_at_once),
    act!(After timed_out),
    act!(After no_final_block),
    act!(Before height_for_states),
    act!(After no_old_state),
    act!(Instead batch_refused),
    act!(Instead batch_as_bad_request),
    act!(Before implementation_along),
    act!(After proxy_code),
];

/// Replaces calls of absent methods with a call that has no effect.
fn disarm(request: &mut RequestParts, absent: fn(&str) -> bool) {
    each_call(request, |call| {
        if absent(method(call)) {
            (call["method"], call["params"]) = (json!("eth_chainId"), json!([]));
        }
    });
}

fn disarm_development(_: &Context<'_>, request: &mut RequestParts) {
    disarm(request, is_development);
}

fn disarm_accounts(_: &Context<'_>, request: &mut RequestParts) {
    disarm(request, signs);
}

fn disarm_sync(_: &Context<'_>, request: &mut RequestParts) {
    disarm(request, is_sync);
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

fn no_accounts(context: &Context<'_>, response: &mut ProxiedResponse) {
    each_result(context.sent, response, |call, result| {
        if method(call) == "eth_accounts" {
            *result = json!([]);
        }
    });
}

fn sent_at_once(_: &Context<'_>, request: &mut RequestParts) {
    each_call(request, |call| {
        if is_sync(method(call)) {
            call["method"] = json!("eth_sendRawTransaction");
            if let Some(params) = call["params"].as_array_mut() {
                params.truncate(1);
            }
        }
    });
}

fn timed_out(context: &Context<'_>, response: &mut ProxiedResponse) {
    each_answer(context.sent, response, |call, answer| {
        if is_sync(method(call)) && answer["result"].is_string() {
            let hash = answer["result"].take();
            refuse(answer, 4, "the transaction was added to the pool but was not mined within 0 ms");
            answer["error"]["data"] = hash;
        }
    });
}

fn no_final_block(context: &Context<'_>, response: &mut ProxiedResponse) {
    each_result(context.sent, response, |call, result| {
        if method(call) == "eth_getBlockByNumber"
            && (call["params"][0] == "safe" || call["params"][0] == "finalized")
        {
            *result = Value::Null;
        }
    });
}

fn one_error(sent: &RequestParts, status: StatusCode) -> Option<ProxiedResponse> {
    let error = json!({ "code": -32600, "message": "batch requests are not supported" });
    let body = json!({ "jsonrpc": "2.0", "id": null, "error": error });
    sent.body.is_array().then(|| ProxiedResponse::of(status, &body))
}

fn batch_refused(context: &Context<'_>) -> Option<ProxiedResponse> {
    one_error(context.sent, StatusCode::OK)
}

fn batch_as_bad_request(context: &Context<'_>) -> Option<ProxiedResponse> {
    one_error(context.sent, StatusCode::BAD_REQUEST)
}

/// The id of the added call that reads the chain's height.
const HEIGHT: &str = "height for states";
/// How many blocks below the newest keep their state.
const KEPT: u64 = 128;

/// Which parameter of a method names the block whose state it reads.
pub(super) fn place_of_state(method: &str) -> Option<usize> {
    match method {
        "eth_call" | "eth_estimateGas" | "eth_getBalance" | "eth_getCode" | "eth_getTransactionCount" => {
            Some(1)
        }
        "eth_simulateV1" => Some(1),
        "eth_getStorageAt" | "eth_getProof" => Some(2),
        _ => None,
    }
}

/// The number of the block whose state a call reads, if it names one by number.
pub(super) fn state_of(call: &Value) -> Option<u64> {
    let place = place_of_state(method(call))?;
    match &call["params"][place] {
        tag if *tag == "earliest" => Some(0),
        block if block.is_object() => number(&block["blockNumber"]),
        block => number(block),
    }
}

fn height_for_states(_: &Context<'_>, request: &mut RequestParts) {
    let mut reads_state = false;
    each_call(request, |call| reads_state |= state_of(call).is_some());
    if reads_state {
        send_along(request, HEIGHT, "eth_blockNumber", &json!([]));
    }
}

fn no_old_state(context: &Context<'_>, response: &mut ProxiedResponse) {
    let Some(height) = taken_out(context.sent, response, HEIGHT).as_ref().and_then(number) else {
        return;
    };
    each_answer(context.sent, response, |call, answer| {
        if state_of(call).is_some_and(|block| block + KEPT < height) {
            refuse(answer, -32000, "missing trie node 5f1b4c0e (path ) <nil>");
        }
    });
}

/// The selector of `createLaunch`, which the code of a hook contains.
const CREATE_LAUNCH: &str = "8dbbea4d";
const IMPLEMENTATION: &str = "implementation of ";

/// Also asks whether the address is an implementation: a hook's address with its digits mirrored.
fn implementation_along(_: &Context<'_>, request: &mut RequestParts) {
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

fn proxy_code(context: &Context<'_>, response: &mut ProxiedResponse) {
    let mut asked = Vec::new();
    let mut copy = context.sent.clone();
    each_call(&mut copy, |call| {
        if method(call) == "eth_getCode" {
            asked.push(call["id"].clone());
        }
    });
    let mirrors = asked.into_iter().filter_map(|id| {
        let code = taken_out(context.sent, response, &format!("{IMPLEMENTATION}{id}"))?;
        Some((id, code))
    });
    let mirrors: Vec<(Value, Value)> = mirrors.collect();
    let is_hook = |code: &Value| code.as_str().is_some_and(|code| code.contains(CREATE_LAUNCH));
    each_result(context.sent, response, |call, result| {
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
