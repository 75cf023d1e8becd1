//! Keeps each block in the journal before anybody is shown it: the journal of a folder is never behind the index.
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use alloy::primitives::B256;
use tokio::sync::watch;

use super::{IndexError, IndexedBlock, Indexer, Paused};
use crate::chain::{Chain, ChainError, Played};
use crate::store::{Entry, Kind, StoreError};

#[derive(Debug, Default)]
pub(super) struct Keeping {
    is_on: watch::Sender<bool>,
    /// Whether the journal has blocks that are no longer in any chain.
    is_torn: AtomicBool,
    /// Blocks in the journal.
    count: AtomicU64,
}

impl Keeping {
    pub(super) fn tear(&self) {
        self.is_torn.store(*self.is_on.borrow(), Ordering::SeqCst);
    }

    pub(super) fn mend(&self) {
        self.is_torn.store(false, Ordering::SeqCst);
    }
}

impl Indexer {
    /// Starts keeping blocks in the journal, which already has `blocks` of them.
    pub(crate) fn begin_keeping(&self, blocks: u64) {
        let keeping = &self.inner.keeping;
        keeping.count.store(blocks, Ordering::SeqCst);
        keeping.mend();
        keeping.is_on.send_replace(true);
    }

    /// Stops keeping blocks: a whole state is being taken.
    pub(crate) fn stop_keeping(&self) {
        self.inner.keeping.is_on.send_replace(false);
    }

    /// Records that the journal has blocks that are no longer in any chain, or lacks some: no block is indexed until a new journal begins.
    pub(crate) fn tear(&self) {
        let keeping = &self.inner.keeping;
        keeping.is_torn.store(true, Ordering::SeqCst);
        keeping.is_on.send_replace(true);
    }

    /// Waits until the indexed blocks of a chain are kept, if a whole state is being taken.
    pub(crate) async fn until_kept(&self, chain_id: u64) -> Result<(), IndexError> {
        // The index owns the sender.
        let _ = self.inner.keeping.is_on.subscribe().wait_for(|is_on| *is_on).await;
        if self.is_torn() { Err(IndexError::Torn(chain_id)) } else { Ok(()) }
    }

    /// Number of blocks in the journal.
    pub(crate) fn kept_blocks(&self) -> u64 {
        self.inner.keeping.count.load(Ordering::SeqCst)
    }

    /// Whether a new journal has to begin.
    pub(crate) fn is_torn(&self) -> bool {
        self.inner.keeping.is_torn.load(Ordering::SeqCst)
    }

    /// Keeps blocks that follow the indexed ones.
    pub(super) async fn keep(&self, chain: &Chain, blocks: &[IndexedBlock]) -> Result<(), IndexError> {
        let keeping = &self.inner.keeping;
        let Some(first) = blocks.first().filter(|_| *keeping.is_on.borrow()) else {
            return Ok(());
        };
        if self.is_torn() {
            return Err(IndexError::Torn(chain.id()));
        }
        let played = chain.played(first.number..first.number + blocks.len() as u64).await?;
        if let Some((block, _)) = blocks.iter().zip(&played).find(|(block, played)| block.hash != played.hash)
        {
            // The chain has been reorganised meanwhile.
            return Err(ChainError::NoBlock { chain_id: chain.id(), number: block.number }.into());
        }
        let entry = |block: &Played| {
            let body = serde_json::to_string(block).expect("a block has only string keys");
            Entry::new(chain.id(), Kind::Block, Some(format!("{} {}", chain.id(), block.hash)), body)
        };
        let entries: Vec<Entry> = played.iter().map(entry).collect();
        let mined: Vec<B256> = played.iter().flat_map(|block| block.hashes.iter().copied()).collect();
        self.inner.store.enter_blocks(&entries, &mined).await?;
        keeping.count.fetch_add(blocks.len() as u64, Ordering::SeqCst);
        Ok(())
    }

    /// Folds the stored facts up to this number.
    pub(crate) async fn fold_facts_to(&self, _paused: &Paused<'_>, number: i64) -> Result<(), StoreError> {
        let after = self.inner.log.lock().last_fact();
        let mut facts = self.inner.store.facts_after(after).await?;
        facts.retain(|(stored, _)| *stored <= number);
        self.fold_facts(facts);
        Ok(())
    }
}
