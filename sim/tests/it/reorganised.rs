//! A reorganisation across trades of both versions and a bid: what the chain took back is nowhere, as if it had been indexed anew.
use alloy::primitives::{Address, U256};
use alloy::providers::Provider;
use serde_json::Value;
use slipway_contracts::bindings::{CaptchaAuth, IEmperorAuction, ILaunchHook, ITokenFactory};
use slipway_sim::Platform;
use slipway_test_support::database::Server;

use crate::platform::{PRIMARY, act, beside, launch, provider, reached, shared};

const ETHER: u128 = 1_000_000_000_000_000_000;

/// Everything that a client may read of launches, rewards, the auction and the exchange, with the status of each answer.
async fn answers(platform: &Platform, token: Address, trader: Address) -> Vec<(String, u16, Value)> {
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
        format!("{base}/api/referral/stats?address={trader}"),
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

/// A market with a token of the first version on its curve, and who trades on it.
struct Scene<'a> {
    platform: &'a Platform,
    factory: Address,
    token: Address,
    auction: Address,
    hook: Address,
    launch: U256,
    trader: Address,
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
        Self {
            platform,
            factory: *factory.address(),
            token: open.unwrap(),
            auction: deployment.auction().unwrap(),
            hook: deployment.hook,
            launch: hook.launchCount().call().await.unwrap(),
            trader: platform.ready().accounts[3].address,
            referrer: platform.ready().accounts[4].address,
        }
    }

    async fn buy_v1(&self, wei: u128) {
        let call = ITokenFactory::buyCall { token: self.token, minTokensOut: U256::ZERO };
        assert!(act(self.platform, PRIMARY, self.trader, self.factory, wei, &call).await);
    }

    async fn bid(&self) {
        let call = IEmperorAuction::bidCall { token: self.token };
        assert!(act(self.platform, PRIMARY, self.trader, self.auction, ETHER, &call).await);
    }

    /// A purchase that earns its referrer points; an address is a code.
    async fn buy_referred(&self) {
        let call = ILaunchHook::buyWithReferralCall {
            launchId: self.launch,
            minTokensOut: U256::ZERO,
            auth: CaptchaAuth::default(),
            referralCode: self.referrer.to_string(),
        };
        assert!(act(self.platform, PRIMARY, self.trader, self.hook, ETHER / 9, &call).await);
    }

    async fn answers(&self) -> Vec<(String, u16, Value)> {
        answers(self.platform, self.token, self.referrer).await
    }

    /// The chain takes its last blocks back; the index has followed when this returns.
    async fn take_back(&self, blocks: u64) {
        let height = self.platform.engine().heights().borrow()[&PRIMARY];
        let node = provider(self.platform, PRIMARY);
        let _: Value = node.raw_request("anvil_reorg".into(), (blocks, Vec::<Value>::new())).await.unwrap();
        node.raw_request::<_, Value>("evm_mine".into(), ()).await.unwrap();
        reached(self.platform, PRIMARY, |now| now > height).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn reorganised_trades_and_bids_leave_no_trace() {
    let server = Server::start().await;
    let platform = Platform::start(shared(&server)).await.unwrap();
    let scene = Scene::open(&platform).await;
    scene.buy_v1(ETHER / 7).await;
    let before = scene.answers().await;

    scene.buy_v1(ETHER / 5).await;
    scene.bid().await;
    scene.buy_referred().await;
    let undone = scene.answers().await;
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

    scene.take_back(3).await;
    assert_eq!(scene.answers().await, before);

    // What happens instead is told by this index as by one that never saw what was taken back.
    scene.bid().await;
    scene.buy_referred().await;
    scene.buy_v1(ETHER / 3).await;
    let fresh = Platform::start(beside(&platform, shared(&server))).await.unwrap();
    let there = platform.engine().heights().borrow()[&PRIMARY];
    reached(&fresh, PRIMARY, |height| height >= there).await;
    let reported = answers(&fresh, scene.token, scene.referrer).await;
    assert_eq!(scene.answers().await, reported);
    assert_ne!(reported, before);
    fresh.stop().await;
    platform.stop().await;
}
