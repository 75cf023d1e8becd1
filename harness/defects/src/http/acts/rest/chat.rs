//! Acts of the chat.
use alloy::primitives::Signature;
use hyper::{Method, StatusCode};
use serde_json::{Value, json};

use crate::http::act::{Act, Context, Need, act};
use crate::http::exchange::{ProxiedResponse, Query, RequestParts};
use crate::json::change_text;

pub(super) const ACTS: &[Act] = &[
    act!(Before meaningless_page_dropped),
    act!(After message_taken),
    act!(After numbers_taken),
    act!(After messages_trimmed),
    act!(After length_in_bytes),
    act!(After one_character_more),
    act!(After bad_signature_taken),
    act!(After claimed_sender_taken),
    act!(After late_reset),
    act!(After limit_of_a_token),
    act!(After ids_of_a_token),
    act!(After messages_of_another, Need::OtherAnswer(another_token)),
];

const LONGEST: usize = 500;

fn meaningless_page_dropped(_: &Context<'_>, request: &mut RequestParts) {
    for name in ["limit", "offset"] {
        if request.get(name).is_some_and(|text| text.parse::<u64>().is_err()) {
            request.drop(name);
        }
    }
}

/// Accepts a message that was refused.
fn message_taken(context: &Context<'_>, response: &mut ProxiedResponse) {
    let body = &context.sent.body;
    response.succeed(json!({
        "id": "0",
        "token_address": body["tokenAddress"],
        "sender_address": "0x0000000000000000000000000000000000000000",
        "message": body["message"],
        "created_at": "2026-03-04T12:00:00Z",
    }));
}

fn numbers_taken(context: &Context<'_>, response: &mut ProxiedResponse) {
    if ["message", "signature"].iter().any(|name| context.sent.body[*name].is_number()) {
        message_taken(context, response);
    }
}

fn messages_trimmed(_: &Context<'_>, response: &mut ProxiedResponse) {
    for message in response.body.as_array_mut().into_iter().flatten() {
        change_text(&mut message["message"], |text| text.trim().to_owned());
    }
}

fn length(context: &Context<'_>, count: fn(&str) -> usize) -> usize {
    context.sent.body["message"].as_str().map_or(0, count)
}

fn length_in_bytes(context: &Context<'_>, response: &mut ProxiedResponse) {
    if length(context, str::len) > LONGEST {
        response.refuse(StatusCode::BAD_REQUEST, "message must be at most 500 characters");
    }
}

fn one_character_more(context: &Context<'_>, response: &mut ProxiedResponse) {
    if length(context, |text| text.chars().count()) == LONGEST + 1 {
        message_taken(context, response);
    }
}

/// Accepts a message whose signature is a text that no key made.
fn bad_signature_taken(context: &Context<'_>, response: &mut ProxiedResponse) {
    let refused = matches!(response.status, StatusCode::BAD_REQUEST | StatusCode::FORBIDDEN);
    let made = |text: &str| {
        let signature: Option<Signature> = text.parse().ok();
        signature.is_some_and(|signature| signature.recover_address_from_msg("any message").is_ok())
    };
    if refused && context.sent.body["signature"].as_str().is_some_and(|text| !made(text)) {
        message_taken(context, response);
    }
}

fn claimed_sender_taken(context: &Context<'_>, response: &mut ProxiedResponse) {
    let claimed = &context.sent.body["senderAddress"];
    if claimed.is_string() {
        message_taken(context, response);
        response.body["sender_address"] = claimed.clone();
    }
}

fn late_reset(_: &Context<'_>, response: &mut ProxiedResponse) {
    let reset = response.headers.get("x-ratelimit-reset");
    let reset = reset.and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    if let Some(reset) = reset {
        response.headers.insert("x-ratelimit-reset", (reset + 2).into());
    }
}

/// Accepts a message that a limit refused if it is about another token than the last accepted one.
fn limit_of_a_token(context: &Context<'_>, response: &mut ProxiedResponse) {
    let Some(token) = context.sent.body["tokenAddress"].as_str().map(str::to_lowercase) else { return };
    let tokens = &mut context.memory.lock().tokens;
    if response.is_ok() {
        tokens.push(token);
    } else if response.status == StatusCode::TOO_MANY_REQUESTS && tokens.last() != Some(&token) {
        message_taken(context, response);
    }
}

/// Messages are numbered for each token.
fn ids_of_a_token(context: &Context<'_>, response: &mut ProxiedResponse) {
    let known = &mut context.memory.lock().tokens;
    let messages = match &mut response.body {
        Value::Array(messages) => messages.as_mut_slice(),
        message => std::slice::from_mut(message),
    };
    for message in messages.iter_mut().filter(|message| message["id"].is_string()) {
        let token = format!("{} ", message["token_address"].as_str().unwrap_or_default());
        let own = format!("{token}{}", message["id"].as_str().unwrap_or_default());
        if !known.contains(&own) {
            known.push(own.clone());
        }
        let place = known.iter().filter(|one| one.starts_with(&token)).position(|one| *one == own);
        message["id"] = place.unwrap_or_default().to_string().into();
    }
}

/// The query for the messages of the token last posted to, if the request is for another one.
fn another_token(context: &Context<'_>) -> Option<Query> {
    let tokens = &mut context.memory.lock().tokens;
    if *context.sent.method() == Method::POST {
        let token = context.sent.body["tokenAddress"].as_str()?.to_lowercase();
        tokens.retain(|known| *known != token);
        tokens.push(token);
        return None;
    }
    let asked = context.sent.get("tokenAddress")?.to_lowercase();
    let other = tokens.iter().rev().find(|known| **known != asked)?;
    Some(vec![("tokenAddress".to_owned(), other.clone())])
}

fn messages_of_another(context: &Context<'_>, response: &mut ProxiedResponse) {
    let Some(messages) = response.body.as_array_mut() else { return };
    let Some(token) = messages.first().map(|message| message["token_address"].clone()) else { return };
    let others = context.facts.other.as_ref().and_then(|other| other.body.as_array());
    for message in others.into_iter().flatten() {
        let mut message = message.clone();
        message["token_address"] = token.clone();
        messages.push(message);
    }
}
