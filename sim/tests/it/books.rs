//! The state's launches and balances, compared with the contracts after a random sequence of every action that changes them.
use alloy::primitives::{Address, U256};
use alloy::providers::DynProvider;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use slipway_contracts::bindings::{CaptchaAuth, IERC20, IEmperorAuction, ILaunchHook, ITokenFactory};
use slipway_contracts::deploy::Deployment;
use slipway_sim::Platform;
use slipway_sim::state::State;

use crate::platform::{PRIMARY, SECOND, act, launch_params, start};

const ETHER: u128 = 1_000_000_000_000_000_000;
const STEPS: usize = 60;
/// Number of accounts that act; the first one creates.
const ACTORS: usize = 4;

/// A hook, its quote asset, and its newest two launches.
struct Venue<'a> {
    platform: &'a Platform,
    chain_id: u64,
    hook: Address,
    asset: Address,
    actors: Vec<Address>,
    launches: Vec<(U256, Address)>,
}

fn node(platform: &Platform, chain_id: u64) -> (DynProvider, Deployment) {
    let (chain, deployment) = platform.engine().chain(chain_id).unwrap();
    (chain.provider().clone(), deployment.clone())
}

fn folded(platform: &Platform) -> State {
    platform.engine().state().read().clone()
}

impl<'a> Venue<'a> {
    /// Two launches by the first actor, with the approvals that the hook needs.
    async fn open(platform: &'a Platform, chain_id: u64, hook: Address, asset: Address) -> Self {
        let accounts = platform.ready().accounts.iter().skip(2).take(ACTORS);
        let actors = accounts.map(|account| account.address).collect();
        let mut venue = Self { platform, chain_id, hook, asset, actors, launches: Vec::new() };
        let allow = IERC20::approveCall { spender: hook, amount: U256::MAX };
        for creator_fee_split_bps in [2_500, 10_000] {
            let mut params = launch_params("Ledger");
            params.creatorFeeSplitBps = creator_fee_split_bps;
            let call = ILaunchHook::createLaunchCall { params };
            assert!(venue.act(venue.actors[0], hook, 0, &call).await);
            let contract = ILaunchHook::new(hook, node(platform, chain_id).0);
            let id = contract.launchCount().call().await.unwrap();
            let token = contract.getLaunchState(id).call().await.unwrap().token;
            venue.launches.push((id, token));
            for actor in &venue.actors {
                assert!(venue.act(*actor, token, 0, &allow).await);
            }
        }
        if !asset.is_zero() {
            for actor in &venue.actors {
                assert!(venue.act(*actor, asset, 0, &allow).await);
            }
        }
        venue
    }

    async fn act(
        &self,
        from: Address,
        to: Address,
        value: u128,
        call: &impl alloy::sol_types::SolCall,
    ) -> bool {
        act(self.platform, self.chain_id, from, to, value, call).await
    }

    /// One random step; the contract may revert it.
    async fn step(&self, random: &mut ChaCha8Rng) -> bool {
        let (launch_id, token) = self.launches[random.random_range(0..self.launches.len())];
        let actor = self.actors[random.random_range(0..ACTORS)];
        match random.random_range(0..12) {
            0..=4 => self.buy(random, launch_id, actor).await,
            5..=7 => {
                let state = folded(self.platform);
                let held =
                    state.token_on(self.chain_id, token).map_or(0, |known| state.balance(known, actor));
                let call = ILaunchHook::sellCall {
                    launchId: launch_id,
                    tokenAmount: held / random.random_range(1..4),
                    minEthOut: U256::ZERO,
                    auth: CaptchaAuth::default(),
                };
                self.act(actor, self.hook, 0, &call).await
            }
            8 => {
                let new_bps = random.random_range(0..=10_000);
                let call = ILaunchHook::updateCreatorFeeSplitCall { launchId: launch_id, newBps: new_bps };
                self.act(self.actors[0], self.hook, 0, &call).await
            }
            9 => self.act(self.actors[0], self.hook, 0, &ILaunchHook::withdrawFeesCall {}).await,
            _ => {
                let call = ILaunchHook::executeAccumulatedBuybackCall { launchId: launch_id };
                self.act(actor, self.hook, 0, &call).await
            }
        }
    }

    async fn buy(&self, random: &mut ChaCha8Rng, launch_id: U256, actor: Address) -> bool {
        let amount = random.random_range(ETHER / 1_000..ETHER / 3);
        if self.asset.is_zero() {
            let auth = CaptchaAuth::default();
            let call = ILaunchHook::buyCall { launchId: launch_id, minTokensOut: U256::ZERO, auth };
            return self.act(actor, self.hook, amount, &call).await;
        }
        let call = ILaunchHook::buyWithQuoteCall {
            launchId: launch_id,
            quoteAmount: U256::from(amount),
            minTokensOut: U256::ZERO,
            auth: CaptchaAuth::default(),
            referralCode: String::new(),
        };
        self.act(actor, self.hook, 0, &call).await
    }

    /// Collects the earnings of the pools of all launches of the hook, which burns tokens, and buys back; returns how many launches had a
    /// pool.
    async fn collect_from_pools(&self) -> usize {
        let contract = ILaunchHook::new(self.hook, node(self.platform, self.chain_id).0);
        let count: u64 = contract.launchCount().call().await.unwrap().to();
        let mut done = 0;
        for id in (1..=count).map(U256::from) {
            let collect = ILaunchHook::collectPoolFeesCall { launchId: id };
            done += usize::from(self.act(self.actors[1], self.hook, 0, &collect).await);
            let buy_back = ILaunchHook::executeAccumulatedBuybackCall { launchId: id };
            self.act(self.actors[1], self.hook, 0, &buy_back).await;
        }
        done
    }

    /// Compares every launch, and the balances of the actors and the hook.
    async fn agrees(&self) {
        let state = folded(self.platform);
        let (provider, _) = node(self.platform, self.chain_id);
        let contract = ILaunchHook::new(self.hook, provider.clone());
        let count: u64 = contract.launchCount().call().await.unwrap().to();
        for id in 1..=count {
            let reported = contract.getLaunchState(U256::from(id)).call().await.unwrap();
            let known = state.token_on(self.chain_id, reported.token).unwrap();
            assert_eq!(
                (known.contributions(), known.sold(), known.creator_fee_split_bps, known.is_graduated()),
                (reported.netContributions, reported.sold, reported.creatorFeeSplitBps, reported.finalized),
                "launch {id} of {}",
                self.hook
            );
        }
        for (_, token) in &self.launches {
            let known = state.token_on(self.chain_id, *token).unwrap();
            let contract = IERC20::new(*token, provider.clone());
            for account in self.actors.iter().chain([&self.hook]) {
                let reported = contract.balanceOf(*account).call().await.unwrap();
                assert_eq!(U256::from(state.balance(known, *account)), reported, "{account}");
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn launches_and_balances_equal_the_hooks() {
    let platform = start().await;
    let (_, second) = node(&platform, SECOND);
    let (_, primary) = node(&platform, PRIMARY);
    let stock = second.quote_assets[0].clone();
    let mut random = ChaCha8Rng::seed_from_u64(0xb00c);
    for (chain_id, hook, asset) in [
        (PRIMARY, primary.hook, Address::ZERO),
        (SECOND, second.hook, Address::ZERO),
        (SECOND, stock.hook, stock.address),
    ] {
        let venue = Venue::open(&platform, chain_id, hook, asset).await;
        let mut done = 0;
        for _ in 0..STEPS {
            done += usize::from(venue.step(&mut random).await);
        }
        assert!(done > STEPS / 3, "only {done} steps were possible at {hook}");
        assert!(venue.collect_from_pools().await > 0, "no launch of {hook} has a pool");
        venue.agrees().await;
    }
    platform.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v1_and_auction_equal_the_state() {
    let platform = start().await;
    let (provider, deployment) = node(&platform, PRIMARY);
    let factory = ITokenFactory::new(deployment.token_factory().unwrap(), provider.clone());
    let actor = platform.ready().accounts[2].address;
    let mut random = ChaCha8Rng::seed_from_u64(0xb01);
    let count: u64 = factory.tokenCount().call().await.unwrap().to();
    for _ in 0..STEPS / 2 {
        let token = factory.tokens(U256::from(random.random_range(0..count))).call().await.unwrap();
        let state = folded(&platform);
        let held = state.balance(state.token_on(PRIMARY, token).unwrap(), actor);
        if held > 0 && random.random_range(0..3) == 0 {
            let allow = IERC20::approveCall { spender: *factory.address(), amount: U256::MAX };
            assert!(act(&platform, PRIMARY, actor, token, 0, &allow).await);
            let call =
                ITokenFactory::sellCall { token, tokenAmount: U256::from(held / 2), minEthOut: U256::ZERO };
            act(&platform, PRIMARY, actor, *factory.address(), 0, &call).await;
        } else {
            let call = ITokenFactory::buyCall { token, minTokensOut: U256::ZERO };
            let amount = random.random_range(ETHER / 1_000..ETHER / 4);
            act(&platform, PRIMARY, actor, *factory.address(), amount, &call).await;
        }
    }
    let state = folded(&platform);
    for place in 0..count {
        let token = factory.tokens(U256::from(place)).call().await.unwrap();
        let reported = factory.getTokenState(token).call().await.unwrap();
        let known = state.token_on(PRIMARY, token).unwrap();
        assert_eq!(
            (known.contributions(), known.sold(), known.is_graduated()),
            (reported.contributions, reported.sold, reported.graduated)
        );
        if !reported.graduated {
            assert_eq!(U256::from(known.price), factory.priceOf(token).call().await.unwrap());
        }
    }
    let auction = IEmperorAuction::new(deployment.auction().unwrap(), provider);
    for _ in 0..3 {
        let reported = auction.bidData().call().await.unwrap();
        let standing = folded(&platform).auction().at(platform.engine().clock().now());
        let last = standing.last.unwrap();
        let token = Option::unwrap_or_default;
        assert_eq!(
            (standing.current_bid, standing.start_bid, standing.is_taken),
            (reported.currentBid, reported.startBid, reported.isEpochTaken)
        );
        assert_eq!(
            (last.amount, U256::from(last.at)),
            (reported.lastBidAmount, U256::from(reported.lastBidTime))
        );
        assert_eq!(
            [standing.next, standing.current, standing.previous].map(token),
            [reported.nextBoostedToken, reported.currentBoostedToken, reported.lastBoostedToken]
        );
        let token = factory.tokens(U256::ZERO).call().await.unwrap();
        let value: u128 = reported.currentBid.to();
        let bid = IEmperorAuction::bidCall { token };
        act(&platform, PRIMARY, actor, *auction.address(), value, &bid).await;
        platform.engine().advance(30_000).await.unwrap();
    }
    platform.stop().await;
}
