//! Turns logs of both chains into events, in order per chain, and folds them on arrival; rolls back when a chain is reorganised.
mod decode;
mod follow;
mod keep;
mod log;
mod look;

use std::collections::BTreeMap;
use std::sync::Arc;

use alloy::primitives::B256;
use arc_swap::ArcSwap;
use parking_lot::{Mutex, RwLock};
use tokio::sync::watch;

use crate::chain::{Chain, ChainError, Head, RawBlock};
use crate::detached::detached;
use crate::event::{Event, EventKind};
use crate::fact::Fact;
use crate::state::State;
use crate::state::exchange::ExchangeState;
use crate::store::{Held, Progress, Store, StoreError};
pub(crate) use decode::Watched;
pub(crate) use follow::Following;
use keep::Keeping;
pub(crate) use log::{Blocks, EventLog, Folds, IndexedBlock};
pub(crate) use look::Counts;
pub(crate) use look::Rewind;

/// Maximum number of blocks per round trip: as many calls as a public node accepts in one batch.
const BLOCKS_A_FETCH: u64 = 100;

/// The last indexed block of each chain, by chain id.
pub(crate) type Heights = BTreeMap<u64, u64>;

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
    /// The latest rollbacks, newest last.
    rewinds: Mutex<Vec<Rewind>>,
    /// The store's rollback count when the facts were last folded from the beginning. Locked from reading facts until they are folded, so
    /// that an older read is never folded over a newer one.
    rollbacks: tokio::sync::Mutex<i64>,
    keeping: Keeping,
}

/// A chain was not indexed up to its head.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    #[error(transparent)]
    Chain(#[from] ChainError),
    /// The blocks of a chain could not be kept.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Blocks in the folder are no longer in the chain, and no new whole state is kept yet.
    #[error("the state of chain {0} has changed and is not saved yet")]
    Torn(u64),
}

/// One chain and its watched contracts.
#[derive(Debug)]
struct Follower {
    chain: Chain,
    watched: Watched,
}

/// The whole index at one moment, to be restored; it shares unchanged parts with the index.
#[derive(Clone, Debug)]
pub(crate) struct Saved {
    log: EventLog,
    state: State,
    exchange: Arc<ExchangeState>,
}

impl Saved {
    pub(crate) fn head(&self, chain_id: u64) -> Option<B256> {
        self.log.tip(chain_id).map(|tip| tip.hash)
    }
}

/// While this exists, no one else indexes a chain or folds a fact.
#[derive(Debug)]
pub(crate) struct Paused<'a> {
    followers: Vec<tokio::sync::MutexGuard<'a, Follower>>,
    /// See [`Inner::rollbacks`].
    rollbacks: tokio::sync::MutexGuard<'a, i64>,
}

impl Indexer {
    /// Creates an indexer that has already folded `log`; sends nothing to a chain yet.
    ///
    /// `rollbacks` is the store's rollback count so far.
    pub(crate) fn new(
        chains: Vec<(Chain, Watched)>,
        store: Store,
        rollbacks: i64,
        blank: Folds,
        log: EventLog,
    ) -> Self {
        let folds = log.fold(&blank);
        let followers = chains
            .into_iter()
            .map(|(chain, watched)| {
                let mut follower = Follower { chain, watched };
                follower.watched = follower.watched.with_learned(log.learned(follower.chain.id()));
                (follower.chain.id(), tokio::sync::Mutex::new(follower))
            })
            .collect();
        let inner = Inner {
            store,
            blank,
            followers,
            heights: watch::Sender::new(log.heights()),
            rewinds: Mutex::default(),
            rollbacks: tokio::sync::Mutex::new(rollbacks),
            log: Mutex::new(log),
            state: Arc::new(RwLock::new(folds.state)),
            exchange: Arc::new(ArcSwap::from_pointee(folds.exchange)),
            keeping: Keeping::default(),
        };
        Self { inner: Arc::new(inner) }
    }

    pub(crate) fn state(&self) -> Arc<RwLock<State>> {
        Arc::clone(&self.inner.state)
    }

    pub(crate) fn exchange(&self) -> Arc<ArcSwap<ExchangeState>> {
        Arc::clone(&self.inner.exchange)
    }

    /// The indexed height of each chain; a height is published after the state includes it.
    pub(crate) fn heights(&self) -> watch::Receiver<Heights> {
        self.inner.heights.subscribe()
    }

    /// Indexes a chain up to its head; `announced` is a block from a notification of the node.
    ///
    /// A notification may be late, repeated or out of order, and then does not locate the head: an indexed block is skipped, a block on top
    /// of the tip is indexed, and for any other block the node is asked for its head.
    ///
    /// If the caller goes away, no block is left half decoded: work in progress is completed.
    pub(crate) async fn catch_up(&self, chain_id: u64, announced: Option<Head>) -> Result<(), IndexError> {
        let indexer = self.clone();
        detached(async move { indexer.reach(chain_id, announced).await }).await
    }

    async fn reach(&self, chain_id: u64, announced: Option<Head>) -> Result<(), IndexError> {
        let Some(follower) = self.inner.followers.get(&chain_id) else {
            return Ok(());
        };
        let mut follower = follower.lock().await;
        let mut head = match announced {
            Some(head) if self.inner.log.lock().holds(chain_id, head) => return Ok(()),
            Some(head) if self.tip(chain_id).is_some_and(|(_, hash)| head.parent == hash) => head,
            _ => follower.chain.head().await?,
        };
        while !self.reached(chain_id, head) {
            if let Err(error) = self.step(&mut follower, head).await {
                // The announced block may be gone; the current head decides whether anything is left.
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

    /// Folds the facts stored since the last call.
    pub(crate) async fn catch_up_facts(&self) -> Result<(), StoreError> {
        let _order = self.inner.rollbacks.lock().await;
        let after = self.inner.log.lock().last_fact();
        self.fold_facts(self.inner.store.facts_after(after).await?);
        Ok(())
    }

    fn fold_facts(&self, facts: Vec<(i64, Fact)>) {
        let mut log = self.inner.log.lock();
        for (number, fact) in facts {
            self.inner.state.write().apply_fact(&fact);
            log.push_fact(number, fact);
        }
    }

    /// The store's rollback count when the facts were last folded from the beginning.
    pub(crate) async fn rollbacks(&self) -> i64 {
        *self.inner.rollbacks.lock().await
    }

    /// Folds facts of other processes up to this progress; folds all facts again after a rollback by one of them.
    pub(crate) async fn follow_facts(&self, progress: &Progress) -> Result<(), StoreError> {
        let mut rollbacks = self.inner.rollbacks.lock().await;
        if *rollbacks == progress.rollbacks {
            drop(rollbacks);
            let missing = self.inner.log.lock().last_fact() < progress.latest_fact;
            return if missing { self.catch_up_facts().await } else { Ok(()) };
        }
        let facts = self.inner.store.facts_after(0).await?;
        let mut log = self.inner.log.lock();
        log.replace_facts(facts);
        self.publish(&log);
        *rollbacks = progress.rollbacks;
        Ok(())
    }

    /// The whole index now, with every fact of a held store.
    pub(crate) async fn save(&self, paused: &Paused<'_>, held: &mut Held) -> Result<Saved, StoreError> {
        let after = self.inner.log.lock().last_fact();
        self.fold_facts(held.facts_after(after).await?);
        Ok(self.saved(paused))
    }

    /// The whole index now.
    pub(crate) fn saved(&self, _paused: &Paused<'_>) -> Saved {
        let log = self.inner.log.lock();
        let state = self.inner.state.read().clone();
        Saved { log: log.clone(), state, exchange: self.inner.exchange.load_full() }
    }

    /// Waits until no chain is being indexed and no fact folded, and prevents both until the result is dropped.
    pub(crate) async fn pause(&self) -> Paused<'_> {
        let mut followers = Vec::new();
        for follower in self.inner.followers.values() {
            followers.push(follower.lock().await);
        }
        Paused { followers, rollbacks: self.inner.rollbacks.lock().await }
    }

    /// Restores a saved index; the caller has reverted the chains and the store to the same moment, the store by its
    /// `rollbacks`-th rollback.
    pub(crate) fn restore(&self, mut paused: Paused<'_>, saved: &Saved, rollbacks: i64) {
        for follower in &mut paused.followers {
            follower.watched = follower.watched.with_learned(saved.log.learned(follower.chain.id()));
        }
        *paused.rollbacks = rollbacks;
        let mut log = self.inner.log.lock();
        for &chain_id in self.inner.followers.keys() {
            let (from, to) = (log.tip(chain_id), saved.log.tip(chain_id));
            if from.map(|tip| tip.hash) != to.map(|tip| tip.hash) {
                self.note_rewind(chain_id, to.map(|tip| tip.number), from, to, true);
            }
        }
        *log = saved.log.clone();
        self.inner.keeping.mend();
        self.replace(saved.state.clone(), Arc::clone(&saved.exchange), log.heights());
    }

    pub(crate) fn blocks(&self, chain_id: u64) -> Blocks {
        self.inner.log.lock().blocks(chain_id).iter().cloned().collect()
    }

    fn reached(&self, chain_id: u64, head: Head) -> bool {
        self.tip(chain_id).is_some_and(|(_, hash)| hash == head.hash)
    }

    /// Number and hash of the last indexed block.
    fn tip(&self, chain_id: u64) -> Option<(u64, B256)> {
        self.inner.log.lock().tip(chain_id).map(|tip| (tip.number, tip.hash))
    }

    /// Indexes the next blocks towards `head`, or switches to its branch if it is not above the tip.
    async fn step(&self, follower: &mut Follower, head: Head) -> Result<(), IndexError> {
        let chain_id = follower.chain.id();
        let tip = self.tip(chain_id);
        let first = tip.map_or(0, |(number, _)| number + 1);
        if head.number < first {
            return Ok(self.switch(follower, head).await?);
        }
        let last = head.number.min(first + BLOCKS_A_FETCH - 1);
        let raw = follower.chain.blocks(first, last).await?;
        let usable = linked(&raw, tip.map(|(_, hash)| hash));
        if usable == 0 {
            return Ok(self.switch(follower, head).await?);
        }
        let decoded = async {
            let mut blocks = Vec::with_capacity(usable);
            for block in &raw[..usable] {
                let events = decode::events_of(&follower.chain, &mut follower.watched, block).await?;
                blocks.push(IndexedBlock::new(block.head, events));
            }
            self.keep(&follower.chain, &blocks).await?;
            Ok::<_, IndexError>(blocks)
        };
        let decoded = decoded.await;
        if decoded.is_err() {
            follower.watched = follower.watched.with_learned(self.inner.log.lock().learned(chain_id));
        }
        decoded?.into_iter().for_each(|block| self.push(chain_id, block));
        Ok(())
    }

    /// Folds a block on top of the tip; its height is published once every reader can see its content.
    fn push(&self, chain_id: u64, block: IndexedBlock) {
        let mut log = self.inner.log.lock();
        {
            let mut state = self.inner.state.write();
            block.events.iter().for_each(|event| state.apply(event));
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

    /// Switches to the branch that ends in `head`: its blocks are read and decoded separately, and readers see the change
    /// from one branch to the other in one step. If the branch is gone meanwhile, nothing changes.
    async fn switch(&self, follower: &mut Follower, head: Head) -> Result<(), ChainError> {
        let chain_id = follower.chain.id();
        let fork = self.fork(&follower.chain, head).await?;
        let (mut watched, mut parent) = {
            let log = self.inner.log.lock();
            let parent = log.blocks_up_to(chain_id, fork).last().map(|block| block.hash);
            (follower.watched.with_learned(log.learned_up_to(chain_id, fork)), parent)
        };
        let mut branch = Vec::new();
        let mut next = fork.map_or(0, |number| number + 1);
        while next <= head.number {
            let last = head.number.min(next + BLOCKS_A_FETCH - 1);
            let raw = follower.chain.blocks(next, last).await?;
            if linked(&raw, parent) < raw.len() {
                return Ok(());
            }
            for block in &raw {
                let events = decode::events_of(&follower.chain, &mut watched, block).await?;
                branch.push(Arc::new(IndexedBlock::new(block.head, events)));
            }
            parent = raw.last().map(|block| block.head.hash);
            next += raw.len() as u64;
        }
        if parent != Some(head.hash) {
            return Ok(());
        }
        let mut log = self.inner.log.lock();
        self.note_rewind(chain_id, fork, log.tip(chain_id), branch.last().map(Arc::as_ref), false);
        log.replace_after(chain_id, fork, branch);
        follower.watched = watched;
        self.inner.keeping.tear();
        self.publish(&log);
        Ok(())
    }

    /// The highest indexed block that is also in the node's chain, at most as high as its head.
    async fn fork(&self, chain: &Chain, head: Head) -> Result<Option<u64>, ChainError> {
        let tip = self.tip(chain.id()).map(|(number, _)| number.min(head.number));
        let mut shared = tip;
        while let Some(number) = shared {
            let theirs = if number == head.number { head } else { chain.head_at(number).await? };
            if self.inner.log.lock().holds(chain.id(), theirs) {
                break;
            }
            shared = number.checked_sub(1);
        }
        Ok(shared)
    }

    fn publish(&self, log: &EventLog) {
        let folds = log.fold(&self.inner.blank);
        self.replace(folds.state, Arc::new(folds.exchange), log.heights());
    }

    /// Publishes another fold: launches, exchange and heights change while readers of the launches are locked out.
    fn replace(&self, state: State, exchange: Arc<ExchangeState>, heights: Heights) {
        let mut shown = self.inner.state.write();
        *shown = state;
        self.inner.exchange.store(exchange);
        self.inner.heights.send_replace(heights);
    }
}

/// The number of leading blocks that form a chain on top of `parent`; the first block of a chain has no parent.
fn linked(blocks: &[RawBlock], parent: Option<B256>) -> usize {
    let parents = std::iter::once(parent).chain(blocks.iter().map(|block| Some(block.head.hash)));
    blocks
        .iter()
        .zip(parents)
        .take_while(|(block, parent)| parent.is_none_or(|hash| block.head.parent == hash))
        .count()
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

#[cfg(test)]
mod tests;
