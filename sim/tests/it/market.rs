//! Markets from files: each example keeps its promises, and equal files and seeds give equal markets.
use std::fs;
use std::path::Path;

use alloy::primitives::{Address, U256};
use serde_json::{Value, json};
use slipway_contracts::bindings::{CaptchaAuth, ILaunchHook};
use slipway_sim::cache::CachePolicy;
use slipway_sim::{Config, MARKET_END, MarketFile, MarketPlan, Platform, StartError};

use crate::platform::{PRIMARY, act, config, get, hook};

fn example(name: &str) -> MarketFile {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../harness/examples/markets");
    toml::from_str(&fs::read_to_string(folder.join(format!("{name}.toml"))).unwrap()).unwrap()
}

/// Starts a platform with the market of an example, built anew.
async fn begin(name: &str) -> Platform {
    start_with(3, example(name)).await
}

async fn start_with(seed: u64, file: MarketFile) -> Platform {
    let config = Config { seed, market: MarketPlan::from(file), cache: CachePolicy::Off, ..config() };
    Platform::start(config).await.unwrap()
}

async fn tokens(platform: &Platform) -> Vec<Value> {
    get(platform, "/api/tokens?sortBy=oldest").await["tokens"].as_array().unwrap().clone()
}

/// The token with a ticker, as shown by its own endpoint.
async fn token(platform: &Platform, ticker: &str) -> Value {
    let found = get(platform, &format!("/api/tokens?search={ticker}")).await;
    let mut listed = found["tokens"].as_array().unwrap().iter();
    let address = listed.find(|token| token["ticker"] == ticker).unwrap()["address"].clone();
    get(platform, &format!("/api/token?address={}", address.as_str().unwrap())).await
}

fn address(token: &Value) -> Address {
    token["address"].as_str().unwrap().parse().unwrap()
}

fn assert_shows(token: &Value, expected: Value) {
    for (field, value) in expected.as_object().unwrap() {
        let is_equal = match (token[field].as_f64(), value.as_f64()) {
            (Some(shown), Some(promised)) => shown.total_cmp(&promised).is_eq(),
            _ => token[field] == *value,
        };
        assert!(is_equal, "{field} is not {value} in {token:#}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_nearly_full_token_has_its_progress_and_holders() {
    let platform = begin("nearly-full").await;
    let shown = token(&platform, "ALMOST").await;
    assert_shows(&shown, json!({ "funding_progress": 0.999, "total_holders": 12, "is_graduated": false }));
    assert_shows(&shown, json!({ "target_raise": "5000000000000000000", "txns_total": 12 }));
    platform.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_young_token_is_in_its_anti_snipe_window() {
    let platform = begin("anti-snipe").await;
    let shown = token(&platform, "FRESH").await;
    assert_shows(&shown, json!({ "anti_snipe_seconds": 60, "start_time": MARKET_END - 10 }));
    let buy = ILaunchHook::buyCall {
        launchId: U256::from(1),
        minTokensOut: U256::ZERO,
        auth: CaptchaAuth::default(),
    };
    let trader = platform.ready().accounts[0].address;
    let hook = hook(&platform, PRIMARY);
    assert!(!act(&platform, PRIMARY, trader, hook, 10_u128.pow(17), &buy).await);
    platform.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_fell_by_half() {
    let platform = begin("fell-by-half").await;
    let shown = token(&platform, "SINK").await;
    assert_shows(&shown, json!({ "price_change_24h": -50, "price_change_1h": -50, "price_eth": 1.25e-9 }));
    assert_shows(&shown, json!({ "funding_progress": 0.0703125, "total_holders": 1, "txns_total": 2 }));
    platform.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_creator_has_120_tokens() {
    let platform = begin("prolific-creator").await;
    let creator = platform.ready().accounts[0].address;
    let page = get(&platform, &format!("/api/tokens/by-owner?owner={creator}&limit=50&page=3")).await;
    assert_eq!(page["pagination"]["total"], 120);
    assert_eq!(page["tokens"].as_array().unwrap().len(), 20);
    let shown = token(&platform, "SER120").await;
    assert_shows(&shown, json!({ "name": "Series 120", "owner": creator.to_string() }));
    platform.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_names_are_kept_to_the_letter() {
    let platform = begin("hostile-names").await;
    let mut expected: Vec<(String, String)> =
        example("hostile-names").launch.into_iter().map(|row| (row.name, row.ticker)).collect();
    assert_eq!((expected[4].0.len(), expected[4].1.len()), (192, 48));
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let listed = tokens(&platform).await;
    let mut found: Vec<_> = listed.iter().map(|row| (text(&row["name"]), text(&row["ticker"]))).collect();
    found.sort();
    expected.sort();
    assert_eq!(found, expected);
    platform.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_empty_file_is_an_empty_market() {
    assert_eq!(MarketPlan::from(example("empty")), MarketPlan::empty());
    let platform = begin("empty").await;
    assert_eq!(tokens(&platform).await, Vec::<Value>::new());
    assert_eq!(platform.ready().accounts.len(), 10);
    platform.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_token_trades_in_its_pool() {
    let platform = begin("graduated").await;
    let shown = token(&platform, "GROWN").await;
    assert_shows(
        &shown,
        json!({ "funding_progress": 1, "is_graduated": true, "total_holders": 3, "txns_total": 3 }),
    );
    assert!(shown["pool"].is_string(), "{shown:#}");
    platform.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_is_sold_for_a_stock() {
    let platform = begin("stock").await;
    let shown = token(&platform, "SHARE").await;
    assert_shows(&shown, json!({ "quote_asset_symbol": "NRTH", "chain_id": 4663, "total_holders": 3 }));
    assert_shows(&shown, json!({ "funding_progress": 0.5, "target_raise": "4000000000000000000" }));
    platform.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn tokens_of_the_first_version_have_their_progress() {
    let platform = begin("first-version").await;
    let shown = token(&platform, "OLD").await;
    assert_shows(&shown, json!({ "version": "v1", "funding_progress": 0.5, "total_holders": 4 }));
    let shown = token(&platform, "RETIRED").await;
    assert_shows(
        &shown,
        json!({ "version": "v1", "funding_progress": 1, "is_graduated": true, "total_holders": 2 }),
    );
    platform.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_community_has_chat_and_a_referrer() {
    let platform = begin("community").await;
    let shown = token(&platform, "TOWN").await;
    let accounts = &platform.ready().accounts;
    assert_shows(
        &shown,
        json!({ "owner": accounts[1].address.to_string(), "funding_progress": 0.125, "total_holders": 5 }),
    );
    let chat = get(&platform, &format!("/api/chat?tokenAddress={}", address(&shown))).await;
    let said: Vec<_> = chat.as_array().unwrap().iter().map(|message| message["message"].clone()).collect();
    assert_eq!(said, ["gm <b>all</b>", "First!", "Here it is."]);
    assert_eq!(chat[1]["sender_address"], accounts[2].address.to_string());
    assert_eq!(chat[1]["created_at"], "2026-03-03T17:00:00Z");
    let leaders = get(&platform, "/api/referral/leaderboard").await;
    assert_eq!(leaders["leaderboard"][0]["address"], accounts[2].address.to_string());
    assert_eq!(leaders["leaderboard"][0]["total_referrals"], 1);
    platform.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_exchange_has_its_reserves() {
    let platform = begin("exchange").await;
    let url = format!("{}/api/pairs", platform.ready().swap_base_url);
    let pairs: Value = reqwest::get(url).await.unwrap().text().await.unwrap().parse().unwrap();
    assert_eq!(pairs.as_array().unwrap().len(), 1, "{pairs:#}");
    let side = |name: &str| {
        let number = if pairs[0]["token0"]["symbol"] == name { 0 } else { 1 };
        (pairs[0][format!("token{number}")]["decimals"].clone(), pairs[0][format!("reserve{number}")].clone())
    };
    assert_eq!(side("WETH"), (json!(18), json!("100000000000000000000")));
    assert_eq!(side("DOLL"), (json!(6), json!("250000500000")));
    platform.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn days_of_the_auction_are_won() {
    let platform = begin("auction").await;
    let (yesterday, today) = (token(&platform, "YEST").await, token(&platform, "TODAY").await);
    let shown = get(&platform, "/api/eoti?includeBidData=true").await;
    assert_eq!(shown["address"], today["address"]);
    assert_eq!(shown["bidData"]["lastBoostedToken"], yesterday["address"]);
    assert_eq!(shown["bidData"]["isEpochTaken"], false);
    platform.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn equal_files_and_seeds_give_equal_markets() {
    let mut markets = Vec::new();
    for seed in [3, 3, 4] {
        let platform = start_with(seed, example("community")).await;
        markets.push(token(&platform, "TOWN").await);
        platform.stop().await;
    }
    assert_eq!(markets[0], markets[1]);
    assert_ne!(markets[0]["owner"], markets[2]["owner"]);
    let mut other = example("community");
    other.launch[0].name = "Village Square".into();
    let platform = start_with(3, other).await;
    let shown = token(&platform, "TOWN").await;
    assert_eq!(shown["name"], "Village Square");
    assert_ne!(shown["transaction_hash"], markets[0]["transaction_hash"]);
    platform.stop().await;
}

/// A cached market is found by its file.
#[tokio::test(flavor = "multi_thread")]
async fn kept_markets_are_told_apart_by_their_files() {
    let folder = tempfile::tempdir().unwrap();
    let mut tickers = Vec::new();
    for name in ["nearly-full", "fell-by-half", "nearly-full"] {
        let market = MarketPlan::from(example(name));
        let config = Config { market, cache_dir: Some(folder.path().to_owned()), ..config() };
        let platform = Platform::start(config).await.unwrap();
        tickers.push(tokens(&platform).await[0]["ticker"].clone());
        platform.stop().await;
    }
    assert_eq!(tickers, ["ALMOST", "SINK", "ALMOST"]);
    assert_eq!(fs::read_dir(folder.path().join("markets")).unwrap().count(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_market_that_would_revert_starts_nothing() {
    let file: MarketFile = toml::from_str("[[launch]]\nname = 'A'\nticker = 'A'\nraise = '5.1'").unwrap();
    let refused = Platform::start(Config { market: file.into(), cache: CachePolicy::Off, ..config() }).await;
    let Err(StartError::Genesis(error)) = refused else { panic!("{refused:?}") };
    assert_eq!(error.to_string(), "launch 1 (A), raise: it is from 1 to 5");
}
