//! One golden answer for each shape of what is written and then read: chat, images, the referral programme, batches in bodies.
use alloy::hex;
use serde_json::{Value, json};
use slipway_scenarios::client::account::Account;
use slipway_scenarios::client::control::Control;
use slipway_scenarios::client::message::{Request, Response};
use slipway_scenarios::model::target::PrivateKey;
use url::Url;

use super::golden::Door::Rest;
use super::golden::{Golden, Market};

/// A picture of one grey pixel.
const PIXEL: &str = "89504e470d0a1a0a0000000d49484452000000010000000108000000003a7e9b550000000a4944415478da63a80700008100807e1c29c70000000049454e44ae426082";
const BOUNDARY: &str = "a-boundary-of-parts";

#[tokio::test]
async fn written_shapes_match_golden() {
    let market = Market::start().await;
    let mut scribe = Scribe::of(&market).await;
    scribe.batch().await;
    scribe.chat().await;
    scribe.images().await;
    scribe.referrals().await;
    scribe.golden.compare("written");
    market.stop().await;
}

/// A user who writes to the market, with every proof that it may require.
struct Scribe<'m> {
    market: &'m Market,
    origin: Url,
    control: Control,
    account: Account,
    token: String,
    golden: Golden,
}

impl<'m> Scribe<'m> {
    async fn of(market: &'m Market) -> Self {
        let ready = market.ready();
        let control = ready.control_url.as_deref().unwrap().parse().unwrap();
        let tokens = market.get(Rest, "/api/tokens?sortBy=oldest").await.json().unwrap();
        Self {
            market,
            origin: ready.base_url.parse().unwrap(),
            control: Control::new(market.http().clone(), control, None),
            account: lent(market, 0),
            token: tokens["tokens"][0]["address"].as_str().unwrap().to_owned(),
            golden: Golden::default(),
        }
    }

    async fn send(&self, ask: Request) -> Response {
        self.market.http().send(ask).await.unwrap()
    }

    fn add(&mut self, id: &str, asked: &str, answer: &Response) {
        self.golden.add(id, &self.market.shown(asked, answer));
    }

    async fn batch(&mut self) {
        let body = json!({ "addresses": [self.token, "0x12"] });
        let answer = self.send(Request::post_json(&self.origin, "/api/tokens/batch", &body)).await;
        self.add("batch-by-post", "POST /api/tokens/batch", &answer);
        let answer = self.market.get(Rest, "/api/leaderboard").await;
        self.add("leaderboard", "GET /api/leaderboard", &answer);
    }

    /// A message signed for a captcha.
    fn message(&self, captcha: &str, text: &str) -> Request {
        let signed = format!(
            "Launch platform chat\nToken: {}\nCaptcha: {captcha}\nMessage: {text}",
            self.token.to_lowercase()
        );
        let body = json!({
            "token": captcha,
            "tokenAddress": self.token,
            "message": text,
            "signature": self.account.sign_text(&signed).unwrap(),
        });
        Request::post_json(&self.origin, "/api/chat", &body)
    }

    async fn chat(&mut self) {
        let path = format!("/api/chat?tokenAddress={}&limit=2", self.token);
        let credential = &self.market.ready().operator_key;
        self.add("chat-before", "GET /api/chat", &self.market.get(Rest, &path).await);
        let captcha = self.control.captcha().await.unwrap();
        for (id, ask) in [
            ("chat-no-credential", self.message(&captcha, "gm")),
            ("chat-posted", self.message(&captcha, "gm").header("x-operator-key", credential)),
            ("chat-captcha-used", self.message(&captcha, "gm").header("x-operator-key", credential)),
            (
                "chat-too-long",
                self.message(&captcha, &"m".repeat(5_000)).header("x-operator-key", credential),
            ),
        ] {
            self.add(id, "POST /api/chat", &self.send(ask).await);
        }
        self.add("chat-after", "GET /api/chat", &self.market.get(Rest, &path).await);
    }

    async fn picture(&self, file: &[u8]) -> Response {
        let captcha = self.control.captcha().await.unwrap();
        let mut body = format!(
            "--{BOUNDARY}\r\ncontent-disposition: form-data; name=\"file\"; filename=\"logo.png\"\r\ncontent-type: image/png\r\n\r\n"
        )
        .into_bytes();
        body.extend(file);
        for (name, value) in
            [("captchaToken", captcha), ("walletAddress", self.account.address().to_string())]
        {
            let part =
                format!("\r\n--{BOUNDARY}\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n{value}");
            body.extend(part.into_bytes());
        }
        body.extend(format!("\r\n--{BOUNDARY}--\r\n").into_bytes());
        let mut ask = Request::post_json(&self.origin, "/api/upload", &Value::Null);
        ask.headers.clear();
        ask.body = Some(body);
        self.send(ask.header("content-type", &format!("multipart/form-data; boundary={BOUNDARY}"))).await
    }

    async fn images(&mut self) {
        let answer = self.picture(&hex::decode(PIXEL).unwrap()).await;
        self.add("upload-done", "POST /api/upload", &answer);
        let body = answer.json().unwrap();
        let kept = Url::parse(body["url"].as_str().unwrap()).unwrap();
        let answer = self.market.get(Rest, kept.path()).await;
        self.add("upload-read", "GET the address of the image", &answer);
        let answer = self.picture(b"<svg/>").await;
        self.add("upload-no-image", "POST /api/upload", &answer);
    }

    async fn referrals(&mut self) {
        let bearer = self.control.bearer(self.account.address()).await.unwrap();
        let origin = self.origin.clone();
        let mine = |path: &str| {
            Request::get(&origin, path, &[]).header("authorization", &format!("Bearer {bearer}"))
        };
        let answer = self.send(mine("/api/referral/code")).await;
        self.add("referral-code", "GET /api/referral/code", &answer);
        let body = json!({
            "referral_code": answer.json().unwrap()["code"],
            "wallet_address": lent(self.market, 1).address(),
        });
        for id in ["referral-registered", "referral-registered-twice"] {
            let ask = Request::post_json(&self.origin, "/api/referral/register", &body);
            self.add(id, "POST /api/referral/register", &self.send(ask).await);
        }
        let answer = self.send(mine("/api/referral/stats")).await;
        self.add("referral-stats", "GET /api/referral/stats", &answer);
        let answer = self.send(Request::get(&self.origin, "/api/referral/code", &[])).await;
        self.add("referral-no-credential", "GET /api/referral/code", &answer);
        let answer = self.market.get(Rest, "/api/referral/leaderboard?limit=2").await;
        self.add("referral-leaderboard", "GET /api/referral/leaderboard", &answer);
    }
}

/// An account that the platform lends to its users.
fn lent(market: &Market, number: usize) -> Account {
    let key = market.ready().accounts[number].private_key.to_string();
    Account::lent(&PrivateKey::new(key)).unwrap()
}
