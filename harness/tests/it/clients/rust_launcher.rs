//! Twenty tests on the Rust launcher: each launches and trades, and each finds the platform in its initial state.
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use alloy::primitives::{Bytes, U256, utils::parse_ether};
use alloy::providers::{Provider as _, ProviderBuilder};
use alloy::signers::local::PrivateKeySigner;
use serde_json::Value;
use slipway_contracts::bindings::{CaptchaAuth, CreateLaunchParams, ILaunchHook};
use slipway_contracts::prepare_http;
use slipway_launcher::{ControlError, Options, Platform, aio};

use crate::clients::launchers::of_another_protocol;
use crate::clients::tools::SLIPWAY;
use crate::program::lives;

/// Platforms in parallel, and tests on each.
const WORKERS: usize = 2;
const TESTS: usize = 10;

fn platform() -> Platform {
    Platform::start(&Options { binary: Some(SLIPWAY.into()), ..Options::default() }).unwrap()
}

fn get(url: &str) -> Value {
    serde_json::from_slice(minreq::get(url).send().unwrap().as_bytes()).unwrap()
}

/// The number of tokens that a list reports.
fn count(platform: &Platform) -> u64 {
    get(&format!("{}/api/tokens", platform.ready.base_url))["totalCount"].as_u64().unwrap()
}

/// A launch and a purchase; returns the record that REST then shows.
async fn launch_and_trade(platform: &Platform, name: &str) -> Value {
    let chain = platform.chain(57073).unwrap();
    let signer: PrivateKeySigner = platform.ready.accounts[0].private_key.parse().unwrap();
    let provider = ProviderBuilder::new().wallet(signer).connect_http(chain.rpc_url.parse().unwrap());
    provider.client().set_poll_interval(Duration::from_millis(5));
    let hook = ILaunchHook::new(chain.hook.parse().unwrap(), &provider);
    let params = CreateLaunchParams {
        name: name.to_owned(),
        ticker: "TEST".to_owned(),
        creatorFeeSplitBps: 5_000,
        gainBps: 50_000,
        targetRaise: parse_ether("1").unwrap().to(),
        ..CreateLaunchParams::default()
    };
    let created = hook.createLaunch(params).send().await.unwrap().get_receipt().await.unwrap();
    let created = created.decoded_log::<ILaunchHook::LaunchCreated>().unwrap().data;
    let auth = CaptchaAuth { deadline: 0, nonce: [0; 32].into(), signature: Bytes::new() };
    let purchase = hook.buy(created.launchId, U256::ZERO, auth).value(parse_ether("0.2").unwrap());
    let traded = purchase.send().await.unwrap().get_receipt().await.unwrap();
    platform.control.wait_until_indexed(57073, traded.block_number.unwrap()).unwrap();
    get(&format!("{}/api/token?address={}", platform.ready.base_url, created.token))
}

fn work(worker: usize) {
    prepare_http();
    let platform = platform();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let before = count(&platform);
    for test in 0..TESTS {
        let name = format!("Token {worker} {test}");
        platform
            .isolated(|platform| {
                let shown = runtime.block_on(launch_and_trade(platform, &name));
                assert_eq!(shown["name"], name);
                assert!(shown["funding_progress"].as_f64().unwrap() > 0.0);
                assert_eq!(count(platform), before + 1);
            })
            .unwrap();
    }
}

#[test]
fn rust_suite_of_twenty_launches_passes_on_a_platform_for_each_worker() {
    let workers: Vec<_> = (0..WORKERS).map(|worker| std::thread::spawn(move || work(worker))).collect();
    for worker in workers {
        worker.join().unwrap();
    }
}

#[test]
fn refusals_are_errors_with_their_status_and_a_missing_program_is_named() {
    let platform = platform();
    let host = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let ahead = platform.control.advance_clock(3_600).unwrap().now - host;
    assert!((3_600..3_660).contains(&ahead), "{ahead}");
    match platform.control.revert_to_checkpoint(u64::MAX) {
        Err(ControlError::Refused { status: 404, .. }) => {}
        other => panic!("{other:?}"),
    }
    let missing = Options { binary: Some("/nonexistent/slipway".into()), ..Options::default() };
    let error = Platform::start(&missing).unwrap_err().to_string();
    assert!(error.contains("SLIPWAY_BIN"), "{error}");
    let refused =
        Options { arguments: vec!["--no-such-option".into()], binary: Some(SLIPWAY.into()), seed: Some(1) };
    let error = Platform::start(&refused).unwrap_err().to_string();
    assert!(error.contains("--no-such-option"), "{error}");
    let folder = tempfile::tempdir().unwrap();
    let other = Options { binary: Some(of_another_protocol(folder.path()).into()), ..Options::default() };
    let error = Platform::start(&other).unwrap_err().to_string();
    assert!(error.contains("protocol 2, this launcher 1"), "{error}");
}

/// On one thread: while a platform starts, is called and ends, other work goes on; panics and cancellations are rolled back.
#[tokio::test(flavor = "current_thread")]
async fn asynchronous_calls_block_no_executor_and_leave_nothing() {
    let options = Options { binary: Some(SLIPWAY.into()), ..Options::default() };
    let mut turns = 0_u64;
    let began = tokio::select! {
        biased;
        platform = aio::Platform::start(&options) => platform.unwrap(),
        () = async { loop { turns += 1; tokio::time::sleep(Duration::from_millis(1)).await } } => unreachable!(),
    };
    assert!(turns > 10, "{turns} turns while it started");
    let platform = began;
    let seen = async |platform: &aio::Platform| {
        let list = format!("{}/api/tokens", platform.ready().base_url);
        platform.control(move |_| get(&list)["totalCount"].as_u64().unwrap()).await
    };
    let launch = async |platform: &aio::Platform| {
        let launched = platform
            .control(|control| control.launch_token("A", "A", "1", None, None, None, None, None))
            .await;
        launched.unwrap();
        seen(platform).await
    };
    let before = seen(&platform).await;
    assert_eq!(platform.isolated(launch).await.unwrap(), before + 1);
    assert_eq!(seen(&platform).await, before);
    // Cancelled in the middle.
    let (started, mut is_started) = tokio::sync::mpsc::channel(1);
    let cancelled = platform.isolated(async |platform| {
        launch(platform).await;
        started.send(()).await.unwrap();
        std::future::pending::<()>().await;
    });
    tokio::select! {
        _ = cancelled => unreachable!(),
        sent = is_started.recv() => sent.unwrap(),
    }
    assert_eq!(seen(&platform).await, before);
    let pid = u64::from(platform.ready().pid);
    assert!(lives(pid));
    platform.stop().await;
    assert!(!lives(pid));
}
