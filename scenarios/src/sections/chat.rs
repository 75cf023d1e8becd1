//! `/api/chat`: reading what is said about a token, and saying it.
mod captchas;
mod reading;
mod writing;

use alloy::primitives::Address;
use serde_json::{Value, json};

use crate::check::{Check, Inconclusive, Lane, Need, Stop, Verdict};
use crate::client::account::Account;
use crate::client::control::Control;
use crate::client::http::{Answer, Ask};
use crate::expect::{holds, moment, ok_json};
use crate::reads::{LIST, Query, get, param};
use crate::world::World;

const PATH: &str = "/api/chat";

const POSTING: &[Need] = &[Need::Rest, Need::Control];

pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "chat-get-required",
        clauses: &["CHAT-GET-REQ"],
        summary: "reads without a token, with what is no address, and about a token nobody knows",
        lane: Lane::Read,
        needs: &[Need::Rest],
        run: |world| Box::pin(reading::required(world)),
    },
    Check {
        id: "chat-get-array",
        clauses: &["CHAT-GET-ARRAY"],
        summary: "posts two messages and looks at every field of what is then read",
        lane: Lane::Write,
        needs: POSTING,
        run: |world| Box::pin(reading::array(world)),
    },
    Check {
        id: "chat-pages",
        clauses: &["CHAT-GET-PAGE"],
        summary: "posts 55 messages and walks them in pages of several sizes",
        lane: Lane::Exclusive,
        needs: POSTING,
        run: |world| Box::pin(reading::pages(world)),
    },
    Check {
        id: "chat-fields",
        clauses: &["CHAT-POST-FIELDS"],
        summary: "leaves each field out, and sends it as null, number and object",
        lane: Lane::Write,
        needs: POSTING,
        run: |world| Box::pin(writing::fields(world)),
    },
    Check {
        id: "chat-read-back",
        clauses: &["CHAT-POST-OK"],
        summary: "posts texts of many scripts and controls and reads them back to the character",
        lane: Lane::Write,
        needs: POSTING,
        run: |world| Box::pin(writing::read_back(world)),
    },
    Check {
        id: "chat-length",
        clauses: &["CHAT-POST-LEN"],
        summary: "posts 500 and 501 characters of one, two and four bytes, and none",
        lane: Lane::Write,
        needs: POSTING,
        run: |world| Box::pin(writing::length(world)),
    },
    Check {
        id: "chat-signature",
        clauses: &["CHAT-POST-SIG"],
        summary: "signs with another key, signs another text, and sends what is no signature",
        lane: Lane::Write,
        needs: POSTING,
        run: |world| Box::pin(writing::signature(world)),
    },
    Check {
        id: "chat-captcha-once",
        clauses: &["CHAT-POST-CAPTCHA"],
        summary: "posts with a captcha that is unknown, used, expired, and one that a refusal has left",
        lane: Lane::Exclusive,
        needs: POSTING,
        run: |world| Box::pin(captchas::once(world)),
    },
    Check {
        id: "chat-captcha-race",
        clauses: &["CHAT-POST-CAPTCHA"],
        summary: "posts 64 messages with one captcha at the same moment",
        lane: Lane::Exclusive,
        needs: POSTING,
        run: |world| Box::pin(captchas::race(world)),
    },
    Check {
        id: "chat-credential",
        clauses: &["CHAT-POST-CRED"],
        summary: "posts without the operator's credential, with a wrong one, and with the right one",
        lane: Lane::Write,
        needs: POSTING,
        run: |world| Box::pin(writing::credential(world)),
    },
    Check {
        id: "chat-rate",
        clauses: &["CHAT-POST-RATE"],
        summary: "posts five messages, the sixth, from another address, and again a second before and at the minute",
        lane: Lane::Exclusive,
        needs: POSTING,
        run: |world| Box::pin(captchas::rate(world)),
    },
];

/// What posting takes: a token, the operator's key, and captchas.
struct Chat<'w> {
    world: &'w World,
    control: Control,
    key: String,
    token: Address,
    choices: crate::seed::Choices,
}

/// A message before it is sent.
#[derive(Clone, Debug)]
struct Draft {
    captcha: String,
    body: Value,
}

impl<'w> Chat<'w> {
    /// Chat about some token of the market.
    async fn open(world: &'w World, label: &str) -> Verdict<Self> {
        let key = world.target().operator_key.clone().ok_or_else(|| {
            Stop::Skipped("the target has not been given the operator's credential (--operator-key)".into())
        })?;
        let mut choices = world.choices(label);
        let token = some_token(world, &mut choices).await?;
        Ok(Self { world, control: world.control()?, key, token, choices })
    }

    fn account(&mut self) -> Account {
        Account::fresh(&mut self.choices)
    }

    /// A message as it should be, with a captcha of its own.
    async fn draft(&self, sender: &Account, message: &str) -> Verdict<Draft> {
        self.draft_with(sender, message, self.control.captcha().await?)
    }

    fn draft_with(&self, sender: &Account, message: &str, captcha: String) -> Verdict<Draft> {
        let signature = sender.sign_text(&signed(self.token, &captcha, message))?;
        let body = json!({
            "token": captcha,
            "tokenAddress": self.token,
            "message": message,
            "signature": signature,
        });
        Ok(Draft { captcha, body })
    }

    fn ask(&self, draft: &Draft) -> Verdict<Ask> {
        Ok(Ask::post_json(self.world.rest()?, PATH, &draft.body).header("x-operator-key", &self.key))
    }

    async fn send(&self, draft: &Draft) -> Verdict<Answer> {
        Ok(self.world.http().send(self.ask(draft)?).await?)
    }

    /// Posts a message that must be taken; answers what was answered.
    async fn say(&self, clause: &'static str, sender: &Account, message: &str) -> Verdict<(Answer, Value)> {
        let answer = self.send(&self.draft(sender, message).await?).await?;
        let body = ok_json(clause, &answer)?;
        Ok((answer, body))
    }

    /// What is read about the token.
    async fn read(&self, clause: &'static str, query: Query) -> Verdict<(Answer, Vec<Value>)> {
        let mut all = vec![param("tokenAddress", self.token.to_string())];
        all.extend(query);
        let answer = self.world.http().send(get(self.world.rest()?, PATH, &all)).await?;
        let body = ok_json(clause, &answer)?;
        match body {
            Value::Array(messages) => Ok((answer, messages)),
            _ => {
                holds(clause, &answer, false, "a bare array", || answer.excerpt())?;
                Ok((answer, Vec::new()))
            }
        }
    }
}

/// The text that is signed for a message.
fn signed(token: Address, captcha: &str, message: &str) -> String {
    [
        "Launch platform chat",
        &format!("Token: {token:#x}"),
        &format!("Captcha: {captcha}"),
        &format!("Message: {message}"),
    ]
    .join("\n")
}

/// Some token of the market.
async fn some_token(world: &World, choices: &mut crate::seed::Choices) -> Verdict<Address> {
    let answer = world.read(LIST, &[]).await?;
    let tokens = answer.json().unwrap_or_default();
    let addresses: Vec<Address> = tokens["tokens"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|token| token["address"].as_str()?.parse().ok())
        .collect();
    if addresses.is_empty() {
        return Err(Inconclusive::NoMaterial { reason: "the list holds no token".into() }.into());
    }
    Ok(*choices.pick(&addresses))
}

/// The message object has its five fields, each a string of its kind, and nothing of it contradicts the post.
fn message<'a>(
    clause: &'static str,
    answer: &Answer,
    object: &'a Value,
    token: Address,
) -> Verdict<(Address, &'a str)> {
    let text = |name: &str| object[name].as_str();
    let address = |name: &str| text(name).and_then(|text| text.parse::<Address>().ok());
    let whole = text("id").is_some_and(|id| !id.is_empty())
        && address("token_address") == Some(token)
        && address("sender_address").is_some()
        && text("message").is_some()
        && text("created_at").and_then(moment::nanoseconds).is_some();
    holds(
        clause,
        answer,
        whole,
        "a message object: id, token_address, sender_address, message, created_at (ISO 8601 with a zone)",
        || object.to_string(),
    )?;
    let sender = address("sender_address").unwrap_or_default();
    Ok((sender, text("message").unwrap_or_default()))
}
