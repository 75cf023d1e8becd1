//! Snapshots of a chain. The node keeps each, a copy of the whole state, until a revert to it or to an earlier one; so a chain that has
//! not changed since its latest snapshot takes no other.
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use alloy::primitives::{B256, U64};
use tokio::sync::MutexGuard;

use super::gas::NextBlock;
use super::{Chain, ChainError, NO_PARAMS};

/// A snapshot on the node, shared by everything that refers to the same state.
#[derive(Debug)]
pub(crate) struct Snapshot {
    /// Its number; a revert consumes it, and the state gets another.
    number: AtomicU64,
    /// The latest block in it.
    pub(crate) head: B256,
    /// What the block after it gets: a revert leaves some of the node's own values as they were.
    next: NextBlock,
}

/// The latest snapshot, and the count of blockless state changes before it.
#[derive(Debug)]
pub(super) struct Latest {
    snapshot: Arc<Snapshot>,
    changes: u64,
}

/// A call that may change the state without a block; it counts when it ends.
#[derive(Debug)]
pub(crate) struct Change<'a>(&'a AtomicU64);

impl Drop for Change<'_> {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

impl Chain {
    /// Returns a guard to hold during a call that may change the state without a block.
    pub(crate) fn change(&self) -> Change<'_> {
        Change(&self.inner.changes)
    }

    /// A snapshot of the whole chain: the latest one if nothing has changed since.
    pub(crate) async fn snapshot(&self) -> Result<Arc<Snapshot>, ChainError> {
        let head = self.head().await?.hash;
        let changes = self.inner.changes.load(Ordering::SeqCst);
        let unchanged = |latest: &&Latest| latest.changes == changes && latest.snapshot.head == head;
        if let Some(latest) = self.inner.latest.lock().as_ref().filter(unchanged) {
            return Ok(Arc::clone(&latest.snapshot));
        }
        let (number, head) = self.take().await?;
        let snapshot =
            Arc::new(Snapshot { number: AtomicU64::new(number), head, next: self.next_block().await? });
        *self.inner.latest.lock() = Some(Latest { snapshot: Arc::clone(&snapshot), changes });
        Ok(snapshot)
    }

    /// Its number, and the latest block.
    async fn take(&self) -> Result<(u64, B256), ChainError> {
        let _alone = self.hold_snapshots().await;
        let number: U64 = self.ask("evm_snapshot", NO_PARAMS).await?;
        let head = self.head().await?.hash;
        self.note_snapshot(number.to(), head);
        Ok((number.to(), head))
    }

    /// Until the guard is dropped, nobody else takes a snapshot, reverts to one or orders a block.
    pub(crate) async fn hold_snapshots(&self) -> MutexGuard<'_, ()> {
        self.inner.snapshotting.lock().await
    }

    /// Whether a revert to a snapshot is possible: a caller of the node may have gone back behind it.
    pub(crate) async fn has_snapshot(&self, snapshot: &Snapshot) -> Result<bool, ChainError> {
        self.can_revert_to(snapshot.number.load(Ordering::SeqCst)).await
    }

    /// Reverts to a snapshot. Pending transactions are dropped. Mining is stopped meanwhile.
    ///
    /// If the chain is already at the snapshot's block, because an earlier attempt was interrupted, the node no longer has the snapshot.
    pub(crate) async fn revert(&self, snapshot: &Arc<Snapshot>) -> Result<(), ChainError> {
        self.between_intervals(self.go_back(snapshot)).await?
    }

    async fn go_back(&self, snapshot: &Arc<Snapshot>) -> Result<(), ChainError> {
        self.end_trail().await;
        let number = snapshot.number.load(Ordering::SeqCst);
        if !self.revert_at_rest(number).await? && self.head().await?.hash != snapshot.head {
            return Err(ChainError::NoSnapshot { chain_id: self.id(), snapshot: number });
        }
        self.set_next_block(&snapshot.next).await?;
        self.rests_with(snapshot.head);
        let changes = self.inner.changes.load(Ordering::SeqCst);
        snapshot.number.store(self.take().await?.0, Ordering::SeqCst);
        *self.inner.latest.lock() = Some(Latest { snapshot: Arc::clone(snapshot), changes });
        Ok(())
    }
}
