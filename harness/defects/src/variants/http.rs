//! Variants of both HTTP services: spellings of JSON, headers, and what stands between a client and a service.
use std::time::Duration;

use hyper::header::{HeaderValue, RETRY_AFTER};
use hyper::{Method, StatusCode};
use serde_json::json;

use super::Ground::Standard;
use super::{Row, variant};
use crate::http::exchange::{ProxiedResponse, RequestParts};
use crate::http::mutation::Mutation::{Anywhere, Delay, Instead};

/// The tables of these layers.
pub(super) const TABLES: &[&[Row]] = &[ROWS];

const ROWS: &[Row] = &[
    variant!(
        Rest Swap,
        "json-whitespace",
        Standard("RFC 8259 §2"),
        "JSON is written over several lines, with spaces",
        Anywhere(|_, response| response.spell(with_whitespace)),
    ),
    variant!(
        Rest Swap,
        "chunked-bodies",
        Standard("RFC 9112 §7.1"),
        "bodies are sent in chunks, without Content-Length",
        Anywhere(|_, response| response.chunk()),
    ),
    variant!(
        Rest Swap,
        "slow-answers",
        Standard("RFC 9110 §3.3"),
        "every answer takes 150 ms longer",
        Delay(Duration::from_millis(150)),
        alone,
    ),
    variant!(
        Rest Swap,
        "gateway-too-many-requests",
        Standard("RFC 6585 §4"),
        "a gateway refuses every 40th read with 429 and Retry-After",
        Instead(|request, number| refused(request, number, 40, StatusCode::TOO_MANY_REQUESTS)),
    ),
];

fn with_whitespace(text: &str) -> String {
    let value: serde_json::Value = serde_json::from_str(text).unwrap_or_default();
    format!("\n{value:#}\r\n\t ")
}

/// A gateway refuses one read of so many. Endpoints with a stated limit are left alone: what they refuse is counted.
fn refused(request: &RequestParts, number: usize, of: usize, status: StatusCode) -> Option<ProxiedResponse> {
    let has_limit =
        ["/api/referral/", "/api/chat", "/api/upload"].iter().any(|path| request.path.starts_with(path));
    let is_read = *request.method() == Method::GET && !has_limit;
    (is_read && number % of == of - 1).then(|| {
        let mut response = ProxiedResponse::of(status, &json!({ "message": "try again in a moment" }));
        response.headers.insert(RETRY_AFTER, HeaderValue::from_static("1"));
        response
    })
}
