//! A chain reverts and takes another branch, across trades of both versions, referrals and a bid: no trace of the reverted events remains, in two
//! processes that saw them and in one that did not.
use alloy::primitives::{Address, U256};
use alloy::providers::Provider;
use reqwest::Client;
use serde_json::{Value, json};
use slipway_contracts::bindings::{CaptchaAuth, IEmperorAuction, ILaunchHook, ITokenFactory};
use slipway_sim::Platform;
use slipway_test_support::database::Server;

use crate::platform::{PRIMARY, act, beside, launch, provider, reached, shared};

const ETHER: u128 = 1_000_000_000_000_000_000;

/// All public reads of launches, rewards, the auction and the exchange, with the status of each answer.
async fn answers(platform: &Platform, token: Address, referrer: Address) -> Vec<(String, u16, Value)> {
    let (base, swap) = (&platform.ready().base_url, &platform.ready().swap_base_url);
    let paths = [
        format!("{base}/api/tokens?sortBy=oldest"),
        format!("{base}/api/tokens?sortBy=oldest&page=2"),
        format!("{base}/api/tokens?sortBy=oldest&page=3"),
        format!("{base}/api/tokens?sortBy=trending&timeframe=1h"),
        format!("{base}/api/token?address={token}"),
        format!("{base}/api/tokens/recent-v2?chainId={PRIMARY}&limit=50"),
        format!("{base}/api/eoti?includeBidData=true"),
        format!("{base}/api/koti"),
        format!("{base}/api/leaderboard?limit=100"),
        format!("{base}/api/referral/leaderboard?limit=100"),
        format!("{base}/api/referral/stats?address={referrer}"),
        format!("{swap}/api/pairs"),
        format!("{swap}/api/tokens"),
    ];
    let mut reported = Vec::new();
    for url in paths {
        let answer = reqwest::get(&url).await.unwrap();
        let status = answer.status().as_u16();
        let path = url.replacen(base, "", 1).replacen(swap, "", 1);
        reported.push((path, status, serde_json::from_str(&answer.text().await.unwrap()).unwrap()));
    }
    reported
}

/// A market with a V1 token on its curve, and its traders.
struct Scene<'a> {
    platform: &'a Platform,
    factory: Address,
    token: Address,
    auction: Address,
    hook: Address,
    launch: U256,
    trader: Address,
    registered: Address,
    referrer: Address,
}

impl<'a> Scene<'a> {
    async fn open(platform: &'a Platform) -> Self {
        launch(platform, PRIMARY, "Undone").await;
        let (chain, deployment) = platform.engine().chain(PRIMARY).unwrap();
        let factory = ITokenFactory::new(deployment.token_factory().unwrap(), chain.provider());
        let mut open = None;
        for place in 0..factory.tokenCount().call().await.unwrap().to() {
            let token = factory.tokens(U256::from::<u64>(place)).call().await.unwrap();
            if !factory.getTokenState(token).call().await.unwrap().graduated {
                open = Some(token);
            }
        }
        let hook = ILaunchHook::new(deployment.hook, chain.provider());
        let account = |number: usize| platform.ready().accounts[number].address;
        let scene = Self {
            platform,
            factory: *factory.address(),
            token: open.unwrap(),
            auction: deployment.auction().unwrap(),
            hook: deployment.hook,
            launch: hook.launchCount().call().await.unwrap(),
            trader: account(3),
            registered: account(5),
            referrer: account(4),
        };
        let body = json!({ "referral_code": scene.referrer, "wallet_address": scene.registered });
        let url = format!("{}/api/referral/register", platform.ready().base_url);
        Client::new().post(url).json(&body).send().await.unwrap().error_for_status().unwrap();
        scene
    }

    /// A purchase of each version, one with a code and one with a registration, and a bid: each in its own block.
    async fn trade(&self, wei: u128) {
        let v1 = ITokenFactory::buyCall { token: self.token, minTokensOut: U256::ZERO };
        assert!(act(self.platform, PRIMARY, self.trader, self.factory, wei, &v1).await);
        let bid = IEmperorAuction::bidCall { token: self.token };
        assert!(act(self.platform, PRIMARY, self.trader, self.auction, ETHER, &bid).await);
        // An address is a valid code.
        for (trader, code) in [(self.trader, self.referrer.to_string()), (self.registered, String::new())] {
            let call = ILaunchHook::buyWithReferralCall {
                launchId: self.launch,
                minTokensOut: U256::ZERO,
                auth: CaptchaAuth::default(),
                referralCode: code,
            };
            assert!(act(self.platform, PRIMARY, trader, self.hook, wei / 2, &call).await);
        }
    }

    /// The answers of these processes, which must be equal.
    async fn answers(&self, processes: &[&Platform]) -> Vec<(String, u16, Value)> {
        let height = self.platform.engine().heights().borrow()[&PRIMARY];
        let mut agreed = None;
        for process in processes {
            reached(process, PRIMARY, |now| now == height).await;
            let answers = answers(process, self.token, self.referrer).await;
            assert_eq!(*agreed.get_or_insert_with(|| answers.clone()), answers);
        }
        agreed.unwrap()
    }

    async fn order(&self, method: &'static str, parameters: Value) -> Value {
        provider(self.platform, PRIMARY).raw_request(method.into(), parameters).await.unwrap()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn reorganised_trades_and_bids_leave_no_trace() {
    let server = Server::start().await;
    let platform = Platform::start(shared(&server)).await.unwrap();
    let second = Platform::start(beside(&platform, shared(&server))).await.unwrap();
    let both = [&platform, &second];
    let scene = Scene::open(&platform).await;
    let height = platform.engine().heights().borrow()[&PRIMARY];
    let before = scene.answers(&both).await;

    let snapshot = scene.order("evm_snapshot", json!([])).await;
    scene.trade(ETHER / 5).await;
    let undone = scene.answers(&both).await;
    let changed: Vec<&str> = before
        .iter()
        .zip(&undone)
        .filter(|(before, undone)| before != undone)
        .map(|(before, _)| before.0.split('?').next().unwrap())
        .collect();
    for path in
        ["/api/token", "/api/eoti", "/api/leaderboard", "/api/referral/leaderboard", "/api/referral/stats"]
    {
        assert!(changed.contains(&path), "{path} shows nothing of what happened");
    }
    assert_eq!(scene.order("evm_revert", json!([snapshot])).await, true);
    reached(&platform, PRIMARY, |now| now == height).await;
    assert_eq!(scene.answers(&both).await, before);

    // Four blocks are replaced by empty ones, and one more is mined.
    scene.trade(ETHER / 4).await;
    let height = platform.engine().heights().borrow()[&PRIMARY];
    scene.order("anvil_reorg", json!([4, []])).await;
    scene.order("evm_mine", json!([])).await;
    reached(&platform, PRIMARY, |now| now > height).await;
    assert_eq!(scene.answers(&both).await, before);

    // The other branch is reported like by an index that never saw the reverted events.
    scene.trade(ETHER / 3).await;
    let fresh = Platform::start(beside(&platform, shared(&server))).await.unwrap();
    assert_ne!(scene.answers(&[&platform, &second, &fresh]).await, before);
    fresh.stop().await;
    second.stop().await;
    platform.stop().await;
}
