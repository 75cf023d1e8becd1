//! Chat and uploads in process: which rule refuses first, and the edge cases of the form.
use std::io::Cursor;
use std::sync::Arc;
use std::time::Duration;

use alloy::primitives::{Address, B256};
use alloy::signers::SignerSync;
use alloy::signers::local::PrivateKeySigner;
use axum::body::Body;
use axum::http::{HeaderMap, Request};
use futures::{poll, stream};
use image::{DynamicImage, ImageFormat, RgbImage};
use serde_json::{Value, json};
use tokio::task::yield_now;

use super::{NOW, Received, cause_of_last, get, platform, send};
use crate::api::chat::signed_text;
use crate::api::refusal::Reason;
use crate::api::transfer_slots::{Transfer, TransferSlots};
use crate::api::{Api, Settings};
use crate::services::body::with_timeout;
use crate::services::rest::upload;

/// A platform with unused captchas.
struct Stand {
    api: Arc<Api>,
    token: Address,
    captchas: Vec<String>,
}

impl Stand {
    async fn new() -> Self {
        let (api, token) = platform(Settings { trust_forwarded: true, ..Settings::for_test() }).await;
        let mut captchas = Vec::new();
        for _ in 0..40 {
            captchas.push(api.mint_captcha(300).await.unwrap().token);
        }
        Self { api, token, captchas }
    }

    fn captcha(&mut self) -> String {
        self.captchas.pop().unwrap()
    }

    fn message(&mut self, text: &str) -> Value {
        let captcha = self.captcha();
        let wallet = PrivateKeySigner::from_bytes(&B256::repeat_byte(7)).unwrap();
        let signed = signed_text(&format!("{:#x}", self.token), &captcha, text);
        let signature = wallet.sign_message_sync(signed.as_bytes()).unwrap().to_string();
        json!({ "token": captcha, "tokenAddress": self.token, "message": text, "signature": signature })
    }

    async fn say(&self, body: &Value) -> Received {
        send(&self.api, chat(body, Some("operator"))).await
    }

    async fn refused(&self, body: &Value, status: u16, cause: &'static str) {
        let answer = self.say(body).await;
        let reported = (answer.status, cause_of_last(&self.api));
        assert_eq!(reported, (status, Some(cause)), "{body}");
    }
}

fn chat(body: &Value, key: Option<&str>) -> Request<Body> {
    let mut request = Request::post("/api/chat").header("content-type", "application/json");
    if let Some(key) = key {
        request = request.header("x-operator-key", key);
    }
    request.body(body.to_string().into()).unwrap()
}

fn png() -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    DynamicImage::from(RgbImage::new(8, 8)).write_to(&mut bytes, ImageFormat::Png).unwrap();
    bytes.into_inner()
}

/// Names and values of a form.
type Fields<'f> = [(&'f str, &'f [u8])];

fn form(fields: &Fields<'_>) -> Vec<u8> {
    let mut body = Vec::new();
    for (name, value) in fields {
        let file = if *name == "file" { "; filename=\"a.png\"" } else { "" };
        body.extend(
            format!("--b\r\ncontent-disposition: form-data; name=\"{name}\"{file}\r\n\r\n").into_bytes(),
        );
        body.extend(*value);
        body.extend(b"\r\n");
    }
    body.extend(b"--b--\r\n");
    body
}

fn uploading(fields: &Fields<'_>, caller: &str) -> Request<Body> {
    Request::post("/api/upload")
        .header("content-type", "multipart/form-data; boundary=b")
        .header("x-forwarded-for", format!("203.0.113.1, {caller}"))
        .body(form(fields).into())
        .unwrap()
}

fn image_of<'f>(file: &'f [u8], captcha: &'f str, wallet: &'f str) -> [(&'f str, &'f [u8]); 3] {
    [("file", file), ("captchaToken", captcha.as_bytes()), ("walletAddress", wallet.as_bytes())]
}

const WALLET: &str = "0x1111111111111111111111111111111111111111";
const CALLER: &str = "198.51.100.7";

#[tokio::test]
async fn first_violated_rule_refuses_a_message() {
    let mut stand = Stand::new().await;
    let good = stand.message("good");
    let empty = json!({});
    let answer = send(&stand.api, chat(&empty, None)).await;
    assert_eq!((answer.status, cause_of_last(&stand.api)), (401, Some("chat-credential")));
    assert_eq!(answer.header("www-authenticate"), "OperatorKey header=\"X-Operator-Key\"");
    stand.refused(&empty, 400, "chat-captcha-field").await;
    let with = |name: &str, value: Value| {
        let mut body = good.clone();
        body[name] = value;
        body
    };
    stand.refused(&with("tokenAddress", json!("0x12")), 400, "chat-token-address").await;
    stand.refused(&with("senderAddress", json!(1)), 400, "chat-sender-address").await;
    stand.refused(&with("message", json!("")), 400, "chat-empty").await;
    let unknown = with("tokenAddress", json!(Address::ZERO));
    stand.refused(&unknown, 404, "chat-token-unknown").await;
    stand.refused(&with("signature", json!("0x")), 400, "chat-signature").await;
    let zeros = json!(format!("0x{}", "00".repeat(65)));
    stand.refused(&with("signature", zeros), 403, "chat-proof").await;
    stand.refused(&with("senderAddress", json!(stand.token)), 403, "chat-sender").await;
    // None of these was counted or used the captcha.
    let answer = stand.say(&good).await;
    assert_eq!((answer.status, answer.header("x-ratelimit-remaining")), (200, "4"));
    stand.refused(&good, 403, "captcha-used").await;
    for remaining in ["3", "2", "1", "0"] {
        let answer = {
            let body = stand.message("more");
            stand.say(&body).await
        };
        assert_eq!(answer.header("x-ratelimit-remaining"), remaining);
    }
    // The rate is checked before the captcha.
    stand.refused(&good, 429, "chat-rate").await;
    stand.api.show_time(NOW + 60);
    stand.refused(&good, 403, "captcha-used").await;
    let target = format!("/api/chat?tokenAddress={}&limit=2&offset=1", stand.token);
    assert_eq!(get(&stand.api, &target).await.json().as_array().unwrap().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn decoder_of_a_caller_that_has_gone_counts_until_it_ends() {
    let mut stand = Stand::new().await;
    let slow = DynamicImage::ImageRgb8(RgbImage::new(3_000, 3_000));
    let mut file = Vec::new();
    slow.write_to(&mut Cursor::new(&mut file), ImageFormat::Png).unwrap();
    let captcha = stand.captcha();
    let mut upload = Box::pin(send(&stand.api, uploading(&image_of(&file, &captcha, WALLET), CALLER)));
    while stand.api.decodes_nothing() {
        assert!(poll!(&mut upload).is_pending());
        yield_now().await;
    }
    drop(upload);
    assert!(!stand.api.decodes_nothing(), "it goes on");
    // After that upload has ended, the captcha is still unused and valid.
    let answer = send(&stand.api, uploading(&image_of(&png(), &captcha, WALLET), CALLER)).await;
    assert_eq!(answer.status, 200);
}

#[tokio::test]
async fn only_callers_who_may_upload_are_decoded() {
    let mut stand = Stand::new().await;
    let broken = image_of(b"no image", "no captcha", WALLET);
    let answer = send(&stand.api, uploading(&broken, CALLER)).await;
    assert_eq!((answer.status, cause_of_last(&stand.api)), (403, Some("captcha-unknown")));
    for _ in 0..3 {
        let captcha = stand.captcha();
        let answer = send(&stand.api, uploading(&image_of(&png(), &captcha, WALLET), CALLER)).await;
        assert_eq!(answer.status, 200);
    }
    let answer = send(&stand.api, uploading(&broken, CALLER)).await;
    assert_eq!((answer.status, cause_of_last(&stand.api)), (429, Some("upload-rate-wallet")));
}

#[tokio::test]
async fn caller_is_the_last_untrusted_forwarded_address() {
    let mut stand = Stand::new().await;
    let file = png();
    let mut statuses = Vec::new();
    for number in 0..12_u8 {
        let (captcha, wallet) = (stand.captcha(), Address::repeat_byte(number).to_string());
        // Some proxies append the port, which differs for each connection.
        let caller = match number {
            11 => "198.51.100.8:443".to_owned(),
            number if number % 2 == 0 => CALLER.to_owned(),
            number => format!("{CALLER}:{}", 50_000 + u32::from(number)),
        };
        let answer = send(&stand.api, uploading(&image_of(&file, &captcha, &wallet), &caller)).await;
        statuses.push(answer.status);
    }
    assert_eq!(statuses[..10], [200; 10]);
    assert_eq!(statuses[10..], [429, 200]);
}

#[tokio::test(start_paused = true)]
async fn endless_form_times_out() {
    let mut headers = HeaderMap::new();
    headers.insert("content-type", "multipart/form-data; boundary=b".parse().unwrap());
    let endless = Body::from_stream(stream::pending::<Result<Vec<u8>, std::io::Error>>());
    let timed = with_timeout(endless, Duration::from_secs(20));
    let slots = TransferSlots::default();
    let slot = || slots.acquire(Transfer::Form, std::net::Ipv4Addr::LOCALHOST.into());
    let refusal = upload::read(&headers, timed, slot).await.unwrap_err();
    assert_eq!((refusal.reason, refusal.cause), (Reason::TooSlow, "body-slow"));
    let more = stream::repeat_with(|| Ok::<_, std::io::Error>(vec![b'x'; 64 * 1024]));
    let refusal = upload::read(&headers, Body::from_stream(more), slot).await.unwrap_err();
    assert_eq!((refusal.reason, refusal.cause), (Reason::TooLarge, "upload-size"));
}

/// RFC 9110, section 13.2.2: If-Match is evaluated before If-None-Match; section 13.1.1: it compares strongly.
#[tokio::test]
async fn images_are_served_on_their_preconditions() {
    let mut stand = Stand::new().await;
    let captcha = stand.captcha();
    let stored = send(&stand.api, uploading(&image_of(&png(), &captcha, WALLET), CALLER)).await.json();
    let path = stored["url"].as_str().unwrap().split_once(".invalid").unwrap().1.to_owned();
    let tag = get(&stand.api, &path).await.header("etag").to_owned();
    let (weak, list) = (format!("W/{tag}"), format!("\"x\", {tag}"));
    for (if_match, if_none_match, status) in [
        (None, None, 200),
        (Some("*"), None, 200),
        (Some(&*list), None, 200),
        (Some("\"x\""), None, 412),
        (Some(&*weak), None, 412),
        (Some("\"x\""), Some("*"), 412),
        (Some(&*tag), Some("*"), 304),
        (None, Some(&*weak), 304),
        (None, Some("\"x\""), 200),
    ] {
        let mut request = Request::get(&path);
        for (name, value) in [("if-match", if_match), ("if-none-match", if_none_match)] {
            request = value.into_iter().fold(request, |request, value| request.header(name, value));
        }
        let answer = send(&stand.api, request.body(Body::empty()).unwrap()).await;
        assert_eq!(answer.status, status, "{if_match:?} {if_none_match:?}");
    }
}
