//! Defects of `/api/chat`.
use hyper::StatusCode;
use hyper::header::AUTHORIZATION;
use serde_json::json;

use super::super::{chat, requests};
use crate::http::exchange::remove;
use crate::http::mutation::Mutation::{Comparison, Request, Response};
use crate::http::mutation::{MutationRow, row};

const CHAT: &str = "/api/chat";

#[rustfmt::skip]
pub(in crate::http) const ROWS: &[MutationRow] = &[
    row!(Rest, "chat-get-any", &["CHAT-GET-REQ"], "without a token the answer is an empty array", Response(CHAT, |request, response| if !chat::posted(request) && response.status == StatusCode::BAD_REQUEST && !request.has("tokenAddress") { response.succeed(json!([])) })),
    row!(Rest, "chat-get-wrapped", &["CHAT-GET-ARRAY"], "the messages are wrapped in an object", Response(CHAT, |request, response| if !chat::posted(request) && response.is_ok() { response.body = json!({ "messages": response.body }) })),
    row!(Rest, "chat-get-time-number", &["CHAT-GET-ARRAY"], "created_at is a number", Response(CHAT, |request, response| if !chat::posted(request) { for message in response.body.as_array_mut().into_iter().flatten() { message["created_at"] = json!(1_772_625_600); } })),
    row!(Rest, "chat-get-twenty", &["CHAT-GET-PAGE"], "twenty messages are shown by default", Request(CHAT, |request| if !chat::posted(request) && !request.has("limit") { request.set("limit", "20") })),
    row!(Rest, "chat-get-offset-late", &["CHAT-GET-PAGE"], "every page but the first begins one message too late", Request(CHAT, requests::late_offset)),
    row!(Rest, "chat-get-any-page", &["CHAT-GET-BAD"], "a limit or an offset that means nothing is passed over", Request(CHAT, |request| for name in ["limit", "offset"] { if request.get(name).is_some_and(|text| text.parse::<u64>().is_err()) { request.drop(name); } })),
    row!(Rest, "chat-fields-coerced", &["CHAT-POST-FIELDS"], "a number is taken for text", Response(CHAT, chat::coerced)),
    row!(Rest, "chat-text-trimmed", &["CHAT-POST-OK"], "messages are read without the space around them", Response(CHAT, chat::trimmed)),
    row!(Rest, "chat-length-bytes", &["CHAT-LEN-UNIT"], "the length of a message is counted in bytes", Response(CHAT, chat::length_in_bytes)),
    row!(Rest, "chat-length-501", &["CHAT-POST-LEN"], "501 characters are taken", Response(CHAT, chat::one_more)),
    row!(Rest, "chat-unsigned", &["CHAT-POST-SIG"], "a message with a bad signature is accepted", Response(CHAT, chat::unsigned)),
    row!(Rest, "chat-sender-claimed", &["CHAT-SIG-TEXT"], "the sender is the one that the body names", Response(CHAT, chat::claimed_sender)),
    row!(Rest, "chat-captcha-again", &["CHAT-POST-CAPTCHA"], "a captcha serves as often as one likes", Response(CHAT, |request, response| if response.body["details"] == json!("timeout-or-duplicate") { chat::take(request, response) })),
    row!(Rest, "chat-open", &["CHAT-POST-CRED"], "anyone may post", Response(CHAT, |request, response| if response.status == StatusCode::UNAUTHORIZED { chat::take(request, response) })),
    row!(Rest, "chat-bearer", &["CHAT-CRED-HEADER"], "any bearer token is taken for the credential of the operator", Response(CHAT, |request, response| if response.status == StatusCode::UNAUTHORIZED && request.headers().contains_key(AUTHORIZATION) { chat::take(request, response) })),
    row!(Rest, "chat-unlimited", &["CHAT-POST-RATE"], "an address posts as often as it likes", Response(CHAT, |request, response| if response.status == StatusCode::TOO_MANY_REQUESTS { chat::take(request, response) })),
    row!(Rest, "chat-retry-untold", &["SVC-LIMITS"], "a refusal for a limit does not state how long to wait", Response(CHAT, |_, response| if response.status == StatusCode::TOO_MANY_REQUESTS { remove(&mut response.body, "retryAfter") })),
    row!(Rest, "chat-reset-late", &["SVC-LIMITS"], "the end of the window is reported two seconds too late", Response(CHAT, chat::late_reset)),
    row!(Rest, "chat-of-another-token", &["FIG-CHAT"], "messages of another token are among those of a token, as if they were its own", Comparison(CHAT, chat::another_token, chat::messages_of_another)),
];
