//! Logs of both chains to events in one order a chain, folded as they come; rewinds when a chain was reorganised.
mod decode;
mod follow;
mod log;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use arc_swap::ArcSwap;
use tokio::sync::watch;

use crate::chain::{Chain, ChainError, Head, RawBlock};
use crate::event::{Event, EventKind};
use crate::state::State;
use crate::state::exchange::ExchangeState;
use crate::store::{Store, StoreError};
pub(crate) use decode::Watched;
pub(crate) use follow::Following;
pub(crate) use log::{Blocks, EventLog, Folds, IndexedBlock};

/// Most blocks fetched in one round trip.
const BLOCKS_A_FETCH: u64 = 256;

/// The last indexed block of each chain, by chain id.
pub type Heights = BTreeMap<u64, u64>;

/// Indexes both chains; copies share one state.
#[derive(Clone, Debug)]
pub(crate) struct Indexer {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    store: Store,
    blank: Folds,
    followers: BTreeMap<u64, tokio::sync::Mutex<Follower>>,
    log: Mutex<EventLog>,
    state: Arc<RwLock<State>>,
    exchange: Arc<ArcSwap<ExchangeState>>,
    heights: watch::Sender<Heights>,
}

/// One chain and the contracts in it that count.
#[derive(Debug)]
struct Follower {
    chain: Chain,
    watched: Watched,
}

/// Everything indexed at one moment, to go back to.
#[derive(Clone, Debug)]
pub(crate) struct Saved {
    log: EventLog,
    state: State,
    exchange: Arc<ExchangeState>,
}

impl Indexer {
    /// An indexer that has folded `log` already, before it asks a chain for the first time.
    pub(crate) fn new(chains: Vec<(Chain, Watched)>, store: Store, blank: Folds, log: EventLog) -> Self {
        let folds = log.fold(&blank);
        let followers = chains
            .into_iter()
            .map(|(chain, mut watched)| {
                watched.learn(log.blocks(chain.id()).iter().flat_map(|block| &block.events));
                (chain.id(), tokio::sync::Mutex::new(Follower { chain, watched }))
            })
            .collect();
        let inner = Inner {
            store,
            blank,
            followers,
            heights: watch::Sender::new(log.heights()),
            log: Mutex::new(log),
            state: Arc::new(RwLock::new(folds.state)),
            exchange: Arc::new(ArcSwap::from_pointee(folds.exchange)),
        };
        Self { inner: Arc::new(inner) }
    }

    /// The fold of launches.
    pub(crate) fn state(&self) -> Arc<RwLock<State>> {
        Arc::clone(&self.inner.state)
    }

    /// The fold of the exchange.
    pub(crate) fn exchange(&self) -> Arc<ArcSwap<ExchangeState>> {
        Arc::clone(&self.inner.exchange)
    }

    /// How far each chain is indexed; a height is told after the state holds it.
    pub(crate) fn heights(&self) -> watch::Receiver<Heights> {
        self.inner.heights.subscribe()
    }

    /// Indexes a chain up to its head; `hint` is a head that the node has just told of.
    pub(crate) async fn catch_up(&self, chain_id: u64, hint: Option<Head>) -> Result<(), ChainError> {
        let Some(follower) = self.inner.followers.get(&chain_id) else {
            return Ok(());
        };
        let mut follower = follower.lock().await;
        let mut head = match hint {
            Some(head) => head,
            None => follower.chain.head().await?,
        };
        while !self.reached(chain_id, head) {
            if let Err(error) = self.step(&mut follower, head).await {
                // The block that was named may be gone; the head as it is now decides whether that is all.
                let now = follower.chain.head().await?;
                if now == head {
                    return Err(error);
                }
                head = now;
                continue;
            }
            if self.reached(chain_id, head) {
                break;
            }
            head = follower.chain.head().await?;
        }
        Ok(())
    }

    /// Folds the facts that were stored since the last call.
    pub(crate) async fn catch_up_facts(&self) -> Result<(), StoreError> {
        let after = self.log().last_fact();
        let facts = self.inner.store.facts_after(after).await?;
        let mut log = self.log();
        for (number, fact) in facts.into_iter().filter(|(number, _)| *number > after) {
            if number > log.last_fact() {
                self.write().apply_fact(&fact);
                log.push_fact(number, fact);
            }
        }
        Ok(())
    }

    /// Folds everything again over the facts as they are, after another process has forgotten some.
    pub(crate) async fn fold_again(&self) -> Result<(), StoreError> {
        let facts = self.inner.store.facts_after(0).await?;
        let mut log = self.log();
        log.replace_facts(facts);
        let folds = log.fold(&self.inner.blank);
        *self.write() = folds.state;
        self.inner.exchange.store(Arc::new(folds.exchange));
        Ok(())
    }

    /// Everything as it is now.
    pub(crate) fn save(&self) -> Saved {
        let log = self.log();
        let state = self.inner.state.read().unwrap_or_else(PoisonError::into_inner).clone();
        Saved { log: log.clone(), state, exchange: self.inner.exchange.load_full() }
    }

    /// Everything as it was; the caller has brought the chains and the store back to the same moment.
    pub(crate) async fn restore(&self, saved: &Saved) {
        let mut followers = Vec::new();
        for follower in self.inner.followers.values() {
            followers.push(follower.lock().await);
        }
        for follower in &mut followers {
            let events = saved.log.blocks(follower.chain.id()).iter().flat_map(|block| &block.events);
            let mut watched = follower.watched.without_learned();
            watched.learn(events);
            follower.watched = watched;
        }
        let mut log = self.log();
        *log = saved.log.clone();
        *self.write() = saved.state.clone();
        self.inner.exchange.store(Arc::clone(&saved.exchange));
        self.inner.heights.send_replace(log.heights());
    }

    /// The indexed blocks of a chain.
    pub(crate) fn blocks(&self, chain_id: u64) -> Blocks {
        self.log().blocks(chain_id).to_vec()
    }

    fn reached(&self, chain_id: u64, head: Head) -> bool {
        self.log().tip(chain_id).is_some_and(|tip| tip.hash == head.hash)
    }

    /// Indexes the next stretch towards `head`, or rewinds to where the chain forked.
    async fn step(&self, follower: &mut Follower, head: Head) -> Result<(), ChainError> {
        let chain_id = follower.chain.id();
        let tip = self.log().tip(chain_id).map(|tip| (tip.number, tip.hash));
        let first = tip.map_or(0, |(number, _)| number + 1);
        if head.number < first {
            return self.rewind(follower, head.number).await;
        }
        let last = head.number.min(first + BLOCKS_A_FETCH - 1);
        let raw = follower.chain.blocks(first, last).await?;
        let fits = |block: &RawBlock| tip.is_none_or(|(_, hash)| block.head.parent == hash);
        if !raw.first().is_some_and(fits) {
            return self.rewind(follower, first - 1).await;
        }
        let linked = raw.iter().zip(raw.iter().skip(1)).take_while(|(a, b)| a.head.hash == b.head.parent);
        let usable = linked.count() + 1;
        for block in &raw[..usable] {
            let events = decode::events_of(&follower.chain, &mut follower.watched, block).await;
            self.push(chain_id, IndexedBlock::new(block.head, events));
        }
        Ok(())
    }

    fn push(&self, chain_id: u64, block: IndexedBlock) {
        let mut log = self.log();
        if !block.events.is_empty() {
            let mut state = self.write();
            for event in &block.events {
                state.apply(event);
            }
        }
        if block.events.iter().any(of_the_exchange) {
            let mut exchange = ExchangeState::clone(&self.inner.exchange.load());
            for event in &block.events {
                exchange.apply(event);
            }
            self.inner.exchange.store(Arc::new(exchange));
        }
        let height = block.number;
        log.push(chain_id, Arc::new(block));
        self.inner.heights.send_modify(|heights| _ = heights.insert(chain_id, height));
    }

    /// Drops what is not in the chain any more, at most `newest` stays, and folds the rest again.
    async fn rewind(&self, follower: &mut Follower, newest: u64) -> Result<(), ChainError> {
        let chain_id = follower.chain.id();
        let mut kept = Some(newest);
        while let Some(number) = kept {
            let ours = self.log().hash_at(chain_id, number);
            if ours == Some(follower.chain.head_at(number).await?.hash) {
                break;
            }
            kept = number.checked_sub(1);
        }
        let mut log = self.log();
        log.truncate(chain_id, kept);
        follower.watched = follower.watched.without_learned();
        follower.watched.learn(log.blocks(chain_id).iter().flat_map(|block| &block.events));
        let folds = log.fold(&self.inner.blank);
        *self.write() = folds.state;
        self.inner.exchange.store(Arc::new(folds.exchange));
        self.inner.heights.send_replace(log.heights());
        Ok(())
    }

    fn log(&self) -> MutexGuard<'_, EventLog> {
        self.inner.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> std::sync::RwLockWriteGuard<'_, State> {
        self.inner.state.write().unwrap_or_else(PoisonError::into_inner)
    }
}

fn of_the_exchange(event: &Event) -> bool {
    matches!(
        event.kind,
        EventKind::PairCreated { .. }
            | EventKind::Sync { .. }
            | EventKind::FeeOnTransfer
            | EventKind::PairSwap { .. }
    )
}
