//! `POST /api/chat`: its fields, its texts, and who may post.
use super::{Chat, PATH, message};
use crate::model::shown::readable;
use crate::prelude::*;
use crate::sections::meaning::timed::is_timed;

clause! {
    CHAT_POST_FIELDS = "CHAT-POST-FIELDS" (S177):
        "Captcha token, token address, message and signature must all be strings.";
    check!("chat-fields" [Write; Rest, Control] fields:
        "leaves each field out, and sends it as null, number and object");
}
pub(super) async fn fields(trial: &Trial<'_>) -> Verdict {
    let mut chat = Chat::open(trial).await?;
    let sender = chat.account();
    let whole = chat.draft(&sender, "hello").await?;
    let causes = [
        ("token", "chat-captcha-field"),
        ("tokenAddress", "chat-token-address"),
        ("message", "chat-message"),
        ("signature", "chat-signature"),
    ];
    for (name, cause) in causes {
        for value in [None, Some(Value::Null), Some(json!(7)), Some(json!({})), Some(json!(["text"]))] {
            // Whether a refused message uses its captcha is left open.
            let mut draft = chat.draft(&sender, "hello").await?;
            let members = draft.as_object_mut().expect("a draft is an object");
            match value {
                Some(value) => members.insert(name.to_owned(), value),
                None => members.remove(name),
            };
            let response = chat.send(&draft).await?;
            chat.trial.refused(&response, 400, &[cause]).await?;
        }
    }
    for body in ["", "{", "[]", "null", "\"text\""] {
        let mut request = chat.request(&whole)?;
        request.body = Some(body.into());
        let response = trial.http().send(request).await?;
        trial.refused(&response, 400, &["body-json"]).await?;
    }
    chat.say(&sender, "hello").await.map(drop)
}

clause! {
    CHAT_POST_OK = "CHAT-POST-OK" (S181):
        "A posted message is returned, and later read, exactly as it was written.";
    check!("chat-read-back" [Write; Rest, Control] read_back:
        "posts texts of many scripts and controls and of 500 characters and reads them back to the character");
}
pub(super) async fn read_back(trial: &Trial<'_>) -> Verdict {
    const TEXTS: [&str; 10] = [
        "plain",
        "  around  \t",
        "two\nlines\r\nand a third",
        "\"quoted\" \\back\\ </script> &amp; %41 ${x} '; DROP TABLE messages; --",
        "Grüße, Привет, 你好, שלום, مرحبا, नमस्ते",
        "e\u{301} is not \u{e9}",
        "👩‍👩‍👧‍👦 🏳️‍🌈 🇺🇳 \u{1f468}\u{1f3fd}",
        "bell \u{7} escape \u{1b} delete \u{7f}",
        "\u{feff}mark \u{202e}turned \u{200b}nothing \u{2028}line",
        "\u{ffff} \u{fffd} \u{10ffff} \u{e000}",
    ];
    let longest = "so long as".repeat(50);
    let texts: Vec<&str> = TEXTS.into_iter().chain([&*longest]).collect();
    let mut chat = Chat::open(trial).await?;
    let mut posted = Vec::new();
    for texts in texts.chunks(5) {
        let sender = chat.account();
        for text in texts {
            let before = trial.control()?.now().await?;
            let (response, object) = chat.say(&sender, text).await?;
            let window = (before, trial.control()?.now().await?);
            let (from, result) = message(trial, &response, &object, chat.token)?;
            trial.require_equal(&response, "the sender", &sender.address(), &from)?;
            trial.require_equal(&response, "the message", text, &result)?;
            is_timed(trial, &response, &object["created_at"], "created_at", window)?;
            posted.push(object);
        }
    }
    let (response, messages) = chat.every().await?;
    for object in &posted {
        let found: Vec<&Value> = messages.iter().filter(|other| other["id"] == object["id"]).collect();
        trial.require_or(&response, found == [object], &format!("{object} once"), || readable(&found))?;
    }
    Ok(())
}

clause! {
    CHAT_POST_LEN = "CHAT-POST-LEN" (S62, S178, S314): "A message of 500 characters is accepted, one of 501 is refused, whatever bytes they take.";
    check!("chat-length" [Write; Rest, Control] length:
        "posts 500 and 501 characters of one, two and three bytes, and 250 and 501 of four");
}
pub(super) async fn length(trial: &Trial<'_>) -> Verdict {
    let mut chat = Chat::open(trial).await?;
    for unit in ["a", "é", "漢"] {
        length_of(&mut chat, unit).await?;
    }
    // Each takes two UTF-16 units, which a platform may count as characters.
    lengths_of(&mut chat, "😀", (250, 501)).await
}

/// A message of 500 of a character is accepted, one of 501 refused.
async fn length_of(chat: &mut Chat<'_>, unit: &str) -> Verdict {
    lengths_of(chat, unit, (500, 501)).await
}

/// A message of `taken` of a character is accepted, one of `refused` refused.
async fn lengths_of(chat: &mut Chat<'_>, unit: &str, (taken, refused): (usize, usize)) -> Verdict {
    let sender = chat.account();
    let longest = unit.repeat(taken);
    let (response, object) = chat.say(&sender, &longest).await?;
    chat.trial.require_equal(&response, "the message", &Some(&*longest), &object["message"].as_str())?;
    let over = chat.draft(&sender, &unit.repeat(refused)).await?;
    let response = chat.send(&over).await?;
    chat.trial.refused(&response, 400, &["chat-length"]).await.map(drop)
}

clause! {
    CHAT_LEN_UNIT = "CHAT-LEN-UNIT" (choice S62, S178):
        "Characters are counted as Unicode scalar values, U+0000 is one too, and a message may not be empty.";
    check!("chat-length-unit" [Write; Rest, Control] units:
        "posts 500 and 501 characters of two, three and four bytes, U+0000, and none");
}
pub(super) async fn units(trial: &Trial<'_>) -> Verdict {
    let mut chat = Chat::open(trial).await?;
    for unit in ["é", "\u{301}", "漢", "😀"] {
        length_of(&mut chat, unit).await?;
    }
    let sender = chat.account();
    let text = "before \0 after";
    let (response, object) = chat.say(&sender, text).await?;
    trial.require_equal(&response, "the message", &Some(text), &object["message"].as_str())?;
    let response = chat.send(&chat.draft(&sender, "").await?).await?;
    trial.refused(&response, 400, &["chat-empty"]).await.map(drop)
}

clause! {
    CHAT_POST_SIG = "CHAT-POST-SIG" (S61, S180, S294):
        "A message without a valid signature is refused; the sender of any other is its signer.";
    check!("chat-signature" [Write; Rest, Control] signature:
        "posts a signed message, one without a signature, and texts that are no signature");
}
pub(super) async fn signature(trial: &Trial<'_>) -> Verdict {
    let mut chat = Chat::open(trial).await?;
    let sender = chat.account();
    let (response, object) = chat.say(&sender, "mine").await?;
    let (from, _) = message(trial, &response, &object, chat.token)?;
    trial.require_equal(&response, "the sender", &sender.address(), &from)?;

    let malformed: [fn(&str) -> String; 8] = [
        |_| String::new(),
        |_| "0x".into(),
        |_| "signed".into(),
        |whole| whole[..whole.len() - 1].to_owned(),
        |whole| format!("{whole}00"),
        |whole| format!("{}zz", &whole[..whole.len() - 2]),
        |_| format!("0x{}", "00".repeat(65)),
        |_| format!("0x{}", "ff".repeat(65)),
    ];
    for wrong in malformed.into_iter().map(Some).chain([None]) {
        let mut draft = chat.draft(&sender, "malformed").await?;
        let whole = draft["signature"].as_str().unwrap_or_default().to_owned();
        draft["signature"] = wrong.map_or(Value::Null, |wrong| wrong(&whole).into());
        let response = chat.send(&draft).await?;
        chat.trial.refused(&response, response.code(), &["chat-signature", "chat-proof"]).await?;
    }
    Ok(())
}

clause! {
    CHAT_SIG_TEXT = "CHAT-SIG-TEXT" (choice S180):
        "A signature covers token, captcha and message; a claim to be another sender is refused.";
    check!("chat-signature-text" [Write; Rest, Control] signed_text:
        "signs another text and another captcha, and claims to be another sender");
}
pub(super) async fn signed_text(trial: &Trial<'_>) -> Verdict {
    let mut chat = Chat::open(trial).await?;
    let (sender, other) = (chat.account(), chat.account());
    // A text, captcha or token other than the signed one: the recovered sender is not the signer.
    for (name, text) in [("message", json!("another text")), ("token", json!(chat.trial.captcha().await?))] {
        let mut draft = chat.draft(&sender, "signed text").await?;
        draft[name] = text;
        never_by(&chat, &draft, sender.address()).await?;
        draft["senderAddress"] = json!(sender.address());
        claimed(&chat, &draft).await?;
    }
    let mut forged = chat.draft(&other, "by another").await?;
    forged["senderAddress"] = json!(sender.address());
    claimed(&chat, &forged).await?;
    forged["senderAddress"] = json!(other.address());
    let response = chat.send(&forged).await?;
    let (from, _) = message(trial, &response, &trial.ok_json(&response)?, chat.token)?;
    trial.require_equal(&response, "the sender", &other.address(), &from)
}

/// Requires a refusal because the sender does not match the signature.
async fn claimed(chat: &Chat<'_>, draft: &Value) -> Verdict {
    chat.trial.refused(&chat.send(draft).await?, 403, &["chat-sender"]).await.map(drop)
}

async fn never_by(chat: &Chat<'_>, draft: &Value, signer: Address) -> Verdict {
    let response = chat.send(draft).await?;
    let from = parsed(&response.json().unwrap_or_default()["sender_address"]);
    let other = !response.status.is_server_error() && from != Some(signer);
    chat.trial.require(&response, other, "a refusal, or another sender than who signed another text")
}

clause! {
    CHAT_POST_CRED = "CHAT-POST-CRED" (S182, S294): "Without the operator's credential nothing is posted.";
    check!("chat-credential" [Write; Rest, Control] credential:
        "posts without the operator's credential and with wrong ones");
}
pub(super) async fn credential(trial: &Trial<'_>) -> Verdict {
    let mut chat = Chat::open(trial).await?;
    let sender = chat.account();
    let cut = chat.key[..chat.key.len() - 1].to_owned();
    for key in
        [None, Some(String::new()), Some("operator".to_owned()), Some(cut), Some(format!("{}0", chat.key))]
    {
        let bare = Request::post_json(trial.rest()?, PATH, &chat.draft(&sender, "let in").await?);
        let request = match &key {
            Some(key) => bare.header(&chat.header, key),
            None => bare,
        };
        let response = trial.http().send(request).await?;
        trial.refused(&response, 401, &["chat-credential"]).await?;
    }
    Ok(())
}

clause! {
    CHAT_CRED_HEADER = "CHAT-CRED-HEADER" (choice S182): "The credential is the value of X-Operator-Key, and of no other header.";
    check!("chat-credential-header" [Write; Rest, Control] credential_header:
        "posts with the operator's credential as a bearer token and in its own header");
}
pub(super) async fn credential_header(trial: &Trial<'_>) -> Verdict {
    let mut chat = Chat::open(trial).await?;
    let sender = chat.account();
    let bearer = Request::post_json(trial.rest()?, PATH, &chat.draft(&sender, "let in").await?)
        .header("authorization", &format!("Bearer {}", chat.key));
    let response = trial.http().send(bearer).await?;
    trial.refused(&response, 401, &["chat-credential"]).await?;
    chat.say(&sender, "let in").await.map(drop)
}
