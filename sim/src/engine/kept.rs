//! The existing checkpoints, and the unfinished order.
use std::collections::BTreeMap;
use std::sync::Arc;

use super::EngineError;
use crate::chain::Snapshot;
use crate::clock::Moment;
use crate::faults::Ordered;
use crate::indexer::Saved;

/// Maximum number of checkpoints without a name.
const UNNAMED: usize = 64;

#[derive(Debug, Default)]
pub(super) struct Checkpoints {
    pub(super) last: u64,
    pub(super) kept: BTreeMap<u64, Checkpoint>,
    /// The imported platform's checkpoints, which cannot be reverted to.
    pub(super) imported: Vec<CheckpointRecord>,
    pub(super) unfinished: Option<Unfinished>,
    /// Whether a task is trying to finish it.
    pub(super) is_attended: bool,
}

impl Checkpoints {
    /// The checkpoints that can be reverted to, in creation order.
    pub(super) fn records(&self) -> impl Iterator<Item = CheckpointRecord> {
        self.kept.iter().map(|(&id, kept)| CheckpointRecord {
            id,
            name: kept.name.clone(),
            at: kept.moment.shown,
        })
    }

    /// Adds a checkpoint and returns its id; if more than [`UNNAMED`] have no name, the oldest of them is discarded, and returned too.
    pub(super) fn keep(&mut self, checkpoint: Checkpoint) -> (u64, Option<u64>) {
        self.last += 1;
        self.kept.insert(self.last, checkpoint);
        let unnamed = self.kept.iter().filter(|(_, kept)| kept.name.is_none()).map(|(&id, _)| id);
        let discarded = unnamed.rev().nth(UNNAMED);
        if let Some(oldest) = discarded {
            self.kept.remove(&oldest);
        }
        (self.last, discarded)
    }

    /// The reason why a checkpoint cannot be reverted to.
    pub(super) fn absence(&self, id: u64) -> EngineError {
        if self.imported.iter().any(|imported| imported.id == id) {
            EngineError::ImportedCheckpoint(id)
        } else if (1..=self.last).contains(&id) {
            EngineError::DiscardedCheckpoint(id)
        } else {
            EngineError::UnknownCheckpoint(id)
        }
    }

    /// Those from before a savepoint of the store.
    pub(super) fn all_from_before(&self, savepoint: i64) -> Vec<CheckpointRecord> {
        let is_earlier = |record: &CheckpointRecord| self.kept[&record.id].savepoint < savepoint;
        self.imported.iter().cloned().chain(self.records().filter(is_earlier)).collect()
    }

    pub(super) fn all(&self) -> Vec<CheckpointRecord> {
        self.imported.iter().cloned().chain(self.records()).collect()
    }
}

#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct CheckpointRecord {
    pub id: u64,
    pub name: Option<String>,
    /// The clock's time at that moment, Unix seconds.
    pub at: u64,
}

#[derive(Clone, Debug)]
pub(super) struct Checkpoint {
    pub(super) name: Option<String>,
    /// By chain id.
    pub(super) snapshots: BTreeMap<u64, Arc<Snapshot>>,
    pub(super) index: Saved,
    /// The store's savepoint at that moment.
    pub(super) savepoint: i64,
    pub(super) moment: Moment,
    pub(super) captchas: u64,
    pub(super) faults: BTreeMap<String, Ordered>,
}

/// An order that was completed on some parts only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unfinished {
    /// Chains and clock may have different times; the clock's is the target.
    Time,
    /// Chains and store may be at different checkpoints; this one is the target.
    Revert(u64),
    /// Like `Revert`, but a chain no longer has a snapshot of that checkpoint.
    Lost(u64),
}

impl Unfinished {
    /// The problem and the order that fixes it.
    pub(super) fn report(self) -> String {
        match self {
            Self::Time => {
                "the chains do not show the time of the clock: this is tried again until they answer, \
                 as POST /_sim/clock/advance does"
                    .to_owned()
            }
            Self::Revert(id) => format!(
                "the revert to checkpoint {id} is incomplete: it is tried again until every part answers, \
                 as POST /_sim/checkpoints/{id}/revert does"
            ),
            Self::Lost(id) => format!(
                "the revert to checkpoint {id} is incomplete and a node has lost its snapshot: \
                 POST /_sim/checkpoints/{{id}}/revert with another checkpoint, or start the platform again"
            ),
        }
    }
}
