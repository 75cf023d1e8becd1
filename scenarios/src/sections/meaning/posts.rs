//! Chat messages and images are read as they were posted.
use reqwest::Method;
use url::Url;

use super::steady::{Window, is_timed, seconds};
use crate::client::control::Control;
use crate::prelude::*;
use crate::reads::LIST;

const CHAT: &str = "/api/chat";
const UPLOAD: &str = "/api/upload";
const BOUNDARY: &str = "----------------meaning5PZ8Qd0gkXWb2v";

/// Posting to the chat of one token.
pub(super) struct Chat<'a> {
    trial: Trial<'a>,
    control: Control,
    key: String,
    pub(super) token: Address,
}

impl<'a> Chat<'a> {
    /// Chat about some token of the list.
    pub(super) async fn open(trial: &Trial<'a>) -> Verdict<Self> {
        let key = trial.target().operator_key.clone().ok_or_else(|| {
            Stop::Skipped("the target has not been given the operator's credential (--operator-key)".into())
        })?;
        let token = listed(trial, 0).await?;
        let token = token.ok_or_else(|| no_material("no token is listed"))?;
        Ok(Self { trial: *trial, control: trial.control()?, key, token })
    }

    /// The same about another token.
    fn about(&self, token: Address) -> Self {
        Self { trial: self.trial, control: self.control.clone(), key: self.key.clone(), token }
    }

    /// Posts a message.
    pub(super) async fn post(&self, sender: &Account, message: &str) -> Verdict<Response> {
        let captcha = self.control.captcha().await?;
        let lines = [
            "Launch platform chat".to_owned(),
            format!("Token: {:#x}", self.token),
            format!("Captcha: {captcha}"),
            format!("Message: {message}"),
        ];
        let signature = sender.sign_text(&lines.join("\n"))?;
        let body = json!({
            "token": captcha, "tokenAddress": self.token, "message": message, "signature": signature,
        });
        let request = Request::post_json(self.trial.rest()?, CHAT, &body).header("x-operator-key", &self.key);
        Ok(self.trial.http().send(request).await?)
    }

    /// Messages, the latest first.
    pub(super) async fn read(&self) -> Verdict<(Response, Vec<Value>)> {
        let query = [param("tokenAddress", self.token.to_string()), param("limit", "100")];
        let response = self.trial.request(get(self.trial.rest()?, CHAT, &query)).await?;
        let body = self.trial.ok_json(&response)?;
        Ok((response, body.as_array().cloned().unwrap_or_default()))
    }
}

/// A token of the first page of the list.
async fn listed(trial: &Trial<'_>, at: usize) -> Verdict<Option<Address>> {
    let listed = trial.read(LIST, &[]).await?.json().unwrap_or_default();
    Ok(listed["tokens"][at]["address"].as_str().and_then(|text| text.parse().ok()))
}

/// The messages of a token are those that were posted to it, and none that was posted to another.
pub(super) async fn apart(trial: &Trial<'_>) -> Verdict {
    let one = Chat::open(trial).await?;
    let token = listed(trial, 1).await?;
    let token = token.ok_or_else(|| no_material("one token is listed"))?;
    let other = one.about(token);
    let sender = Account::fresh(&mut trial.choices("meaning-chat-apart"));
    let texts = [format!("of {:#x} alone", one.token), format!("of {:#x} alone", other.token)];
    for (chat, text) in [&one, &other].into_iter().zip(&texts) {
        trial.ok_json(&chat.post(&sender, text).await?)?;
    }
    for (chat, text) in [&one, &other, &one].into_iter().zip([&texts[0], &texts[1], &texts[0]]) {
        let (response, messages) = chat.read().await?;
        let own = messages.iter().filter(|message| {
            message["sender_address"].as_str().is_some_and(|address| address.parse() == Ok(sender.address()))
        });
        let read: Vec<&str> = own.filter_map(|message| message["message"].as_str()).collect();
        trial.equal(&response, "what the sender said of this token", &vec![text.as_str()], &read)?;
    }
    Ok(())
}

/// Message, sender, token and time of a chat message are those of the post.
pub(super) async fn chat(trial: &Trial<'_>) -> Verdict {
    let chat = Chat::open(trial).await?;
    let mut choices = trial.choices("meaning-chat");
    let mut posted: Vec<Value> = Vec::new();
    let texts =
        ["plain", "  spaces kept  ", "\u{1F98A} e\u{301} \u{202E}", "line\nbreak \"quoted\" \\ & <b>"];
    for text in texts {
        let sender = Account::fresh(&mut choices);
        let before = chat.control.now().await?;
        let response = chat.post(&sender, text).await?;
        let after = chat.control.now().await?;
        let body = trial.ok_json(&response)?;
        matches_post(trial, &response, &body, (chat.token, sender.address(), text), (before, after))?;
        posted.push(body);
    }
    let (response, messages) = chat.read().await?;
    for (shown, made) in messages.iter().zip(posted.iter().rev()) {
        trial.equal(&response, "a message as it was answered", made, shown)?;
    }
    trial.holds(&response, messages.len() >= posted.len(), "every message that was taken", || {
        response.excerpt()
    })
}

fn matches_post(
    trial: &Trial<'_>,
    response: &Response,
    message: &Value,
    (token, sender, text): (Address, Address, &str),
    window: Window,
) -> Verdict {
    let address = |name: &str| message[name].as_str().and_then(|text| text.parse::<Address>().ok());
    trial.equal(response, "token_address", &Some(token), &address("token_address"))?;
    trial.equal(response, "sender_address", &Some(sender), &address("sender_address"))?;
    trial.equal(response, "message", &Some(text), &message["message"].as_str())?;
    is_timed(trial, response, &message["created_at"], "created_at", window)
}

/// What is uploaded is served byte for byte, and what is said of it is true.
pub(super) async fn upload(trial: &Trial<'_>) -> Verdict {
    let control = trial.control()?;
    let mut choices = trial.choices("meaning-upload");
    let mut urls = Vec::new();
    for _ in 0..2 {
        let picture = picture(&mut choices)?;
        let wallet = Address::from_word(choices.word());
        let mut of_one = Vec::new();
        for proof in ["false", "true"] {
            let captcha = control.captcha().await?;
            let before = control.now().await?;
            let response = trial.http().send(form(trial.rest()?, &picture, &captcha, wallet, proof)).await?;
            let after = control.now().await?;
            let body = trial.ok_json(&response)?;
            let url = served(trial, &response, &body, &picture).await?;
            let file = url.path().rsplit('/').next().unwrap_or_default();
            let hash = file.split('.').next().unwrap_or_default().to_owned();
            let human = &body["socialHumanProof"];
            if proof == "false" {
                trial.equal(&response, "socialHumanProof", &Value::Null, human)?;
            } else {
                proved(trial, &response, human, (wallet, &hash), (before, after))?;
            }
            of_one.push(url);
        }
        if let [one, other] = of_one.as_slice()
            && one != other
        {
            return Err(trial.failure(
                &control_answer(trial).await?,
                "one address for one image",
                other.as_str(),
            ));
        }
        urls.extend(of_one.pop());
    }
    let response = control_answer(trial).await?;
    trial
        .holds(&response, urls.first() != urls.last(), "two addresses for two images", || format!("{urls:?}"))
}

/// Some response of the service, to show a failure with.
async fn control_answer(trial: &Trial<'_>) -> Verdict<Response> {
    trial.read(LIST, &[]).await
}

async fn served(trial: &Trial<'_>, response: &Response, body: &Value, picture: &[u8]) -> Verdict<Url> {
    let url = body["url"].as_str().and_then(|text| Url::parse(text).ok());
    let url = url.ok_or_else(|| trial.failure(response, "url = an address", body.to_string()))?;
    let mut request = Request::get(&url, "", &[]);
    request.url = url.clone();
    let image = trial.http().send(request).await?;
    trial.holds(&image, image.status.as_u16() == 200 && image.body == picture, "the very bytes", || {
        format!("{} with {} bytes of {}", image.status, image.body.len(), picture.len())
    })?;
    trial.equal(&image, "Content-Type", &Some("image/png"), &image.header("content-type"))?;
    let length = picture.len().to_string();
    trial.equal(&image, "Content-Length", &Some(length.as_str()), &image.header("content-length"))?;
    Ok(url)
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
    trial.holds(
        response,
        named && of_image && timed && sealed,
        &format!("a proof of {wallet}, {hash} and a second from {before} to {after}, sealed"),
        || proof.to_string(),
    )
}

/// A picture that nobody has uploaded.
fn picture(choices: &mut crate::seed::Choices) -> Verdict<Vec<u8>> {
    let mut image = image::RgbaImage::new(9, 7);
    for pixel in image.pixels_mut() {
        let word = choices.word();
        *pixel = image::Rgba([word[0], word[1], word[2], 255]);
    }
    let mut bytes = std::io::Cursor::new(Vec::new());
    image
        .write_to(&mut bytes, image::ImageFormat::Png)
        .map_err(|error| Inconclusive::Harness { reason: format!("no picture: {error}") })?;
    Ok(bytes.into_inner())
}

fn form(origin: &Url, picture: &[u8], captcha: &str, wallet: Address, proof: &str) -> Request {
    let mut body = Vec::new();
    let mut part = |head: &str, bytes: &[u8]| {
        body.extend(format!("--{BOUNDARY}\r\ncontent-disposition: form-data; {head}\r\n\r\n").into_bytes());
        body.extend(bytes);
        body.extend(b"\r\n");
    };
    part("name=\"file\"; filename=\"logo.png\"\r\ncontent-type: image/png", picture);
    part("name=\"captchaToken\"", captcha.as_bytes());
    part("name=\"walletAddress\"", wallet.to_string().as_bytes());
    part("name=\"socialCreatorProof\"", proof.as_bytes());
    body.extend(format!("--{BOUNDARY}--\r\n").into_bytes());
    let mut request = Request::get(origin, UPLOAD, &[]);
    request.method = Method::POST;
    request.body = Some(body);
    request.header("content-type", &format!("multipart/form-data; boundary={BOUNDARY}"))
}
