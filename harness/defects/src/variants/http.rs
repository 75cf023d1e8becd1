//! Variants of both HTTP services: spellings of JSON, headers, and what is between a client and a service.
use std::time::Duration;

use hyper::header::{HeaderName, HeaderValue, LOCATION};
use hyper::{Method, StatusCode};
use serde_json::{Map, Value, json};

use super::Ground::{Choice, Standard};
use super::{VariantRow, variant};
use crate::http::exchange::{ProxiedResponse, RequestParts};
use crate::http::mutation::Mutation::{Anywhere, Delay, Instead};
use crate::json::{each_object, push_escaped};

/// The tables of these layers.
pub(super) const TABLES: &[&[VariantRow]] = &[SPELLINGS, HEADERS, BETWEEN];

#[rustfmt::skip]
const SPELLINGS: &[VariantRow] = &[
    variant!(Rest Swap, "json-whitespace", Standard("RFC 8259 section 2"), "JSON is written over several lines, with spaces", Anywhere(|_, response| response.spell(with_whitespace))),
    variant!(Rest Swap, "json-escapes", Standard("RFC 8259 section 7"), "texts escape slashes, every character beyond ASCII and the first letter of each word", Anywhere(|_, response| response.spell(with_escapes))),
    variant!(Rest Swap, "json-exponents", Standard("RFC 8259 section 6"), "whole numbers are written with an exponent", Anywhere(|_, response| response.spell(with_exponents))),
    variant!(Rest Swap, "json-member-order", Standard("RFC 8259 section 4"), "members of objects come in reverse order", Anywhere(|_, response| response.spell(with_members_reversed))),
    variant!(Rest Swap, "json-more-members", Choice("SVC-CHOSEN"), "every object has a member more", Anywhere(|_, response| more_members(&mut response.body))),
];

#[rustfmt::skip]
const HEADERS: &[VariantRow] = &[
    variant!(Rest Swap, "content-type-charset", Standard("RFC 9110 section 8.3.2"), "the content type of JSON names its charset, in other letters", Anywhere(|_, response| content_type(response))),
    variant!(Rest Swap, "no-request-id", Choice("SVC-CHOSEN"), "answers have no X-Request-Id", Anywhere(|_, response| without(response, &["x-request-id"]))),
    variant!(Rest Swap, "no-cors", Choice("SVC-CORS"), "answers allow no page of another origin", Anywhere(no_cors)),
    variant!(Rest Swap, "no-limit-headers", Choice("SVC-LIMITS"), "answers of a limited endpoint have no X-RateLimit headers, and a refusal no retryAfter", Anywhere(|_, response| no_limit_headers(response))),
    variant!(Rest Swap, "limit-headers-of-the-draft", Choice("SVC-LIMITS"), "limits are reported by RateLimit and RateLimit-Policy", Anywhere(|_, response| draft_headers(response)), alone),
    variant!(Rest Swap, "cdn-headers", Standard("RFC 9111 section 5.1"), "a cache adds Age, Via, a weak ETag and headers of its own", Anywhere(|_, response| cdn_headers(response))),
    variant!(Rest Swap, "balancer-cookie", Standard("RFC 6265 section 3"), "a load balancer sets a cookie with every answer", Anywhere(|_, response| response.header("set-cookie", "lb=7; Path=/; HttpOnly"))),
    variant!(Rest Swap, "security-headers", Standard("RFC 6797 section 6.1"), "answers demand transport security and forbid sniffing and framing", Anywhere(|_, response| security_headers(response))),
    variant!(Rest Swap, "vary-accept", Standard("RFC 9110 section 12.5.5"), "answers vary by Accept and Accept-Encoding", Anywhere(|_, response| response.header("vary", "Accept, Accept-Encoding"))),
    variant!(Rest Swap, "no-date", Standard("RFC 9110 section 6.6.1"), "a service without a clock sends no Date", Anywhere(|_, response| without(response, &["date"]))),
];

#[rustfmt::skip]
const BETWEEN: &[VariantRow] = &[
    variant!(Rest Swap, "chunked-bodies", Standard("RFC 9112 section 7.1"), "bodies are sent in chunks, without Content-Length", Anywhere(|_, response| response.chunk())),
    variant!(Rest Swap, "connection-close", Standard("RFC 9112 section 9.6"), "the connection is closed after every answer", Anywhere(|_, response| response.header("connection", "close"))),
    variant!(Rest Swap, "slow-answers", Standard("RFC 9110 section 3.3"), "every answer takes 100 ms longer", Delay(Duration::from_millis(100)), alone),
    variant!(Rest Swap, "gateway-too-many-requests", Standard("RFC 6585 section 4"), "a gateway refuses every 250th read with 429 and Retry-After", Instead(|request, number| refused(request, number % 250 == 7, StatusCode::TOO_MANY_REQUESTS, Some("1")))),
    variant!(Rest Swap, "gateway-too-many-unstated", Standard("RFC 6585 section 4"), "a gateway refuses every 350th read with 429, without Retry-After", Instead(|request, number| refused(request, number % 350 == 31, StatusCode::TOO_MANY_REQUESTS, None))),
    variant!(Rest Swap, "gateway-unavailable", Standard("RFC 9110 section 15.6.4"), "a gateway answers every 270th read with 503 and Retry-After", Instead(|request, number| refused(request, number % 270 == 11, StatusCode::SERVICE_UNAVAILABLE, Some("1")))),
    variant!(Rest Swap, "gateway-unavailable-page", Standard("RFC 9110 section 15.6.4"), "a gateway answers every 370th read with 503 and a page in HTML", Instead(unavailable_page)),
    variant!(Rest Swap, "reads-redirected", Standard("RFC 9110 section 15.4.9"), "reads are redirected within the service (308)", Instead(redirected)),
];

fn with_whitespace(text: &str) -> String {
    let value: Value = serde_json::from_str(text).unwrap_or_default();
    format!("\n{value:#}\r\n\t ")
}

fn with_escapes(text: &str) -> String {
    let mut escaped = String::new();
    let mut before = ' ';
    for (letter, within) in letters(text) {
        // What follows a backslash is part of an escape.
        let starts = letter.is_ascii_alphabetic() && matches!(before, ' ' | '"');
        if within && letter == '/' {
            escaped.push_str("\\/");
        } else if within && (!letter.is_ascii() || starts) {
            push_escaped(&mut escaped, letter);
        } else {
            escaped.push(letter);
        }
        before = letter;
    }
    escaped
}

fn with_exponents(text: &str) -> String {
    let (mut written, mut number) = (String::new(), String::new());
    for (letter, within) in letters(text).chain([(' ', false)]) {
        if !within
            && matches!(letter, '0'..='9' | '-' | '+' | '.' | 'e' | 'E')
            && (letter != 'e' || !number.is_empty())
        {
            number.push(letter);
            continue;
        }
        let is_whole =
            !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit() || digit == b'-');
        written.push_str(&std::mem::take(&mut number));
        written.push_str(if is_whole { "E+0" } else { "" });
        written.push(letter);
    }
    written
}

/// The characters of a JSON text, and whether each is within a string.
fn letters(text: &str) -> impl Iterator<Item = (char, bool)> {
    let (mut within, mut escaped) = (false, false);
    text.chars().map(move |letter| {
        let was_within = within;
        if escaped {
            escaped = false;
        } else if within && letter == '\\' {
            escaped = true;
        } else if letter == '"' {
            within = !within;
        }
        (letter, was_within && within)
    })
}

pub(super) fn with_members_reversed(text: &str) -> String {
    fn reversed(value: Value) -> Value {
        match value {
            Value::Object(members) => {
                let members: Vec<(String, Value)> = members.into_iter().collect();
                Value::Object(
                    members.into_iter().rev().map(|(name, value)| (name, reversed(value))).collect(),
                )
            }
            Value::Array(items) => items.into_iter().map(reversed).collect(),
            other => other,
        }
    }
    reversed(serde_json::from_str(text).unwrap_or_default()).to_string()
}

fn more_members(value: &mut Value) {
    each_object(value, &mut |members| {
        if !members.is_empty() {
            members.insert("x_served".to_owned(), json!({ "by": ["edge-7", null], "cached": false }));
        }
    });
}

fn without(response: &mut ProxiedResponse, names: &[&'static str]) {
    for name in names {
        response.headers.remove(*name);
    }
}

fn content_type(response: &mut ProxiedResponse) {
    if response.headers.get("content-type").is_some_and(|kind| kind == "application/json") {
        response.header("content-type", "Application/JSON; charset=UTF-8");
    }
}

/// A preflight is refused as any other method is.
fn no_cors(request: &RequestParts, response: &mut ProxiedResponse) {
    let names: Vec<HeaderName> = response.headers.keys().cloned().collect();
    for name in names.iter().filter(|name| name.as_str().starts_with("access-control-")) {
        response.headers.remove(name);
    }
    if *request.method() == Method::OPTIONS && response.status.is_success() {
        response.refuse(StatusCode::METHOD_NOT_ALLOWED, "this path does not take that method");
        response.header("allow", "GET, HEAD");
    }
}

const LIMIT_HEADERS: [&str; 3] = ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"];

fn no_limit_headers(response: &mut ProxiedResponse) {
    without(response, &LIMIT_HEADERS);
    if let Value::Object(members) = &mut response.body {
        members.shift_remove("retryAfter");
    }
}

fn draft_headers(response: &mut ProxiedResponse) {
    if response.headers.contains_key(LIMIT_HEADERS[0]) {
        without(response, &LIMIT_HEADERS);
        response.header("ratelimit-policy", "\"default\";q=30;w=60");
        response.header("ratelimit", "\"default\";r=7;t=30");
    }
}

fn cdn_headers(response: &mut ProxiedResponse) {
    for (name, value) in [
        ("age", "0"),
        ("via", "1.1 edge.example, 1.1 varnish"),
        ("x-cache", "MISS, MISS"),
        ("server", "edge"),
        ("alt-svc", "h3=\":443\"; ma=86400"),
    ] {
        response.header(name, value);
    }
    if !response.headers.contains_key("etag") {
        response.header("etag", "W/\"5f0-1a2b3c\"");
    }
}

fn security_headers(response: &mut ProxiedResponse) {
    response.header("strict-transport-security", "max-age=31536000; includeSubDomains");
    response.header("x-content-type-options", "nosniff");
    response.header("x-frame-options", "DENY");
}

/// Whether a gateway may refuse a request: a read of an endpoint without a stated limit, since refusals of the others are counted.
fn may_be_refused(request: &RequestParts) -> bool {
    let has_limit = ["/api/referral/", "/api/chat", "/api/upload", "/cdn/"]
        .iter()
        .any(|path| request.path.starts_with(path));
    *request.method() == Method::GET && !has_limit
}

fn refused(
    request: &RequestParts,
    now: bool,
    status: StatusCode,
    after: Option<&'static str>,
) -> Option<ProxiedResponse> {
    (now && may_be_refused(request)).then(|| {
        let mut response = ProxiedResponse::of(status, &json!({ "message": "try again in a moment" }));
        if let Some(seconds) = after {
            response.header("retry-after", seconds);
        }
        response
    })
}

fn unavailable_page(request: &RequestParts, number: usize) -> Option<ProxiedResponse> {
    let mut response = refused(request, number % 370 == 57, StatusCode::SERVICE_UNAVAILABLE, None)?;
    response.body = json!("<html><body><h1>503 Service Temporarily Unavailable</h1></body></html>");
    response.header("content-type", "text/html");
    Some(response)
}

/// A read is sent on to the same path with one parameter more, which the service ignores. Those of tool servers are not: they need not
/// follow where untrusted answers lead.
fn redirected(request: &RequestParts, _: usize) -> Option<ProxiedResponse> {
    const OF_TOOL_SERVERS: [&str; 2] = ["/api/capabilities", "/api/tokens/recent-v2"];
    (!OF_TOOL_SERVERS.contains(&request.path.as_str())
        && may_be_refused(request)
        && request.path.starts_with("/api/")
        && !request.has("via"))
    .then(|| {
        let target = request.target_with("via", "edge");
        let mut response = ProxiedResponse::of(StatusCode::PERMANENT_REDIRECT, &Value::Object(Map::new()));
        if let Ok(target) = HeaderValue::try_from(target) {
            response.headers.insert(LOCATION, target);
        }
        response
    })
}
