//! What people look at beyond the folds: the events themselves, the latest first, and what was undone.
use std::sync::{MutexGuard, PoisonError};

use super::{IndexedBlock, Indexer};
use crate::event::Event;

/// Most rewinds that are remembered.
const REMEMBERED: usize = 32;

/// Blocks of a chain that were taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rewind {
    /// Position among all rewinds, from 1.
    pub number: u64,
    /// The chain.
    pub chain_id: u64,
    /// The last block that stayed; none when the whole chain was replaced.
    pub kept: Option<u64>,
    /// Number of the last block before.
    pub from: Option<u64>,
    /// Number of the last block after.
    pub to: Option<u64>,
    /// Timestamp of the last block after, Unix seconds.
    pub at: u64,
    /// Whether the platform returned to a checkpoint; else the chain was reorganised.
    pub is_checkpoint: bool,
}

/// How much is indexed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) launches: usize,
    pub(crate) blocks: usize,
    pub(crate) events: usize,
}

impl Indexer {
    /// How much is indexed of all chains together.
    pub(crate) fn counts(&self) -> Counts {
        let launches = self.state().read().unwrap_or_else(PoisonError::into_inner).count();
        let log = self.log();
        let blocks = || self.inner.followers.keys().flat_map(|&chain_id| log.blocks(chain_id));
        Counts { launches, blocks: blocks().count(), events: blocks().map(|block| block.events.len()).sum() }
    }

    /// The latest events of a chain that `keep` accepts, at most `limit`, the latest first; blocks below `oldest` are not
    /// looked at.
    pub(crate) fn latest_events(
        &self,
        chain_id: u64,
        oldest: u64,
        limit: usize,
        keep: impl Fn(&Event) -> bool,
    ) -> Vec<Event> {
        let log = self.log();
        let blocks = log.blocks(chain_id).iter().rev().take_while(|block| block.number >= oldest);
        let events = blocks.flat_map(|block| block.events.iter().rev());
        events.filter(|event| keep(event)).take(limit).cloned().collect()
    }

    /// What was undone lately, the latest last.
    pub(crate) fn rewinds(&self) -> Vec<Rewind> {
        self.remembered().clone()
    }

    /// Remembers that a chain was taken back to the block `kept` and now ends in another block.
    pub(super) fn note_rewind(
        &self,
        chain_id: u64,
        kept: Option<u64>,
        from: Option<&IndexedBlock>,
        to: Option<&IndexedBlock>,
        is_checkpoint: bool,
    ) {
        let mut rewinds = self.remembered();
        let number = rewinds.last().map_or(0, |rewind| rewind.number) + 1;
        if rewinds.len() == REMEMBERED {
            rewinds.remove(0);
        }
        rewinds.push(Rewind {
            number,
            chain_id,
            kept,
            from: from.map(|block| block.number),
            to: to.map(|block| block.number),
            at: to.map_or(0, |block| block.timestamp),
            is_checkpoint,
        });
    }

    fn remembered(&self) -> MutexGuard<'_, Vec<Rewind>> {
        self.inner.rewinds.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
