//! Defects of the chat.
use parking_lot::Mutex;

use hyper::{Method, StatusCode};
use serde_json::json;

use crate::http::exchange::{ProxiedResponse, Query, RequestParts};
use crate::json::change_text;

const LONGEST: usize = 500;

pub(super) fn posted(request: &RequestParts) -> bool {
    *request.method() == Method::POST
}

/// Takes a message that was refused.
pub(super) fn take(request: &RequestParts, response: &mut ProxiedResponse) {
    let said = json!({
        "id": "0",
        "token_address": request.body["tokenAddress"],
        "sender_address": "0x0000000000000000000000000000000000000000",
        "message": request.body["message"],
        "created_at": "2026-03-04T12:00:00Z",
    });
    response.succeed(said);
}

pub(super) fn coerced(request: &RequestParts, response: &mut ProxiedResponse) {
    let number = |name: &str| request.body[name].is_number();
    if response.status == StatusCode::BAD_REQUEST && (number("message") || number("signature")) {
        take(request, response);
    }
}

pub(super) fn trimmed(request: &RequestParts, response: &mut ProxiedResponse) {
    if !posted(request) {
        for message in response.body.as_array_mut().into_iter().flatten() {
            change_text(&mut message["message"], |text| text.trim().to_owned());
        }
    }
}

fn length(request: &RequestParts, count: fn(&str) -> usize) -> usize {
    request.body["message"].as_str().map_or(0, count)
}

pub(super) fn length_in_bytes(request: &RequestParts, response: &mut ProxiedResponse) {
    if response.is_ok() && length(request, str::len) > LONGEST {
        response.refuse(StatusCode::BAD_REQUEST, "message must be at most 500 characters");
    }
}

pub(super) fn one_more(request: &RequestParts, response: &mut ProxiedResponse) {
    if response.status == StatusCode::BAD_REQUEST
        && length(request, |text| text.chars().count()) == LONGEST + 1
    {
        take(request, response);
    }
}

pub(super) fn unsigned(request: &RequestParts, response: &mut ProxiedResponse) {
    let refused = matches!(response.status, StatusCode::BAD_REQUEST | StatusCode::FORBIDDEN);
    let about_it = response.body["error"].as_str().is_some_and(|error| error.contains("signature"));
    if refused && about_it && request.body["signature"].is_string() {
        take(request, response);
    }
}

pub(super) fn claimed_sender(request: &RequestParts, response: &mut ProxiedResponse) {
    if response.status == StatusCode::FORBIDDEN && request.body["senderAddress"].is_string() {
        take(request, response);
        response.body["sender_address"] = request.body["senderAddress"].clone();
    }
}

pub(super) fn late_reset(_: &RequestParts, response: &mut ProxiedResponse) {
    let reset = response.headers.get("x-ratelimit-reset");
    let reset = reset.and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    if let Some(reset) = reset {
        response.headers.insert("x-ratelimit-reset", (reset + 2).into());
    }
}

/// Tokens that messages were posted to, the latest last.
static TALKED_ABOUT: Mutex<Vec<String>> = Mutex::new(Vec::new());

pub(super) fn another_token(request: &RequestParts) -> Option<Query> {
    let mut tokens = TALKED_ABOUT.lock();
    if posted(request) {
        let token = request.body["tokenAddress"].as_str()?.to_lowercase();
        tokens.retain(|known| *known != token);
        tokens.push(token);
        return None;
    }
    let asked = request.get("tokenAddress")?.to_lowercase();
    let other = tokens.iter().rev().find(|known| **known != asked)?;
    Some(vec![("tokenAddress".to_owned(), other.clone())])
}

pub(super) fn messages_of_another(response: &mut ProxiedResponse, other: &ProxiedResponse) {
    let Some(messages) = response.body.as_array_mut() else { return };
    let Some(token) = messages.first().map(|message| message["token_address"].clone()) else { return };
    for message in other.body.as_array().into_iter().flatten() {
        let mut message = message.clone();
        message["token_address"] = token.clone();
        messages.push(message);
    }
}
