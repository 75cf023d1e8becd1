//! JSON-RPC calls of a request and the answers to them, alone or in a batch, over HTTP or WebSocket.
use serde_json::{Value, json};

use super::exchange::{ProxiedResponse, RequestParts};

/// The method of each notification of a subscription; its result is a block header, a log or a hash.
pub(crate) const NOTIFICATION: &str = "eth_subscription";

/// The calls or the answers of a body.
fn all(body: &Value) -> &[Value] {
    match body {
        Value::Array(all) => all,
        one => std::slice::from_ref(one),
    }
}

fn all_mut(body: &mut Value) -> &mut [Value] {
    match body {
        Value::Array(all) => all,
        one => std::slice::from_mut(one),
    }
}

pub(crate) fn method(call: &Value) -> &str {
    call["method"].as_str().unwrap_or_default()
}

/// Whether a request calls a method that `wanted` accepts.
pub(crate) fn calls(request: &RequestParts, wanted: impl Fn(&str) -> bool) -> bool {
    all(&request.body).iter().any(|call| wanted(method(call)))
}

/// Changes each call on its way to the node.
pub(crate) fn each_call(request: &mut RequestParts, mut change: impl FnMut(&mut Value)) {
    all_mut(&mut request.body).iter_mut().filter(|call| call["method"].is_string()).for_each(&mut change);
}

/// Changes each answer, with the call as the client sent it. A notification of a subscription counts as an answer to a call of its own
/// method.
pub fn each_answer(
    request: &RequestParts,
    response: &mut ProxiedResponse,
    mut change: impl FnMut(&Value, &mut Value),
) {
    let calls = all(&request.body);
    for answer in all_mut(&mut response.body) {
        if answer["method"] == NOTIFICATION {
            change(&json!({ "method": NOTIFICATION }), &mut answer["params"]);
        } else if let Some(call) = calls.iter().find(|call| call["id"] == answer["id"])
            && call["method"].is_string()
        {
            change(call, answer);
        }
    }
}

/// Changes each result that is present, with the call as the client sent it.
pub(crate) fn each_result(
    request: &RequestParts,
    response: &mut ProxiedResponse,
    mut change: impl FnMut(&Value, &mut Value),
) {
    each_answer(request, response, |call, answer| {
        if !answer["result"].is_null() {
            change(call, &mut answer["result"]);
        }
    });
}

/// Turns an answer into an error.
pub(crate) fn refuse(answer: &mut Value, code: i64, message: &str) {
    *answer = json!({
        "jsonrpc": "2.0", "id": answer["id"].take(), "error": { "code": code, "message": message },
    });
}

/// Adds a call, whose answer [`taken_out`] removes again.
pub(crate) fn send_along(request: &mut RequestParts, id: &str, method: &str, params: &Value) {
    let call = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
    match &mut request.body {
        Value::Array(calls) => calls.push(call),
        one => *one = json!([one.take(), call]),
    }
}

/// Removes the result of an added call; the answer then has the form that the client expects.
pub(crate) fn taken_out(sent: &RequestParts, response: &mut ProxiedResponse, id: &str) -> Option<Value> {
    let answers = response.body.as_array_mut()?;
    let place = answers.iter().position(|answer| answer["id"] == id)?;
    let result = answers.remove(place)["result"].take();
    if let ([one], false) = (answers.as_mut_slice(), sent.body.is_array()) {
        response.body = one.take();
    }
    Some(result)
}

pub(crate) fn number(quantity: &Value) -> Option<u64> {
    u64::from_str_radix(quantity.as_str()?.strip_prefix("0x")?, 16).ok()
}

pub(crate) fn quantity(number: u64) -> Value {
    json!(format!("{number:#x}"))
}

pub(crate) fn add(quantity_of: &mut Value, more: u64) {
    if let Some(old) = number(quantity_of) {
        *quantity_of = quantity(old + more);
    }
}

/// A hexadecimal text with its digits reversed; reversing again restores it.
pub(crate) fn mirrored(text: &str) -> String {
    match text.strip_prefix("0x") {
        Some(digits) => format!("0x{}", digits.to_ascii_lowercase().chars().rev().collect::<String>()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use hyper::{Request, StatusCode};

    use super::*;

    #[test]
    fn answers_are_matched_with_calls_also_in_batches() {
        let call = |id: u64, method: &str| json!({ "id": id, "method": method });
        let answer = |id: u64, result: &str| json!({ "id": id, "result": result });
        let changed = |asked: &Value, answered: &Value| {
            let request = RequestParts::new(Request::new(()).into_parts().0, asked.to_string().into());
            let mut response = ProxiedResponse::of(StatusCode::OK, answered);
            each_answer(&request, &mut response, |call, answer| {
                if call["method"] == "eth_chainId" {
                    answer["result"] = json!("0x1");
                }
            });
            response.body
        };
        assert_eq!(changed(&call(1, "eth_chainId"), &answer(1, "0xdef1")), answer(1, "0x1"));
        let batch = json!([call(1, "eth_blockNumber"), call(2, "eth_chainId")]);
        let answered = json!([answer(2, "0xdef1"), answer(1, "0x9")]);
        assert_eq!(changed(&batch, &answered), json!([answer(2, "0x1"), answer(1, "0x9")]));
    }
}
