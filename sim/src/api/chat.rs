//! Chat about a token: who may post, and the posted messages.
use alloy::primitives::Address;

use super::Api;
use super::limits::{RateLimit, RateLimitStatus};
use super::proof::{self, ProofError};
use super::refusal::{Reason, Refusal};

pub(crate) use crate::store::{LONGEST_MESSAGE as LONGEST, Message};

pub(crate) const DEFAULT_LIMIT: u64 = 50;
/// Maximum number of messages per page.
pub(crate) const MAXIMUM_LIMIT: u64 = 100;
/// Limit on messages from one address.
///
/// Clause: CHAT-POST-RATE, SVC-LIMITS
const RATE: RateLimit = RateLimit { name: "chat-rate", limit: 5, span: 60 };

/// A new message in a request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Post<'a> {
    pub captcha: &'a str,
    pub token: Address,
    pub message: &'a str,
    /// The sender's signature over [`signed_text`].
    pub signature: &'a str,
    /// The sender's address, if the request contains it.
    pub sender: Option<Address>,
}

/// Header of the operator's credential.
pub(crate) const OPERATOR_HEADER: &str = "x-operator-key";

/// The text that the sender signs; the token is an address in lower case.
#[must_use]
pub(crate) fn signed_text(token: &str, captcha: &str, message: &str) -> String {
    format!("Launch platform chat\nToken: {token}\nCaptcha: {captcha}\nMessage: {message}")
}

impl Api {
    /// The messages about a token, the latest first.
    pub(crate) async fn messages(
        &self,
        token: Address,
        offset: u64,
        limit: u64,
    ) -> Result<Vec<Message>, Refusal> {
        self.known_token(token)?;
        Ok(self.store.messages(token, offset, limit).await?)
    }

    /// The number of the latest message about a token; 0 if there is none or the store does not respond.
    pub(crate) async fn latest_message(&self, token: Address) -> i64 {
        let latest = self.store.messages(token, 0, 1).await.unwrap_or_default();
        latest.first().map_or(0, |message| message.id)
    }

    /// Posts a message. The captcha token is used up and the message counted only if every other check passes.
    ///
    /// Clause: CHAT-POST-OK, CHAT-POST-LEN, CHAT-POST-SIG, CHAT-POST-CAPTCHA, FIG-CHAT, CHAT-LEN-UNIT, CHAT-SIG-TEXT
    pub(crate) async fn post_message(&self, post: Post<'_>) -> Result<(Message, RateLimitStatus), Refusal> {
        let length = post.message.chars().count();
        if length == 0 {
            return Err(Refusal::bad_input("chat-empty", "message must not be empty"));
        }
        if length > LONGEST {
            return Err(Refusal::bad_input(
                "chat-length",
                format!("message must be at most {LONGEST} characters"),
            )
            .with_details(format!("got {length}")));
        }
        let sender = sender(&post);
        let stay = self.engine.stay().await;
        self.known_token(post.token)?;
        let (sender, now) = (sender?, self.clock.now());
        let mut transaction = self.engine.write(&stay, now).await?;
        let status = transaction.take(&[(&RATE, &sender.to_string())], now).await??;
        transaction.use_captcha(post.captcha, now).await??;
        let message = transaction.add_message(post.token, sender, post.message, now).await?;
        transaction.commit().await?;
        Ok((message, status))
    }

    fn known_token(&self, token: Address) -> Result<(), Refusal> {
        if self.read().token(token).is_some() {
            return Ok(());
        }
        Err(Refusal::not_found("chat-token-unknown", "no token has this address")
            .with_details(token.to_string()))
    }
}

fn sender(post: &Post<'_>) -> Result<Address, Refusal> {
    let text = signed_text(&format!("{:#x}", post.token), post.captcha, post.message);
    let sender = proof::signer(&text, post.signature).map_err(|error| {
        let (reason, cause) = match error {
            ProofError::Malformed => (Reason::BadInput, "chat-signature"),
            ProofError::Unrecoverable => (Reason::Forbidden, "chat-proof"),
        };
        Refusal::new(reason, cause, error.to_string())
    })?;
    if post.sender.is_some_and(|claimed| claimed != sender) {
        return Err(Refusal::forbidden("chat-sender", "the signature is not that of the sender"));
    }
    Ok(sender)
}
