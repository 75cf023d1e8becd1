//! Uploads whose callers disconnect: the memory for decoding them is bounded.
use std::io::Cursor;
use std::time::Duration;

use futures::future::join_all;
use image::{DynamicImage, ImageFormat, RgbImage};
use reqwest::{Client, RequestBuilder};
use serde_json::{Value, json};
use slipway_test_support::times;
use tokio::time::timeout;
use url::Url;

use crate::program::Running;
use crate::site::{FORM, upload_form};

/// Maximum KiB above the idle memory that they may use at any time.
const BOUND: u64 = 64 << 10;
/// Number of concurrent callers.
const CALLERS: u64 = 20;

/// A memory figure of a process in KiB, as the system reports it: `VmRSS` is the current value, `VmHWM` the peak since its reset.
fn memory(pid: &Value, name: &str) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = text.lines().find(|line| line.starts_with(name)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// A picture of many pixels and few bytes.
fn picture(side: u32) -> Vec<u8> {
    let (picture, mut file) = (DynamicImage::ImageRgb8(RgbImage::new(side, side)), Cursor::default());
    picture.write_to(&mut file, ImageFormat::Png).unwrap();
    file.into_inner()
}

/// A platform and the client that uploads to it.
struct Uploads {
    client: Client,
    ready: Value,
}

impl Uploads {
    /// An upload of a caller with its own captcha, wallet and limits; clones of the request share them.
    async fn of(&self, caller: u64, picture: &[u8]) -> RequestBuilder {
        let url = |origin: &str, path: &str| format!("{}{path}", self.ready[origin].as_str().unwrap());
        let minting = self.client.post(url("controlUrl", "/_sim/captchas")).json(&json!({}));
        let minted: Value = minting.send().await.unwrap().json().await.unwrap();
        let upload = self.client.post(url("baseUrl", "/api/upload"));
        upload
            .header(FORM.0, FORM.1)
            .header("x-forwarded-for", format!("2001:db8::{caller:x}"))
            .body(upload_form(picture, minted["token"].as_str().unwrap(), &format!("0x{caller:040x}")))
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn aborted_uploads_take_bounded_memory() {
    let up = Running::up(&["--trust-forwarded"]);
    let ready = up.ready();
    let origin: Url = ready["baseUrl"].as_str().unwrap().parse().unwrap();
    let client = slipway_contracts::http_client(&origin).build().unwrap();
    let uploads = Uploads { client, ready };
    let (large, small) = (picture(3_000), picture(1));
    let forms = join_all((1..=CALLERS).map(|caller| uploads.of(caller, &large))).await;
    // Allocates the memory for serving this many callers beforehand.
    join_all((1..=CALLERS).map(async |caller| {
        let upload = uploads.of(CALLERS + caller, &small).await;
        assert_eq!(upload.send().await.unwrap().status(), 200);
    }))
    .await;
    let pid = &uploads.ready["pid"];
    // Resets the peak, which so far is that of the start.
    std::fs::write(format!("/proc/{pid}/clear_refs"), "5").unwrap();
    let rest = memory(pid, "VmRSS");
    let callers = forms.iter().zip(0..).map(async |(form, caller)| {
        for number in 0..times(100, 500) / CALLERS {
            // Disconnects.
            drop(
                timeout(Duration::from_millis((caller + number) % 21), form.try_clone().unwrap().send())
                    .await,
            );
        }
    });
    join_all(callers).await;
    // This one waits until the images of the disconnected callers are decoded.
    assert_eq!(uploads.of(0, &large).await.send().await.unwrap().status(), 200);
    let above = memory(pid, "VmHWM") - rest;
    assert!(above <= BOUND, "{above} KiB above {rest}");
}
