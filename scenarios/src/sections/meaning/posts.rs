//! Chat messages and images can be read as they were posted.
use image::ImageFormat;

use super::timed::{is_timed, seconds};
use crate::model::shown::readable;
use crate::prelude::*;
use crate::sections::chat::{Chat, listed};
use crate::sections::upload::images::{picture, served, with_flag};
use crate::sections::upload::{Uploads, url};

/// A token's messages are those posted to it, and none posted to another token.
pub(super) async fn apart(trial: &Trial<'_>) -> Verdict {
    let (mut one, mut other) = (Chat::open(trial).await?, Chat::open(trial).await?);
    let another = listed(trial).await?.into_iter().find(|token| *token != one.token);
    other.token = another.ok_or_else(|| no_material("one token is listed"))?;
    let sender = one.account();
    let texts = [format!("of {:#x} alone", one.token), format!("of {:#x} alone", other.token)];
    for (chat, text) in [&one, &other].into_iter().zip(&texts) {
        chat.say(&sender, text).await?;
    }
    for (chat, text) in [&one, &other, &one].into_iter().zip([&texts[0], &texts[1], &texts[0]]) {
        let (response, messages) = chat.every().await?;
        let is_own = |message: &&Value| parsed(&message["sender_address"]) == Some(sender.address());
        let own = messages.iter().filter(is_own);
        let read: Vec<&str> = own.filter_map(|message| message["message"].as_str()).collect();
        trial.require_equal(&response, "what the sender said of this token", &vec![text.as_str()], &read)?;
    }
    Ok(())
}

/// Message, sender, token and time of a chat message match the post.
pub(super) async fn chat(trial: &Trial<'_>) -> Verdict {
    let mut chat = Chat::open(trial).await?;
    let mut posted: Vec<Value> = Vec::new();
    let texts =
        ["plain", "  spaces kept  ", "\u{1F98A} e\u{301} \u{202E}", "line\nbreak \"quoted\" \\ & <b>"];
    for text in texts {
        let sender = chat.account();
        let before = trial.control()?.now().await?;
        let (response, body) = chat.say(&sender, text).await?;
        let after = trial.control()?.now().await?;
        let address = |name: &str| parsed::<Address>(&body[name]);
        trial.require_equal(&response, "token_address", &Some(chat.token), &address("token_address"))?;
        trial.require_equal(
            &response,
            "sender_address",
            &Some(sender.address()),
            &address("sender_address"),
        )?;
        trial.require_equal(&response, "message", &Some(text), &body["message"].as_str())?;
        is_timed(trial, &response, &body["created_at"], "created_at", (before, after))?;
        posted.push(body);
    }
    let (response, messages) = chat.every().await?;
    for made in &posted {
        let shown = messages.iter().find(|shown| shown["id"] == made["id"]);
        trial.require_equal(&response, "a message as it was answered", &Some(made), &shown)?;
    }
    Ok(())
}

/// Uploaded images are served byte for byte, and the answer describes them correctly.
pub(super) async fn upload(trial: &Trial<'_>) -> Verdict {
    let uploads = Uploads::open(trial).await?;
    let mut choices = trial.choices("meaning-upload");
    let mut known = Vec::new();
    for _ in 0..2 {
        let [a, b, c, d, ..] = choices.word().0;
        let picture = picture(ImageFormat::Png, u32::from_le_bytes([a, b, c, d]))?;
        let wallet = Address::from_word(choices.word());
        for proof in ["false", "true"] {
            let before = trial.control()?.now().await?;
            let (response, body) = with_flag(&uploads, &picture, wallet, proof).await?;
            let after = trial.control()?.now().await?;
            let image = served(trial, &response, &body, &picture, "image/png").await?;
            let length = picture.len().to_string();
            trial.require_equal(
                &image,
                "Content-Length",
                &Some(length.as_str()),
                &image.header("content-length"),
            )?;
            let url = url(trial, &response, &body)?;
            let file = url.path().rsplit('/').next().unwrap_or_default();
            let hash = file.split('.').next().unwrap_or_default().to_owned();
            let human = &body["socialHumanProof"];
            if proof == "false" {
                trial.require_equal(&response, "socialHumanProof", &Value::Null, human)?;
            } else {
                proved(trial, &response, human, (wallet, &hash), (before, after))?;
            }
            let is_new = !known.contains(&url);
            known.push(url);
            let expected = "one address for one image, and two for two";
            trial.require_or(&response, is_new == (proof == "false"), expected, || readable(&known))?;
        }
    }
    Ok(())
}

/// A proof names the wallet, the image and the second of the upload, and is sealed.
fn proved(
    trial: &Trial<'_>,
    response: &Response,
    proof: &Value,
    (wallet, hash): (Address, &str),
    (before, after): (u64, u64),
) -> Verdict {
    let text = proof.as_str().unwrap_or_default();
    let parts: Vec<&str> = text.split('.').collect();
    let named = parts.first().and_then(|text| text.parse::<Address>().ok()) == Some(wallet);
    let of_image = parts.get(1).is_some_and(|part| part.trim_start_matches("0x").eq_ignore_ascii_case(hash));
    let at = parts.get(2).and_then(|text| text.parse::<u64>().ok());
    let timed = seconds((before, after)).any(|second| at == Some(second));
    let sealed = parts.get(3).is_some_and(|seal| seal.len() >= 32);
    let whole = named && of_image && timed && sealed;
    let expected = format!("a proof of {wallet}, {hash} and a second from {before} to {after}, sealed");
    trial.require_or(response, whole, &expected, || proof.to_string())
}
