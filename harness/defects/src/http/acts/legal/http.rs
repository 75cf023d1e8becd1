//! Acts of variants of both HTTP services: JSON spelling, headers, and intermediaries between client and service.
use hyper::header::{CACHE_CONTROL, HeaderName, HeaderValue, LOCATION};
use hyper::{Method, StatusCode};
use serde_json::{Map, Value, json};

use crate::http::act::{Act, Context, act};
use crate::http::exchange::{ProxiedResponse, RequestParts};
use crate::json::{each_object, push_escaped};

pub(super) const ACTS: &[Act] = &[
    act!(After json_whitespace),
    act!(After json_escapes),
    act!(After json_exponents),
    act!(After members_reversed),
    act!(After more_members),
    act!(After no_cors),
    act!(After weak_etag),
    act!(After chunked),
    act!(After cache_control_on_two_lines),
    act!(Instead too_many_requests),
    act!(Instead too_many_unstated),
    act!(Instead unavailable),
    act!(Instead unavailable_page),
    act!(Instead gateway_timeout),
    act!(Instead redirected),
];

fn json_whitespace(_: &Context<'_>, response: &mut ProxiedResponse) {
    response.spell(with_whitespace);
}

fn json_escapes(_: &Context<'_>, response: &mut ProxiedResponse) {
    response.spell(with_escapes);
}

fn json_exponents(_: &Context<'_>, response: &mut ProxiedResponse) {
    response.spell(with_exponents);
}

fn members_reversed(_: &Context<'_>, response: &mut ProxiedResponse) {
    response.spell(with_members_reversed);
}

fn chunked(_: &Context<'_>, response: &mut ProxiedResponse) {
    response.chunk();
}

fn cache_control_on_two_lines(_: &Context<'_>, response: &mut ProxiedResponse) {
    let lines = ["private", "no-store, max-age=0"].map(HeaderValue::from_static);
    response.headers.remove(CACHE_CONTROL);
    for line in lines {
        response.headers.append(CACHE_CONTROL, line);
    }
}

fn with_whitespace(text: &str) -> String {
    let value: Value = serde_json::from_str(text).unwrap_or_default();
    format!("\n{value:#}\r\n\t ")
}

fn with_escapes(text: &str) -> String {
    let mut escaped = String::new();
    let mut before = ' ';
    for (letter, within) in letters(text) {
        // The character after a backslash belongs to an escape.
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

fn with_members_reversed(text: &str) -> String {
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

/// Every non-empty object has an additional member.
fn more_members(_: &Context<'_>, response: &mut ProxiedResponse) {
    each_object(&mut response.body, &mut |members| {
        if !members.is_empty() {
            members.insert("x_served".to_owned(), json!({ "by": ["edge-7", null], "cached": false }));
        }
    });
}

/// A preflight is refused like any other unsupported method.
fn no_cors(context: &Context<'_>, response: &mut ProxiedResponse) {
    let names: Vec<HeaderName> = response.headers.keys().cloned().collect();
    for name in names.iter().filter(|name| name.as_str().starts_with("access-control-")) {
        response.headers.remove(name);
    }
    if *context.sent.method() == Method::OPTIONS && response.status.is_success() {
        response.refuse(StatusCode::METHOD_NOT_ALLOWED, "this path does not take that method");
        response.header("allow", "GET, HEAD");
    }
}

/// A weak entity tag if the service sends none.
fn weak_etag(_: &Context<'_>, response: &mut ProxiedResponse) {
    if !response.headers.contains_key("etag") {
        response.header("etag", "W/\"5f0-1a2b3c\"");
    }
}

/// Whether a gateway may refuse this request: only reads of endpoints without a stated limit, since refusals of the others are counted.
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

fn too_many_requests(context: &Context<'_>) -> Option<ProxiedResponse> {
    refused(context.sent, context.number % 250 == 7, StatusCode::TOO_MANY_REQUESTS, Some("1"))
}

fn too_many_unstated(context: &Context<'_>) -> Option<ProxiedResponse> {
    refused(context.sent, context.number % 350 == 31, StatusCode::TOO_MANY_REQUESTS, None)
}

fn unavailable(context: &Context<'_>) -> Option<ProxiedResponse> {
    refused(context.sent, context.number % 270 == 11, StatusCode::SERVICE_UNAVAILABLE, Some("1"))
}

fn unavailable_page(context: &Context<'_>) -> Option<ProxiedResponse> {
    let mut response =
        refused(context.sent, context.number % 370 == 57, StatusCode::SERVICE_UNAVAILABLE, None)?;
    response.body = json!("<html><body><h1>503 Service Temporarily Unavailable</h1></body></html>");
    response.header("content-type", "text/html");
    Some(response)
}

fn gateway_timeout(context: &Context<'_>) -> Option<ProxiedResponse> {
    refused(context.sent, context.number % 310 == 43, StatusCode::GATEWAY_TIMEOUT, None)
}

/// Redirects a read to the same path with one more parameter, which the service ignores. Reads of tool servers are excluded: they need not
/// follow redirects of untrusted answers.
fn redirected(context: &Context<'_>) -> Option<ProxiedResponse> {
    const OF_TOOL_SERVERS: [&str; 2] = ["/api/capabilities", "/api/tokens/recent-v2"];
    (!OF_TOOL_SERVERS.contains(&context.sent.path.as_str())
        && may_be_refused(context.sent)
        && context.sent.path.starts_with("/api/")
        && !context.sent.has("via"))
    .then(|| {
        let target = context.sent.target_with("via", "edge");
        let mut response = ProxiedResponse::of(StatusCode::PERMANENT_REDIRECT, &Value::Object(Map::new()));
        if let Ok(target) = HeaderValue::try_from(target) {
            response.headers.insert(LOCATION, target);
        }
        response
    })
}
