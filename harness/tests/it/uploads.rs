//! Uploads whose callers hang up: what their decoding takes is bounded.
use std::io::Cursor;
use std::process::Stdio;
use std::time::Duration;

use futures::future::join_all;
use image::{DynamicImage, ImageFormat, RgbImage};
use reqwest::RequestBuilder;
use serde_json::{Value, json};
use slipway_test_support::times;
use tokio::time::timeout;
use url::Url;

use crate::program::Running;

/// KiB above rest that the decoders may take at any time.
const BOUND: u64 = 64 << 10;
/// Callers at the same time.
const CALLERS: u64 = 20;

/// A figure of a process in KiB, as the system reports it: `VmRSS` now, `VmHWM` at most since it was reset.
fn memory(pid: &Value, name: &str) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = text.lines().find(|line| line.starts_with(name)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// A form with a picture of nine megapixels in few bytes.
fn form(captcha: &str) -> Vec<u8> {
    let mut file = Cursor::new(Vec::new());
    let picture = DynamicImage::ImageRgb8(RgbImage::new(3_000, 3_000));
    picture.write_to(&mut file, ImageFormat::Png).unwrap();
    let mut body =
        b"--b\r\ncontent-disposition: form-data; name=\"file\"; filename=\"a.png\"\r\n\r\n".to_vec();
    body.extend(file.into_inner());
    let wallet = format!("0x{}", "ab".repeat(20));
    for (name, value) in [("captchaToken", captcha), ("walletAddress", &wallet)] {
        let part = format!("\r\n--b\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n{value}");
        body.extend(part.into_bytes());
    }
    body.extend(b"\r\n--b--\r\n");
    body
}

#[tokio::test(flavor = "multi_thread")]
async fn aborted_uploads_take_bounded_memory() {
    let up = Running::start(&["up", "--json", "--port", "0"], Stdio::null());
    let ready = up.ready();
    let origin: Url = ready["baseUrl"].as_str().unwrap().parse().unwrap();
    let client = slipway_contracts::http_client(&origin).build().unwrap();
    let captchas = format!("{}/_sim/captchas", ready["controlUrl"].as_str().unwrap());
    let minted = client.post(captchas).json(&json!({ "ttlSeconds": 3_600 })).send().await.unwrap();
    let body = form(minted.json::<Value>().await.unwrap()["token"].as_str().unwrap());
    let upload = || -> RequestBuilder {
        let to = client.post(origin.join("/api/upload").unwrap());
        to.header("content-type", "multipart/form-data; boundary=b").body(body.clone())
    };
    let pid = &ready["pid"];
    // Resets the most that was taken so far, which is that of the start.
    std::fs::write(format!("/proc/{pid}/clear_refs"), "5").unwrap();
    let rest = memory(pid, "VmRSS");
    let callers = (0..CALLERS).map(async |caller| {
        for number in 0..times(100, 500) / CALLERS {
            // Hangs up; some are refused or answered by then.
            drop(timeout(Duration::from_millis((caller + number) % 21), upload().send()).await);
        }
    });
    join_all(callers).await;
    // The captcha that none of them has used serves once the decoders have ended.
    assert_eq!(upload().send().await.unwrap().status(), 200);
    let above = memory(pid, "VmHWM") - rest;
    assert!(above <= BOUND, "{above} KiB above {rest}");
}
