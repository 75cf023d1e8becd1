//! What is in front of a provider's nodes: limits of rate, a load balancer, a CDN.
use hyper::StatusCode;
use serde_json::{Value, json};
use std::time::Duration;

use super::calls::{calls, method};
use crate::http::exchange::{ProxiedResponse, RequestParts};
use crate::http::mutation::Mutation::{Anywhere, Delay, Instead};
use crate::variants::Ground::Standard;
use crate::variants::{VariantRow, variant};

#[rustfmt::skip]
pub(super) const ROWS: &[VariantRow] = &[
    variant!(Node, "node-too-many-requests", Standard("RFC 6585 §4; RFC 9110 §10.2.3, Retry-After"), "now and then a call is refused with status 429, a message and Retry-After", Instead(|_, number| limited(number, 7, &json!({ "message": "slow down" }), true))),
    variant!(Node, "node-too-many-requests-without-retry-after", Standard("RFC 6585 §4: Retry-After is optional"), "now and then a call is refused with status 429 and a text, without Retry-After", Instead(|_, number| limited(number, 17, &json!({ "error": "rate limit reached" }), false))),
    variant!(Node, "node-limit-exceeded", Standard("EIP-1474, error -32005: limit exceeded; RFC 6585 §4"), "now and then a call is refused with status 429 and an error of JSON-RPC", Instead(|sent, number| limited(number, 27, &limit_exceeded(sent)?, true))),
    variant!(Node, "node-limit-exceeded-with-success", Standard("EIP-1474, error -32005: limit exceeded"), "now and then a call is refused with status 200 and an error of JSON-RPC", Instead(exceeded)),
    variant!(Node, "node-unavailable-page", Standard("RFC 9110 §15.6.4"), "now and then a load balancer answers with status 503 and a page", Instead(unavailable)),
    variant!(Node, "node-errors-as-bad-requests", Standard("JSON-RPC 2.0 says nothing of HTTP; RFC 9110 §15.5.1"), "errors of JSON-RPC have status 400", Anywhere(bad_request)),
    variant!(Node, "node-closes-connections", Standard("RFC 9112 §9.6"), "each connection is closed after its answer", Anywhere(|_, response| response.header("connection", "close"))),
    variant!(Node, "node-headers-of-a-cdn", Standard("RFC 9110 §7.6.3, Via; RFC 9111 §5.2; RFC 9211"), "answers have the headers of a CDN and another content type", Anywhere(cdn_headers)),
    variant!(Node, "node-slow", Standard("JSON-RPC 2.0 and HTTP set no time"), "each answer takes 100 ms longer", Delay(Duration::from_millis(100)), alone),
];

/// Of so many requests one is refused.
const EACH: usize = 401;

fn limited(number: usize, turn: usize, body: &Value, retry_after: bool) -> Option<ProxiedResponse> {
    let mut response =
        (number % EACH == turn).then(|| ProxiedResponse::of(StatusCode::TOO_MANY_REQUESTS, body))?;
    if retry_after {
        response.header("retry-after", "1");
    }
    Some(response)
}

/// The answer to one call; none to a batch.
fn limit_exceeded(sent: &RequestParts) -> Option<Value> {
    let error = json!({ "code": -32005, "message": "limit exceeded" });
    sent.body.is_object().then(|| json!({ "jsonrpc": "2.0", "id": sent.body["id"], "error": error }))
}

/// Sending is not limited: whether a transaction was taken must be clear.
fn exceeded(sent: &RequestParts, number: usize) -> Option<ProxiedResponse> {
    if number % EACH != 37 || method(&sent.body).starts_with("eth_send") {
        return None;
    }
    Some(ProxiedResponse::of(StatusCode::OK, &limit_exceeded(sent)?))
}

fn unavailable(sent: &RequestParts, number: usize) -> Option<ProxiedResponse> {
    if number % EACH != 47 || !calls(sent, |_| true) {
        return None;
    }
    let mut response = ProxiedResponse::of(StatusCode::SERVICE_UNAVAILABLE, &Value::Null);
    response.header("content-type", "text/html");
    response.body =
        json!("<html><body><h1>503 Service Unavailable</h1>No server is available.</body></html>");
    Some(response)
}

fn bad_request(_: &RequestParts, response: &mut ProxiedResponse) {
    if response.body.get("error").is_some() {
        response.status = StatusCode::BAD_REQUEST;
    }
}

fn cdn_headers(_: &RequestParts, response: &mut ProxiedResponse) {
    let fields = [
        ("via", "1.1 edge"),
        ("server", "edge"),
        ("x-request-id", "6f1d0a7c"),
        ("cache-status", "edge; fwd=method"),
        ("cache-control", "private, no-store"),
        ("vary", "Origin"),
        ("content-type", "application/json; charset=utf-8"),
    ];
    fields.iter().for_each(|(name, value)| response.header(name, value));
}
