//! `GET /api/chat`.
use std::collections::BTreeSet;

use alloy::primitives::Address;
use serde_json::Value;

use super::{Chat, PATH, message};
use crate::check::Verdict;
use crate::client::http::Answer;
use crate::expect::{equal, holds};
use crate::reads::param;
use crate::world::World;

pub(super) async fn required(world: &World) -> Verdict {
    const CLAUSE: &str = "CHAT-GET-REQ";
    let stranger = Address::from_word(world.choices("chat-get-required").word());
    let mut queries = vec![vec![]];
    queries.extend(
        ["", "0x", "token", &stranger.to_string()[..41]].map(|text| vec![param("tokenAddress", text)]),
    );
    for query in queries {
        let answer = world.read(PATH, &query).await?;
        world.refused(CLAUSE, &answer, 400, &["chat-token-address"]).await?;
    }
    let query = [param("tokenAddress", stranger.to_string())];
    let answer = world.read(PATH, &query).await?;
    let empty =
        answer.status.as_u16() == 200 && answer.json().is_some_and(|body| body == Value::Array(vec![]));
    if !empty {
        world.refused(CLAUSE, &answer, 404, &["chat-token-unknown"]).await?;
    }
    Ok(())
}

pub(super) async fn array(world: &World) -> Verdict {
    const CLAUSE: &str = "CHAT-GET-ARRAY";
    let mut chat = Chat::open(world, "chat-get-array").await?;
    let sender = chat.account();
    for text in ["first", "second"] {
        chat.say(CLAUSE, &sender, text).await?;
    }
    let (answer, messages) = chat.read(CLAUSE, vec![]).await?;
    let mut said = Vec::new();
    for object in &messages {
        let (from, text) = message(CLAUSE, &answer, object, chat.token)?;
        if from == sender.address() {
            said.push(text);
        }
    }
    said.sort_unstable();
    equal(CLAUSE, &answer, "the sender's messages", &vec!["first", "second"], &said)
}

pub(super) async fn pages(world: &World) -> Verdict {
    const CLAUSE: &str = "CHAT-GET-PAGE";
    let mut chat = Chat::open(world, "chat-pages").await?;
    for _ in 0..11 {
        let sender = chat.account();
        for number in 0..5 {
            chat.say(CLAUSE, &sender, &format!("message {number}")).await?;
        }
    }
    let (answer, unless_told) = chat.read(CLAUSE, vec![]).await?;
    equal(CLAUSE, &answer, "messages unless told", &50, &unless_told.len())?;
    let mut walks = Vec::new();
    for limit in [100, 7, 1] {
        walks.push(walk(&chat, limit).await?);
    }
    let (answer, whole) = &walks[0];
    holds(CLAUSE, answer, whole.len() >= 55, "55 messages or more", || whole.len().to_string())?;
    for (answer, walked) in &walks {
        let distinct: BTreeSet<&String> = walked.iter().collect();
        equal(CLAUSE, answer, "messages met twice", &0, &(walked.len() - distinct.len()))?;
        equal(CLAUSE, answer, "the ids of the walk", whole, walked)?;
    }
    let first: Vec<String> = unless_told.iter().map(id).collect();
    equal(CLAUSE, answer, "the first page", &whole[..50].to_vec(), &first)?;
    for (name, value) in [("limit", "0"), ("limit", "many"), ("offset", "-1"), ("offset", "x")] {
        let query = [param("tokenAddress", chat.token.to_string()), param(name, value)];
        let answer = world.read(PATH, &query).await?;
        world.refused(CLAUSE, &answer, 400, &["chat-limit", "chat-offset"]).await?;
    }
    Ok(())
}

/// All ids in order, a page after the other until one is not full.
async fn walk(chat: &Chat<'_>, limit: usize) -> Verdict<(Answer, Vec<String>)> {
    const CLAUSE: &str = "CHAT-GET-PAGE";
    let mut ids = Vec::new();
    loop {
        let query = vec![param("limit", limit.to_string()), param("offset", ids.len().to_string())];
        let (answer, page) = chat.read(CLAUSE, query).await?;
        holds(CLAUSE, &answer, page.len() <= limit, "no more than the limit", || page.len().to_string())?;
        ids.extend(page.iter().map(id));
        if page.len() < limit {
            return Ok((answer, ids));
        }
    }
}

fn id(message: &Value) -> String {
    message["id"].as_str().unwrap_or_default().to_owned()
}
