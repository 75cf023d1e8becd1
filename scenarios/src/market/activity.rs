//! What was traded, counted from the logs of the chains: the truth behind transaction counts and trends.
use std::collections::{BTreeMap, BTreeSet};

use alloy::primitives::{Address, B256, U64};
use alloy::rpc::types::{Block, Log};
use alloy::sol_types::SolEvent;
use serde_json::{Value, json};
use slipway_contracts::bindings::{ILaunchHook, IPoolManager};

use crate::check::{Inconclusive, Verdict};
use crate::client::chain::Chain;
use crate::market::as_no_verdict;
use crate::reads::{CAPABILITIES, CHAINS, param};
use crate::trial::Trial;
use crate::wire::{Exchange, TokenFactory};

/// When each token was traded; nothing is known of a token whose launch was not found.
#[derive(Clone, Debug, Default)]
pub(crate) struct Activity {
    tokens: BTreeMap<Address, Traded>,
}

/// Unix seconds of trades.
#[derive(Clone, Debug, Default)]
struct Traded {
    sure: Vec<u64>,
    /// Swaps the hook made for itself, which may or may not count.
    doubtful: Vec<u64>,
}

/// A deployment to trade through.
struct Venue {
    hook: Address,
    /// Whether it is the token factory of the first version.
    is_v1: bool,
    pool_manager: Option<Address>,
    start_block: u64,
}

impl Activity {
    /// Reads the logs of every deployment of every chain whose RPC is known.
    pub(crate) async fn read(trial: &Trial<'_>) -> Verdict<Self> {
        let mut activity = Self::default();
        for chain_id in CHAINS {
            let Ok(chain) = trial.chain(chain_id) else {
                continue;
            };
            for venue in venues(trial, chain_id).await? {
                activity.add(chain, &venue).await?;
            }
        }
        Ok(activity)
    }

    /// How many transactions a token has had: at least, and at most.
    pub(crate) fn transactions(&self, token: &Address) -> (u64, u64) {
        self.within(token, 0, 0)
    }

    /// How many lie after a moment: surely after `late`, possibly from `early` on.
    pub(crate) fn within(&self, token: &Address, early: u64, late: u64) -> (u64, u64) {
        let Some(traded) = self.tokens.get(token) else {
            return (0, u64::MAX);
        };
        let count = |times: &[u64], from: u64| {
            u64::try_from(times.iter().filter(|time| **time >= from).count()).unwrap_or(u64::MAX)
        };
        let sure = count(&traded.sure, late);
        (sure, count(&traded.sure, early) + count(&traded.doubtful, early))
    }

    /// Whether anything is known of a token.
    pub(crate) fn knows(&self, token: &Address) -> bool {
        self.tokens.contains_key(token)
    }

    async fn add(&mut self, chain: &Chain, venue: &Venue) -> Verdict {
        if venue.is_v1 {
            return self.add_v1(chain, venue).await;
        }
        let mut times = Times::default();
        let mut launches = BTreeMap::new();
        for log in
            chain.logs(venue.hook, ILaunchHook::LaunchCreated::SIGNATURE_HASH, venue.start_block).await?
        {
            let created: ILaunchHook::LaunchCreated = decode(&log)?;
            launches.insert(created.launchId, created.token);
            self.tokens.entry(created.token).or_default();
        }
        for log in chain.logs(venue.hook, ILaunchHook::Trade::SIGNATURE_HASH, venue.start_block).await? {
            let trade: ILaunchHook::Trade = decode(&log)?;
            let time = times.of(chain, &log).await?;
            if let Some(token) = launches.get(&trade.launchId) {
                self.tokens.entry(*token).or_default().sure.push(time);
            }
        }
        let mut pools = BTreeMap::new();
        for log in
            chain.logs(venue.hook, ILaunchHook::LaunchFinalized::SIGNATURE_HASH, venue.start_block).await?
        {
            let finalized: ILaunchHook::LaunchFinalized = decode(&log)?;
            if let Some(token) = launches.get(&finalized.launchId) {
                pools.insert(finalized.poolId, *token);
            }
        }
        match venue.pool_manager {
            Some(manager) => self.add_swaps(chain, venue, manager, &pools, &mut times).await,
            None => {
                // Swaps cannot be seen, so nothing is known of what has a pool.
                let blind: BTreeSet<Address> = pools.into_values().collect();
                self.tokens.retain(|token, _| !blind.contains(token));
                Ok(())
            }
        }
    }

    /// Trades of the factory's tokens, and swaps in their pairs, which nobody can fill before they graduate.
    async fn add_v1(&mut self, chain: &Chain, venue: &Venue) -> Verdict {
        let mut times = Times::default();
        let (factory, from) = (venue.hook, venue.start_block);
        for log in chain.logs(factory, TokenFactory::TokenCreated::SIGNATURE_HASH, from).await? {
            let created: TokenFactory::TokenCreated = decode(&log)?;
            self.tokens.entry(created.token).or_default();
        }
        for log in chain.logs(factory, TokenFactory::TokenTraded::SIGNATURE_HASH, from).await? {
            let trade: TokenFactory::TokenTraded = decode(&log)?;
            let time = times.of(chain, &log).await?;
            self.tokens.entry(trade.token).or_default().sure.push(time);
        }
        for log in chain.logs(factory, TokenFactory::TokenGraduated::SIGNATURE_HASH, from).await? {
            let graduated: TokenFactory::TokenGraduated = decode(&log)?;
            for log in chain.logs(graduated.pair, Exchange::Swap::SIGNATURE_HASH, from).await? {
                let time = times.of(chain, &log).await?;
                self.tokens.entry(graduated.token).or_default().sure.push(time);
            }
        }
        Ok(())
    }

    async fn add_swaps(
        &mut self,
        chain: &Chain,
        venue: &Venue,
        manager: Address,
        pools: &BTreeMap<B256, Address>,
        times: &mut Times,
    ) -> Verdict {
        for log in chain.logs(manager, IPoolManager::Swap::SIGNATURE_HASH, venue.start_block).await? {
            let swap: IPoolManager::Swap = decode(&log)?;
            let Some(token) = pools.get(&swap.id) else {
                continue;
            };
            let time = times.of(chain, &log).await?;
            let traded = self.tokens.entry(*token).or_default();
            if swap.sender == venue.hook {
                traded.doubtful.push(time);
            } else {
                traded.sure.push(time);
            }
        }
        Ok(())
    }
}

/// Times of blocks, asked for once where the log does not say.
#[derive(Default)]
struct Times {
    known: BTreeMap<u64, u64>,
}

impl Times {
    async fn of(&mut self, chain: &Chain, log: &Log) -> Verdict<u64> {
        if let Some(time) = log.block_timestamp {
            return Ok(time);
        }
        let number = log.block_number.unwrap_or_default();
        if let Some(time) = self.known.get(&number) {
            return Ok(*time);
        }
        let block: Block = chain.must("eth_getBlockByNumber", json!([U64::from(number), false])).await?;
        self.known.insert(number, block.header.timestamp);
        Ok(block.header.timestamp)
    }
}

fn decode<E: SolEvent>(log: &Log) -> Result<E, Inconclusive> {
    E::decode_log_data(log.data()).map_err(|error| Inconclusive::NoMaterial {
        reason: format!("a log of {} is no {}: {error}", log.address(), E::SIGNATURE),
    })
}

async fn venues(trial: &Trial<'_>, chain_id: u64) -> Verdict<Vec<Venue>> {
    let response = trial.read(CAPABILITIES, &[param("chainId", chain_id.to_string())]).await?;
    let body = trial.ok_json(&response).map_err(as_no_verdict)?;
    let deployments = body["tradeableDeployments"].as_array().cloned().unwrap_or_default();
    let address = |value: &Value| value.as_str()?.parse::<Address>().ok();
    Ok(deployments
        .iter()
        .filter_map(|deployment| {
            Some(Venue {
                hook: address(&deployment["hook"])?,
                is_v1: deployment["version"] == "v1",
                pool_manager: address(&deployment["v4"]["poolManager"]),
                start_block: deployment["startBlock"].as_u64().unwrap_or_default(),
            })
        })
        .collect())
}
