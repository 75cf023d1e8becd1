//! Acts of the layer in front of a provider's nodes: rate limits and a load balancer.
use hyper::StatusCode;
use serde_json::{Value, json};

use crate::http::act::{Act, Context, act};
use crate::http::calls::{calls, method, refuse};
use crate::http::exchange::{ProxiedResponse, RequestParts};

pub(in crate::http::acts) const ACTS: &[Act] = &[
    act!(Instead node_too_many_requests),
    act!(Instead node_too_many_unstated),
    act!(Instead node_limit_exceeded),
    act!(Instead node_limit_exceeded_with_success),
    act!(Instead node_unavailable),
    act!(After limit_exceeded_within_batches),
    act!(After errors_as_bad_requests),
];

/// One request out of this many is refused.
const EACH: usize = 401;

fn limited(number: usize, turn: usize, body: &Value, retry_after: bool) -> Option<ProxiedResponse> {
    let mut response =
        (number % EACH == turn).then(|| ProxiedResponse::of(StatusCode::TOO_MANY_REQUESTS, body))?;
    if retry_after {
        response.header("retry-after", "1");
    }
    Some(response)
}

fn node_too_many_requests(context: &Context<'_>) -> Option<ProxiedResponse> {
    limited(context.number, 7, &json!({ "message": "slow down" }), true)
}

fn node_too_many_unstated(context: &Context<'_>) -> Option<ProxiedResponse> {
    limited(context.number, 17, &json!({ "error": "rate limit reached" }), false)
}

fn node_limit_exceeded(context: &Context<'_>) -> Option<ProxiedResponse> {
    limited(context.number, 27, &limit_exceeded(context.sent)?, true)
}

/// The answer to a single call; `None` for a batch.
fn limit_exceeded(sent: &RequestParts) -> Option<Value> {
    let error = json!({ "code": -32005, "message": "limit exceeded" });
    sent.body.is_object().then(|| json!({ "jsonrpc": "2.0", "id": sent.body["id"], "error": error }))
}

/// Sending is never limited: the client must know whether a transaction was accepted.
fn node_limit_exceeded_with_success(context: &Context<'_>) -> Option<ProxiedResponse> {
    if context.number % EACH != 37 || method(&context.sent.body).starts_with("eth_send") {
        return None;
    }
    Some(ProxiedResponse::of(StatusCode::OK, &limit_exceeded(context.sent)?))
}

fn node_unavailable(context: &Context<'_>) -> Option<ProxiedResponse> {
    if context.number % EACH != 47 || !calls(context.sent, |_| true) {
        return None;
    }
    let mut response = ProxiedResponse::of(StatusCode::SERVICE_UNAVAILABLE, &Value::Null);
    response.header("content-type", "text/html");
    response.body =
        json!("<html><body><h1>503 Service Unavailable</h1>No server is available.</body></html>");
    Some(response)
}

fn limit_exceeded_within_batches(_: &Context<'_>, response: &mut ProxiedResponse) {
    if let Some([_, refused, ..]) = response.body.as_array_mut().map(Vec::as_mut_slice) {
        refuse(refused, -32005, "limit exceeded");
    }
}

fn errors_as_bad_requests(_: &Context<'_>, response: &mut ProxiedResponse) {
    if response.body.get("error").is_some() {
        response.status = StatusCode::BAD_REQUEST;
    }
}
