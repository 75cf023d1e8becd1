//! Data for people beyond the folds: the events themselves, newest first, and recent rollbacks.
use std::sync::Arc;

use super::{Blocks, IndexedBlock, Indexer};
use crate::event::Event;

/// Maximum number of rollbacks kept.
const REMEMBERED: usize = 32;
/// Blocks copied out of the log at once, so that the lock is not held during the search.
const PART: usize = 256;

/// Blocks of a chain that were rolled back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rewind {
    /// Position among all rollbacks, from 1.
    pub number: u64,
    pub chain_id: u64,
    /// The last block that was kept; `None` if the whole chain was replaced.
    pub kept: Option<u64>,
    /// Number of the last block before the rollback.
    pub from: Option<u64>,
    /// Number of the last block after the rollback.
    pub to: Option<u64>,
    /// Timestamp of the last block after the rollback, Unix seconds.
    pub at: u64,
    /// Whether the platform reverted to a checkpoint; otherwise the chain was reorganised.
    pub is_checkpoint: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) launches: usize,
    pub(crate) blocks: usize,
    pub(crate) events: usize,
}

impl Indexer {
    /// Counts of everything indexed, over all chains.
    pub(crate) fn counts(&self) -> Counts {
        let launches = self.state().read().count();
        let log = self.inner.log.lock();
        let (mut blocks, mut events) = (0, 0);
        for &chain_id in self.inner.followers.keys() {
            let all = log.blocks(chain_id);
            blocks += all.len();
            events += all.iter().map(|block| block.events.len()).sum::<usize>();
        }
        Counts { launches, blocks, events }
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
        let (mut found, mut newest, mut below) = (Vec::new(), None, u64::MAX);
        loop {
            let Some(part) = self.part(chain_id, newest.as_deref(), below) else {
                // The blocks have been rolled back.
                (found, newest, below) = (Vec::new(), None, u64::MAX);
                continue;
            };
            let blocks = part.iter().rev().take_while(|block| block.number >= oldest);
            let events = blocks.flat_map(|block| block.events.iter().rev()).filter(|event| keep(event));
            found.extend(events.take(limit - found.len()).cloned());
            newest = newest.or_else(|| part.last().cloned());
            below = part.first().map_or(0, |block| block.number);
            if found.len() == limit || below <= oldest {
                return found;
            }
        }
    }

    /// The last blocks of a chain below this number; `None` if the block `newest` is no longer in the log.
    fn part(&self, chain_id: u64, newest: Option<&IndexedBlock>, below: u64) -> Option<Blocks> {
        let log = self.inner.log.lock();
        let is_gone = |newest: &IndexedBlock| {
            let blocks = log.blocks_up_to(chain_id, Some(newest.number));
            blocks.last().is_none_or(|block| block.hash != newest.hash)
        };
        if newest.is_some_and(is_gone) {
            return None;
        }
        let blocks = log.blocks_up_to(chain_id, below.checked_sub(1));
        Some(
            (blocks.len().saturating_sub(PART)..blocks.len())
                .map(|place| Arc::clone(&blocks[place]))
                .collect(),
        )
    }

    /// The latest rollbacks, newest last.
    pub(crate) fn rewinds(&self) -> Vec<Rewind> {
        self.inner.rewinds.lock().clone()
    }

    /// Records that a chain was rolled back to the block `kept` and now ends in another block.
    pub(super) fn note_rewind(
        &self,
        chain_id: u64,
        kept: Option<u64>,
        from: Option<&IndexedBlock>,
        to: Option<&IndexedBlock>,
        is_checkpoint: bool,
    ) {
        let mut rewinds = self.inner.rewinds.lock();
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
}
