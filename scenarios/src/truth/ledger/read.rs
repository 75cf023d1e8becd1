//! Reads the chains up to one named block each, in a bounded number of requests, and reports what could not be read.
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use alloy::eips::BlockNumHash;
use alloy::primitives::aliases::{I24, U24};
use alloy::primitives::{Address, B256, U256, keccak256};
use alloy::rpc::types::Log;
use alloy::sol_types::{SolEvent, SolValue as _};
use num_bigint::BigInt;
use num_rational::BigRational;
use serde_json::{Value, json};

use super::Ledger;
use super::deployments::Deployments;
use super::exchange::described;
use super::fold::{ChainReading, decode};
use super::launch::{Asset, Deployment, Launch};
use crate::client::chain::Chain;
use crate::client::wire::{Exchange, LaunchHook, PoolKey, Pools, Token, TokenFactory};
use crate::model::target::CHAINS;
use crate::model::verdict::{Inconclusive, Stop, Verdict};
use crate::trial::{AT_ONCE, Trial, some_at_once};
use crate::truth::reference::integer;

/// Most requests for logs to one chain.
const REQUESTS: u32 = 4_000;
/// Most folded deployments that a world keeps.
const KNOWN: usize = 16;
/// Fees and tick spacings of the pools that may price an asset, in order of preference.
const USUAL_POOLS: [(u32, i32); 4] = [(3_000, 60), (500, 10), (10_000, 200), (100, 1)];
/// Most contracts in one request for logs.
const ADDRESSES: usize = 200;

impl Ledger {
    /// Reads both chains at their newest blocks, except those without a known RPC. Skips the check if nothing can be read.
    pub(crate) async fn read(trial: &Trial<'_>) -> Result<Self, Stop> {
        let mut ledger = Self::default();
        for chain_id in CHAINS {
            match trial.chain(chain_id) {
                Ok(chain) => ledger.add_chain(trial, chain).await?,
                Err(_) => {
                    ledger.leave_out(format!("chain {chain_id} needs an RPC (--rpc-url {chain_id}=URL)"));
                }
            }
        }
        if ledger.heads.is_empty() {
            return Err(Stop::Skipped(format!("no chain could be read: {}", ledger.unread.join("; "))));
        }
        Ok(ledger)
    }

    /// Requires that everything was read. A missing RPC skips the check; logs that a node does not return leave no verdict. A contract of
    /// another ABI only excludes its own tokens, unless it is the only one with launches.
    pub(crate) fn require_complete(&self) -> Verdict {
        if self.unread.is_empty() && (self.foreign.is_empty() || !self.launches.is_empty()) {
            return Ok(());
        }
        let foreign =
            self.foreign.iter().map(|(chain, hook)| format!("chain {chain}: {hook} has another ABI"));
        let reasons: Vec<String> = self.unread.iter().cloned().chain(foreign).collect();
        let reason = format!("not all could be read: {}", reasons.join("; "));
        if self.unread.len() == self.out_of_scope {
            return Err(Stop::Skipped(reason));
        }
        Err(Inconclusive::Unreachable { endpoint: "the chain", reason }.into())
    }

    fn leave_out(&mut self, reason: String) {
        self.unread.push(reason);
        self.out_of_scope += 1;
    }

    async fn add_chain(&mut self, trial: &Trial<'_>, chain: &Chain) -> Verdict {
        let block = chain.head().await?;
        let head = BlockNumHash::new(block.header.number, block.header.hash);
        trial.settled(chain.chain_id(), head.number).await?;
        let named = Deployments::read(trial, chain).await?;
        for address in &named.without_code {
            self.unread.push(format!("chain {}: {address} has no code", chain.chain_id()));
        }
        self.foreign.extend(named.of_another_abi.iter().map(|hook| (chain.chain_id(), *hook)));
        let requests = AtomicU32::new(REQUESTS);
        for deployment in &named.tradeable {
            match known(trial, chain, deployment, &head, &requests).await {
                Ok(launches) => self
                    .launches
                    .extend(launches.into_iter().map(|launch| ((chain.chain_id(), launch.token), launch))),
                Err(Stop::Skipped(reason)) => self.unread.push(reason),
                Err(stop) => return Err(stop),
            }
        }
        self.heads.insert(chain.chain_id(), head);
        Ok(())
    }
}

/// Returns the launches of one deployment, folded once per block for all checks of a world; skips if its logs take too many requests.
async fn known(
    trial: &Trial<'_>,
    chain: &Chain,
    deployment: &Deployment,
    head: &BlockNumHash,
    requests: &AtomicU32,
) -> Verdict<Vec<Arc<Launch>>> {
    let mut known = trial.folded.lock().await;
    if let Some((.., folded)) = known.iter().find(|(hash, of, _)| *hash == head.hash && of == deployment) {
        return Ok(folded.clone());
    }
    let head_number = head.number;
    let reader = Reader { chain, deployment, head: head_number, requests, result: ChainReading::default() };
    let folded: Vec<Arc<Launch>> = reader.read().await?.into_iter().map(Arc::new).collect();
    if known.len() == KNOWN {
        known.remove(0);
    }
    known.push((head.hash, deployment.clone(), folded.clone()));
    Ok(folded)
}

/// Reads one deployment up to a block.
struct Reader<'r> {
    chain: &'r Chain,
    deployment: &'r Deployment,
    head: u64,
    requests: &'r AtomicU32,
    result: ChainReading,
}

impl Reader<'_> {
    async fn read(mut self) -> Verdict<Vec<Launch>> {
        self.result.logs = self.logs(&[self.deployment.hook], &json!([])).await?;
        let tokens = if self.deployment.is_v1 { self.factory().await? } else { self.hook().await? };
        let transfers = tokens.chunks(ADDRESSES).map(|some| self.transfers(some)).collect();
        self.result.transfers = some_at_once(AT_ONCE, transfers).await?.concat();
        let logs = self.result.logs.iter().chain(&self.result.pool_logs);
        self.result.times = self.chain.times(logs).await?;
        let Self { deployment, result, .. } = self;
        Ok(if deployment.is_v1 { result.fold_factory(deployment)? } else { result.fold_hook(deployment)? })
    }

    /// Reads the transfers of tokens, from the block in which the first of them was created.
    async fn transfers(&self, tokens: &[(u64, Address)]) -> Verdict<Vec<Log>> {
        let first = tokens.iter().map(|(block, _)| *block).min().unwrap_or(self.deployment.start_block);
        let addresses: Vec<Address> = tokens.iter().map(|(_, token)| *token).collect();
        self.logs_from(first, &addresses, &json!([Token::Transfer::SIGNATURE_HASH])).await
    }

    async fn logs(&self, addresses: &[Address], topics: &Value) -> Verdict<Vec<Log>> {
        self.logs_from(self.deployment.start_block, addresses, topics).await
    }

    async fn logs_from(&self, first: u64, addresses: &[Address], topics: &Value) -> Verdict<Vec<Log>> {
        let range = (first, self.head);
        let logs = self.chain.logs_within(addresses, topics, range, self.requests).await?;
        let (chain, hook) = (self.chain.chain_id(), self.deployment.hook);
        let too_much = || format!("chain {chain}: the logs of {hook} take more than {REQUESTS} requests");
        logs.ok_or_else(|| Stop::Skipped(too_much()))
    }

    /// Reads states and pools of a hook's launches; returns their tokens, each with its block of creation.
    async fn hook(&mut self) -> Verdict<Vec<(u64, Address)>> {
        let (chain, hook, head) = (self.chain, self.deployment.hook, self.head);
        let created: Vec<LaunchHook::LaunchCreated> = events(&self.result.logs)?;
        let ids = created.iter().map(|one| one.launchId);
        let state = |launch| (hook, LaunchHook::getLaunchStateCall { launchId: launch });
        self.result.states = chain.each_at(ids, state, head).await?;
        let assets: BTreeSet<Address> = self.result.states.values().map(|state| state.quoteAsset).collect();
        for asset in assets.into_iter().filter(|asset| *asset != Address::ZERO) {
            if let Some(found) = read_asset(chain, self.deployment, asset, head).await? {
                self.result.assets.insert(asset, found);
            }
        }
        let finalized: Vec<LaunchHook::LaunchFinalized> = events(&self.result.logs)?;
        let pools: Vec<B256> = finalized.iter().map(|one| one.poolId).collect();
        if let (Some(manager), false) = (self.deployment.pool_manager, pools.is_empty()) {
            let kinds = [Pools::Swap::SIGNATURE_HASH, Pools::Initialize::SIGNATURE_HASH];
            self.result.pool_logs = self.logs(&[manager], &json!([kinds, pools])).await?;
        }
        if let Some(view) = self.deployment.state_view {
            let slot = |pool| (view, Pools::getSlot0Call { poolId: pool });
            let slots = chain.each_at(pools, slot, head).await?;
            self.result.pools =
                slots.into_iter().map(|(pool, slot)| (pool, slot.sqrtPriceX96.to())).collect();
        }
        let blocks = blocks::<LaunchHook::LaunchCreated>(&self.result.logs);
        Ok(blocks.zip(created.iter().map(|one| one.token)).collect())
    }

    /// Reads states and pairs of V1 tokens; returns the tokens, each with its block of creation.
    async fn factory(&mut self) -> Verdict<Vec<(u64, Address)>> {
        let (chain, factory, head) = (self.chain, self.deployment.hook, self.head);
        let created: Vec<TokenFactory::TokenCreated> = events(&self.result.logs)?;
        let tokens: Vec<Address> = created.iter().map(|one| one.token).collect();
        let state = |token| (factory, TokenFactory::getTokenStateCall { token });
        self.result.v1_states = chain.each_at(tokens.iter().copied(), state, head).await?;
        let graduated: Vec<TokenFactory::TokenGraduated> = events(&self.result.logs)?;
        let pairs: Vec<Address> = graduated.iter().map(|one| one.pair).collect();
        if !pairs.is_empty() {
            let kinds = [Exchange::Sync::SIGNATURE_HASH, Exchange::Swap::SIGNATURE_HASH];
            self.result.pool_logs = self.logs(&pairs, &json!([kinds])).await?;
            self.result.pair_firsts =
                chain.each_at(pairs, |pair| (pair, Exchange::token0Call {}), head).await?;
        }
        Ok(blocks::<TokenFactory::TokenCreated>(&self.result.logs).zip(tokens).collect())
    }
}

/// Reads an asset's description and price; `None` if its contract does not answer.
async fn read_asset(
    chain: &Chain,
    deployment: &Deployment,
    address: Address,
    block: u64,
) -> Result<Option<Asset>, Inconclusive> {
    let price = match deployment.state_view {
        Some(view) => read_price(chain, view, address, block).await?,
        None => None,
    };
    let described = described(chain, &BTreeSet::from([address]), block).await?.remove(&address);
    Ok(described.map(|described| Asset { address, described, price }))
}

/// Reads the ether price of a whole asset of 18 decimals from the first of the usual v4 pools with the native coin that is open and has no
/// hook.
async fn read_price(
    chain: &Chain,
    view: Address,
    asset: Address,
    block: u64,
) -> Result<Option<BigRational>, Inconclusive> {
    let calls = USUAL_POOLS.map(|(fee, spacing)| {
        let key = PoolKey {
            currency1: asset,
            fee: U24::from(fee),
            tickSpacing: I24::unchecked_from(spacing),
            ..PoolKey::default()
        };
        (view, Pools::getSlot0Call { poolId: keccak256(key.abi_encode()) })
    });
    let slots = chain.calls_at(&calls, block).await?;
    let root =
        slots.into_iter().flatten().map(|slot| slot.sqrtPriceX96.to::<U256>()).find(|root| !root.is_zero());
    // The root is of assets per ether.
    Ok(root.map(|root| BigRational::new(BigInt::from(1) << 192, integer(root).pow(2))))
}

/// Decodes the events of one kind among logs.
fn events<E: SolEvent>(logs: &[Log]) -> Result<Vec<E>, Inconclusive> {
    of_kind::<E>(logs).map(decode).collect()
}

/// Returns the blocks of the events of one kind, in order.
fn blocks<E: SolEvent>(logs: &[Log]) -> impl Iterator<Item = u64> {
    of_kind::<E>(logs).map(|log| log.block_number.unwrap_or_default())
}

fn of_kind<E: SolEvent>(logs: &[Log]) -> impl Iterator<Item = &Log> {
    logs.iter().filter(|log| log.topic0() == Some(&E::SIGNATURE_HASH))
}
