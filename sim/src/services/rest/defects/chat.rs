//! Defects of the chat.
use axum::http::{Method, StatusCode};
use serde_json::json;

use super::exchange::{Asked, Told};

/// Longest message, in characters.
const LONGEST: usize = 500;

fn posted(asked: &Asked) -> bool {
    *asked.method() == Method::POST
}

/// Takes a message that was refused.
fn take(asked: &Asked, told: &mut Told) {
    let said = json!({
        "id": "0",
        "token_address": asked.body["tokenAddress"],
        "sender_address": "0x0000000000000000000000000000000000000000",
        "message": asked.body["message"],
        "created_at": "2026-03-04T12:00:00Z",
    });
    told.serve(said);
}

/// Without a token nothing is read, and that is fine.
pub(super) fn any_token(asked: &Asked, told: &mut Told) {
    if !posted(asked) && told.status == StatusCode::BAD_REQUEST && !asked.has("tokenAddress") {
        told.serve(json!([]));
    }
}

/// The messages are wrapped.
pub(super) fn wrapped(asked: &Asked, told: &mut Told) {
    if !posted(asked) && told.is_ok() {
        told.body = json!({ "messages": told.body });
    }
}

/// Times are Unix seconds.
pub(super) fn time_as_number(asked: &Asked, told: &mut Told) {
    if !posted(asked) {
        for message in told.body.as_array_mut().into_iter().flatten() {
            message["created_at"] = json!(1_772_625_600);
        }
    }
}

/// A page holds twenty messages unless told.
pub(super) fn twenty_messages(asked: &mut Asked) {
    if !posted(asked) && !asked.has("limit") {
        asked.set("limit", "20");
    }
}

/// What is no text is written as text.
pub(super) fn coerced(asked: &Asked, told: &mut Told) {
    let number = |name: &str| asked.body[name].is_number();
    if told.status == StatusCode::BAD_REQUEST && (number("message") || number("signature")) {
        take(asked, told);
    }
}

/// Messages are read without the space around them.
pub(super) fn trimmed(asked: &Asked, told: &mut Told) {
    if !posted(asked) {
        for message in told.body.as_array_mut().into_iter().flatten() {
            let text = message["message"].as_str().map(|text| text.trim().to_owned());
            message["message"] = text.into();
        }
    }
}

fn length(asked: &Asked, count: fn(&str) -> usize) -> usize {
    asked.body["message"].as_str().map_or(0, count)
}

/// Length is counted in bytes.
pub(super) fn length_in_bytes(asked: &Asked, told: &mut Told) {
    if told.is_ok() && length(asked, str::len) > LONGEST {
        told.refuse(StatusCode::BAD_REQUEST, "message must be at most 500 characters");
    }
}

/// One character more is taken.
pub(super) fn one_more(asked: &Asked, told: &mut Told) {
    if told.status == StatusCode::BAD_REQUEST && length(asked, |text| text.chars().count()) == LONGEST + 1 {
        take(asked, told);
    }
}

/// What is no signature is nobody's.
pub(super) fn unsigned(asked: &Asked, told: &mut Told) {
    let refused = matches!(told.status, StatusCode::BAD_REQUEST | StatusCode::FORBIDDEN);
    let about_it = told.body["error"].as_str().is_some_and(|error| error.contains("signature"));
    if refused && about_it && asked.body["signature"].is_string() {
        take(asked, told);
    }
}

/// The sender is whom the body names.
pub(super) fn claimed_sender(asked: &Asked, told: &mut Told) {
    if told.status == StatusCode::FORBIDDEN && asked.body["senderAddress"].is_string() {
        take(asked, told);
        told.body["sender_address"] = asked.body["senderAddress"].clone();
    }
}

/// A captcha serves as often as one likes.
pub(super) fn captcha_again(asked: &Asked, told: &mut Told) {
    if told.body["details"] == json!("timeout-or-duplicate") {
        take(asked, told);
    }
}

/// Anyone may post.
pub(super) fn open(asked: &Asked, told: &mut Told) {
    if told.status == StatusCode::UNAUTHORIZED {
        take(asked, told);
    }
}

/// There is no end to speaking.
pub(super) fn unlimited(asked: &Asked, told: &mut Told) {
    if told.status == StatusCode::TOO_MANY_REQUESTS {
        take(asked, told);
    }
}

/// Nobody is told how long to wait.
pub(super) fn without_retry(_: &Asked, told: &mut Told) {
    if told.status == StatusCode::TOO_MANY_REQUESTS {
        Told::remove(&mut told.body, "retryAfter");
    }
}

/// The window is told a second too long.
pub(super) fn late_reset(_: &Asked, told: &mut Told) {
    let reset = told.headers.get("x-ratelimit-reset");
    let reset = reset.and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    if let Some(reset) = reset {
        told.headers.insert("x-ratelimit-reset", (reset + 2).into());
    }
}
