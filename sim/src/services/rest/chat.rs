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
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json as value;

use super::limit::with_rate_limit;
use super::row::instant;
use super::upload::CAPTCHA_FORMAT;
use crate::api::chat::{DEFAULT_LIMIT, LONGEST, MAXIMUM_LIMIT, Post};
use crate::api::refusal::Refusal;
use crate::api::schema::{AddressText, Instant};
use crate::api::{Api, address, proof};
use crate::services::body;
use crate::services::form::{Account, COUNT, Otherwise, Parameter, Required, Whole};
use crate::services::http::json;
use crate::services::openapi::{Operation, Shapes};
use crate::services::parameters::{Field, Parameters};
use crate::store::Message;

/// Header with the operator's credential.
pub(super) const OPERATOR_HEADER: &str = "x-operator-key";
/// Largest body that is read, in bytes: the longest message with every character escaped, and the rest.
const BODY_LIMIT: usize = 16 * 1024;

const TOKEN: Field = Field { name: "tokenAddress", cause: "chat-token-address", rule: address::RULE };
const ABOUT: Parameter<Account, Required> = Parameter {
    name: TOKEN.name,
    cause: TOKEN.cause,
    meaning: "token address",
    form: Account,
    absent: Required,
};
const LIMIT: Parameter<Whole, Otherwise<u64>> = Parameter {
    name: "limit",
    cause: "chat-limit",
    meaning: "maximum messages",
    form: Whole { least: 1, most: MAXIMUM_LIMIT },
    absent: Otherwise(DEFAULT_LIMIT),
};
const OFFSET: Parameter<Whole, Otherwise<u64>> = Parameter {
    name: "offset",
    cause: "chat-offset",
    meaning: "messages to skip",
    form: COUNT,
    absent: Otherwise(0),
};
const CAPTCHA: Field =
    Field { name: "token", cause: "chat-captcha-field", rule: "must be the text of a captcha token" };
const MESSAGE: Field = Field { name: "message", cause: "chat-message", rule: "must be text" };
const SIGNATURE: Field =
    Field { name: "signature", cause: "chat-signature", rule: "must be the text of a signature" };
const SENDER: Field = Field { name: "senderAddress", cause: "chat-sender-address", rule: address::RULE };

pub(super) fn get_described(shapes: &mut Shapes) -> Operation {
    Operation::get("getMessages", "What is said about a token, the latest first")
        .takes(&ABOUT)
        .takes(&LIMIT)
        .takes(&OFFSET)
        .serves("messages", shapes.of::<Vec<Said<'_>>>())
        .refuses(404, "no token has this address")
        .stored()
}

pub(super) fn post_described(shapes: &mut Shapes) -> Operation {
    let account = || value!({ "type": "string", "pattern": address::PATTERN });
    let body = value!({
        "type": "object",
        "properties": {
            CAPTCHA.name: { "type": "string", "format": CAPTCHA_FORMAT },
            TOKEN.name: account(),
            MESSAGE.name: { "type": "string", "minLength": 1, "maxLength": LONGEST },
            SIGNATURE.name: { "type": "string", "pattern": proof::PATTERN },
            SENDER.name: account(),
        },
        "required": [CAPTCHA.name, TOKEN.name, MESSAGE.name, SIGNATURE.name],
    });
    Operation::post("postMessage", "Says something about a token")
        .proven_by(&["operatorKey"])
        .body("application/json", body, BODY_LIMIT)
        .serves("the message", shapes.of::<Said<'_>>())
        .limited()
        .refuses(401, "no or a wrong operator credential")
        .refuses(403, "the signature or the captcha token proves nothing")
        .refuses(404, "no token has this address")
        .stored()
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Message")]
struct Said<'a> {
    id: String,
    #[schemars(with = "AddressText")]
    token_address: Address,
    #[schemars(with = "AddressText")]
    sender_address: Address,
    #[schemars(length(min = 1, max = LONGEST))]
    message: &'a str,
    #[schemars(with = "Instant")]
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
    let token = parameters.take(&ABOUT)?;
    let (limit, offset) = (parameters.take(&LIMIT)?, parameters.take(&OFFSET)?);
    let messages = api.messages(token, offset, limit).await?;
    let said: Vec<Said<'_>> = messages.iter().map(Said::from).collect();
    Ok(json(&said))
}

pub(super) async fn post(
    State(api): State<Arc<Api>>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Refusal> {
    let shown = headers.get(OPERATOR_HEADER).and_then(|value| value.to_str().ok());
    if !shown.is_some_and(|shown| proof::is_secret(shown, &api.operator_key)) {
        return Err(Refusal::new(401, "chat-credential", "X-Operator-Key must be the operator's credential"));
    }
    let request = body::json_object(&headers, body, BODY_LIMIT).await?;
    let captcha = CAPTCHA.text(&request)?;
    let token = TOKEN.text(&request)?;
    let post = Post {
        captcha,
        token: address::parse(token).ok_or_else(|| TOKEN.refuse(token))?,
        message: MESSAGE.text(&request)?,
        signature: SIGNATURE.text(&request)?,
        sender: request.get(SENDER.name).map(sender).transpose()?,
    };
    let (message, status) = api.post_message(post).await?;
    Ok(with_rate_limit(json(&Said::from(&message)), status))
}

fn sender(value: &serde_json::Value) -> Result<Address, Refusal> {
    let parsed = value.as_str().and_then(address::parse);
    parsed.ok_or_else(|| SENDER.refuse(&value.to_string()))
}
