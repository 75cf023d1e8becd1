//! `/api/chat`: reading and posting messages about a token.
pub(super) mod captchas;
mod reading;
mod writing;

use std::collections::BTreeSet;

use crate::answers::reads::{LIST, Query};
use crate::model::conventions::{Template, undeclared};
use crate::model::moment;
use crate::prelude::*;

use crate::answers::reads::CHAT as PATH;

section! {
    reading::CHAT_GET_REQ, reading::CHAT_GET_ARRAY, reading::CHAT_GET_PAGE, reading::CHAT_GET_BAD,
    writing::CHAT_POST_FIELDS, writing::CHAT_POST_OK, writing::CHAT_POST_LEN, writing::CHAT_LEN_UNIT,
    writing::CHAT_POST_SIG, writing::CHAT_SIG_TEXT, captchas::CHAT_POST_CAPTCHA, writing::CHAT_POST_CRED,
    writing::CHAT_CRED_HEADER, captchas::CHAT_POST_RATE,
}

/// Page size when all messages are read.
const PAGE: usize = 100;

/// The prerequisites of posting: a token, the operator's key and its header, the text to sign, and captchas.
pub(super) struct Chat<'w> {
    trial: Trial<'w>,
    key: String,
    header: String,
    text: Template,
    pub(super) token: Address,
    choices: crate::model::seed::Choices,
}

impl<'w> Chat<'w> {
    /// Opens the chat about a token of the market.
    pub(super) async fn open(trial: &Trial<'w>) -> Verdict<Self> {
        let key = trial.target().operator_key.clone().ok_or_else(|| {
            Stop::Skipped("the target has not been given the operator's credential (--operator-key)".into())
        })?;
        let conventions = trial.conventions().await?;
        let header = conventions.operator_header.clone();
        let header = header.ok_or_else(|| undeclared("the operator's header", "operator-header"))?;
        let text = conventions.chat_message.clone();
        let text = text.ok_or_else(|| undeclared("the text that is signed", "chat-message"))?;
        let token = some_token(trial, &mut trial.choices(trial.check.id)).await?;
        let choices = trial.new_choices(trial.check.id).await?;
        Ok(Self { trial: *trial, key, header, text, token, choices })
    }

    pub(super) fn account(&mut self) -> Account {
        Account::fresh(&mut self.choices)
    }

    /// Builds a valid message with a new captcha.
    async fn draft(&self, sender: &Account, message: &str) -> Verdict<Value> {
        self.draft_with(sender, message, &self.trial.captcha().await?)
    }

    fn draft_with(&self, sender: &Account, message: &str, captcha: &str) -> Verdict<Value> {
        Ok(draft(&self.text, self.token, sender, message, captcha)?)
    }

    fn request(&self, draft: &Value) -> Verdict<Request> {
        // The seed generates the chat's accounts, so their signatures are not secret.
        if let Some(signature) = draft["signature"].as_str() {
            self.trial.reveal(signature);
        }
        Ok(Request::post_json(self.trial.rest()?, PATH, draft).header(&self.header, &self.key))
    }

    async fn send(&self, draft: &Value) -> Verdict<Response> {
        Ok(self.trial.http().send(self.request(draft)?).await?)
    }

    /// Sends a message once, even if a limit refuses it.
    async fn send_once(&self, draft: &Value) -> Verdict<Response> {
        Ok(self.trial.http().send_once(self.request(draft)?).await?)
    }

    /// Posts a message, which must be accepted; returns the answer.
    pub(super) async fn say(&self, sender: &Account, message: &str) -> Verdict<(Response, Value)> {
        self.trial.with_json(self.send(&self.draft(sender, message).await?).await?)
    }

    /// Returns every message about the token, once, and the last answer. The order of pages is left open, and a message that is posted
    /// during the walk moves others to a later page.
    pub(super) async fn every(&self) -> Verdict<(Response, Vec<Value>)> {
        let (response, mut messages) = reading::walk(self, PAGE).await?;
        let mut met = BTreeSet::new();
        messages.retain(|message| met.insert(message["id"].to_string()));
        Ok((response, messages))
    }

    /// Reads messages about the token.
    pub(super) async fn read(&self, query: Query) -> Verdict<(Response, Vec<Value>)> {
        messages(&self.trial, self.token, &query).await
    }
}

/// Builds the body of a message about a token; its sender signs this text, filled in with the message and the captcha.
pub(crate) fn draft(
    signed: &Template,
    token: Address,
    sender: &Account,
    message: &str,
    captcha: &str,
) -> Result<Value, Inconclusive> {
    let (token, address) = (token.to_string(), sender.address().to_string());
    let text = signed.fill(&[
        ("token", &token),
        ("token-lower", &token.to_lowercase()),
        ("captcha", captcha),
        ("message", message),
        ("sender", &address),
        ("sender-lower", &address.to_lowercase()),
    ]);
    let signature = sender.sign_text(&text)?;
    Ok(json!({ "token": captcha, "tokenAddress": token, "message": message, "signature": signature }))
}

/// Reads messages about a token, which must be a bare array.
async fn messages(trial: &Trial<'_>, token: Address, query: &Params) -> Verdict<(Response, Vec<Value>)> {
    let query = [&[param("tokenAddress", token.to_string())], query].concat();
    let (response, body) = trial.read_json(PATH, &query).await?;
    match body {
        Value::Array(messages) => Ok((response, messages)),
        _ => Err(trial.failure(&response, "a bare array", response.excerpt())),
    }
}

/// Returns the tokens on the first page of the list.
pub(super) async fn listed(trial: &Trial<'_>) -> Verdict<Vec<Address>> {
    let tokens = trial.read(LIST, &[]).await?.json().unwrap_or_default();
    let rows = tokens["tokens"].as_array().into_iter().flatten();
    Ok(rows.filter_map(|token| parsed(&token["address"])).collect())
}

/// Picks one of these tokens.
async fn some_token(trial: &Trial<'_>, choices: &mut crate::model::seed::Choices) -> Verdict<Address> {
    let listed = listed(trial).await?;
    need_material(!listed.is_empty(), "the list holds no token")?;
    Ok(*choices.pick(&listed))
}

/// The message object has its five fields, each a string of its kind, and contradicts nothing of the post.
fn message<'a>(
    trial: &Trial<'_>,
    response: &Response,
    object: &'a Value,
    token: Address,
) -> Verdict<(Address, &'a str)> {
    let text = |name: &str| object[name].as_str();
    let sender = parsed(&object["sender_address"]);
    let whole = text("id").is_some_and(|id| !id.is_empty())
        && parsed(&object["token_address"]) == Some(token)
        && text("created_at").and_then(moment::nanoseconds).is_some();
    let expected = "a message object: id, token_address, sender_address, message, created_at (ISO 8601)";
    let said = sender.zip(text("message")).filter(|_| whole);
    said.ok_or_else(|| trial.failure(response, expected, object.to_string()))
}
