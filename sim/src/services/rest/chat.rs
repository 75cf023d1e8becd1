//! `GET` and `POST /api/chat`: messages about a token.
//!
//! A post is checked in this order, and the first failure refuses it: the operator's credential, the form of the body, the length of
//! the message, the token, the signature, the sender's rate, the captcha token.
use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, Uri};
use axum::response::Response;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json as value;

use super::limit::with_rate_limit;
use crate::api::chat::{DEFAULT_LIMIT, LONGEST, MAXIMUM_LIMIT, Message, OPERATOR_HEADER, Post};
use crate::api::refusal::Refusal;
use crate::api::schema::{AddressText, Instant, instant};
use crate::api::{Api, proof};
use crate::services::body;
use crate::services::http::json;
use crate::services::input::{
    ACCOUNT_ADDRESS, AccountAddress, COUNT, Custom, DefaultTo, Fields, Input, Optional, POSITIVE, Query,
    Required, WholeNumber, body_schema, text,
};
use crate::services::openapi::{Operation, Schemas};

/// Largest accepted body, in bytes: the longest message with every character escaped, and the rest.
pub(in crate::services) const BODY_LIMIT: usize = 16 * 1024;

/// Clause: CHAT-GET-REQ
pub(in crate::services) const TOKEN: Input<AccountAddress, Required> = Input {
    name: "tokenAddress",
    cause: "chat-token-address",
    meaning: "token address",
    kind: ACCOUNT_ADDRESS,
    presence: Required,
};
const LIMIT: Input<WholeNumber, DefaultTo<u64>> = Input {
    name: "limit",
    cause: "chat-limit",
    meaning: "maximum messages; more than 100 count as 100",
    kind: POSITIVE,
    presence: DefaultTo(DEFAULT_LIMIT),
};
const OFFSET: Input<WholeNumber, DefaultTo<u64>> = Input {
    name: "offset",
    cause: "chat-offset",
    meaning: "messages to skip",
    kind: COUNT,
    presence: DefaultTo(0),
};
const CAPTCHA: Input<Custom<String>, Required> = Input {
    name: "token",
    cause: "chat-captcha-field",
    meaning: "captcha token",
    kind: text("must be the text of a captcha token", || value!({ "type": "string" })),
    presence: Required,
};
pub(in crate::services) const MESSAGE: Input<Custom<String>, Required> = Input {
    name: "message",
    cause: "chat-message",
    meaning: "the text, counted in Unicode scalar values",
    kind: text("must be text", || value!({ "type": "string", "minLength": 1, "maxLength": LONGEST })),
    presence: Required,
};
const SIGNATURE: Input<Custom<String>, Required> = Input {
    name: "signature",
    cause: "chat-signature",
    meaning: "EIP-191 signature of the sender",
    kind: text("must be the text of a signature", || value!({ "type": "string", "pattern": proof::PATTERN })),
    presence: Required,
};
const SENDER: Input<AccountAddress, Optional> = Input {
    name: "senderAddress",
    cause: "chat-sender-address",
    meaning: "the sender, where a client wants it verified",
    kind: ACCOUNT_ADDRESS,
    presence: Optional,
};

pub(super) fn get_operation(schemas: &mut Schemas) -> Operation {
    Operation::get("getMessages", "What is said about a token, the latest first")
        .takes(&TOKEN)
        .takes(&LIMIT)
        .takes(&OFFSET)
        .serves("messages", schemas.of::<Vec<ChatMessage<'_>>>())
        .refuses(404, "no token has this address")
        .stored()
}

pub(super) fn post_operation(schemas: &mut Schemas) -> Operation {
    let body = body_schema(&[&CAPTCHA, &TOKEN, &MESSAGE, &SIGNATURE, &SENDER]);
    Operation::post("postMessage", "Says something about a token")
        .proven_by(&["operatorKey"])
        .body("application/json", body, BODY_LIMIT)
        .serves("the message", schemas.of::<ChatMessage<'_>>())
        .limited()
        .refuses(401, "no or a wrong operator credential")
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
pub(super) async fn get(State(api): State<Arc<Api>>, uri: Uri) -> Result<Response, Refusal> {
    let parameters = Query::decode(&uri)?;
    let token = parameters.read(&TOKEN)?;
    let (limit, offset) = (parameters.read(&LIMIT)?, parameters.read(&OFFSET)?);
    let messages = api.messages(token, offset, limit.min(MAXIMUM_LIMIT)).await?;
    let messages_shown: Vec<ChatMessage<'_>> = messages.iter().map(ChatMessage::from).collect();
    Ok(json(&messages_shown))
}

/// Clause: CHAT-POST-FIELDS, CHAT-POST-CRED, CHAT-CRED-HEADER
pub(super) async fn post(
    State(api): State<Arc<Api>>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Refusal> {
    let shown = headers.get(OPERATOR_HEADER).and_then(|value| value.to_str().ok());
    if !shown.is_some_and(|shown| api.is_operator(shown)) {
        return Err(Refusal::unauthenticated(
            "chat-credential",
            "X-Operator-Key must be the operator's credential",
        ));
    }
    posted(&api, &headers, body).await
}

/// Posts the message of a body whose sender needs no further credential.
pub(in crate::services) async fn posted(
    api: &Api,
    headers: &HeaderMap,
    body: Body,
) -> Result<Response, Refusal> {
    let request = Fields::new(body::json_object(headers, body, BODY_LIMIT).await?);
    let (captcha, token) = (request.read(&CAPTCHA)?, request.read(&TOKEN)?);
    let (message, signature) = (request.read(&MESSAGE)?, request.read(&SIGNATURE)?);
    let post = Post {
        captcha: &captcha,
        token,
        message: &message,
        signature: &signature,
        sender: request.read(&SENDER)?,
    };
    let (message, status) = api.post_message(post).await?;
    Ok(with_rate_limit(json(&ChatMessage::from(&message)), status))
}
