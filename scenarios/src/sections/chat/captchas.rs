//! `POST /api/chat`: captchas are valid once, and the rate limit of an address.

use super::{Chat, draft, listed};
use crate::prelude::*;
use crate::sections::service::answers::SVC_CHOSEN;
use crate::sections::service::limits::{
    Limit, around_expiry, at_the_edge, limit_headers, next_free, refused_until, used_up,
};
use crate::sections::upload;

const MINUTE: u64 = 60;
const RATE: Limit = Limit { cause: "chat-rate", uses: 5, span: MINUTE };

clause! {
    CHAT_POST_CAPTCHA = "CHAT-POST-CAPTCHA" (S105, S106, S179, S294):
        "A captcha token is accepted once, even when used twice at the same moment, or for an upload next.";
    check!("chat-captcha-once" [Exclusive; Rest, Control] once:
        "posts with a captcha that is unknown, used, expired, and one that a refusal has left, and uploads with a used one");
    check!("chat-captcha-race" [Exclusive; Rest, Control; S105, S179] race:
        "posts 64 messages with one captcha at the same moment");
}
pub(super) async fn once(trial: &Trial<'_>) -> Verdict {
    let mut chat = Chat::open(trial).await?;
    let (sender, other) = (chat.account(), chat.account());
    let unknown = chat.draft_with(&sender, "never minted", &"f".repeat(64))?;
    chat.trial.refused(&chat.send(&unknown).await?, 403, &["captcha-unknown"]).await?;

    let used = chat.draft(&sender, "once").await?;
    trial.ok_json(&chat.send(&used).await?)?;
    chat.trial.refused(&chat.send(&used).await?, 403, &["captcha-used"]).await?;
    let again = chat.draft_with(&other, "by another", used["token"].as_str().unwrap_or_default())?;
    chat.trial.refused(&chat.send(&again).await?, 403, &["captcha-used"]).await?;
    upload::takes_no_captcha_of_a_message(trial, used["token"].as_str().unwrap_or_default()).await?;

    // A message that was refused for another reason has not used its captcha.
    let captcha = chat.trial.captcha().await?;
    let long = chat.draft_with(&sender, &"long".repeat(200), &captcha)?;
    trial.refused(&chat.send(&long).await?, 400, &["chat-length"]).await?;
    let short = chat.draft_with(&sender, "short", &captcha)?;
    trial.by(&SVC_CHOSEN).succeeded(&chat.send(&short).await?)?;

    let responses = around_expiry(trial, |captcha| {
        let sender = chat.account();
        chat.request(&chat.draft_with(&sender, "in time or late", &captcha)?)
    });
    let [taken, late] = responses.await?;
    trial.succeeded(&taken)?;
    chat.trial.refused(&late, 403, &["captcha-expired"]).await.map(drop)
}

pub(super) async fn race(trial: &Trial<'_>) -> Verdict {
    const RUNNERS: usize = 64;
    let mut chat = Chat::open(trial).await?;
    let sender = chat.account();
    let captcha = chat.trial.captcha().await?;
    let drafts = (0..RUNNERS)
        .map(|number| chat.draft_with(&sender, &format!("runner {number}"), &captcha))
        .collect::<Result<Vec<_>, Stop>>()?;
    let responses = all_settled(drafts.iter().map(|draft| chat.send(draft))).await?;
    let (won, lost): (Vec<&Response>, Vec<&Response>) =
        responses.iter().partition(|response| response.status.is_success());
    trial.require_equal(&responses[0], "posts that were taken", &1, &won.len())?;
    for response in lost {
        chat.trial.refused(response, 403, &["captcha-used"]).await?;
    }
    let (response, messages) = chat.every().await?;
    let sender = sender.address().to_string();
    let mine = |message: &&Value| {
        message["sender_address"].as_str().is_some_and(|address| address.eq_ignore_ascii_case(&sender))
    };
    trial.require_equal(&response, "messages of the sender", &1, &messages.iter().filter(mine).count())
}

clause! {
    CHAT_POST_RATE = "CHAT-POST-RATE" (S313):
        "An address may post five messages a minute, whatever they are about; the next is 429, other addresses are not affected.";
    check!("chat-rate" [Exclusive; Rest, Control] rate:
        "posts five messages, the sixth, about another token too, from another address, and again a second before and at the minute");
}
pub(in crate::sections) async fn rate(trial: &Trial<'_>) -> Verdict {
    let mut chat = Chat::open(trial).await?;
    let (sender, other) = (chat.account(), chat.account());
    let say = |sender, text| taken(&chat, sender, text);
    let free = used_up(trial, &RATE, 7, |number| say(&sender, format!("message {number}"))).await?;
    let sixth = chat.request(&chat.draft(&sender, "the sixth").await?)?;
    refused_until(trial, &RATE, sixth, free).await?;
    if let Some(elsewhere) = listed(trial).await?.into_iter().find(|token| *token != chat.token) {
        let captcha = chat.trial.captcha().await?;
        let sixth = draft(&chat.text, elsewhere, &sender, "the sixth, elsewhere", &captcha)?;
        refused_until(trial, &RATE, chat.request(&sixth)?, free).await?;
    }
    let (response, now) = chat.trial.control()?.timed(say(&other, "not held up".to_owned())).await?;
    limit_headers(trial, &RATE, &response, 4, &now)?;

    // One use is available again.
    let [early, later] = [chat.draft(&sender, "early").await?, chat.draft(&sender, "later").await?];
    let requests = [chat.request(&early)?, chat.request(&later)?];
    let response = at_the_edge(trial, &RATE, free, requests).await?;
    trial.ok_json(&response)?;
    let next = next_free(trial, &response, free + 7)?;
    let seventh = chat.request(&chat.draft(&sender, "the seventh").await?)?;
    refused_until(trial, &RATE, seventh, next).await?;
    chat.read(Vec::new()).await.map(drop)
}

/// Posts a message that no limit may refuse, and returns the answer.
async fn taken(chat: &Chat<'_>, sender: &Account, message: String) -> Verdict<Response> {
    let response = chat.send_once(&chat.draft(sender, &message).await?).await?;
    chat.trial.succeeded(&response)?;
    Ok(response)
}
