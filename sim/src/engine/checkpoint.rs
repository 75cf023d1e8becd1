//! Checkpoints of everything: chains, store, index, clock, and what the dialects remember.
use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;

use futures::future::try_join_all;
use serde_json::Value;

use super::time::Blocks;
use super::{Engine, EngineError};
use crate::indexer::Saved;

/// A memory beside chains and store that a checkpoint covers: limits, captchas, draws.
pub trait Part: Send + Sync {
    /// The memory as it is now.
    fn save(&self) -> Box<dyn Any + Send + Sync>;
    /// The memory as it was; `saved` is what the same part's `save` gave.
    fn restore(&self, saved: &(dyn Any + Send + Sync));
    /// The memory as data that another platform can take over.
    fn export(&self) -> Value;
    /// Takes over what the same part of another platform has exported.
    ///
    /// # Errors
    /// When the data is not what this version exports.
    fn import(&self, exported: Value) -> Result<(), serde_json::Error>;
}

/// The checkpoints there are, and the parts they cover.
#[derive(Default)]
pub(super) struct Checkpoints {
    pub(super) parts: Vec<Box<dyn Part>>,
    pub(super) last: u64,
    /// How many captchas were signed; their nonces follow from it.
    pub(super) captchas: u64,
    kept: BTreeMap<u64, Checkpoint>,
    /// Those of the platform that was imported; nobody goes back to them.
    pub(super) imported: Vec<CheckpointRecord>,
}

impl Checkpoints {
    /// Those to which a revert can return, in the order of their making.
    fn records(&self) -> impl Iterator<Item = CheckpointRecord> {
        self.kept.iter().map(|(&id, kept)| CheckpointRecord { id, name: kept.name.clone(), at: kept.now })
    }

    /// All checkpoints that an export tells of.
    pub(super) fn all(&self) -> Vec<CheckpointRecord> {
        self.imported.iter().cloned().chain(self.records()).collect()
    }
}

/// A checkpoint as it is listed.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct CheckpointRecord {
    /// Its id.
    pub id: u64,
    /// What it was called.
    pub name: Option<String>,
    /// The time to which it returns, Unix seconds.
    pub at: u64,
}

struct Checkpoint {
    name: Option<String>,
    /// The node's snapshot of each chain, by chain id; a revert uses it up.
    snapshots: BTreeMap<u64, u64>,
    index: Saved,
    /// The store's number at that moment.
    savepoint: i64,
    now: u64,
    captchas: u64,
    parts: Vec<Box<dyn Any + Send + Sync>>,
}

impl fmt::Debug for Checkpoints {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Checkpoints").field("kept", &self.kept.keys()).finish_non_exhaustive()
    }
}

impl Engine {
    /// Lets checkpoints cover one more memory.
    pub async fn cover(&self, part: Box<dyn Part>) {
        self.inner.orders.lock().await.parts.push(part);
    }

    /// Lets go of those memories and of every checkpoint: they hold the engine as it holds them.
    pub(crate) async fn let_go(&self) {
        *self.inner.orders.lock().await = Checkpoints::default();
    }

    /// Remembers everything as it is now; answers the checkpoint's id, which is never given again.
    pub async fn checkpoint(&self, name: Option<String>) -> Result<u64, EngineError> {
        let mut orders = self.inner.orders.lock().await;
        let snapshots = self.snapshots().await?;
        self.catch_up().await?;
        let checkpoint = Checkpoint {
            name,
            snapshots,
            index: self.inner.indexer.save(),
            savepoint: self.inner.store.savepoint().await?,
            now: self.inner.clock.now(),
            captchas: orders.captchas,
            parts: orders.parts.iter().map(|part| part.save()).collect(),
        };
        orders.last += 1;
        let id = orders.last;
        orders.kept.insert(id, checkpoint);
        Ok(id)
    }

    /// The checkpoints there are, in the order of their making.
    pub async fn checkpoints(&self) -> Vec<CheckpointRecord> {
        self.inner.orders.lock().await.records().collect()
    }

    /// The checkpoints of the platform that was imported, to which nobody goes back.
    pub async fn imported_checkpoints(&self) -> Vec<CheckpointRecord> {
        self.inner.orders.lock().await.imported.clone()
    }

    /// Goes back to a checkpoint, as often as wanted; those made after it end.
    pub async fn revert(&self, id: u64) -> Result<(), EngineError> {
        let mut orders = self.inner.orders.lock().await;
        let orders = &mut *orders;
        if orders.imported.iter().any(|imported| imported.id == id) {
            return Err(EngineError::ImportedCheckpoint { id });
        }
        let checkpoint = orders.kept.get_mut(&id).ok_or(EngineError::UnknownCheckpoint { id })?;
        // Nobody indexes what the chains go back through: it would be folded again from the first block on.
        let paused = self.inner.indexer.pause().await;
        let reverts = self.all().filter_map(|chain| {
            let snapshot = *checkpoint.snapshots.get(&chain.id())?;
            Some(async move { Ok::<_, EngineError>((chain.id(), chain.revert(snapshot).await?)) })
        });
        checkpoint.snapshots = try_join_all(reverts).await?.into_iter().collect();
        let rollbacks = self.inner.store.rollback_to(checkpoint.savepoint, checkpoint.now).await?;
        self.inner.indexer.restore(paused, &checkpoint.index, rollbacks).await;
        self.move_to(checkpoint.now, Blocks::None).await?;
        for (part, saved) in orders.parts.iter().zip(&checkpoint.parts) {
            part.restore(saved.as_ref());
        }
        orders.captchas = checkpoint.captchas;
        orders.kept.split_off(&(id + 1));
        // A block that was mined while the checkpoint was made is in the index and not in the chain.
        self.catch_up().await
    }

    async fn snapshots(&self) -> Result<BTreeMap<u64, u64>, EngineError> {
        let taken = self.all().map(async |chain| Ok::<_, EngineError>((chain.id(), chain.snapshot().await?)));
        Ok(try_join_all(taken).await?.into_iter().collect())
    }
}
