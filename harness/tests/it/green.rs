//! A correct platform is green in the settings that differ most from the usual one of other tests, and with other seeds.
use std::path::Path;

use serde_json::json;
use slipway_test_support::settings::Setting;

use crate::program::{self, expect_code};
use crate::site::Site;

pub(crate) async fn green(setting: Setting) {
    if let Err(red) = setting.check(Path::new(env!("CARGO_BIN_EXE_slipway"))).await {
        panic!("{setting:?}: {red}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn green_on_a_used_state_directory() {
    green(Setting::UsedState).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn green_on_four_processes_that_share_the_requests() {
    green(Setting::Spread).await;
}

/// Some seeds, including those with the hardest markets: the platform starts, and the laws hold for pairs, sizes and trades drawn by the
/// seed.
#[test]
fn green_with_other_seeds() {
    let laws = ["swap-law-impact-grows", "swap-quote-build-bounds"];
    let only: Vec<&str> = laws.into_iter().flat_map(|law| ["--only", law]).collect();
    for seed in [3_u64, 27, 31, 38, u64::MAX] {
        expect_code(&[&["check", "--seed", &seed.to_string()], &only[..]].concat(), 0);
    }
}

/// A quote follows the reserves at its moment (S71, S72): other traders may move them before the next one, and that fails no comparison.
#[tokio::test(flavor = "multi_thread")]
async fn green_on_an_exchange_that_trades_meanwhile() {
    /// `swapExactETHForTokens(0, [WETH, token], to, never)` of the published router, and its arguments.
    const SWAP: &str = "0x7ff36ab5";
    let site = Site::start(&[]);
    let word = |text: &str| format!("{:0>64}", text.trim_start_matches("0x").to_lowercase());
    let contracts = &site.ready["chains"][0]["contracts"];
    let [router, wrapped] = ["UniswapV2Router02", "WETH9"].map(|name| contracts[name].as_str().unwrap());
    let pairs = site.read("swapBaseUrl", "/api/pairs").await.json().unwrap();
    let side = |at: usize, side: &str| pairs[at][side]["address"].as_str().unwrap().to_owned();
    let tokens: Vec<String> =
        (0..4).filter(|at| side(*at, "token0") == wrapped).map(|at| side(at, "token1")).collect();
    assert!(!tokens.is_empty(), "{pairs}");
    let accounts = site.call(0, "eth_accounts", json!([])).await;
    let trader = accounts["result"][0].as_str().unwrap();
    let rpc = format!("57073={}", site.primary_rpc());
    let swap = site.text("swapBaseUrl").to_owned();
    let check = tokio::task::spawn_blocking(move || {
        let laws = ["swap-law-dual", "swap-law-impact-grows", "swap-law-no-splitting", "swap-quote-native"];
        let only: Vec<&str> = laws.into_iter().flat_map(|law| ["--only", law]).collect();
        // A single run may meet no trade at the wrong moment.
        let run = |seed: u64| {
            let target =
                ["check", "--swap-url", &swap, "--rpc-url", &rpc, "--seed", &seed.to_string(), "--json"];
            program::json(&program::run(&[&target, &only[..]].concat()))
        };
        (1..=5).map(run).collect::<Vec<_>>()
    });
    for token in tokens.iter().cycle() {
        if check.is_finished() {
            break;
        }
        let words = ["0", "80", trader, "ffffffffff", "2", wrapped, token].map(word).concat();
        let call = json!({ "from": trader, "to": router, "value": "0x2386f26fc10000", "data": format!("{SWAP}{words}") });
        let sent = site.call(0, "eth_sendTransaction", json!([call])).await;
        assert!(sent["result"].is_string(), "{sent}");
    }
    for report in check.await.unwrap() {
        let found = ["failed", "differences"].map(|kind| report["summary"][kind].clone());
        assert_eq!(found, [json!(0), json!(0)], "{report}");
    }
}
