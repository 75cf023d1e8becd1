//! `GET` and `POST /api/chat`: messages about a token.
//!
//! A post is checked in this order, and the first failure refuses it: the operator's credential, the format of the body, the length of the
//! message, the token, the signature, the sender's rate, the captcha token.
use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::header::WWW_AUTHENTICATE;
use axum::http::{HeaderMap, HeaderValue};
use axum::response::IntoResponse as _;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json as value;

use super::limit::with_rate_limit;
use crate::api::chat::{DEFAULT_LIMIT, LONGEST, MAXIMUM_LIMIT, Message, OPERATOR_HEADER, Post};
use crate::api::refusal::Refusal;
use crate::api::schema::{AddressText, Instant, instant};
use crate::api::{Api, proof};
use crate::services::http::{Served, json};
use crate::services::input::kinds::{AccountAddress, Whole};
use crate::services::input::{LARGEST, Parameters, json_body};
use crate::services::openapi::{Operation, Schemas};

/// Authentication scheme: the credential stands in a header of its own.
const CHALLENGE: &str = "OperatorKey header=\"X-Operator-Key\"";

/// Largest accepted body, in bytes: the longest message with every character escaped, and the rest.
pub(in crate::services) const BODY_LIMIT: usize = 16 * 1024;

/// Clause: CHAT-GET-REQ
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct MessagesParameters {
    /// token address
    #[schemars(extend("x-cause" = "chat-token-address"))]
    token_address: AccountAddress,
    /// maximum messages; more than 100 count as 100
    #[serde(default)]
    #[schemars(extend("x-cause" = "chat-limit"))]
    limit: Whole<1, LARGEST, DEFAULT_LIMIT>,
    /// messages to skip
    #[serde(default)]
    #[schemars(extend("x-cause" = "chat-offset"))]
    offset: Whole,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct SignedMessage {
    /// captcha token
    #[schemars(extend("x-cause" = "chat-captcha-field", "x-rule" = "must be the text of a captcha token"))]
    token: String,
    /// token address
    #[schemars(extend("x-cause" = "chat-token-address"))]
    token_address: AccountAddress,
    /// the text, counted in Unicode scalar values
    #[schemars(length(min = 1, max = LONGEST), extend("x-cause" = "chat-message"))]
    message: String,
    /// EIP-191 signature of the sender
    #[schemars(extend(
        "pattern" = proof::PATTERN,
        "x-cause" = "chat-signature",
        "x-rule" = "must be the text of a signature"
    ))]
    signature: String,
    /// the sender, if the client wants it verified
    #[schemars(extend("x-cause" = "chat-sender-address"))]
    sender_address: Option<AccountAddress>,
}

pub(super) fn get_operation(schemas: &mut Schemas) -> Operation {
    Operation::get("getMessages", "What is said about a token, the latest first")
        .asks::<MessagesParameters>()
        .serves("messages", schemas.of::<Vec<ChatMessage<'_>>>())
        .refuses(404, "no token has this address")
        .stored()
}

pub(super) fn post_operation(schemas: &mut Schemas) -> Operation {
    Operation::post("postMessage", "Writes a message about a token")
        .proven_by(&["operatorKey"])
        .sends::<SignedMessage>("application/json", BODY_LIMIT)
        .serves("the message", schemas.of::<ChatMessage<'_>>())
        .limited()
        .refuses(401, "no or a wrong operator credential")
        .refused_with_header(
            401,
            WWW_AUTHENTICATE.as_str(),
            "way to prove oneself",
            value!({ "const": CHALLENGE }),
        )
        .refuses(403, "the signature or the captcha token proves nothing")
        .refuses(404, "no token has this address")
        .stored()
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Message")]
struct ChatMessage<'a> {
    id: String,
    token_address: AddressText,
    sender_address: AddressText,
    #[schemars(length(min = 1, max = LONGEST))]
    message: &'a str,
    created_at: Instant,
}

impl<'a> From<&'a Message> for ChatMessage<'a> {
    fn from(message: &'a Message) -> Self {
        Self {
            id: message.id.to_string(),
            token_address: AddressText(message.token),
            sender_address: AddressText(message.sender),
            message: &message.text,
            created_at: instant(message.at),
        }
    }
}

/// Clause: CHAT-GET-ARRAY, CHAT-GET-PAGE, CHAT-GET-BAD
pub(super) async fn get(
    State(api): State<Arc<Api>>,
    Parameters(query): Parameters<MessagesParameters>,
) -> Served {
    let limit = query.limit.0.min(MAXIMUM_LIMIT);
    let messages = api.messages(query.token_address.0, query.offset.0, limit).await?;
    let messages_shown: Vec<ChatMessage<'_>> = messages.iter().map(ChatMessage::from).collect();
    Ok(json(&messages_shown))
}

/// Clause: CHAT-POST-FIELDS, CHAT-POST-CRED, CHAT-CRED-HEADER
pub(super) async fn post(State(api): State<Arc<Api>>, headers: HeaderMap, body: Body) -> Served {
    let shown = headers.get(OPERATOR_HEADER).and_then(|value| value.to_str().ok());
    if !shown.is_some_and(|shown| api.is_operator(shown)) {
        let refusal =
            Refusal::unauthenticated("chat-credential", "X-Operator-Key must be the operator's credential");
        let mut response = refusal.into_response();
        response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static(CHALLENGE));
        return Ok(response);
    }
    posted(&api, &headers, body).await
}

/// Posts the message of a body whose sender needs no further credential.
pub(in crate::services) async fn posted(api: &Api, headers: &HeaderMap, body: Body) -> Served {
    let sent: SignedMessage = json_body(headers, body, BODY_LIMIT).await?;
    let post = Post {
        captcha: &sent.token,
        token: sent.token_address.0,
        message: &sent.message,
        signature: &sent.signature,
        sender: sent.sender_address.map(|sender| sender.0),
    };
    let (message, status) = api.post_message(post).await?;
    Ok(with_rate_limit(json(&ChatMessage::from(&message)), status))
}
