//! Start and shutdown: a first start and a later one agree, conflicts are reported by name, a lost node is detected.
use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::time::Duration;

use serde_json::Value;
use slipway_sim::ports::Ports;
use slipway_sim::{Config, MarketPlan, Platform, StartError};
use tokio::time::timeout;

use crate::platform::{PRIMARY, SECOND, config, found, get, kill_second_node, launch, sized, start};

/// All answers of a platform about its market.
async fn shown(platform: &Platform) -> Vec<Value> {
    let mut shown = Vec::new();
    for page in 1..=4 {
        shown.push(get(platform, &format!("/api/tokens?sortBy=oldest&page={page}")).await);
    }
    for chain_id in [PRIMARY, SECOND] {
        shown.push(get(platform, &format!("/api/tokens/recent-v2?chainId={chain_id}&limit=50")).await);
    }
    shown
}

fn in_folder(folder: &Path) -> Config {
    Config { cache_dir: Some(folder.to_owned()), ..config() }
}

#[tokio::test(flavor = "multi_thread")]
async fn empty_market_has_nothing_and_takes_a_launch() {
    let platform = Platform::start(sized(MarketPlan::empty())).await.unwrap();
    for (path, list) in [("/api/tokens", "tokens"), ("/api/leaderboard", "leaderboard")] {
        assert_eq!(get(&platform, path).await[list], serde_json::json!([]), "{path}");
    }
    launch(&platform, PRIMARY, "First").await;
    launch(&platform, SECOND, "First").await;
    assert_eq!(get(&platform, "/api/tokens").await["totalCount"], 2);
    platform.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn market_has_as_many_launches_as_asked_for() {
    let platform = Platform::start(sized(MarketPlan::of_launches(60))).await.unwrap();
    let usual = start().await;
    let count = async |platform| get(platform, "/api/tokens").await["totalCount"].as_u64().unwrap();
    assert_eq!(count(&platform).await, count(&usual).await - 42 + 60);
    platform.stop().await;
    usual.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn second_start_loads_the_cached_market() {
    let folder = tempfile::tempdir().unwrap();
    let mut starts = Vec::new();
    for _ in 0..2 {
        let platform = Platform::start(in_folder(folder.path())).await.unwrap();
        let heights = platform.engine().heights().borrow().clone();
        starts.push((heights, shown(&platform).await));
        platform.stop().await;
    }
    assert!(starts[0].0.values().all(|&height| height > 100), "{:?}", starts[0].0);
    assert_eq!(starts[0].1[0]["totalCount"], 80);
    assert_eq!(starts[0], starts[1]);
    assert_eq!(fs::read_dir(folder.path().join("markets")).unwrap().count(), 1);
}

/// A container's file system may be read-only.
#[tokio::test(flavor = "multi_thread")]
async fn platform_starts_where_the_cache_cannot_be_written() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let config = Config { cache_dir: Some(file.path().to_owned()), ..sized(MarketPlan::empty()) };
    let platform = Platform::start(config).await.unwrap();
    launch(&platform, PRIMARY, "First").await;
    platform.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn equal_seeds_give_equal_markets() {
    let mut markets = Vec::new();
    for seed in [7, 7, 8] {
        let folder = tempfile::tempdir().unwrap();
        let platform = Platform::start(Config { seed, ..in_folder(folder.path()) }).await.unwrap();
        markets.push(shown(&platform).await);
        platform.stop().await;
    }
    assert!(markets[0][4]["tokens"][0]["transaction_hash"].is_string());
    assert_eq!(markets[0], markets[1]);
    assert_ne!(markets[0], markets[2]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_harmed_cache_is_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let first = Platform::start(in_folder(folder.path())).await.unwrap();
    let expected = found(&first, "").await;
    first.stop().await;
    let entry = fs::read_dir(folder.path().join("markets")).unwrap().next().unwrap().unwrap().path();
    let state = entry.join("state-57073.json");
    let text = fs::read(&state).unwrap();
    fs::write(&state, &text[..text.len() / 2]).unwrap();
    let again = Platform::start(in_folder(folder.path())).await.unwrap();
    assert_eq!(found(&again, "").await, expected);
    again.stop().await;
    assert!(fs::metadata(&state).unwrap().len() > u64::try_from(text.len() / 2).unwrap());
}

#[tokio::test(flavor = "multi_thread")]
async fn busy_port_is_named() {
    for place in 0..5 {
        let taken = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = taken.local_addr().unwrap().port();
        match Platform::start(Config { ports: Ports::from_base(port - place).unwrap(), ..config() }).await {
            Err(error @ StartError::Port { .. }) => assert!(error.to_string().starts_with("port ")),
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn node_exit_is_noticed() {
    let platform = start().await;
    let died = platform.died();
    kill_second_node(&platform);
    let death = timeout(Duration::from_secs(5), died).await.unwrap();
    assert_eq!(death.chain.0, SECOND);
    platform.stop().await;
}
