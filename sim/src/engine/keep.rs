//! Keeps the platform in a folder: a whole state of the chains, and in the store the journal of everything since. Whatever is acknowledged
//! is in the journal; a start loads the state and replays the journal to the same blocks.
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Duration;

use alloy::primitives::B256;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use parking_lot::Mutex;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tokio::time::sleep;

use super::checkpoint::TRIES;
use super::export::files;
use super::kept::{Checkpoint, Checkpoints};
use super::order::{Turn, each};
use super::record::{Kept, OWN_VERSION, state_key, states};
use super::{Engine, EngineError};
use crate::cache::Cache;
use crate::chain::{Chain, ChainError, PaceChange, RepeatedCall};
use crate::clock::Moment;
use crate::faults::Ordered;
use crate::store::{Entry, Kind, StoreError};

/// Blocks in the journal after which a new whole state is kept, unless a checkpoint needs the journal.
const LONGEST: u64 = 1_000;
/// Time between two checks of the journal's length.
const LOOK: Duration = Duration::from_secs(2);
/// Gap by which each start advances the captcha counter, since its last values may not have been kept.
const CAPTCHA_GAP: u64 = 1 << 32;

/// Part of the name of a setting that concerns one account.
const OF_ACCOUNT: &str = " account ";

/// A checkpoint in the journal.
#[derive(Deserialize, Serialize)]
struct KeptCheckpoint {
    id: u64,
    name: Option<String>,
    moment: Moment,
    captchas: u64,
    faults: BTreeMap<String, Ordered>,
}

/// The part of a node that a caller's call changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// The chain's state.
    State,
    /// A setting of the node.
    Setting,
    /// The waiting transactions.
    Waiting,
}

/// How a call at a node has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CallEnd {
    Done,
    /// The node has refused it and changed nothing.
    Refused,
    /// There is no answer: the node may have carried it out.
    Unknown,
}

/// The folder of a running platform.
#[derive(Debug)]
pub(crate) struct Keep {
    states: Cache,
    kept: Mutex<Kept>,
    /// Whether the folder had no platform before.
    is_new: bool,
}

impl Keep {
    /// The folder of a platform that continues from `kept`, or else begins with `first`.
    pub(crate) fn new(folder: &Path, kept: Option<Kept>, first: impl FnOnce() -> Kept) -> Self {
        let is_new = kept.is_none();
        Self { states: states(folder), kept: Mutex::new(kept.unwrap_or_else(first)), is_new }
    }
}

/// Entries to apply once the chains have the clock's time.
pub(crate) type Later = Vec<Entry>;

fn read<T: DeserializeOwned>(entry: &Entry) -> Result<T, EngineError> {
    let damaged = |error| StoreError::Damaged(format!("entry {} of the journal: {error}", entry.number));
    Ok(serde_json::from_str(&entry.body).map_err(damaged)?)
}

impl Engine {
    /// Whether the platform is kept in a folder.
    pub(crate) fn is_kept(&self) -> bool {
        self.inner.keep.is_some()
    }

    /// Continues from the folder by replaying the journal. The returned rest is for [`Self::wait_again`].
    pub(crate) async fn play_again(&self) -> Result<Later, EngineError> {
        let Some(keep) = &self.inner.keep else { return Ok(Later::new()) };
        let mut orders = self.inner.orders.lock().await;
        let kept = keep.kept.lock().clone();
        if keep.is_new {
            self.inner.store.hold().await?.begin_journal(&kept.to_text(), &[]).await?;
        }
        self.inner.captchas.store(kept.captchas, Ordering::SeqCst);
        orders.last = kept.last_checkpoint;
        orders.imported = kept.checkpoints;
        self.inner.faults.restore(kept.faults);
        let (mut later, mut stands, mut blocks) = (Later::new(), BTreeMap::new(), 0);
        each(self.all().map(|chain| chain.mine_each(false))).await?;
        for entry in self.inner.store.journal().await? {
            match entry.kind {
                Kind::Block => {
                    let (chain, _) = self.chain(entry.chain)?;
                    chain.play(&read(&entry)?, stands.entry(entry.chain).or_default()).await?;
                    blocks += 1;
                }
                Kind::Call => {
                    let (chain, _) = self.chain(entry.chain)?;
                    let call: RepeatedCall = read(&entry)?;
                    chain.call_again(&call).await?;
                    chain.note_call(chain.head().await?.hash, call);
                }
                Kind::Checkpoint => self.keep_again(&entry, &mut orders).await?,
                Kind::Waiting | Kind::Setting => later.push(entry),
            }
        }
        for chain in self.all() {
            chain.mine_each(true).await?;
            if stands.contains_key(&chain.id()) {
                chain.space_freely().await?;
            }
            chain.rests_with(chain.head().await?.hash);
            self.inner.indexer.catch_up(chain.id(), None).await?;
        }
        self.inner.indexer.begin_keeping(blocks);
        Ok(later)
    }

    /// Takes a checkpoint again at its place in the journal.
    async fn keep_again(&self, entry: &Entry, orders: &mut Checkpoints) -> Result<(), EngineError> {
        let KeptCheckpoint { id, name, moment, captchas, faults } = read(entry)?;
        for chain in self.all() {
            self.inner.indexer.catch_up(chain.id(), None).await?;
        }
        let indexer = &self.inner.indexer;
        let paused = indexer.pause().await;
        indexer.fold_facts_to(&paused, entry.number).await?;
        let index = indexer.saved(&paused);
        let snapshots =
            each(self.all().map(async |chain| Ok::<_, EngineError>((chain.id(), chain.snapshot().await?))));
        let snapshots = snapshots.await?.into_iter().collect();
        let checkpoint =
            Checkpoint { name, snapshots, index, savepoint: entry.number, moment, captchas, faults };
        orders.kept.insert(id, checkpoint);
        Ok(())
    }

    /// Restores the nodes' settings and resends the waiting transactions; then the counters continue from their kept values.
    pub(crate) async fn wait_again(&self, later: Later) -> Result<(), EngineError> {
        let Some(keep) = &self.inner.keep else { return Ok(()) };
        self.inner.captchas.fetch_add(CAPTCHA_GAP, Ordering::SeqCst);
        keep.kept.lock().slipway = OWN_VERSION.to_owned();
        self.keep_counters().await?;
        let (mut settings, waiting): (Later, Later) =
            later.into_iter().partition(|entry| entry.kind == Kind::Setting);
        self.set_again(&settings).await?;
        if waiting.is_empty() {
            return Ok(());
        }
        for entry in &waiting {
            // It may be in a block already, another transaction has used its nonce, or it pays less than the base fee by now.
            if let Err(error) = self.chain(entry.chain)?.0.send_again(&read(entry)?).await {
                tracing::debug!(%error, "a transaction waits no more");
                self.inner.store.strike(entry.name.as_slice()).await?;
            }
        }
        // Resending a transaction for an impersonated account has ended the impersonation.
        settings.retain(|entry| entry.name.as_ref().is_some_and(|name| name.contains(OF_ACCOUNT)));
        self.set_again(&settings).await
    }

    async fn set_again(&self, settings: &[Entry]) -> Result<(), EngineError> {
        for entry in settings {
            self.chain(entry.chain)?.0.call_again(&read(entry)?).await?;
        }
        Ok(())
    }

    /// Keeps counters and faults.
    pub(crate) async fn keep_counters(&self) -> Result<(), EngineError> {
        if self.is_kept() { self.keep_faults(&*self.inner.orders.lock().await).await } else { Ok(()) }
    }

    /// Keeps counters and faults within a turn.
    pub(super) async fn keep_faults(&self, orders: &Checkpoints) -> Result<(), EngineError> {
        let Some(keep) = &self.inner.keep else { return Ok(()) };
        let text = self.stated(keep, orders).to_text();
        Ok(self.inner.store.set_platform(&text).await?)
    }

    /// Keeps everything that a kill would lose: the time passed, counters and faults.
    pub(crate) async fn keep_last(&self) {
        if !self.is_kept() {
            return;
        }
        let kept = async {
            self.catch_up().await?;
            let clock = self.clock();
            self.inner.store.publish_clock(&clock.to_string(), clock.now()).await?;
            self.keep_counters().await
        };
        if let Err(error) = kept.await {
            tracing::warn!(%error, "the time of the end is not kept");
        }
    }

    /// The folder's description, as of now.
    fn stated(&self, keep: &Keep, orders: &Checkpoints) -> Kept {
        let mut kept = keep.kept.lock();
        kept.captchas = self.inner.captchas.load(Ordering::SeqCst);
        kept.last_checkpoint = orders.last;
        // Those from before the state can be reverted to while the nodes run; the next start lists them.
        kept.checkpoints = orders.all_from_before(kept.since);
        kept.faults = self.inner.faults.all();
        kept.clone()
    }

    /// Everything to keep with a checkpoint: its entry, and the folder's new description.
    pub(super) fn to_keep(&self, id: u64, checkpoint: &Checkpoint) -> Option<(Entry, String)> {
        let keep = self.inner.keep.as_ref()?;
        let mut kept = keep.kept.lock();
        kept.last_checkpoint = id;
        let Checkpoint { name, moment, captchas, faults, .. } = checkpoint.clone();
        let body = KeptCheckpoint { id, name, moment, captchas, faults };
        let body = serde_json::to_string(&body).expect("a checkpoint has only string keys");
        Some((Entry::new(0, Kind::Checkpoint, Some(checkpoint_name(id)), body), kept.to_text()))
    }

    /// Removes a checkpoint from the folder, which is no longer in `orders`.
    pub(super) async fn strike_checkpoint(&self, id: u64, orders: &Checkpoints) -> Result<(), EngineError> {
        if self.is_kept() {
            self.inner.store.strike(&[checkpoint_name(id)]).await?;
        }
        self.keep_faults(orders).await
    }

    /// Whether the state in the folder is newer than this savepoint of the store.
    pub(super) fn is_kept_since(&self, savepoint: i64) -> bool {
        self.inner.keep.as_ref().is_some_and(|keep| keep.kept.lock().since > savepoint)
    }

    /// Keeps the blocks of a chain up to its head.
    pub(crate) async fn keep_blocks(&self, chain_id: u64) -> Result<(), EngineError> {
        if self.is_kept() {
            self.inner.indexer.catch_up(chain_id, None).await?;
        }
        Ok(())
    }

    /// Waits until the blocks of a chain so far are kept, before a caller is told of one. Orders, which take whole states, do not wait.
    pub(crate) async fn until_kept(&self, chain_id: u64) -> Result<(), EngineError> {
        if self.is_kept() {
            self.keep_blocks(chain_id).await?;
            self.inner.indexer.until_kept(chain_id).await?;
        }
        Ok(())
    }

    /// Keeps a transaction that a node has accepted: in its block, or as waiting until it has one.
    pub(crate) async fn keep_sent(&self, chain_id: u64, transaction: B256) -> Result<(), EngineError> {
        let (chain, _) = self.chain(chain_id)?;
        if !self.is_kept() {
            return Ok(());
        }
        match chain.waiting(transaction).await? {
            Some(sent) => {
                let body = serde_json::to_string(&sent).expect("a transaction has only string keys");
                Ok(self.inner.store.enter(&[Entry::of_waiting(chain_id, transaction, body)]).await?)
            }
            None => self.until_kept(chain_id).await,
        }
    }

    /// Carries out a call by which a caller changes a node without a block, and keeps it in its place between the blocks. If it cannot be
    /// kept, a new journal begins: what follows it could not be replayed without it.
    pub(crate) async fn keep_call<T: Send + 'static>(
        &self,
        chain_id: u64,
        effect: Effect,
        call: RepeatedCall,
        asked: impl Future<Output = (T, CallEnd)> + Send + 'static,
    ) -> Result<T, EngineError> {
        self.order(async move |mut turn: Turn| {
            turn.repair().await?;
            let engine = turn.engine.clone();
            let (chain, _) = engine.chain(chain_id)?;
            let body = serde_json::to_string(&call).expect("a call has only string keys");
            if effect != Effect::State {
                let (answer, end) = asked.await;
                if end == CallEnd::Done && effect == Effect::Setting {
                    let name = setting_name(chain_id, &call);
                    let entry = Entry::new(chain_id, Kind::Setting, Some(name), body);
                    engine.inner.store.enter(&[entry]).await?;
                } else if end == CallEnd::Done {
                    engine.strike_gone(chain).await?;
                }
                return Ok(answer);
            }
            let called = engine.at_rest(async {
                engine.keep_blocks(chain_id).await?;
                let before = chain.head().await?.hash;
                let (answer, end) = asked.await;
                if end == CallEnd::Refused {
                    return Ok((answer, true));
                }
                let kept = async {
                    let is_in_place = end == CallEnd::Done && chain.head().await?.hash == before;
                    if is_in_place {
                        engine.inner.store.enter(&[Entry::new(chain_id, Kind::Call, None, body)]).await?;
                    }
                    Ok::<_, EngineError>(is_in_place)
                };
                let kept = kept.await;
                if !matches!(kept, Ok(true)) {
                    engine.inner.indexer.tear();
                }
                Ok((answer, kept?))
            });
            let (answer, is_kept) = called.await?;
            if !is_kept {
                turn.begin_journal().await?;
            }
            Ok(answer)
        })
        .await
    }

    /// Removes waiting transactions that the nodes no longer have.
    pub(super) async fn strike_dropped(&self) -> Result<(), EngineError> {
        if self.is_kept() {
            for chain in self.all() {
                self.strike_gone(chain).await?;
            }
        }
        Ok(())
    }

    async fn strike_gone(&self, chain: &Chain) -> Result<(), EngineError> {
        let mut gone = Vec::new();
        for entry in self.inner.store.journal().await? {
            if entry.chain == chain.id()
                && let Some(hash) = entry.waiting_transaction()
                && chain.waiting(hash).await?.is_none()
            {
                gone.extend(entry.name);
            }
        }
        Ok(self.inner.store.strike(&gone).await?)
    }

    /// Keeps a new whole state from time to time, so that a start is fast.
    pub(crate) async fn shorten_journal(self) {
        loop {
            sleep(LOOK).await;
            if self.inner.indexer.kept_blocks() <= LONGEST {
                continue;
            }
            let shortened = self.order(async |mut turn: Turn| {
                turn.repair().await?;
                if turn.orders.kept.is_empty() { turn.begin_journal().await } else { Ok(()) }
            });
            if let Err(error) = shortened.await {
                tracing::warn!(%error, "no new state of the chains is kept");
            }
        }
    }

    /// Keeps the state of the chains, and restarts the journal from there.
    async fn keep_state(&self, keep: &Keep, orders: &Checkpoints) -> Result<(), EngineError> {
        for _ in 0..TRIES {
            let (heads, chains) = self.wholes().await?;
            let mut kept = self.stated(keep, orders);
            // A state that the store names is never written over: an attempt whose end was not confirmed may have got that far.
            kept.state = 1 + kept.state.max(self.named_state().await?);
            let key = state_key(kept.state);
            // They can be reverted to while the nodes run.
            kept.checkpoints = orders.all();
            let (states, written) = (keep.states.clone(), key.clone());
            let written = tokio::task::spawn_blocking(move || {
                let files = files(&chains).map_err(|error| EngineError::Unusable(error.to_string()))?;
                states.drop_entry(&written);
                states.keep(&written, &files)?;
                states.make_durable(&written).map_err(EngineError::from)
            });
            written.await.expect("writing a state does not panic")?;
            let paused = self.inner.indexer.pause().await;
            let held = self.inner.store.hold().await?;
            let now =
                each(self.all().map(async |chain| Ok::<_, EngineError>(chain.head().await?.hash))).await?;
            if now == heads {
                let fees = each(self.all().map(async |chain| {
                    let body = serde_json::to_string(&chain.next_base_fee().await?);
                    let body = body.expect("a call has only string keys");
                    Ok::<_, EngineError>(Entry::new(chain.id(), Kind::Call, None, body))
                }));
                let fees = fees.await?;
                kept.since = held.number();
                if let Err(error) = held.begin_journal(&kept.to_text(), &fees).await {
                    // A commit that was not confirmed may have come about all the same.
                    if self.named_state().await? != kept.state {
                        return Err(error.into());
                    }
                }
                *keep.kept.lock() = kept;
                self.inner.indexer.begin_keeping(0);
                drop(paused);
                keep.states.keep_only(&key);
                // A transaction that was waiting, then in a block that is now gone, must not be sent again.
                return self.strike_dropped().await;
            }
        }
        Err(EngineError::Restless)
    }

    /// The state of the chains that the journal begins with, as the store names it.
    async fn named_state(&self) -> Result<u64, EngineError> {
        let platform = self.inner.store.platform().await?.unwrap_or_default();
        let kept: Kept =
            serde_json::from_str(&platform).map_err(|error| StoreError::Damaged(error.to_string()))?;
        Ok(kept.state)
    }
}

impl Turn {
    /// Restarts the journal from the present state of the chains. Until then nothing that happens is acknowledged.
    pub(super) fn begin_journal(&mut self) -> BoxFuture<'_, Result<(), EngineError>> {
        let engine = self.engine.clone();
        async move {
            let Some(keep) = &engine.inner.keep else { return Ok(()) };
            engine.inner.indexer.stop_keeping();
            let kept = engine.at_rest(engine.keep_state(keep, &self.orders).boxed()).await;
            if kept.is_err() {
                engine.inner.indexer.tear();
            }
            kept
        }
        .boxed()
    }
}

fn checkpoint_name(id: u64) -> String {
    format!("checkpoint {id}")
}

/// The name of a setting: a later call with the same name replaces an earlier one.
fn setting_name(chain_id: u64, call: &RepeatedCall) -> String {
    let name = call.method.split_once('_').map_or("", |(_, name)| name);
    let account = call.params.as_ref().map_or("", |params| params.get()).to_ascii_lowercase();
    match name {
        "impersonateAccount" | "stopImpersonatingAccount" => {
            format!("setting {chain_id}{OF_ACCOUNT}{account}")
        }
        // Each of these calls undoes the others.
        _ if PaceChange::by(call).is_some() => format!("setting {chain_id} mining"),
        _ => format!("setting {chain_id} {name}"),
    }
}

/// Whether the replay of a journal failed or gave another result: the folder is damaged.
pub(crate) fn is_damage(error: &EngineError) -> bool {
    matches!(
        error,
        EngineError::Chain(ChainError::OtherBlock { .. } | ChainError::Call { .. })
            | EngineError::Store(StoreError::Damaged(_) | StoreError::Fact { .. })
    )
}
