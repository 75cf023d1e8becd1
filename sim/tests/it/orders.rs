//! Aborted orders of the control plane, while nodes hang and exit, and checkpoints during writes: each order is carried out completely or
//! not at all.
mod cut;

use std::time::{Duration, Instant};

use alloy::providers::Provider;
use reqwest::Client;
use serde_json::{Value, json};
use slipway_sim::{Config, Platform};

use crate::platform::{PRIMARY, SECOND, beside, client, latest_times, order, ordered, provider};

/// A test fails after this long without readiness.
const PATIENCE: Duration = Duration::from_secs(60);

async fn read(client: &Client, url: &str) -> Value {
    client.get(url).send().await.unwrap().error_for_status().unwrap().json().await.unwrap()
}

/// Whether a node mines each transaction automatically.
pub(crate) async fn mines_each(platform: &Platform, chain_id: u64) -> bool {
    provider(platform, chain_id).raw_request("anvil_getAutomine".into(), ()).await.unwrap()
}

/// All answers of the services about indexed and stored data.
async fn answers(platform: &Platform) -> Vec<Value> {
    let (mut answers, client) = (Vec::new(), client());
    let origin = &platform.ready().base_url;
    let count = read(&client, &format!("{origin}/api/tokens")).await["totalCount"].as_u64().unwrap();
    for page in 1..=count.div_ceil(20) {
        answers.push(read(&client, &format!("{origin}/api/tokens?sortBy=oldest&page={page}")).await);
    }
    for path in [
        "/api/tokens?sortBy=trending",
        "/api/leaderboard",
        "/api/koti",
        "/api/eoti?includeBidData=true",
        "/api/capabilities?chainId=57073",
        "/api/capabilities?chainId=4663",
    ] {
        answers.push(read(&client, &format!("{origin}{path}")).await);
    }
    answers.push(read(&client, &format!("{}/api/pairs", platform.ready().swap_base_url)).await);
    answers
}

async fn launch_and_buy(platform: &Platform, chain_id: u64) {
    let launch = json!({ "chainId": chain_id, "name": "Qwhole", "ticker": "Q", "targetRaise": "1" });
    let token = ordered(platform, "POST /_sim/launches", launch).await["token"].clone();
    let trade = json!({ "chainId": chain_id, "token": token, "side": "buy", "amount": "0.001" });
    ordered(platform, "POST /_sim/trades", trade).await;
}

/// Checks every invariant between the parts of a platform: it is ready; both nodes mine, at the time of the clock; index and facts equal
/// another process's reads from nodes and store; and a checkpoint covers all of it.
pub(crate) async fn assert_whole(platform: &Platform, shared: Config) {
    let begun = Instant::now();
    while order(platform, "GET /_sim/ready", "").await.0 != 200 {
        assert!(begun.elapsed() < PATIENCE, "{:?}", order(platform, "GET /_sim/ready", "").await);
    }
    // Orders whose callers are gone are completed before these.
    for chain_id in [PRIMARY, SECOND] {
        launch_and_buy(platform, chain_id).await;
    }
    let checkpoint = ordered(platform, "POST /_sim/checkpoints", json!({})).await["id"].clone();
    for chain_id in [PRIMARY, SECOND] {
        assert!(mines_each(platform, chain_id).await, "chain {chain_id} mines by itself");
    }
    let (before, heights) = (answers(platform).await, platform.engine().heights().borrow().clone());
    let now = platform.engine().clock().now();
    for round in 0..2 {
        for chain_id in [PRIMARY, SECOND] {
            launch_and_buy(platform, chain_id).await;
        }
        assert_eq!(latest_times(platform).await, [now; 2], "round {round}");
        assert_ne!(answers(platform).await, before);
        if round == 0 {
            let fresh = Platform::start(beside(platform, shared.clone())).await.unwrap();
            assert_eq!(answers(&fresh).await, answers(platform).await);
            fresh.stop().await;
        }
        ordered(platform, "POST /_sim/clock/advance", json!({ "seconds": 60 })).await;
        assert_eq!(latest_times(platform).await, [now + 60; 2]);
        ordered(platform, &format!("POST /_sim/checkpoints/{checkpoint}/revert"), json!({})).await;
        assert_eq!(platform.engine().clock().now(), now);
        assert_eq!(*platform.engine().heights().borrow(), heights);
        assert_eq!(answers(platform).await, before);
    }
}
