//! `POST /api/upload`, and reading the images.
pub(super) mod images;
mod rate_limits;
mod refusals;

use reqwest::Method;
use url::Url;

use crate::client::message::{self, FormPart};
use crate::model::seed::Choices;
use crate::prelude::*;

const PATH: &str = "/api/upload";
/// Largest file, in bytes.
const LARGEST: usize = 5 * 1024 * 1024;

section! {
    refusals::UP_FIELDS, refusals::UP_IMAGE, refusals::UP_SIZE, refusals::UP_CAPTCHA, images::UP_OK,
    images::UP_SERVED, images::UP_HEADER, rate_limits::UP_RATE_WALLET, rate_limits::UP_RATE_ANY, rate_limits::UP_RATE_IP,
}

/// The prerequisites of uploading.
pub(super) struct Uploads<'w> {
    trial: Trial<'w>,
    choices: Choices,
}

impl<'w> Uploads<'w> {
    pub(super) async fn open(trial: &Trial<'w>) -> Verdict<Self> {
        Ok(Self { trial: *trial, choices: trial.new_choices(trial.check.id).await? })
    }

    fn wallet(&mut self) -> Address {
        Address::from_word(self.choices.word())
    }

    /// Builds a complete form with a new captcha.
    async fn form(&self, file: &[u8], wallet: Address) -> Verdict<Vec<FormPart<'static>>> {
        Ok(form(file, &self.trial.captcha().await?, wallet))
    }

    async fn send(&self, parts: &[FormPart<'_>]) -> Verdict<Response> {
        Ok(self.trial.http().send(request(self.trial.rest()?, parts)).await?)
    }

    /// Sends a form once, even if a limit refuses it.
    async fn send_once(&self, parts: &[FormPart<'_>]) -> Verdict<Response> {
        Ok(self.trial.http().send_once(request(self.trial.rest()?, parts)).await?)
    }

    /// Requires a refusal with one of these causes, and one of the statuses that the interface gives.
    async fn refused(&self, response: &Response, causes: &[&str]) -> Verdict<Value> {
        let code = response.code();
        let stated = [400, 403, 429, 500].contains(&code);
        self.trial.require(response, stated, "a refusal with 400, 403, 429 or 500")?;
        self.trial.refused(response, code, causes).await
    }

    /// Uploads a file, which must be accepted; returns the answer.
    async fn upload(&self, file: &[u8], wallet: Address) -> Verdict<(Response, Value)> {
        self.trial.with_json(self.send(&self.form(file, wallet).await?).await?)
    }
}

fn form(file: &[u8], captcha: &str, wallet: Address) -> Vec<FormPart<'static>> {
    vec![
        ("file", Some("logo.png"), file.to_vec()),
        ("captchaToken", None, captcha.into()),
        ("walletAddress", None, wallet.to_string().into()),
    ]
}

fn request(origin: &Url, parts: &[FormPart<'_>]) -> Request {
    let (kind, body) = message::form(parts);
    let request = Request { method: Method::POST, body: Some(body), ..Request::get(origin, PATH, &[]) };
    request.header("content-type", &kind)
}

/// A captcha that a message has used is refused for an upload.
pub(super) async fn takes_no_captcha_of_a_message(trial: &Trial<'_>, captcha: &str) -> Verdict {
    let mut uploads = Uploads::open(trial).await?;
    let form = form(&images::picture(image::ImageFormat::Png, 9)?, captcha, uploads.wallet());
    uploads.refused(&uploads.send(&form).await?, &["captcha-used"]).await.map(drop)
}

/// Returns the URL of the uploaded image.
pub(super) fn url(trial: &Trial<'_>, response: &Response, body: &Value) -> Verdict<Url> {
    parsed(&body["url"]).ok_or_else(|| trial.failure(response, "url = an address", body.to_string()))
}

/// Reads the uploaded image.
async fn read_back(trial: &Trial<'_>, response: &Response, body: &Value) -> Verdict<Response> {
    let request = Request { url: url(trial, response, body)?, ..Request::get(trial.rest()?, "/", &[]) };
    trial.request(request).await
}
