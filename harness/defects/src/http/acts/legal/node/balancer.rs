//! Acts of two nodes behind one address, of which the second has each block a second later.
use std::time::{Duration, Instant};

use hyper::header::HOST;
use serde_json::{Value, json};

use super::methods::{place_of_state, state_of};
use crate::http::act::{Act, Context, act};
use crate::http::calls::{
    calls, each_answer, each_call, method, number, quantity, refuse, send_along, taken_out,
};
use crate::http::exchange::{ProxiedResponse, RequestParts};

pub(in crate::http::acts) const ACTS: &[Act] =
    &[act!(Before second_node_asked), act!(After second_node_answers)];

/// How long the second node is behind, and how many blocks at most.
const LATE: Duration = Duration::from_secs(1);
const BEHIND: u64 = 2;
/// The id of the added call that reads the chain's height; with the head of the second node, if that is asked.
const HEIGHT: &str = "height of the first node";

fn node(sent: &RequestParts) -> String {
    format!("{:?}", sent.headers().get(HOST))
}

/// Every other request of reads is for the second node, whose newest block takes the place of `latest`.
fn second_node_asked(context: &Context<'_>, request: &mut RequestParts) {
    let reads = |method: &str| method.starts_with("eth_") && !method.starts_with("eth_send");
    if calls(request, |method| !reads(method)) {
        return;
    }
    let head =
        context.memory.lock().heights.get(&node(context.sent)).and_then(|heights| second_head(heights));
    let head = head.filter(|_| context.number.is_multiple_of(2));
    if let Some(head) = head {
        each_call(request, |call| name_block(call, head));
    }
    let id = head.map_or_else(|| HEIGHT.to_owned(), |head| format!("{HEIGHT} {head}"));
    send_along(request, &id, "eth_blockNumber", &json!([]));
}

/// The newest block of the second node.
fn second_head(heights: &[(Instant, u64)]) -> Option<u64> {
    let (_, newest) = heights.last()?;
    let late = heights.iter().rfind(|(since, _)| since.elapsed() >= LATE).or(heights.first())?;
    Some(late.1.max(newest.saturating_sub(BEHIND)))
}

/// Keeps a height of the first node; one that falls is of a chain that was rolled back.
fn note(heights: &mut Vec<(Instant, u64)>, height: u64) {
    if heights.last().is_some_and(|(_, last)| *last > height) {
        heights.clear();
    }
    if heights.last().is_none_or(|(_, last)| *last < height) {
        heights.push((Instant::now(), height));
    }
}

fn name_block(call: &mut Value, head: u64) {
    let place = match method(call) {
        "eth_getBlockByNumber" => 0,
        method => match place_of_state(method) {
            Some(place) => place,
            None => return,
        },
    };
    if let Some(params) = call["params"].as_array_mut() {
        if params.len() == place {
            params.push(json!("latest"));
        }
        for block in params.iter_mut().skip(place).take(1).filter(|block| **block == "latest") {
            *block = quantity(head);
        }
    }
}

fn second_node_answers(context: &Context<'_>, response: &mut ProxiedResponse) {
    let answers = response.body.as_array().into_iter().flatten();
    let ids = answers.filter_map(|answer| answer["id"].as_str());
    let Some(id) = ids.into_iter().find(|id| id.starts_with(HEIGHT)).map(str::to_owned) else { return };
    if let Some(height) = taken_out(context.sent, response, &id).as_ref().and_then(number) {
        note(context.memory.lock().heights.entry(node(context.sent)).or_default(), height);
    }
    let Some(head) = id[HEIGHT.len()..].trim().parse().ok() else { return };
    each_answer(context.sent, response, |call, answer| lag(call, answer, head));
}

/// Changes an answer to that of a node with this head.
fn lag(call: &Value, answer: &mut Value, head: u64) {
    let is_newer = |block: &Value| number(block).is_some_and(|block| block > head);
    if answer.get("error").is_some() && state_of(call).is_none_or(|block| block <= head) {
        return;
    }
    let has_newer = |logs: &Value| {
        logs.as_array().is_some_and(|logs| logs.iter().any(|log| is_newer(&log["blockNumber"])))
    };
    let result = &mut answer["result"];
    match method(call) {
        "eth_blockNumber" => *result = quantity(head),
        "eth_getBlockByNumber" | "eth_getBlockByHash" if is_newer(&result["number"]) => *result = Value::Null,
        "eth_getTransactionReceipt" | "eth_getTransactionByHash" if is_newer(&result["blockNumber"]) => {
            *result = Value::Null;
        }
        "eth_getLogs" if call["params"][0]["blockHash"].is_string() && has_newer(result) => {
            refuse(answer, -32000, "unknown block");
        }
        "eth_getLogs" => {
            if let Some(logs) = result.as_array_mut() {
                logs.retain(|log| !is_newer(&log["blockNumber"]));
            }
        }
        _ if state_of(call).is_some_and(|block| block > head) => refuse(answer, -32000, "header not found"),
        _ => {}
    }
}
