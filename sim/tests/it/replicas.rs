//! Two platforms over one database and the same chains: each knows everything that the other has accepted.
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use alloy::primitives::{Address, B256};
use alloy::signers::SignerSync;
use alloy::signers::local::PrivateKeySigner;
use futures::future::join_all;
use reqwest::Client;
use serde_json::{Value, json};
use slipway_sim::clock::ClockMode;
use slipway_sim::{Attach, Config, Platform, StartError};
use slipway_test_support::database::Server;
use slipway_test_support::relay::Line;
use tokio::time::{sleep, timeout};

use crate::listeners::{FORM, form, gif};
use crate::platform::{PRIMARY, beside, found, get, launch, ordered, reached, say, shared};

/// Maximum time for a process to follow the others.
const PATIENCE: Duration = Duration::from_secs(60);
/// Time that a fact waits for the other processes before it is acknowledged without them.
const WAIT: Duration = Duration::from_secs(1);

/// Reads a fact from another process, sent at this time and acknowledged now: it must be there, unless the acknowledgement has waited as
/// long as it may.
async fn shown<T>(sent: Instant, read: impl AsyncFn() -> Option<T>) -> T {
    let has_waited = sent.elapsed() >= WAIT;
    loop {
        if let Some(found) = read().await {
            return found;
        }
        assert!(has_waited && sent.elapsed() < PATIENCE, "what was acknowledged is not shown");
        sleep(Duration::from_millis(20)).await;
    }
}

pub(crate) async fn upload(platform: &Platform, captcha: &str, wallet: u8) -> u16 {
    let form = form(captcha, &gif(), wallet);
    let (name, value) = FORM;
    let url = format!("{}/api/upload", platform.ready().base_url);
    let request = Client::new().post(url).header(name, value).body(form);
    request.send().await.unwrap().status().as_u16()
}

async fn captcha(platform: &Platform) -> String {
    let minted = ordered(platform, "POST /_sim/captchas", json!({})).await;
    minted["token"].as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn platforms_over_one_database_are_one_platform() {
    let server = Server::start().await;
    let trusting = || Config { trust_forwarded: true, ..shared(&server) };
    let first = Platform::start(trusting()).await.unwrap();
    let attached = Config { clock: ClockMode::Running, ..beside(&first, trusting()) };
    let second = Platform::start(attached).await.unwrap();
    assert_eq!(second.ready().control_url, None);
    assert_eq!(second.ready().chains, first.ready().chains);
    assert_eq!(second.ready().operator_key, first.ready().operator_key);
    assert_eq!(second.engine().clock().now(), first.engine().clock().now());

    let block = launch(&first, PRIMARY, "Bothways").await;
    reached(&second, PRIMARY, |height| height >= block).await;
    assert_eq!(found(&second, "Bothways").await, 1);
    let list = found(&first, "").await;

    let checkpoint = ordered(&first, "POST /_sim/checkpoints", json!({})).await["id"].clone();
    let token = captcha(&first).await;
    let both = [&first, &second];
    let uses = (0..64_u8).map(|number| upload(both[usize::from(number % 2)], &token, number));
    assert_eq!(counted(join_all(uses).await), [(200, 1), (403, 63)].into());
    registrations_race(both).await;
    codes_race(both).await;
    messages_race(both).await;
    // The wallet's limit of three a minute holds across processes.
    let mut taken = 0;
    for number in 0..4 {
        taken += u16::from(upload(both[number % 2], &captcha(&first).await, 99).await == 200);
    }
    assert_eq!(taken, 3);

    ordered(&first, "POST /_sim/clock/advance", json!({ "seconds": 60 })).await;
    let now = first.engine().clock().now();
    assert_eq!(upload(&second, &captcha(&first).await, 99).await, 200);
    assert_eq!(second.engine().clock().now(), now);

    let address = slipway_token(&first).await;
    ordered(&first, &format!("PUT /_sim/tokens/{address}/disabled"), "").await;
    assert_eq!(found(&second, "").await, list - 1);
    ordered(&first, &format!("POST /_sim/checkpoints/{checkpoint}/revert"), json!({})).await;
    assert_eq!(found(&second, "").await, list);
    assert_eq!(second.engine().clock().now(), first.engine().clock().now());
    assert_eq!(upload(&second, &captcha(&first).await, 99).await, 200);
    second.stop().await;
    assert_eq!(upload(&first, &captcha(&first).await, 98).await, 200);
    first.stop().await;
}

/// The seeded market of a host clock is valid for an hour; a second process starts with the market of the first.
#[tokio::test(flavor = "multi_thread")]
async fn processes_of_the_hosts_clock_begin_alike() {
    let server = Server::start().await;
    let real = || Config { clock: ClockMode::Real, ..shared(&server) };
    let first = Platform::start(real()).await.unwrap();
    let second = Platform::start(beside(&first, real())).await.unwrap();
    assert_eq!(second.ready().clock, ClockMode::Real);
    assert!(first.engine().clock().now().abs_diff(second.engine().clock().now()) <= 1);
    let list = found(&first, "").await;
    assert!(list > 0);
    assert_eq!(found(&second, "").await, list);
    second.stop().await;
    first.stop().await;
}

/// The number of answers with each status.
fn counted(statuses: Vec<u16>) -> BTreeMap<u16, usize> {
    let mut counts = BTreeMap::new();
    for status in statuses {
        *counts.entry(status).or_default() += 1;
    }
    counts
}

fn wallet(number: u8) -> PrivateKeySigner {
    PrivateKeySigner::from_bytes(&B256::repeat_byte(number)).unwrap()
}

/// One wallet registers with many referrers at the same time: exactly one succeeds, on every platform.
async fn registrations_race(both: [&Platform; 2]) {
    let (referred, client) = (wallet(1).address(), Client::new());
    let tries = (0..64_u8).map(|number| {
        let origin = &both[usize::from(number % 2)].ready().base_url;
        let body = json!({
            "referral_code": Address::repeat_byte(number + 1).to_string(),
            "wallet_address": referred.to_string(),
        });
        // Separate callers, otherwise the limit of one caller decides.
        let request = client
            .post(format!("{origin}/api/referral/register"))
            .header("x-forwarded-for", format!("198.51.100.{number}"))
            .json(&body);
        async move {
            let answer = request.send().await.unwrap();
            let status = answer.status().as_u16();
            let body: Value = serde_json::from_str(&answer.text().await.unwrap()).unwrap();
            (status, body["referrer"].as_str().map(str::to_owned))
        }
    });
    let (statuses, referrers): (Vec<u16>, Vec<_>) = join_all(tries).await.into_iter().unzip();
    assert_eq!(counted(statuses), [(200, 1), (409, 63)].into());
    let referrer = referrers.into_iter().flatten().next().unwrap();
    for platform in both {
        let stats = get(platform, &format!("/api/referral/stats?address={referrer}")).await;
        assert_eq!(stats["stats"]["total_referrals"], 1);
    }
}

/// One wallet requests its code everywhere at the same time: it gets one code, and the limit of ten a minute is shared.
async fn codes_race(both: [&Platform; 2]) {
    let (signer, client) = (wallet(2), Client::new());
    let now = both[0].engine().clock().now();
    let text = format!("Launch platform access\nAddress: {}\nIssued-At: {now}", signer.address());
    let signature = signer.sign_message_sync(text.as_bytes()).unwrap();
    let credential = format!("Wallet {}:{now}:{signature}", signer.address());
    let asked = (0..64_usize).map(|number| {
        let origin = &both[number % 2].ready().base_url;
        let request = client.get(format!("{origin}/api/referral/code")).header("authorization", &credential);
        async move {
            let answer = request.send().await.unwrap();
            (answer.status().as_u16(), answer.text().await.unwrap())
        }
    });
    let (statuses, bodies): (Vec<u16>, Vec<String>) = join_all(asked).await.into_iter().unzip();
    let given: BTreeSet<&String> =
        bodies.iter().zip(&statuses).filter(|(_, status)| **status == 200).map(|(body, _)| body).collect();
    assert_eq!(given.len(), 1, "{given:?}");
    assert_eq!(counted(statuses), [(200, 10), (429, 54)].into());
}

/// One wallet posts everywhere at the same time, each time with its own captcha: five a minute, and every platform has them.
async fn messages_race(both: [&Platform; 2]) {
    let signer = wallet(3);
    let token: Address = slipway_token(both[0]).await.parse().unwrap();
    let captchas = join_all((0..32).map(|_| captcha(both[0]))).await;
    let said = captchas.iter().enumerate().map(|(number, captcha)| {
        say(both[number % 2], &signer, token, captcha.clone(), format!("message {number}"))
    });
    assert_eq!(counted(join_all(said).await), [(200, 5), (429, 27)].into());
    let path = format!("/api/chat?tokenAddress={token}");
    let messages = [get(both[0], &path).await, get(both[1], &path).await];
    assert_eq!(messages[0].as_array().unwrap().len(), 5);
    assert_eq!(messages[0], messages[1]);
}

async fn slipway_token(platform: &Platform) -> String {
    let list = get(platform, "/api/tokens").await;
    list["tokens"][0]["address"].as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn attach_requires_a_running_platform() {
    let server = Server::start().await;
    let empty = Attach { seed: 0, operator_key: "key".into(), chains: Vec::new() };
    let started = Platform::start(Config { attach: Some(empty), ..shared(&server) });
    assert!(matches!(started.await, Err(StartError::NoClock)));
}

/// Whatever one process has acknowledged is immediately in the other one's answers; a mined block, once it has followed the node.
#[tokio::test(flavor = "multi_thread")]
async fn acknowledged_writes_are_visible_to_every_process() {
    let server = Server::start().await;
    let trusting = || Config { trust_forwarded: true, ..shared(&server) };
    let first = Platform::start(trusting()).await.unwrap();
    let second = Platform::start(beside(&first, trusting())).await.unwrap();
    let client = Client::new();
    for round in 10..22_u8 {
        let owner = Address::repeat_byte(round);
        let sent = Instant::now();
        let bearer =
            ordered(&first, "POST /_sim/bearers", json!({ "address": owner })).await["token"].clone();
        let authorization = format!("Bearer {}", bearer.as_str().unwrap());
        let code = shown(sent, async || {
            let url = format!("{}/api/referral/code", second.ready().base_url);
            let answer = client.get(url).header("authorization", &authorization).send().await.unwrap();
            answer.error_for_status().ok()?.json::<Value>().await.ok()
        });
        let code = code.await;

        let body = json!({
            "referral_code": code["code"],
            "wallet_address": Address::repeat_byte(round + 100),
        });
        let registered = client
            .post(format!("{}/api/referral/register", first.ready().base_url))
            .header("x-forwarded-for", format!("198.51.100.{round}"))
            .json(&body);
        let sent = Instant::now();
        assert_eq!(registered.send().await.unwrap().status(), 200, "round {round}: {code}");
        shown(sent, async || {
            let stats = get(&second, &format!("/api/referral/stats?address={owner}")).await;
            (stats["stats"]["total_referrals"] == 1).then_some(())
        })
        .await;

        let name = format!("Launched{round}");
        let block = launch(&first, PRIMARY, &name).await;
        // Either the block has arrived, or the control plane waits until it has.
        if round % 2 == 0 {
            reached(&second, PRIMARY, |height| height >= block).await;
        } else {
            ordered(&first, &format!("GET /_sim/indexed?chainId={PRIMARY}&block={block}"), "").await;
        }
        assert_eq!(found(&second, &name).await, 1, "round {round}");

        let now = ordered(&first, "POST /_sim/clock/advance", json!({ "seconds": 61 })).await["now"].clone();
        assert_eq!(now, second.engine().clock().now(), "round {round}");
        assert_eq!(upload(&second, &captcha(&first).await, round).await, 200, "round {round}");
        let pause = format!("/_sim/creation-paused?chainId={PRIMARY}");
        let method = if round % 2 == 0 { "PUT" } else { "DELETE" };
        ordered(&first, &format!("{method} {pause}"), "").await;
        let capabilities = get(&second, &format!("/api/capabilities?chainId={PRIMARY}")).await;
        assert_eq!(
            capabilities,
            get(&first, &format!("/api/capabilities?chainId={PRIMARY}")).await,
            "round {round}"
        );
        ordered(&first, &format!("DELETE {pause}"), "").await;
    }
    second.stop().await;
    first.stop().await;
}

/// A process loses the database, and so cannot learn that its writes were rolled back: it answers with the current data, or 503.
#[tokio::test(flavor = "multi_thread")]
async fn process_without_its_database_answers_nothing_taken_back() {
    let server = Server::start().await;
    let line = Line::to(&server).await;
    let first = Platform::start(shared(&server)).await.unwrap();
    let beside = Config { database_url: Some(line.url()), ..beside(&first, shared(&server)) };
    let second = Platform::start(beside).await.unwrap();
    let list = found(&first, "").await;
    let address = slipway_token(&first).await;
    let disabled = format!("PUT /_sim/tokens/{address}/disabled");
    let disable = || ordered(&first, &disabled, "");
    let checkpoint = ordered(&first, "POST /_sim/checkpoints", json!({})).await["id"].clone();
    let revert = format!("POST /_sim/checkpoints/{checkpoint}/revert");
    let url = format!("{}/api/tokens", second.ready().base_url);
    for round in 0..2 {
        disable().await;
        if round == 1 {
            // The other process does not wait for a process that was late the last time.
            let follows = async { while found(&second, "").await == list {} };
            timeout(PATIENCE, follows).await.expect("the process follows the others again");
        }
        assert_eq!(found(&second, "").await, list - 1);
        line.stall(true);
        if round == 1 {
            // A fact is acknowledged even if the other process does not apply it.
            disable().await;
        }
        ordered(&first, &revert, json!({})).await;
        assert_eq!(found(&first, "").await, list);
        let answer = reqwest::get(&url).await.unwrap();
        assert_eq!(answer.status(), 503, "round {round}");
        assert!(answer.headers().contains_key("x-request-id"), "round {round}");
        line.stall(false);
        let answers = async {
            loop {
                let answer = reqwest::get(&url).await.unwrap();
                if answer.status() == 200 {
                    break answer.text().await.unwrap();
                }
            }
        };
        let answer = timeout(PATIENCE, answers).await.expect("the process answers again");
        let body: Value = serde_json::from_str(&answer).unwrap();
        assert_eq!(body["totalCount"], list, "round {round}");
    }
    second.stop().await;
    first.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn standard_limit_counts_over_every_process() {
    let server = Server::start().await;
    let limited = || Config { standard_limit: Some(5), ..shared(&server) };
    let first = Platform::start(limited()).await.unwrap();
    let second = Platform::start(beside(&first, limited())).await.unwrap();
    let mut left = Vec::new();
    for number in 0..5 {
        let platform = [&first, &second][number % 2];
        let answer = reqwest::get(format!("{}/api/koti", platform.ready().base_url)).await.unwrap();
        left.push(answer.headers()["x-ratelimit-remaining"].to_str().unwrap().to_owned());
    }
    assert_eq!(left, ["4", "3", "2", "1", "0"]);
    for platform in [&first, &second] {
        let answer = reqwest::get(format!("{}/api/koti", platform.ready().base_url)).await.unwrap();
        assert_eq!(
            (answer.status().as_u16(), &answer.headers()["retry-after"]),
            (429, &"60".parse().unwrap())
        );
    }
    ordered(&first, "POST /_sim/clock/advance", json!({ "seconds": 60 })).await;
    get(&second, "/api/koti").await;
    second.stop().await;
    first.stop().await;
}
