//! Points after the chain has gone another way: what a reorganisation takes back is forgotten, what stays counts once, and
//! an index from the beginning has the same.
use alloy::network::EthereumWallet;
use alloy::primitives::{Address, B256, Bytes, U256};
use alloy::providers::{DynProvider, Provider, ProviderBuilder};
use alloy::signers::local::PrivateKeySigner;
use reqwest::Client;
use serde_json::{Value, json};
use slipway_contracts::bindings::{CaptchaAuth, ILaunchHook};
use slipway_sim::{Config, Platform};
use slipway_test_support::database::Server;

use crate::platform::{PRIMARY, beside, get, hook, launch, provider, reached, shared};

/// Wei of a hundredth of an ether.
const CENT: u128 = 10_000_000_000_000_000;

/// Who earns by what the others do.
const REFERRER: Address = Address::repeat_byte(0x5e);

/// Purchases in order: who buys for how much.
type Purchases = [(Trader, u128); 3];

#[derive(Clone, Copy, Debug)]
enum Trader {
    /// Registered with the referrer.
    Registered,
    /// Unknown to the programme; names the referrer in the transaction.
    Naming,
}

const SOME: Purchases =
    [(Trader::Registered, 3 * CENT), (Trader::Naming, 5 * CENT), (Trader::Registered, 7 * CENT)];
const OTHERS: Purchases =
    [(Trader::Naming, 11 * CENT), (Trader::Registered, 2 * CENT), (Trader::Naming, CENT)];

/// Everything that is told of points.
async fn points(platform: &Platform) -> Vec<Value> {
    let mut reported = Vec::new();
    for path in [
        &format!("/api/referral/stats?address={REFERRER}"),
        "/api/leaderboard?limit=100",
        "/api/referral/leaderboard?limit=100",
    ] {
        // A caller of its own each time: how often one may ask is not what is asked here.
        let caller = format!("2001:db8::{:x}", rand::random::<u16>());
        let request = Client::new()
            .get(format!("{}{path}", platform.ready().base_url))
            .header("x-forwarded-for", caller);
        let answer = request.send().await.unwrap().error_for_status().unwrap();
        reported.push(serde_json::from_str(&answer.text().await.unwrap()).unwrap());
    }
    reported
}

/// What every one of the platforms tells of points, which must be the same.
async fn agreed(platforms: &[&Platform]) -> Vec<Value> {
    let first = points(platforms[0]).await;
    for other in &platforms[1..] {
        assert_eq!(points(other).await, first);
    }
    first
}

fn naming(platform: &Platform) -> DynProvider {
    let ready = platform.ready();
    let signer = PrivateKeySigner::from_bytes(&ready.accounts[1].private_key).unwrap();
    let chain = ready.chains.iter().find(|chain| chain.chain_id == PRIMARY).unwrap();
    ProviderBuilder::new()
        .wallet(EthereumWallet::from(signer))
        .connect_http(chain.rpc_url.parse().unwrap())
        .erased()
}

/// Makes purchases on a launch, each in a block of its own; returns the last block once all platforms have it.
async fn act(platforms: &[&Platform], launch: U256, purchases: Purchases) -> u64 {
    let platform = platforms[0];
    let mut block = 0;
    for (trader, wei) in purchases {
        let (signer, code) = match trader {
            Trader::Registered => (provider(platform, PRIMARY), String::new()),
            Trader::Naming => (naming(platform), REFERRER.to_string()),
        };
        let none = CaptchaAuth { deadline: 0, nonce: B256::ZERO, signature: Bytes::new() };
        let hook = ILaunchHook::new(hook(platform, PRIMARY), signer);
        let sent =
            hook.buyWithReferral(launch, U256::ZERO, none, code).value(U256::from(wei)).send().await.unwrap();
        let receipt = sent.get_receipt().await.unwrap();
        assert!(receipt.status());
        block = receipt.block_number.unwrap();
    }
    for platform in platforms {
        reached(platform, PRIMARY, |height| height >= block).await;
    }
    block
}

async fn register(platform: &Platform) {
    let body = json!({
        "referral_code": REFERRER.to_string(),
        "wallet_address": platform.ready().accounts[0].address,
    });
    let url = format!("{}/api/referral/register", platform.ready().base_url);
    let answer = Client::new().post(url).json(&body).send().await.unwrap();
    answer.error_for_status().unwrap();
}

async fn order(platform: &Platform, method: &'static str, parameters: Value) -> Value {
    let node = provider(platform, PRIMARY);
    node.raw_request(method.into(), parameters).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn points_follow_the_canonical_chain() {
    let server = Server::start().await;
    let trusting = || Config { trust_forwarded: true, ..shared(&server) };
    let first = Platform::start(trusting()).await.unwrap();
    register(&first).await;
    launch(&first, PRIMARY, "Rewarding").await;
    let launched = get(&first, "/api/tokens/recent-v2?chainId=57073&limit=1").await;
    let launch = U256::from(launched["tokens"][0]["launch_id"].as_u64().unwrap());
    // Indexed from the beginning, when all this had happened.
    let second = Platform::start(beside(&first, trusting())).await.unwrap();
    let both = [&first, &second];
    let begun = agreed(&both).await;
    assert_eq!(begun[0]["stats"]["points_from_token_creation"], 10);

    let height = first.engine().heights().borrow()[&PRIMARY];
    let snapshot = order(&first, "evm_snapshot", json!([])).await;
    act(&both, launch, SOME).await;
    let some = agreed(&both).await;
    // A tenth of a hundred points an ether, for all of the three.
    assert_eq!(some[0]["stats"]["points_from_trading"], 1.5);

    // The node goes back, and another way.
    assert_eq!(order(&first, "evm_revert", json!([snapshot])).await, true);
    for platform in both {
        reached(platform, PRIMARY, |now| now == height).await;
    }
    assert_eq!(agreed(&both).await, begun);
    let block = act(&both, launch, OTHERS).await;
    let others = agreed(&both).await;
    assert_eq!(others[0]["stats"]["points_from_trading"], 1.4);
    assert_eq!(others[0]["recent_activity"].as_array().unwrap().len(), 4);

    // The chain is reorganised under it: three blocks are replaced by empty ones, and one more is mined.
    order(&first, "anvil_reorg", json!([3, []])).await;
    order(&first, "evm_mine", json!([])).await;
    for platform in both {
        reached(platform, PRIMARY, |now| now > block).await;
    }
    assert_eq!(agreed(&both).await, begun);
    act(&both, launch, SOME).await;
    let again = agreed(&both).await;
    assert_eq!(again, some);

    // And once more from the beginning.
    let third = Platform::start(beside(&first, trusting())).await.unwrap();
    assert_eq!(agreed(&[&first, &second, &third]).await, some);
    third.stop().await;
    second.stop().await;
    first.stop().await;
}
