//! `POST /api/upload`, and where the images are read.
mod images;
mod rate_limits;
mod refusals;

use reqwest::Method;
use url::Url;

use crate::client::control::Control;
use crate::prelude::*;
use crate::seed::Choices;

pub(super) use images::{picture, served, with_flag};

const PATH: &str = "/api/upload";
/// Largest file, in bytes.
const LARGEST: usize = 5 * 1024 * 1024;

section! {
    refusals::UP_FIELDS, refusals::UP_IMAGE, refusals::UP_SIZE, refusals::UP_CAPTCHA, images::UP_OK,
    images::UP_SERVED, images::UP_HEADER, rate_limits::UP_RATE_WALLET, rate_limits::UP_RATE_IP,
}

/// What uploading takes.
pub(super) struct Uploads<'w> {
    trial: Trial<'w>,
    pub(super) control: Control,
    choices: Choices,
}

/// A part of a form: its name, the name of its file, and its bytes.
type Part = (&'static str, Option<&'static str>, Vec<u8>);

judges_as_its_trial!(Uploads);

impl<'w> Uploads<'w> {
    pub(super) fn open(trial: &Trial<'w>) -> Verdict<Self> {
        Ok(Self { trial: *trial, control: trial.control()?, choices: trial.choices(trial.check().id) })
    }

    fn wallet(&mut self) -> Address {
        Address::from_word(self.choices.word())
    }

    /// A whole form, with a captcha of its own.
    async fn form(&self, file: &[u8], wallet: Address) -> Verdict<Vec<Part>> {
        Ok(form(file, &self.control.captcha().await?, wallet))
    }

    async fn send(&self, parts: &[Part]) -> Verdict<Response> {
        Ok(self.http().send(request(self.rest()?, parts)).await?)
    }

    /// Sends it whatever the limits say.
    async fn send_once(&self, parts: &[Part]) -> Verdict<Response> {
        Ok(self.http().send_once(request(self.rest()?, parts)).await?)
    }

    /// The answer is a refusal of one of the statuses that the interface gives, by one of these rules.
    async fn refused(&self, response: &Response, causes: &[&str]) -> Verdict<Value> {
        let code = response.code();
        let stated = [400, 403, 429, 500].contains(&code);
        self.shows(response, stated, "a refusal with 400, 403, 429 or 500")?;
        self.trial.refused(response, code, causes).await
    }

    /// Uploads a file that must be taken; answers what was answered.
    async fn upload(&self, file: &[u8], wallet: Address) -> Verdict<(Response, Value)> {
        self.with_json(self.send(&self.form(file, wallet).await?).await?)
    }
}

fn form(file: &[u8], captcha: &str, wallet: Address) -> Vec<Part> {
    vec![
        ("file", Some("logo.png"), file.to_vec()),
        ("captchaToken", None, captcha.into()),
        ("walletAddress", None, wallet.to_string().into()),
    ]
}

fn request(origin: &Url, parts: &[Part]) -> Request {
    const BOUNDARY: &str = "----------------boundary7MA4YWxkTrZu0gW";
    let mut body = Vec::new();
    for (name, file, bytes) in parts {
        let file =
            file.map_or_else(String::new, |file| format!("; filename=\"{file}\"\r\ncontent-type: image/png"));
        let head = format!("--{BOUNDARY}\r\ncontent-disposition: form-data; name=\"{name}\"{file}\r\n\r\n");
        body.extend(head.into_bytes());
        body.extend(bytes);
        body.extend(b"\r\n");
    }
    body.extend(format!("--{BOUNDARY}--\r\n").into_bytes());
    let request = Request { method: Method::POST, body: Some(body), ..Request::get(origin, PATH, &[]) };
    request.header("content-type", &format!("multipart/form-data; boundary={BOUNDARY}"))
}

/// Where an upload says that its image is read.
pub(super) fn url(trial: &Trial<'_>, response: &Response, body: &Value) -> Verdict<Url> {
    parsed(&body["url"]).ok_or_else(|| trial.failure(response, "url = an address", body.to_string()))
}

/// What is read there.
async fn read_back(trial: &Trial<'_>, response: &Response, body: &Value) -> Verdict<Response> {
    let request = Request { url: url(trial, response, body)?, ..Request::get(trial.rest()?, "/", &[]) };
    trial.request(request).await
}
