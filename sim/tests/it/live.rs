//! Live actions: the market's accounts act while the platform runs, and no disturbance stops later actions.
use std::collections::BTreeSet;
use std::num::NonZeroU16;
use std::time::Duration;

use alloy::providers::Provider as _;
use serde_json::{Value, json};
use slipway_sim::{Activity, Answered, Config, MarketPlan, Mined, Platform};
use tokio::sync::mpsc::Receiver;
use tokio::time::timeout;

use crate::platform::{PRIMARY, SECOND, config, get, ordered, provider};

/// A platform whose market acts ten times a second, with a stopped clock.
async fn lively(config: Config) -> Platform {
    Platform::start(Config { live: NonZeroU16::new(600), ..config }).await.unwrap()
}

/// Reads activities until all expected ones have come; a minute without any is too long.
async fn until(happening: &mut Receiver<Activity>, mut is_all: impl FnMut(&Activity) -> bool) {
    let minute = Duration::from_secs(60);
    while !is_all(&timeout(minute, happening.recv()).await.unwrap().unwrap()) {}
}

async fn until_mined(happening: &mut Receiver<Activity>, wanted: &str) {
    until(happening, |one| matches!(one, Activity::Transaction(mined) if mined.function == wanted)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_market_trades_both_ways_launches_and_chats() {
    let platform = lively(config()).await;
    let before = get(&platform, "/api/tokens").await["totalCount"].as_u64().unwrap();
    let users: BTreeSet<_> = platform.ready().accounts.iter().map(|account| account.address).collect();
    let mut happening = platform.follow();
    let mut seen = BTreeSet::new();
    until(&mut happening, |one| {
        match one {
            Activity::Transaction(mined) => {
                let Mined { chain_id, from, function, error, .. } = &**mined;
                assert!(!users.contains(from), "{from}");
                assert_eq!(*error, None, "{function}");
                seen.insert((*chain_id, function.clone()));
            }
            Activity::Request(Answered { service: "rest", method, target, status: 200, .. }) => {
                seen.insert((0, format!("{method} {target}")));
            }
            _ => {}
        }
        let of_each = [PRIMARY, SECOND].iter().all(|chain_id| {
            ["buy", "sell"].iter().all(|side| seen.contains(&(*chain_id, (*side).to_owned())))
        });
        let launched = [PRIMARY, SECOND].iter().any(|id| seen.contains(&(*id, "createLaunch".to_owned())));
        of_each && launched && seen.contains(&(0, "POST /api/chat".to_owned()))
    })
    .await;
    assert!(get(&platform, "/api/tokens").await["totalCount"].as_u64().unwrap() > before);
    let journal = ordered(&platform, "GET /_sim/journal", "").await;
    let entries = journal["entries"].as_array().unwrap();
    assert!(entries.iter().any(|entry| entry["target"] == "/api/chat" && entry["status"] == 200));
    platform.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn faults_reverts_and_jumps_end_no_later_action() {
    let platform = lively(config()).await;
    let mut happening = platform.follow();
    let fault = json!({ "path": "/api/chat", "effect": { "status": 503 } });
    ordered(&platform, "PUT /_sim/faults/chat", fault).await;
    let checkpoint = ordered(&platform, "POST /_sim/checkpoints", "").await;
    until(
        &mut happening,
        |one| matches!(one, Activity::Request(Answered { target, status: 503, .. }) if target == "/api/chat"),
    )
    .await;
    until_mined(&mut happening, "createLaunch").await;
    ordered(&platform, &format!("POST /_sim/checkpoints/{}/revert", checkpoint["id"]), "").await;
    ordered(&platform, "POST /_sim/clock/advance", json!({ "seconds": 86_400 })).await;
    // Earlier activities were announced before this one.
    until(
        &mut happening,
        |one| matches!(one, Activity::Request(Answered { target, .. }) if target == "/_sim/clock/advance"),
    )
    .await;
    until_mined(&mut happening, "buy").await;
    until_mined(&mut happening, "sell").await;
    platform.stop().await;
}

/// An account that waited for a block would keep every order waiting.
#[tokio::test(flavor = "multi_thread")]
async fn nothing_waits_for_a_block_that_the_user_mines() {
    let platform = lively(config()).await;
    let mut happening = platform.follow();
    until_mined(&mut happening, "buy").await;
    let nodes = [PRIMARY, SECOND].map(|chain_id| provider(&platform, chain_id));
    for node in &nodes {
        let _: Value = node.raw_request("evm_setAutomine".into(), (false,)).await.unwrap();
        let _: Value = node.raw_request("evm_mine".into(), ()).await.unwrap();
    }
    ordered(&platform, "POST /_sim/checkpoints", "").await;
    for node in &nodes {
        let _: Value = node.raw_request("evm_setAutomine".into(), (true,)).await.unwrap();
    }
    until_mined(&mut happening, "buy").await;
    platform.stop().await;
}

/// Whenever a user stops mining, no live transaction waits from then on.
#[tokio::test(flavor = "multi_thread")]
async fn no_live_transaction_is_left_when_the_user_stops_mining() {
    let platform = lively(config()).await;
    let mut happening = platform.follow();
    let nodes = [PRIMARY, SECOND].map(|chain_id| provider(&platform, chain_id));
    for round in 0..20 {
        until(&mut happening, |one| matches!(one, Activity::Transaction(_))).await;
        for node in &nodes {
            let _: Value = node.raw_request("evm_setAutomine".into(), (false,)).await.unwrap();
        }
        // Another action would have begun meanwhile.
        ordered(&platform, "POST /_sim/checkpoints", "").await;
        for node in &nodes {
            let waiting: Value = node.raw_request("txpool_status".into(), ()).await.unwrap();
            assert_eq!(waiting["pending"], "0x0", "{round}: {waiting}");
            let _: Value = node.raw_request("evm_setAutomine".into(), (true,)).await.unwrap();
        }
    }
    platform.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_empty_market_comes_to_life_and_goes_on_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let config =
        Config { market: MarketPlan::empty(), state_dir: Some(folder.path().to_owned()), ..config() };
    let platform = lively(config.clone()).await;
    let mut happening = platform.follow();
    until_mined(&mut happening, "createLaunch").await;
    until_mined(&mut happening, "buy").await;
    platform.stop().await;
    let platform = lively(config).await;
    assert!(get(&platform, "/api/tokens").await["totalCount"].as_u64() > Some(0));
    until_mined(&mut platform.follow(), "buy").await;
    platform.stop().await;
}
