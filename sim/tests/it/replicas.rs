//! Two platforms over one database and one set of chains: what the one takes, the other knows.
use reqwest::Client;
use serde_json::{Value, json};
use slipway_sim::clock::ClockMode;
use slipway_sim::{Attach, Config, Platform, StartError};

use crate::platform::{PRIMARY, config, found, launch};
use crate::server::Server;

async fn until(platform: &Platform, what: &str, holds: impl AsyncFn(&Platform) -> bool) {
    let mut pace = tokio::time::interval(std::time::Duration::from_millis(20));
    for _ in 0..500 {
        if holds(platform).await {
            return;
        }
        pace.tick().await;
    }
    panic!("{what} was not seen by the other platform");
}

pub(crate) async fn upload(platform: &Platform, captcha: &str, wallet: u8) -> u16 {
    // The smallest GIF there is.
    let gif = alloy::hex::decode(
        "47494638396101000100800000ffffff00000021f90401000000002c00000000010001000002024401003b",
    );
    let wallet = format!("0x{}", alloy::hex::encode([wallet; 20]));
    let mut body =
        b"--b\r\ncontent-disposition: form-data; name=\"file\"; filename=\"a.gif\"\r\n\r\n".to_vec();
    body.extend(gif.unwrap());
    for (name, value) in [("captchaToken", captcha), ("walletAddress", &wallet)] {
        let part = format!("\r\n--b\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n{value}");
        body.extend(part.into_bytes());
    }
    body.extend(b"\r\n--b--\r\n");
    let request = Client::new()
        .post(format!("{}/api/upload", platform.ready().base_url))
        .header("content-type", "multipart/form-data; boundary=b");
    request.body(body).send().await.unwrap().status().as_u16()
}

async fn control(platform: &Platform, path: &str, body: Value) -> Value {
    let url = format!("{}{path}", platform.ready().control_url.as_ref().unwrap());
    let answer = Client::new()
        .post(url)
        .body(body.to_string())
        .send()
        .await
        .unwrap();
    assert!(answer.status().is_success(), "{path}");
    serde_json::from_str(&answer.text().await.unwrap()).unwrap()
}

async fn captcha(platform: &Platform) -> String {
    let minted = control(platform, "/_sim/captchas", json!({})).await;
    minted["token"].as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn platforms_over_one_database_are_one_platform() {
    let server = Server::start().await;
    let shared = || Config {
        database_url: Some(server.url()),
        ..config()
    };
    let first = Platform::start(shared()).await.unwrap();
    let ready = serde_json::to_string(first.ready()).unwrap();
    let attach: Attach = serde_json::from_str(&ready).unwrap();
    let attached = || Config {
        attach: Some(attach.clone()),
        clock: ClockMode::Running,
        ..shared()
    };
    let second = Platform::start(attached()).await.unwrap();
    assert_eq!(second.ready().control_url, None);
    assert_eq!(second.ready().chains, first.ready().chains);
    assert_eq!(second.ready().operator_key, first.ready().operator_key);
    assert_eq!(second.machine().clock().now(), first.machine().clock().now());

    launch(&first, PRIMARY, "Bothways").await;
    until(&second, "a launch", async |other| {
        found(other, "Bothways").await == 1
    })
    .await;
    let list = found(&first, "").await;

    let checkpoint = control(&first, "/_sim/checkpoints", json!({})).await["id"].clone();
    let token = captcha(&first).await;
    let both = [&first, &second];
    let uses = (0..16_u8).map(|number| upload(both[usize::from(number % 2)], &token, number));
    let statuses = futures::future::join_all(uses).await;
    assert_eq!(
        statuses.iter().filter(|status| **status == 200).count(),
        1,
        "{statuses:?}"
    );
    // The wallet's three a minute, whoever counts.
    let mut taken = 0;
    for number in 0..4 {
        taken += u16::from(upload(both[number % 2], &captcha(&first).await, 99).await == 200);
    }
    assert_eq!(taken, 3);

    control(&first, "/_sim/clock/advance", json!({ "seconds": 60 })).await;
    let now = first.machine().clock().now();
    until(&second, "the time", async |other| {
        other.machine().clock().now() == now
    })
    .await;
    assert_eq!(upload(&second, &captcha(&first).await, 99).await, 200);

    let address = slipway_token(&first).await;
    let disabled = format!(
        "{}/_sim/tokens/{address}/disabled",
        first.ready().control_url.as_ref().unwrap()
    );
    Client::new()
        .put(disabled)
        .send()
        .await
        .unwrap()
        .error_for_status()
        .unwrap();
    until(&second, "a fact", async |other| {
        found(other, "").await == list - 1
    })
    .await;
    control(
        &first,
        &format!("/_sim/checkpoints/{checkpoint}/revert"),
        json!({}),
    )
    .await;
    until(&second, "a revert", async |other| found(other, "").await == list).await;
    let now = first.machine().clock().now();
    until(&second, "the time before", async |other| {
        other.machine().clock().now() == now
    })
    .await;
    assert_eq!(upload(&second, &captcha(&first).await, 99).await, 200);
    second.stop().await;
    assert_eq!(upload(&first, &captcha(&first).await, 98).await, 200);
    first.stop().await;
}

async fn slipway_token(platform: &Platform) -> String {
    let list = crate::platform::get(platform, "/api/tokens").await;
    list["tokens"][0]["address"].as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn there_must_be_a_platform_to_serve_beside() {
    let server = Server::start().await;
    let nobody = Attach {
        seed: 0,
        operator_key: "key".into(),
        chains: Vec::new(),
    };
    let started = Platform::start(Config {
        database_url: Some(server.url()),
        attach: Some(nobody),
        ..config()
    });
    assert!(matches!(started.await, Err(StartError::NoClock)));
}
