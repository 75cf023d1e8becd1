//! The checkpoints there are, and the order that was left unfinished.
use std::collections::BTreeMap;

use alloy::primitives::B256;

use crate::clock::Moment;
use crate::faults::Ordered;
use crate::indexer::Saved;

/// The checkpoints there are.
#[derive(Debug, Default)]
pub(super) struct Checkpoints {
    pub(super) last: u64,
    pub(super) kept: BTreeMap<u64, Checkpoint>,
    /// Those of the platform that was imported; they are never reverted to.
    pub(super) imported: Vec<CheckpointRecord>,
    pub(super) unfinished: Option<Unfinished>,
    /// Whether a task tries to finish it.
    pub(super) is_attended: bool,
}

impl Checkpoints {
    /// Those to which a revert can return, in the order of their making.
    pub(super) fn records(&self) -> impl Iterator<Item = CheckpointRecord> {
        self.kept.iter().map(|(&id, kept)| CheckpointRecord {
            id,
            name: kept.name.clone(),
            at: kept.moment.shown,
        })
    }

    /// All checkpoints of an export.
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
    /// What the clock showed then, Unix seconds.
    pub at: u64,
}

#[derive(Debug)]
pub(super) struct Checkpoint {
    pub(super) name: Option<String>,
    /// By chain id.
    pub(super) snapshots: BTreeMap<u64, Snapshot>,
    pub(super) index: Saved,
    /// The store's number at that moment.
    pub(super) savepoint: i64,
    pub(super) moment: Moment,
    pub(super) captchas: u64,
    pub(super) faults: BTreeMap<String, Ordered>,
}

/// A node's snapshot of its chain.
#[derive(Debug)]
pub(super) struct Snapshot {
    /// Its number; a revert uses it up.
    pub(super) number: u64,
    /// The last block in it.
    pub(super) head: B256,
}

/// An order that ended on some parts only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unfinished {
    /// Chains and clock may show different times; the clock's is the one to be reached.
    Time,
    /// Chains and store may be at different checkpoints; this is the one to go back to.
    Revert(u64),
    /// As above, and a chain has no snapshot of that checkpoint any more.
    Lost(u64),
}

impl Unfinished {
    /// What is wrong and which order cures it.
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
