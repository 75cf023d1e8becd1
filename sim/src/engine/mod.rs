//! Operations that must change clock, chains, store and indexer together: time, checkpoints, and the operator's own signatures.
mod actor;
mod checkpoint;
mod error;
pub(crate) mod export;
mod exporter;
mod keep;
mod kept;
mod operator;
mod order;
mod peers;
mod pool;
mod record;
mod stay;
mod time;
mod trade;
mod trail;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use alloy::signers::local::PrivateKeySigner;
use arc_swap::ArcSwap;
use parking_lot::RwLock;
use slipway_contracts::deploy::Deployment;
use tokio::sync::{Mutex, watch};

use crate::account::Account;
use crate::activity::{Activities, Activity};
use crate::chain::Chain;
use crate::clock::Clock;
#[cfg(test)]
use crate::clock::ClockMode;
use crate::event::Event;
use crate::faults::Faults;
#[cfg(test)]
use crate::indexer::{EventLog, Folds};
use crate::indexer::{Heights, Indexer, Rewind};
use crate::state::State;
use crate::state::exchange::ExchangeState;
#[cfg(test)]
use crate::store::Backend;
use crate::store::{Store, StoreError};
pub(crate) use actor::Done;
pub(crate) use error::EngineError;
pub use exporter::ExportFileError;
pub(crate) use exporter::Exporter;
pub(crate) use keep::{CallEnd, Effect, Keep, is_damage};
pub(crate) use kept::CheckpointRecord;
use kept::Checkpoints;
pub(crate) use operator::SignedCaptcha;
use peers::Lease;
pub(crate) use record::{Kept, keep_first};
pub use record::{KeptReadError, StateError};
pub(crate) use stay::Stay;
pub(crate) use trade::{SLIPPAGE_BPS, TradeCall, TradeMarket, TradeOrder};

/// A contract on every chain that cannot hold ether.
const WITHOUT_ETHER: &str = "StateView";

/// The platform without its services; copies share it.
#[derive(Clone, Debug)]
pub struct Engine {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    clock: Clock,
    chains: BTreeMap<u64, Placed>,
    indexer: Indexer,
    store: Store,
    accounts: Vec<Account>,
    captcha_signer: PrivateKeySigner,
    owner: PrivateKeySigner,
    /// Whether another process moves the clock.
    follows_clock: bool,
    lease: Lease,
    /// Serializes orders that change more than one part.
    orders: Arc<Mutex<Checkpoints>>,
    /// Held by every write in progress, and alone by a revert.
    returns: tokio::sync::RwLock<()>,
    /// Serializes the transactions of accounts, by chain id.
    actors: BTreeMap<u64, Arc<Mutex<()>>>,
    /// Number of captchas signed; their nonces are derived from it.
    captchas: AtomicU64,
    faults: Arc<Faults>,
    activities: Activities,
    /// The folder in which the platform is kept, if any.
    keep: Option<Keep>,
    /// The unfinished part of the last order.
    unfinished: parking_lot::Mutex<Option<String>>,
}

#[derive(Clone, Debug)]
pub(crate) struct Placed {
    pub(crate) chain: Chain,
    pub(crate) deployment: Deployment,
    /// The number of the market's last block, if it is known.
    pub(crate) market: Option<u64>,
}

#[derive(Debug)]
pub(crate) struct Parts {
    pub(crate) clock: Clock,
    /// Whether another process moves the clock.
    pub(crate) follows_clock: bool,
    pub(crate) chains: BTreeMap<u64, Placed>,
    pub(crate) indexer: Indexer,
    pub(crate) store: Store,
    pub(crate) accounts: Vec<Account>,
    pub(crate) captcha_signer: PrivateKeySigner,
    pub(crate) owner: PrivateKeySigner,
    /// The folder in which the platform is kept, if any.
    pub(crate) keep: Option<Keep>,
}

impl Engine {
    pub(crate) fn new(parts: Parts) -> Self {
        let Parts { clock, follows_clock, chains, indexer, store, accounts, captcha_signer, owner, keep } =
            parts;
        let inner = Inner {
            clock,
            follows_clock,
            actors: chains.keys().map(|&chain_id| (chain_id, Arc::default())).collect(),
            chains,
            indexer,
            store,
            accounts,
            captcha_signer,
            owner,
            lease: Lease::default(),
            orders: Arc::default(),
            returns: Default::default(),
            captchas: AtomicU64::new(0),
            faults: Arc::default(),
            activities: Activities::default(),
            keep,
            unfinished: Default::default(),
        };
        Self { inner: Arc::new(inner) }
    }

    /// The platform's one clock.
    #[must_use]
    pub fn clock(&self) -> &Clock {
        &self.inner.clock
    }

    /// The chains with their main deployments.
    pub fn chains(&self) -> impl Iterator<Item = (&Chain, &Deployment)> {
        self.inner.chains.values().map(|placed| (&placed.chain, &placed.deployment))
    }

    /// The chains with their addresses and deployments.
    pub(crate) fn placed(&self) -> impl Iterator<Item = &Placed> {
        self.inner.chains.values()
    }

    /// One chain with its deployments.
    pub fn chain(&self, chain_id: u64) -> Result<(&Chain, &Deployment), EngineError> {
        let placed = self.inner.chains.get(&chain_id).ok_or(EngineError::UnknownChain(chain_id))?;
        Ok((&placed.chain, &placed.deployment))
    }

    /// The store of off-chain facts.
    #[must_use]
    pub fn store(&self) -> &Store {
        &self.inner.store
    }

    pub(crate) fn faults(&self) -> &Arc<Faults> {
        &self.inner.faults
    }

    /// The stream of activities.
    pub(crate) fn activities(&self) -> &Activities {
        &self.inner.activities
    }

    fn tell(&self, what: Activity) {
        self.inner.activities.tell(what);
    }

    /// The accounts given to users.
    #[must_use]
    pub fn accounts(&self) -> &[Account] {
        &self.inner.accounts
    }

    /// The indexed launches of both chains.
    #[must_use]
    pub fn state(&self) -> Arc<RwLock<State>> {
        self.inner.indexer.state()
    }

    /// The indexed exchange.
    #[must_use]
    pub fn exchange(&self) -> Arc<ArcSwap<ExchangeState>> {
        self.inner.indexer.exchange()
    }

    /// The indexed height of each chain.
    #[must_use]
    pub fn heights(&self) -> watch::Receiver<Heights> {
        self.inner.indexer.heights()
    }

    /// The latest events of a chain that `keep` accepts, at most `limit`, newest first; blocks below `oldest` are not
    /// searched.
    pub(crate) fn latest_events(
        &self,
        chain_id: u64,
        oldest: u64,
        limit: usize,
        keep: impl Fn(&Event) -> bool,
    ) -> Vec<Event> {
        self.inner.indexer.latest_events(chain_id, oldest, limit, keep)
    }

    /// The latest rollbacks of the chains, newest last.
    #[must_use]
    pub fn rewinds(&self) -> Vec<Rewind> {
        self.inner.indexer.rewinds()
    }

    /// Waits until the store has responded, every node can write to its chain, and every chain is indexed up to its node's head; returns
    /// the chain ids. Fails if an order is unfinished.
    pub async fn answering(&self) -> Result<Vec<u64>, EngineError> {
        self.inner.store.progress().await?;
        // Only the platform that started the nodes writes to them.
        if !self.inner.follows_clock {
            let written = self.placed().map(|Placed { chain, deployment, .. }| {
                chain.write_nothing(deployment.contract(WITHOUT_ETHER).unwrap_or_default())
            });
            futures::future::try_join_all(written).await?;
        }
        self.catch_up().await?;
        match self.unfinished() {
            Some(report) => Err(EngineError::Unfinished(report)),
            None => Ok(self.inner.chains.keys().copied().collect()),
        }
    }

    /// Indexes every chain up to its head, and every stored fact.
    ///
    /// Clause: HIST-READ
    pub async fn catch_up(&self) -> Result<(), EngineError> {
        let chains = self.inner.chains.keys().map(|&chain_id| self.inner.indexer.catch_up(chain_id, None));
        futures::future::try_join_all(chains).await?;
        self.catch_up_facts().await?;
        Ok(())
    }

    /// Folds every stored fact.
    pub(crate) async fn catch_up_facts(&self) -> Result<(), StoreError> {
        self.inner.indexer.catch_up_facts().await
    }

    fn all(&self) -> impl Iterator<Item = &Chain> {
        self.inner.chains.values().map(|placed| &placed.chain)
    }
}

#[cfg(test)]
impl Engine {
    /// A platform without chains, with a stopped clock.
    pub(crate) async fn without_chains(state: State, now: u64) -> Self {
        let store = Store::open(Backend::Memory).await.expect("memory is at hand");
        let blank = Folds { state, ..Folds::default() };
        Self::new(Parts {
            clock: Clock::starting_at(ClockMode::Manual, now),
            follows_clock: false,
            chains: BTreeMap::new(),
            indexer: Indexer::new(Vec::new(), store.clone(), 0, blank, EventLog::default()),
            store,
            accounts: Vec::new(),
            captcha_signer: PrivateKeySigner::random(),
            owner: PrivateKeySigner::random(),
            keep: None,
        })
    }
}
