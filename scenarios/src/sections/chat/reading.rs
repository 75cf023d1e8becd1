//! `GET /api/chat`.
use std::collections::BTreeSet;

use super::{Chat, PATH, draft, listed, message, messages, some_token};
use crate::answers::pages::{self, Page, Paging};
use crate::answers::refusals;
use crate::model::shown::readable;
use crate::prelude::*;

/// Default page size.
const DEFAULT: usize = 50;

clause! {
    CHAT_GET_REQ = "CHAT-GET-REQ" (S173): "The token is required.";
    check!("chat-get-required" [Read; Rest] required:
        "reads without a token, with a malformed address, and about an unknown token");
}
pub(super) async fn required(trial: &Trial<'_>) -> Verdict {
    let stranger = Address::from_word(trial.choices("chat-get-required").word());
    trial.refuses_each_or_has(refusals::CHATS, |body| *body == json!([])).await?;
    let query = [param("tokenAddress", stranger.to_string())];
    let response = trial.read(PATH, &query).await?;
    let empty = response.code() == 200 && response.json().is_some_and(|body| body == Value::Array(vec![]));
    if !empty {
        trial.refused(&response, 404, &["chat-token-unknown"]).await?;
    }
    Ok(())
}

clause! {
    CHAT_GET_ARRAY = "CHAT-GET-ARRAY" (S59, S176):
        "Messages are returned as a bare array of message objects, whose ids no message about another token has.";
    check!("chat-get-array" [Write; Rest, Control] array:
        "posts two messages, and one about another token, and looks at every field of what is then read");
    check!("chat-get-public" [Read; Rest; S176] public:
        "reads the chat of listed tokens without a credential, by default, by limits and by offsets");
}
pub(super) async fn array(trial: &Trial<'_>) -> Verdict {
    let mut chat = Chat::open(trial).await?;
    let sender = chat.account();
    let mut said = Vec::new();
    for text in ["first", "second"] {
        said.push((id(&chat.say(&sender, text).await?.1).to_owned(), text));
    }
    let (response, every) = chat.every().await?;
    let mut read = Vec::new();
    for object in &every {
        let (from, text) = message(trial, &response, object, chat.token)?;
        if from == sender.address() {
            read.push((id(object).to_owned(), text));
        }
    }
    said.sort_unstable();
    read.sort_unstable();
    trial.require_equal(&response, "the sender's messages", &said, &read)?;
    let Some(other) = listed(trial).await?.into_iter().find(|token| *token != chat.token) else {
        return Ok(());
    };
    let captcha = chat.trial.captcha().await?;
    trial.ok_json(&chat.send(&draft(&chat.text, other, &sender, "third", &captcha)?).await?)?;
    let (response, elsewhere) = messages(trial, other, &[]).await?;
    let ids: BTreeSet<&str> = every.iter().map(id).collect();
    let again = elsewhere.iter().map(id).find(|one| ids.contains(one));
    let expected = format!("ids that no message about {} has", chat.token);
    trial.require_or(&response, again.is_none(), &expected, || readable(&again))
}

/// Tokens that are searched for one with messages.
const TOKENS: usize = 8;

/// The rules for every platform and any reader: a bare array of at most fifty messages, paged by limit and offset.
pub(super) async fn public(trial: &Trial<'_>) -> Verdict {
    let tokens = listed(trial).await?;
    need_material(!tokens.is_empty(), "the list holds no token")?;
    for token in tokens.into_iter().take(TOKENS) {
        let (response, found) = messages(trial, token, &[]).await?;
        trial.require(&response, found.len() <= DEFAULT, "at most fifty messages by default")?;
        for object in &found {
            message(trial, &response, object, token)?;
        }
        if found.len() < 2 {
            continue;
        }
        let (limited, one) = messages(trial, token, &[param("limit", "1")]).await?;
        let (skipped, next) = messages(trial, token, &[param("limit", "1"), param("offset", "1")]).await?;
        // A message posted in between moves the others.
        if messages(trial, token, &[]).await?.1 == found {
            one_each(trial, &limited, &found, &one, &[])?;
            one_each(trial, &skipped, &found, &next, &one)?;
        }
    }
    Ok(())
}

/// A page has one message, which is not on the page before and is one of all messages, if all are known.
fn one_each(
    trial: &Trial<'_>,
    response: &Response,
    all: &[Value],
    page: &[Value],
    before: &[Value],
) -> Verdict {
    let [only] = page else {
        return Err(trial.failure(response, "one message", response.excerpt()));
    };
    let is_one = (all.len() == DEFAULT || all.contains(only)) && !before.contains(only);
    trial.require(response, is_one, "one of the messages, and another on each page")
}

clause! {
    CHAT_GET_BAD = "CHAT-GET-BAD" (choice S174, S175): "An invalid limit or offset is 400.";
    check!("chat-get-refusals" [Read; Rest] refusals: "sends invalid limits and offsets");
}
pub(super) async fn refusals(trial: &Trial<'_>) -> Verdict {
    let token = some_token(trial, &mut trial.choices("chat-get-refusals")).await?;
    trial.refuses_each(refusals::CHAT_PAGES, &[param("tokenAddress", token.to_string())]).await
}

clause! {
    CHAT_GET_PAGE = "CHAT-GET-PAGE" (S59, S174, S175, S315):
        "A page has fifty messages by default; limit and offset split them with none repeated or missing.";
    check!("chat-pages" [Exclusive; Rest, Control] pages: "posts 55 messages and walks them in pages of several sizes");
}
pub(super) async fn pages(trial: &Trial<'_>) -> Verdict {
    let mut chat = Chat::open(trial).await?;
    for _ in 0..11 {
        let sender = chat.account();
        for number in 0..5 {
            chat.say(&sender, &format!("message {number}")).await?;
        }
    }
    let (response, by_default) = chat.read(vec![]).await?;
    trial.require_equal(&response, "messages by default", &50, &by_default.len())?;
    let (response, single) = walk(&chat, 1).await?;
    trial.require_or(&response, single.len() >= 55, "55 messages or more", || single.len().to_string())?;
    for limit in [100, 7, 1] {
        let (response, walked) = walk(&chat, limit).await?;
        let distinct: BTreeSet<&str> = walked.iter().map(id).collect();
        trial.require_equal(&response, "messages met twice", &0, &(walked.len() - distinct.len()))?;
        trial.require_equal(
            &response,
            "the messages of the walk",
            &in_pages(&single, limit),
            &in_pages(&walked, limit),
        )?;
    }
    let (alone, second) = chat.read(vec![param("offset", DEFAULT.to_string())]).await?;
    let rest = &single[DEFAULT..single.len().min(2 * DEFAULT)];
    trial.require_equal(
        &alone,
        "the messages after the first fifty",
        &in_pages(rest, DEFAULT),
        &in_pages(&second, DEFAULT),
    )?;
    let (limited, first) = chat.read(vec![param("limit", DEFAULT.to_string())]).await?;
    trial.require_equal(&limited, "the first page", &first, &by_default)?;
    let pages = [in_pages(&single[..DEFAULT.min(single.len())], DEFAULT), in_pages(&first, DEFAULT)];
    trial.require_equal(&limited, "the messages of the first page", &pages[0], &pages[1])
}

/// Returns the message ids of each page, without order, which is left open.
fn in_pages(messages: &[Value], limit: usize) -> Vec<BTreeSet<&str>> {
    messages.chunks(limit).map(|page| page.iter().map(id).collect()).collect()
}

/// Most pages of a chat that are read.
const MOST_PAGES: u64 = 2_000;

impl Page for (Response, Vec<Value>) {
    fn rows(&self) -> usize {
        self.1.len()
    }
}

/// Reads all messages page by page until one page is empty, because a platform may cap the limit.
pub(super) async fn walk(chat: &Chat<'_>, limit: usize) -> Verdict<(Response, Vec<Value>)> {
    let pages = pages::walk(&chat.trial, Paging::Offset, MOST_PAGES, |offset| async move {
        chat.read(vec![param("limit", limit.to_string()), param("offset", offset.to_string())]).await
    });
    let mut walked = Vec::new();
    let mut last = None;
    for (_, (response, messages)) in pages.await?.read {
        let seen = || messages.len().to_string();
        chat.trial.require_or(&response, messages.len() <= limit, "no more than the limit", seen)?;
        walked.extend(messages);
        last = Some(response);
    }
    Ok((last.expect("the first page is always read"), walked))
}

fn id(message: &Value) -> &str {
    message["id"].as_str().unwrap_or_default()
}
