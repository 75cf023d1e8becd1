//! `POST /api/upload`, and where the images are read.
mod images;
mod rate_limits;
mod refusals;

use alloy::primitives::Address;
use reqwest::Method;
use serde_json::Value;
use url::Url;

use crate::check::{Check, Lane, Need, Verdict};
use crate::client::control::Control;
use crate::client::http::{Answer, Ask};
use crate::expect::{failure, ok_json};
use crate::seed::Choices;
use crate::world::World;

const PATH: &str = "/api/upload";
/// Largest file, in bytes.
const LARGEST: usize = 5 * 1024 * 1024;

const NEEDS: &[Need] = &[Need::Rest, Need::Control];

/// All of these run alone: they share the limits of the address that the harness asks from.
pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "upload-fields",
        clauses: &["UP-FIELDS"],
        summary: "leaves each field out, doubles it, and sends what it cannot be",
        lane: Lane::Exclusive,
        needs: NEEDS,
        run: |world| Box::pin(refusals::fields(world)),
    },
    Check {
        id: "upload-image",
        clauses: &["UP-IMAGE"],
        summary: "sends images of four formats under other names, and other files named as images",
        lane: Lane::Exclusive,
        needs: NEEDS,
        run: |world| Box::pin(refusals::image(world)),
    },
    Check {
        id: "upload-size",
        clauses: &["UP-SIZE"],
        summary: "sends images of exactly 5 MiB and of one byte more",
        lane: Lane::Exclusive,
        needs: NEEDS,
        run: |world| Box::pin(refusals::size(world)),
    },
    Check {
        id: "upload-captcha",
        clauses: &["UP-CAPTCHA"],
        summary: "uploads with a captcha that is unknown, used, expired, left by a refusal, and 64 times at once",
        lane: Lane::Exclusive,
        needs: NEEDS,
        run: |world| Box::pin(refusals::captcha(world)),
    },
    Check {
        id: "upload-serves",
        clauses: &["UP-OK"],
        summary: "reads what was uploaded back from its address, to the byte, and asks for the social proof",
        lane: Lane::Exclusive,
        needs: NEEDS,
        run: |world| Box::pin(images::serves(world)),
    },
    Check {
        id: "upload-header",
        clauses: &["UP-HEADER"],
        summary: "uploads and looks for the header that names the storage",
        lane: Lane::Exclusive,
        needs: NEEDS,
        run: |world| Box::pin(images::header(world)),
    },
    Check {
        id: "upload-rate-wallet",
        clauses: &["UP-RATE-WALLET"],
        summary: "uploads three images for a wallet, the fourth, one for another wallet, and again around the minute",
        lane: Lane::Exclusive,
        needs: NEEDS,
        run: |world| Box::pin(rate_limits::wallet(world)),
    },
    Check {
        id: "upload-rate-address",
        clauses: &["UP-RATE-IP"],
        summary: "uploads for ever new wallets until the limits of a minute, an hour and a day are reached",
        lane: Lane::Exclusive,
        needs: NEEDS,
        run: |world| Box::pin(rate_limits::address(world)),
    },
];

/// What uploading takes.
struct Uploads<'w> {
    world: &'w World,
    control: Control,
    choices: Choices,
}

/// A part of a form: its name, the name of its file, and its bytes.
type Part = (&'static str, Option<&'static str>, Vec<u8>);

impl<'w> Uploads<'w> {
    fn open(world: &'w World, label: &str) -> Verdict<Self> {
        Ok(Self { world, control: world.control()?, choices: world.choices(label) })
    }

    fn wallet(&mut self) -> Address {
        Address::from_word(self.choices.word())
    }

    /// A whole form, with a captcha of its own.
    async fn form(&self, file: &[u8], wallet: Address) -> Verdict<Vec<Part>> {
        Ok(form(file, &self.control.captcha().await?, wallet))
    }

    async fn send(&self, parts: &[Part]) -> Verdict<Answer> {
        Ok(self.world.http().send(ask(self.world.rest()?, parts)).await?)
    }

    /// Uploads a file that must be taken; answers what was answered.
    async fn upload(&self, clause: &'static str, file: &[u8], wallet: Address) -> Verdict<(Answer, Value)> {
        let answer = self.send(&self.form(file, wallet).await?).await?;
        let body = ok_json(clause, &answer)?;
        Ok((answer, body))
    }
}

fn form(file: &[u8], captcha: &str, wallet: Address) -> Vec<Part> {
    vec![
        ("file", Some("logo.png"), file.to_vec()),
        ("captchaToken", None, captcha.into()),
        ("walletAddress", None, wallet.to_string().into()),
    ]
}

fn ask(origin: &Url, parts: &[Part]) -> Ask {
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
    let mut ask = Ask::get(origin, PATH, &[]);
    ask.method = Method::POST;
    ask.body = Some(body);
    ask.header("content-type", &format!("multipart/form-data; boundary={BOUNDARY}"))
}

/// Where an upload says that its image is read.
fn url(clause: &'static str, answer: &Answer, body: &Value) -> Verdict<Url> {
    body["url"]
        .as_str()
        .and_then(|text| Url::parse(text).ok())
        .ok_or_else(|| failure(clause, answer, "url = an address", body.to_string()))
}
