//! Checkpoints of everything: chains, store, index, clock and configured faults.
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::kept::{Checkpoint, CheckpointRecord, Unfinished};
use super::order::{Turn, each};
use super::time::Blocks;
use super::{Engine, EngineError};
use crate::activity::{Activity, Change, CheckpointChange};
use crate::chain::{ChainError, Snapshot};

/// Maximum number of attempts at a capture, which a block mined meanwhile voids.
pub(super) const TRIES: u32 = 8;

impl Engine {
    /// Captures everything at one moment; returns the checkpoint's id, which is never reused. Only the last 64 without a name are kept.
    pub async fn checkpoint(&self, name: Option<String>) -> Result<u64, EngineError> {
        self.order(async |mut turn: Turn| {
            turn.repair().await?;
            let engine = turn.engine.clone();
            let checkpoint = engine.at_rest(engine.cut(turn.orders.last + 1, name.clone())).await?;
            let (id, discarded) = turn.orders.keep(checkpoint);
            engine.tell_checkpoint(id, name, Change::Taken);
            if let Some(discarded) = discarded {
                engine.strike_checkpoint(discarded, &turn.orders).await?;
                // Only checkpoints without a name are discarded here.
                engine.tell_checkpoint(discarded, None, Change::Discarded);
            }
            Ok(id)
        })
        .await
    }

    /// The existing checkpoints, in creation order.
    pub async fn checkpoints(&self) -> Vec<CheckpointRecord> {
        self.inner.orders.lock().await.records().collect()
    }

    /// The checkpoints of the imported platform, which cannot be reverted to.
    pub async fn imported_checkpoints(&self) -> Vec<CheckpointRecord> {
        self.inner.orders.lock().await.imported.clone()
    }

    /// Reverts to a checkpoint, any number of times; later checkpoints are dropped.
    pub async fn revert(&self, id: u64) -> Result<(), EngineError> {
        self.order(async move |mut turn: Turn| turn.go_back(id).await).await
    }

    /// Discards a checkpoint. A node frees its snapshot at the next revert to an earlier one.
    pub async fn discard(&self, id: u64) -> Result<(), EngineError> {
        self.order(async move |mut turn: Turn| {
            // A revert to it may be unfinished.
            turn.repair().await?;
            let absence = turn.orders.absence(id);
            let discarded = turn.orders.kept.remove(&id).ok_or(absence)?;
            if let Err(error) = turn.engine.strike_checkpoint(id, &turn.orders).await {
                turn.orders.kept.insert(id, discarded);
                return Err(error);
            }
            turn.engine.tell_checkpoint(id, discarded.name, Change::Discarded);
            Ok(())
        })
        .await
    }

    fn tell_checkpoint(&self, id: u64, name: Option<String>, change: Change) {
        self.tell(Activity::Checkpoint(CheckpointChange { at: self.clock().now(), id, name, change }));
    }

    /// Captures everything at one moment: while no transaction is mined, nothing is stored and nothing is folded. If a caller makes a
    /// node mine a block meanwhile, the capture starts again.
    async fn cut(&self, id: u64, name: Option<String>) -> Result<Checkpoint, EngineError> {
        for _ in 0..TRIES {
            self.catch_up().await?;
            let paused = self.inner.indexer.pause().await;
            let mut held = self.inner.store.hold().await?;
            let index = self.inner.indexer.save(&paused, &mut held).await?;
            let snapshots = each(
                self.all().map(async |chain| Ok::<_, EngineError>((chain.id(), chain.snapshot().await?))),
            );
            let snapshots: BTreeMap<u64, Arc<Snapshot>> = snapshots.await?.into_iter().collect();
            if snapshots.iter().all(|(&chain_id, snapshot)| index.head(chain_id) == Some(snapshot.head)) {
                let checkpoint = Checkpoint {
                    name,
                    snapshots,
                    index,
                    moment: self.inner.clock.moment(),
                    captchas: self.inner.captchas.load(Ordering::SeqCst),
                    faults: self.inner.faults.all(),
                    savepoint: held.number(),
                };
                if let Some((entry, kept)) = self.to_keep(id, &checkpoint) {
                    held.enter(&entry, &kept).await?;
                }
                held.savepoint().await?;
                return Ok(checkpoint);
            }
        }
        Err(EngineError::Restless)
    }
}

impl Turn {
    /// Brings chains, store, index, clock and faults to a checkpoint. A failure before the first chain has reverted changes nothing; after
    /// that, the revert is unfinished until it is repeated.
    pub(super) async fn go_back(&mut self, id: u64) -> Result<(), EngineError> {
        let engine = self.engine.clone();
        let orders = &mut *self.orders;
        let absence = orders.absence(id);
        let checkpoint = orders.kept.get(&id).ok_or(absence)?;
        // An attempt that is repeated may have used up the snapshots.
        if orders.unfinished != Some(Unfinished::Revert(id)) && !engine.has_all(&checkpoint.snapshots).await?
        {
            orders.kept.remove(&id);
            engine.strike_checkpoint(id, orders).await?;
            return Err(EngineError::OvertakenCheckpoint(id));
        }
        let is_before_state = engine.is_kept_since(checkpoint.savepoint);
        let name = checkpoint.name.clone();
        let alone = engine.inner.returns.write().await;
        // A chain must not revert between two transactions of a trade. Mining stops only after this: a transaction in progress has to
        // be mined first.
        let acting = engine.actors_paused().await;
        let gone_back = engine.at_rest(async {
            // Indexing pauses while the chains revert: otherwise every chain would be folded again from its first block.
            let paused = engine.inner.indexer.pause().await;
            let rollback =
                engine.inner.store.rollback_to(checkpoint.savepoint, checkpoint.moment.shown).await?;
            orders.unfinished = Some(Unfinished::Revert(id));
            engine.revert_chains(&checkpoint.snapshots).await?;
            let rollbacks = rollback.commit().await?;
            engine.inner.indexer.restore(paused, &checkpoint.index, rollbacks);
            if is_before_state {
                engine.inner.indexer.tear();
            }
            let now = engine.inner.clock.after_return_to(checkpoint.moment);
            engine.move_to(now, Blocks::None).await?;
            engine.inner.faults.restore(checkpoint.faults.clone());
            engine.inner.captchas.store(checkpoint.captchas, Ordering::SeqCst);
            Ok(())
        });
        let gone_back = gone_back.await;
        drop((acting, alone));
        if let Err(error) = gone_back {
            if let EngineError::Chain(ChainError::NoSnapshot { .. }) = error {
                orders.kept.remove(&id);
                orders.unfinished = Some(Unfinished::Lost(id));
            }
            return Err(error);
        }
        orders.unfinished = None;
        orders.kept.split_off(&(id + 1));
        engine.tell_checkpoint(id, name, Change::Reverted);
        if is_before_state {
            self.begin_journal().await?;
        }
        engine.catch_up().await?;
        engine.strike_dropped().await?;
        engine.keep_faults(&self.orders).await
    }
}

impl Engine {
    /// Whether every chain can revert to its snapshot.
    async fn has_all(&self, snapshots: &BTreeMap<u64, Arc<Snapshot>>) -> Result<bool, EngineError> {
        let found = each(snapshots.iter().map(async |(&chain_id, snapshot)| {
            let (chain, _) = self.chain(chain_id)?;
            Ok::<_, EngineError>(chain.has_snapshot(snapshot).await?)
        }));
        Ok(found.await?.into_iter().all(|is_there| is_there))
    }

    /// Reverts every chain to its snapshot. Each chain that reverts gets a new snapshot, whether or not the others succeed.
    async fn revert_chains(&self, snapshots: &BTreeMap<u64, Arc<Snapshot>>) -> Result<(), EngineError> {
        each(snapshots.iter().map(async |(&chain_id, snapshot)| {
            let (chain, _) = self.chain(chain_id)?;
            Ok::<_, EngineError>(chain.revert(snapshot).await?)
        }))
        .await?;
        Ok(())
    }
}
