//! `GET` and `POST /api/chat`: what is said about a token.
//!
//! A post is refused for the first of these that is wrong: the operator's credential, the form of the body, the length of
//! the message, the token, the signature, the sender's rate, the captcha token.
use std::sync::Arc;

use alloy::primitives::Address;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, Uri};
use axum::response::Response;
use serde::Serialize;
use serde_json::{Map, Value};

use super::limit::told;
use super::row::instant;
use crate::api::chat::{DEFAULT_LIMIT, MAXIMUM_LIMIT, Post};
use crate::api::refusal::Refusal;
use crate::api::{Api, address, proof};
use crate::store::Message;
use crate::surface::body;
use crate::surface::http::json;
use crate::surface::parameters::{Field, Parameters, whole, whole_within};

/// Header with the operator's credential.
const OPERATOR_KEY: &str = "x-operator-key";
/// Largest body that is read, in bytes: the longest message with every character escaped, and the rest.
const BODY_LIMIT: usize = 16 * 1024;

const TOKEN: Field = Field {
    name: "tokenAddress",
    cause: "chat-token-address",
    rule: "must be an address: 0x and 40 hexadecimal digits",
};
const LIMIT: Field = Field {
    name: "limit",
    cause: "chat-limit",
    rule: "must be a whole number from 1 to 100",
};
const OFFSET: Field = Field {
    name: "offset",
    cause: "chat-offset",
    rule: "must be a whole number of at least 0",
};
const CAPTCHA: Field = Field {
    name: "token",
    cause: "chat-captcha-field",
    rule: "must be the text of a captcha token",
};
const MESSAGE: Field = Field {
    name: "message",
    cause: "chat-message",
    rule: "must be text",
};
const SIGNATURE: Field = Field {
    name: "signature",
    cause: "chat-signature",
    rule: "must be the text of a signature",
};
const SENDER: Field = Field {
    name: "senderAddress",
    cause: "chat-sender-address",
    rule: "must be an address: 0x and 40 hexadecimal digits",
};

#[derive(Serialize)]
struct Said<'a> {
    id: String,
    token_address: Address,
    sender_address: Address,
    message: &'a str,
    created_at: String,
}

impl<'a> From<&'a Message> for Said<'a> {
    fn from(message: &'a Message) -> Self {
        Self {
            id: message.id.to_string(),
            token_address: message.token,
            sender_address: message.sender,
            message: &message.text,
            created_at: instant(message.at),
        }
    }
}

pub(super) async fn get(State(api): State<Arc<Api>>, uri: Uri) -> Result<Response, Refusal> {
    let parameters = Parameters::of(&uri)?;
    let token = parameters.require_address(TOKEN)?;
    let limit = parameters.read(LIMIT, whole_within(1, MAXIMUM_LIMIT))?;
    let offset = parameters.read(OFFSET, whole)?;
    let messages = api
        .messages(token, offset.unwrap_or(0), limit.unwrap_or(DEFAULT_LIMIT))
        .await?;
    let said: Vec<Said<'_>> = messages.iter().map(Said::from).collect();
    Ok(json(&said))
}

pub(super) async fn post(
    State(api): State<Arc<Api>>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Refusal> {
    let shown = headers.get(OPERATOR_KEY).and_then(|value| value.to_str().ok());
    if !shown.is_some_and(|shown| proof::is_secret(shown, &api.operator_key)) {
        return Err(Refusal::new(
            401,
            "chat-credential",
            "X-Operator-Key must be the operator's credential",
        ));
    }
    let request = body::json_object(&headers, body, BODY_LIMIT).await?;
    let captcha = text(&request, CAPTCHA)?;
    let token = text(&request, TOKEN)?;
    let post = Post {
        captcha,
        token: address::parse(token).ok_or_else(|| TOKEN.refuse(token))?,
        message: text(&request, MESSAGE)?,
        signature: text(&request, SIGNATURE)?,
        sender: request.get(SENDER.name).map(sender).transpose()?,
    };
    let (message, standing) = api.post_message(post).await?;
    Ok(told(json(&Said::from(&message)), standing))
}

fn text(request: &Map<String, Value>, field: Field) -> Result<&str, Refusal> {
    match request.get(field.name) {
        None => Err(field.missing()),
        Some(Value::String(text)) => Ok(text),
        Some(other) => Err(field.refuse(&other.to_string())),
    }
}

fn sender(value: &Value) -> Result<Address, Refusal> {
    let parsed = value.as_str().and_then(address::parse);
    parsed.ok_or_else(|| SENDER.refuse(&value.to_string()))
}
