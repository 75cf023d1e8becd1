//! The clock in use: by default this machine's, so that clients that know no other are accepted.
use std::time::{SystemTime, UNIX_EPOCH};

use alloy::primitives::{Address, U256};
use alloy::signers::SignerSync as _;
use alloy::signers::local::PrivateKeySigner;
use alloy::sol_types::SolCall as _;
use serde_json::{Value, json};
use slipway_contracts::bindings::IUniswapV2Router02::swapExactETHForTokensCall;
use slipway_scenarios::client::message::Request;

use crate::site::{Site, ask};

/// Maximum difference between two readings of one clock here, in seconds.
const APART: u64 = 30;

fn host() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()
}

async fn latest(site: &Site, chain: usize) -> u64 {
    let block = site.call(chain, "eth_getBlockByNumber", json!(["latest", false])).await;
    let time = block["result"]["timestamp"].as_str().unwrap().trim_start_matches("0x").to_owned();
    u64::from_str_radix(&time, 16).unwrap()
}

/// The router's answer to a purchase on the exchange with this deadline.
async fn swap(site: &Site, deadline: u64) -> Value {
    let contract = |name: &str| site.ready["chains"][0]["contracts"][name].as_str().unwrap().to_owned();
    let weth: Address = contract("WETH9").parse().unwrap();
    let pairs = site.read("swapBaseUrl", "/api/pairs").await.json().unwrap();
    let with_weth = pairs.as_array().unwrap().iter().find_map(|pair| {
        let sides: Vec<Address> =
            ["token0", "token1"].map(|side| pair[side]["address"].as_str().unwrap().parse().unwrap()).into();
        let is_filled = pair["reserve0"] != "0" && sides.contains(&weth);
        is_filled.then(|| sides.into_iter().find(|side| *side != weth))?
    });
    let account = site.ready["accounts"][0]["address"].as_str().unwrap();
    let purchase = swapExactETHForTokensCall {
        amountOutMin: U256::ONE,
        path: vec![weth, with_weth.unwrap()],
        to: account.parse().unwrap(),
        deadline: U256::from(deadline),
    };
    let data = format!("0x{}", alloy::hex::encode(purchase.abi_encode()));
    let transaction = json!({
        "from": account, "to": contract("UniswapV2Router02"), "data": data, "value": "0x5af3107a4000",
    });
    site.call(0, "eth_estimateGas", json!([transaction])).await
}

#[tokio::test]
async fn clients_of_this_machines_clock_are_accepted_by_default() {
    let site = Site::start(&[]);
    assert_eq!(site.ready["clock"], "real");
    for time in [site.now().await, latest(&site, 0).await, latest(&site, 1).await] {
        assert!(host().abs_diff(time) < APART, "{time}");
    }
    // A wallet signature with the current time.
    let rest = site.origin("baseUrl");
    let key = site.ready["accounts"][0]["privateKey"].as_str().unwrap();
    let signer: PrivateKeySigner = key.parse().unwrap();
    let (wallet, now) = (signer.address(), host());
    let text = format!("Launch platform access\nAddress: {wallet}\nIssued-At: {now}");
    let signature = signer.sign_message_sync(text.as_bytes()).unwrap();
    let code = Request::get(&rest, "/api/referral/code", &[]);
    let signed = ask(code.header("authorization", &format!("Wallet {wallet}:{now}:{signature}"))).await;
    assert_eq!(signed.code(), 200, "{}", signed.excerpt());
    // A deadline in ten minutes, and one in the past.
    let accepted = swap(&site, host() + 600).await;
    assert!(accepted["result"].is_string(), "{accepted}");
    let late = swap(&site, host() - 60).await;
    assert!(late["error"]["message"].as_str().unwrap().contains("EXPIRED"), "{late}");
    // A captcha for a message, valid by this clock.
    let captcha = site.order("/_sim/captchas", &json!({})).await;
    assert!(captcha["expiresAt"].as_u64().unwrap() > host());
    let list = ask(Request::get(&rest, "/api/tokens", &[("sortBy", "newest")])).await.json().unwrap();
    let token = list["tokens"][0]["address"].as_str().unwrap();
    let solved = captcha["token"].as_str().unwrap();
    let lower = token.to_lowercase();
    let text = format!("Launch platform chat\nToken: {lower}\nCaptcha: {solved}\nMessage: now");
    let signature = signer.sign_message_sync(text.as_bytes()).unwrap().to_string();
    let message = json!({ "token": solved, "tokenAddress": token, "message": "now", "signature": signature });
    let operator = site.ready["operatorKey"].as_str().unwrap();
    let chat = Request::post_json(&rest, "/api/chat", &message).header("x-operator-key", operator);
    let sent = ask(chat).await;
    assert!(sent.status.is_success(), "{}", sent.excerpt());
    // The market ends now: its newest token was created within the last hour, not months ago.
    let created = list["tokens"][0]["created_at"].as_str().unwrap();
    let born: jiff::Timestamp = created.parse().unwrap();
    let age = host() - u64::try_from(born.as_second()).unwrap();
    assert!(age < 24 * 60 * 60, "{created}");
    assert!(list["tokens"].as_array().unwrap().iter().any(|token| token["volume_24h"] != 0));
}

#[tokio::test]
async fn a_moved_clock_keeps_its_distance_to_this_machines_over_reverts_and_exports() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("state.slipway");
    let path = file.to_str().unwrap();
    let mut site = Site::start(&["--export", path]);
    let checkpoint = site.order("/_sim/checkpoints", &json!({})).await["id"].clone();
    site.order("/_sim/clock/advance", &json!({ "seconds": 90_000 })).await;
    for time in [site.now().await, latest(&site, 0).await, latest(&site, 1).await] {
        assert!((host() + 90_000).abs_diff(time) < APART, "{time}");
    }
    site.order("/_sim/export", &json!({})).await;
    site.order(&format!("/_sim/checkpoints/{checkpoint}/revert"), &json!({})).await;
    assert!(host().abs_diff(site.now().await) < APART);
    site.running.close_stdin();
    let imported = Site::start(&["--import", path]);
    assert_eq!(imported.ready["clock"], "real");
    assert!((host() + 90_000).abs_diff(imported.now().await) < APART);
}

/// Accounts, contracts and tokens depend on the seed under every clock; with a fixed start the blocks are equal too.
#[tokio::test]
async fn equal_seeds_have_equal_addresses_and_from_a_fixed_moment_equal_hashes() {
    let begun = async |clock: &str| {
        let site = Site::start(&["--clock", clock, "--no-trailing-blocks"]);
        assert_eq!(site.ready["clock"], clock);
        let list = ask(Request::get(&site.origin("baseUrl"), "/api/tokens", &[("sortBy", "oldest")])).await;
        let list = list.json().unwrap();
        let tokens: Vec<Value> =
            list["tokens"].as_array().unwrap().iter().map(|token| token["address"].clone()).collect();
        let contracts: Vec<Value> =
            [0, 1].map(|chain| site.ready["chains"][chain]["contracts"].clone()).into();
        let block = site.call(0, "eth_getBlockByNumber", json!(["0x5", false])).await;
        ((tokens, contracts, site.ready["accounts"].clone()), block["result"]["hash"].clone())
    };
    let (running, fixed, real) = (begun("running").await, begun("fixed").await, begun("real").await);
    assert_eq!(running, fixed);
    assert_eq!(running.0, real.0);
    assert_ne!(running.1, real.1);
}
