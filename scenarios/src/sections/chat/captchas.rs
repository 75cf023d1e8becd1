//! `POST /api/chat`: captchas that serve once, and how often an address may speak.
use futures::future::try_join_all;
use serde_json::Value;

use super::{Chat, PATH};
use crate::check::{Stop, Verdict};
use crate::client::http::Answer;
use crate::expect::{equal, ok_json};
use crate::limits::{Limit, told, used_up};
use crate::reads::param;
use crate::world::World;

const MINUTE: u64 = 60;
const RATE: Limit = Limit { clause: "CHAT-POST-RATE", cause: "chat-rate", uses: 5, span: MINUTE };

pub(super) async fn once(world: &World) -> Verdict {
    const CLAUSE: &str = "CHAT-POST-CAPTCHA";
    let mut chat = Chat::open(world, "chat-captcha-once").await?;
    let (sender, other) = (chat.account(), chat.account());
    let unknown = chat.draft_with(&sender, "never minted", "f".repeat(64))?;
    refused(&chat, &chat.send(&unknown).await?, "captcha-unknown").await?;

    let used = chat.draft(&sender, "once").await?;
    ok_json(CLAUSE, &chat.send(&used).await?)?;
    refused(&chat, &chat.send(&used).await?, "captcha-used").await?;
    let again = chat.draft_with(&other, "by another", used.captcha.clone())?;
    refused(&chat, &chat.send(&again).await?, "captcha-used").await?;

    // What was refused for another reason has not used its captcha.
    let captcha = chat.control.captcha().await?;
    let long = chat.draft_with(&sender, &"long".repeat(200), captcha.clone())?;
    world.refused(CLAUSE, &chat.send(&long).await?, 400, &["chat-length"]).await?;
    let short = chat.draft_with(&sender, "short", captcha)?;
    ok_json(CLAUSE, &chat.send(&short).await?)?;

    let captcha = chat.control.captcha_for(30).await?;
    let late = chat.draft_with(&sender, "late", captcha)?;
    let captcha = chat.control.captcha_for(31).await?;
    let in_time = chat.draft_with(&sender, "in time", captcha)?;
    chat.control.advance(30).await?;
    refused(&chat, &chat.send(&late).await?, "captcha-expired").await?;
    ok_json(CLAUSE, &chat.send(&in_time).await?).map(drop)
}

async fn refused(chat: &Chat<'_>, answer: &Answer, cause: &str) -> Verdict {
    chat.world.refused("CHAT-POST-CAPTCHA", answer, 403, &[cause]).await.map(drop)
}

pub(super) async fn race(world: &World) -> Verdict {
    const CLAUSE: &str = "CHAT-POST-CAPTCHA";
    const RUNNERS: usize = 64;
    let mut chat = Chat::open(world, "chat-captcha-race").await?;
    let sender = chat.account();
    let captcha = chat.control.captcha().await?;
    let drafts = (0..RUNNERS)
        .map(|number| chat.draft_with(&sender, &format!("runner {number}"), captcha.clone()))
        .collect::<Result<Vec<_>, Stop>>()?;
    let answers = try_join_all(drafts.iter().map(|draft| chat.send(draft))).await?;
    let (won, lost): (Vec<&Answer>, Vec<&Answer>) =
        answers.iter().partition(|answer| answer.status.as_u16() == 200);
    equal(CLAUSE, &answers[0], "posts that were taken", &1, &won.len())?;
    for answer in lost {
        refused(&chat, answer, "captcha-used").await?;
    }
    let (answer, messages) = chat.read(CLAUSE, vec![param("limit", "100")]).await?;
    let sender = sender.address().to_string();
    let mine = |message: &&Value| {
        message["sender_address"].as_str().is_some_and(|address| address.eq_ignore_ascii_case(&sender))
    };
    equal(CLAUSE, &answer, "messages of the sender", &1, &messages.iter().filter(mine).count())
}

pub(super) async fn rate(world: &World) -> Verdict {
    const CLAUSE: &str = "CHAT-POST-RATE";
    let mut chat = Chat::open(world, "chat-rate").await?;
    let (sender, other) = (chat.account(), chat.account());
    let first = chat.control.now().await?;
    let mut free = 0;
    for number in 0..5 {
        if number == 1 {
            chat.control.advance(7).await?;
        }
        let (answer, _) = chat.say(CLAUSE, &sender, &format!("message {number}")).await?;
        free = told(&RATE, &answer, 4 - number, first..=first + 1)?;
    }
    let sixth = chat.draft(&sender, "the sixth").await?;
    let answer = chat.send(&sixth).await?;
    used_up(world, &RATE, &answer, free - (first + 7)).await?;
    let (answer, _) = chat.say(CLAUSE, &other, "not held up").await?;
    told(&RATE, &answer, 4, first + 7..=first + 8)?;

    chat.control.set_clock(free - 1).await?;
    used_up(world, &RATE, &chat.send(&sixth).await?, 1).await?;
    chat.control.set_clock(free).await?;
    // One use is free again, and the refusals have not used up the captcha.
    ok_json(CLAUSE, &chat.send(&sixth).await?)?;
    let seventh = chat.draft(&sender, "the seventh").await?;
    let answer = world.http().send(chat.ask(&seventh)?).await?;
    used_up(world, &RATE, &answer, 7).await?;
    let read = world.read(PATH, &[param("tokenAddress", chat.token.to_string())]).await?;
    ok_json(CLAUSE, &read).map(drop)
}
