//! Activities are one stream: a follower receives them as they happen, and the console shows the same lines.
use std::time::{Duration, Instant};

use alloy::primitives::utils::format_ether;
use alloy::primitives::{B256, U256};
use alloy::providers::Provider as _;
use serde_json::{Value, json};
use slipway_contracts::bindings::ILaunchHook;
use slipway_sim::{Activity, Config, MarketPlan, Platform};
use tokio::sync::mpsc::Receiver;
use tokio::time::timeout;

use crate::platform::{PRIMARY, SECOND, act, client, config, hook, order, ordered, provider};

/// Maximum wait for the next activity.
const PATIENCE: Duration = Duration::from_secs(60);

/// Starts an empty market that mines no blocks by itself.
async fn start() -> Platform {
    let config = Config { market: MarketPlan::empty(), trailing_blocks: false, ..config() };
    Platform::start(config).await.unwrap()
}

fn line(what: &Activity) -> String {
    let parts = what.line().into_iter();
    // The duration of a request depends on this machine.
    parts.map(|part| part.text).filter(|text| !text.ends_with(" ms")).collect::<Vec<_>>().join(" ")
}

/// The activities received up to the first that is expected.
async fn heard(happening: &mut Receiver<Activity>, is_last: impl Fn(&Activity) -> bool) -> Vec<Activity> {
    let mut heard = Vec::new();
    loop {
        // A minute without any activity is too long.
        let what = timeout(PATIENCE, happening.recv()).await.unwrap().unwrap();
        let is_last = is_last(&what);
        heard.push(what);
        if is_last {
            return heard;
        }
    }
}

fn is_order(what: &Activity, path: &str) -> bool {
    matches!(what, Activity::Request(answered) if answered.target == path)
}

/// The cells of a row with their labels, as text.
fn cells(row: &str) -> Vec<(&str, String)> {
    let cells = row.split("<td").skip(1).filter_map(|cell| {
        let (_, labelled) = cell.split_once("data-label=\"")?;
        let (label, content) = labelled.split_once("\">")?;
        let content = content.split("</td>").next()?;
        let texts: String = content
            .split('<')
            .enumerate()
            .filter_map(|(place, part)| match place {
                0 => Some(part),
                _ => Some(part.split_once('>')?.1),
            })
            .collect();
        Some((label, texts.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")))
    });
    cells.collect()
}

/// The lines of the console's timeline, newest first, without durations and transaction hashes.
async fn shown(platform: &Platform, show: &str) -> Vec<String> {
    let url = format!("{}/?show={show}", platform.ready().control_url.as_ref().unwrap());
    let page = client().get(url).send().await.unwrap().text().await.unwrap();
    let (_, timeline) = page.split_once("id=\"journal\"").unwrap();
    let (_, rows) = timeline.split_once("<tbody").unwrap_or_default();
    let lines = rows.split("<tr").skip(1).map(|row| {
        let cells = cells(row);
        let told = cells
            .iter()
            .filter(|(label, text)| ["What", "Result", "Cause"].contains(label) && !text.is_empty());
        let line = told.map(|(_, text)| text.as_str()).collect::<Vec<_>>().join(" ");
        line.split(" in 0x").next().unwrap().to_owned()
    });
    lines.collect()
}

/// The lines of the timeline once it has `count` of a kind.
async fn shown_once(platform: &Platform, show: &str, count: usize) -> Vec<String> {
    let begun = Instant::now();
    loop {
        let lines = shown(platform, show).await;
        if lines.len() >= count {
            return lines;
        }
        assert!(begun.elapsed() < PATIENCE, "{lines:#?}");
    }
}

/// Sends a purchase of a launch that does not exist.
async fn revert(platform: &Platform) {
    let buy = ILaunchHook::buyCall {
        launchId: U256::from(99_999),
        minTokensOut: U256::ZERO,
        auth: Default::default(),
    };
    let buyer = platform.ready().accounts[3].address;
    assert!(!act(platform, PRIMARY, buyer, hook(platform, PRIMARY), 1_000_000, &buy).await);
}

async fn at_node(platform: &Platform, chain_id: u64, method: &'static str, params: Value) {
    let _: Value = provider(platform, chain_id).raw_request(method.into(), params).await.unwrap();
}

const LAUNCH: &str = r#"{"name":"Seen","ticker":"SEEN","targetRaise":"1","prebuy":"0.05"}"#;

/// The seconds and the chain of each move.
fn moves(heard: &[Activity]) -> Vec<(u64, Option<u64>)> {
    let moves = heard.iter().filter_map(|what| match what {
        Activity::Clock(moved) => Some((moved.seconds, moved.chain_id)),
        _ => None,
    });
    moves.collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn each_move_of_the_clock_is_told_wherever_it_is_made() {
    let platform = start().await;
    let mut happening = platform.follow();
    let now = || platform.engine().clock().now();
    let mut expected = Vec::new();
    for (chain_id, method, params) in [
        (SECOND, "evm_increaseTime", json!([60])),
        (PRIMARY, "anvil_increaseTime", json!(["0x78"])),
        (PRIMARY, "evm_setTime", json!([now() + 1_000])),
        (SECOND, "anvil_setTime", json!([now() + 2_000])),
        (PRIMARY, "evm_setNextBlockTimestamp", json!([now() + 3_000])),
        (PRIMARY, "anvil_setNextBlockTimestamp", json!([now() + 4_000])),
        (SECOND, "evm_mine", json!([now() + 5_000])),
        (PRIMARY, "anvil_mine", json!([3, 60])),
    ] {
        let before = now();
        at_node(&platform, chain_id, method, params).await;
        assert!(now() > before, "{method}");
        expected.push((now() - before, Some(chain_id)));
    }
    // These move no clock.
    let start = now();
    at_node(&platform, PRIMARY, "evm_increaseTime", json!([0])).await;
    at_node(&platform, PRIMARY, "evm_mine", json!([])).await;
    let snapshot: Value = provider(&platform, PRIMARY).raw_request("evm_snapshot".into(), ()).await.unwrap();
    at_node(&platform, PRIMARY, "evm_revert", json!([snapshot])).await;
    let back = provider(&platform, PRIMARY).raw_request::<_, Value>("evm_setTime".into(), (start - 1,)).await;
    assert!(back.is_err());
    assert_eq!(now(), start);
    assert_eq!(order(&platform, "POST /_sim/clock/set", json!({ "timestamp": start - 1 })).await.0, 400);
    ordered(&platform, "POST /_sim/clock/advance", json!({ "seconds": 86_400 })).await;
    ordered(&platform, "POST /_sim/clock/set", json!({ "timestamp": now() + 7 })).await;
    expected.extend([(86_400, None), (7, None)]);
    ordered(&platform, "POST /_sim/captchas", "").await;
    let heard = heard(&mut happening, |what| is_order(what, "/_sim/captchas")).await;
    assert_eq!(moves(&heard), expected);
    assert_eq!(shown(&platform, "clock").await.iter().filter(|line| line.contains("clock +")).count(), 10);
    platform.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_trade_is_told_with_what_its_sender_paid_and_received() {
    let platform = start().await;
    let node = provider(&platform, PRIMARY);
    let seller = platform.ready().accounts[0].address;
    let launch = ordered(&platform, "POST /_sim/launches", LAUNCH).await;
    let mut happening = platform.follow();
    for (side, amount) in [("buy", "0.013"), ("sell", "1000000.5")] {
        let before = node.get_balance(seller).await.unwrap();
        let trade = json!({ "token": launch["token"], "side": side, "amount": amount });
        let done = ordered(&platform, "POST /_sim/trades", trade).await;
        let hash: B256 = done["transactionHash"].as_str().unwrap().parse().unwrap();
        let mut after = node.get_balance(seller).await.unwrap();
        let is_it = |what: &Activity| matches!(what, Activity::Transaction(mined) if mined.hash == hash);
        let told = heard(&mut happening, is_it).await;
        let Some(Activity::Transaction(mined)) = told.last() else { unreachable!() };
        // The first sale is preceded by an approval.
        let approval = told.iter().filter_map(|what| match what {
            Activity::Transaction(mined) if mined.function == "approve" => Some(mined.hash),
            _ => None,
        });
        for hash in approval.chain([hash]) {
            let receipt = node.get_transaction_receipt(hash).await.unwrap().unwrap();
            after += U256::from(receipt.gas_used) * U256::from(receipt.effective_gas_price);
        }
        let (coins, moved) =
            if side == "buy" { (&mined.paid, before - after) } else { (&mined.got, after - before) };
        let whole = format_ether(moved);
        assert_eq!(coins.as_deref(), Some(&*format!("{} ETH", whole.trim_end_matches('0'))), "{side}");
        if side == "sell" {
            assert_eq!(mined.paid.as_deref(), Some("1000000.5 SEEN"));
        }
    }
    platform.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_console_shows_the_lines_that_a_follower_hears() {
    let platform = start().await;
    // Nobody follows yet: these activities appear at their own time once somebody does.
    ordered(&platform, "POST /_sim/launches", LAUNCH).await;
    at_node(&platform, SECOND, "evm_increaseTime", json!([3_600])).await;
    revert(&platform).await;
    ordered(&platform, "POST /_sim/clock/advance", json!({ "seconds": 60 })).await;
    shown_once(&platform, "transactions", 2).await;
    let before = shown(&platform, "all").await;
    let buyer = &platform.ready().accounts[3].address.to_checksum(None);
    let reverted = format!(" buy {}…{} REVERTED UnknownLaunch()", &buyer[..6], &buyer[38..]);
    let is_launch = |line: &str| line.contains(" createLaunch 0x") && line.contains(" 0.05 ETH → ");
    let expected: [&dyn Fn(&str) -> bool; 6] = [
        &|line| line == "POST /_sim/clock/advance 200",
        &|line| line.starts_with("clock +1 min → 20"),
        &|line| line.starts_with("57073 #") && line.ends_with(&reverted),
        &|line| line.starts_with("4663 clock +1 h → 20"),
        &|line| line.starts_with("57073 #") && is_launch(line),
        &|line| line == "POST /_sim/launches 200",
    ];
    assert_eq!(before.len(), expected.len(), "{before:#?}");
    for (line, is_it) in before.iter().zip(expected) {
        assert!(is_it(line), "{line}: {before:#?}");
    }

    // From now on both have the same activities in the same order, even after the clock goes back.
    let mut happening = platform.follow();
    let mut both = Vec::new();
    let is_mined = |what: &Activity| matches!(what, Activity::Transaction(_));
    let checkpoint = ordered(&platform, "POST /_sim/checkpoints", json!({ "name": "a <b>" })).await;
    ordered(&platform, "POST /_sim/clock/advance", json!({ "seconds": 86_400 })).await;
    revert(&platform).await;
    both.extend(heard(&mut happening, is_mined).await);
    order(&platform, "POST /_sim/launches", r#"{"name":"","ticker":"X","targetRaise":"1"}"#).await;
    client().get(format!("{}/api/tokens?limit=0", platform.ready().base_url)).send().await.unwrap();
    ordered(&platform, &format!("POST /_sim/checkpoints/{}/revert", checkpoint["id"]), "").await;
    revert(&platform).await;
    both.extend(heard(&mut happening, is_mined).await);
    ordered(&platform, &format!("DELETE /_sim/checkpoints/{}", checkpoint["id"]), "").await;
    ordered(&platform, "POST /_sim/captchas", "").await;
    both.extend(heard(&mut happening, |what| is_order(what, "/_sim/captchas")).await);
    let mut both: Vec<String> = both.iter().map(line).collect();
    let told = |start: &str| both.iter().filter(|line| line.starts_with(start)).count();
    assert_eq!(told("checkpoint 1 (a <b>) "), 3, "{both:#?}");
    assert_eq!(both.iter().filter(|line| line.ends_with(&reverted)).count(), 2, "{both:#?}");
    assert_eq!(told("GET /api/tokens?limit=0 200"), 1, "{both:#?}");
    both.reverse();
    let after = shown(&platform, "all").await;
    assert_eq!(after[..both.len()], both, "{after:#?}");
    assert_eq!(after[both.len()..], before);
    platform.stop().await;
}
