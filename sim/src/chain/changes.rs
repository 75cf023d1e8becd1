//! The calls by which callers change the state of a node without a block, each with its place between the blocks. They let another node
//! replay the chain.
use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

use alloy::primitives::B256;
use slipway_contracts::node::STATES_OF_NO_BLOCK;

use super::{Chain, ChainError, RepeatedCall};

/// Most bytes of the parameters of these calls; later calls are not remembered.
const MOST_BYTES: usize = 16 << 20;

#[derive(Debug, Default)]
pub(super) struct StateCalls {
    /// Each call with the latest block at its time, in order.
    calls: Vec<(B256, RepeatedCall)>,
    bytes: usize,
    /// The snapshots that the node can revert to.
    snapshots: BTreeMap<u64, Taken>,
    /// The number of blocks in the node's queue of states that are not, or twice, in the chain.
    stale: u64,
}

/// A snapshot of the node.
#[derive(Clone, Copy, Debug)]
struct Taken {
    /// The number of calls before it.
    before: usize,
    /// The latest block in it, or a later one.
    head: B256,
}

impl StateCalls {
    fn add(&mut self, latest: B256, call: RepeatedCall) {
        let bytes = self.bytes + call.length();
        if bytes <= MOST_BYTES {
            self.bytes = bytes;
            self.calls.push((latest, call));
        }
    }

    /// Forgets the calls after a snapshot, and the snapshots that a revert to it removes.
    fn revert(&mut self, snapshot: u64) {
        let reverted = self.snapshots.split_off(&snapshot);
        if let Some(taken) = reverted.get(&snapshot) {
            self.calls.truncate(taken.before);
            self.bytes = self.calls.iter().map(|(_, call)| call.length()).sum();
        }
    }
}

impl Chain {
    /// Remembers a call that has changed the state after this block.
    pub(crate) fn note_call(&self, latest: B256, call: RepeatedCall) {
        self.inner.state_calls.lock().add(latest, call);
    }

    /// Remembers that the node has taken a snapshot, with this latest block.
    pub(crate) fn note_snapshot(&self, number: u64, head: B256) {
        let mut calls = self.inner.state_calls.lock();
        let before = calls.calls.len();
        calls.snapshots.insert(number, Taken { before, head });
    }

    /// Number of snapshots that the node keeps.
    pub(crate) fn snapshots(&self) -> usize {
        self.inner.state_calls.lock().snapshots.len()
    }

    /// Whether the node can revert to a snapshot. A node asked for one that an earlier revert has removed, or whose block a rollback has
    /// removed, takes a block that does not exist for its latest, and answers nothing any more.
    pub(crate) async fn can_revert_to(&self, snapshot: u64) -> Result<bool, ChainError> {
        let taken = self.inner.state_calls.lock().snapshots.get(&snapshot).copied();
        let Some(Taken { head, .. }) = taken else { return Ok(false) };
        self.has_block(head).await
    }

    /// Forgets the calls that a revert to a snapshot has undone; `height` is the number of the latest block before it.
    pub(crate) async fn note_revert(&self, snapshot: u64, height: u64) -> Result<(), ChainError> {
        self.inner.state_calls.lock().revert(snapshot);
        let reverted = height.saturating_sub(self.head().await?.number);
        // The snapshot's block comes into the queue again with the next block.
        let stale = if reverted > 0 { reverted + 1 } else { 0 };
        if self.add_stale(stale) { self.forget_states().await } else { Ok(()) }
    }

    /// Remembers that the node has gone back to a block and removed the later ones from its queue of states. It gets no states of no block
    /// if it has mined since: it would forget those of the blocks that it has mined.
    pub(crate) async fn note_rollback(&self, has_mined: bool) -> Result<(), ChainError> {
        if self.add_stale(1) && !has_mined { self.forget_states().await } else { Ok(()) }
    }

    /// Counts blocks that are in the node's queue of states and not, or twice, in the chain; returns whether they are too many.
    ///
    /// A node removes a block's state when the block leaves the queue. A revert leaves the queue as it is, and the block that a chain has gone
    /// back to comes into it a second time: its state goes when the first of the two leaves.
    fn add_stale(&self, blocks: u64) -> bool {
        let mut calls = self.inner.state_calls.lock();
        calls.stale = calls.stale.saturating_add(blocks);
        calls.stale > u64::from(self.inner.kept_states.load(Ordering::Relaxed) / 2)
    }

    /// Fills the node's queue with states of no block.
    async fn forget_states(&self) -> Result<(), ChainError> {
        let _: bool = self.ask("anvil_loadState", (&*STATES_OF_NO_BLOCK,)).await?;
        self.inner.state_calls.lock().stale = 0;
        Ok(())
    }

    /// Sets how many states of past blocks the node keeps.
    pub(crate) fn keeps_states(&self, states: u16) {
        self.inner.kept_states.store(states, Ordering::Relaxed);
    }

    /// The calls that changed the state after a block and before the next one, in order.
    pub(crate) fn calls_after(&self, block: B256) -> Vec<RepeatedCall> {
        let calls = self.inner.state_calls.lock();
        calls.calls.iter().filter(|(latest, _)| *latest == block).map(|(_, call)| call.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use alloy::primitives::B256;
    use serde_json::value::to_raw_value;

    use super::{MOST_BYTES, RepeatedCall, StateCalls, Taken};

    fn call(length: usize) -> RepeatedCall {
        RepeatedCall { method: String::new(), params: Some(to_raw_value(&"0".repeat(length - 2)).unwrap()) }
    }

    #[test]
    fn a_revert_forgets_what_came_after_its_snapshot() {
        let mut calls = StateCalls::default();
        for snapshot in 0..3 {
            calls.snapshots.insert(snapshot, Taken { before: calls.calls.len(), head: B256::ZERO });
            calls.add(B256::ZERO, call(10));
        }
        calls.revert(1);
        assert_eq!((calls.calls.len(), calls.bytes, calls.snapshots.len()), (1, 10, 1));
        // A snapshot that is gone reverts nothing.
        calls.revert(2);
        assert_eq!(calls.calls.len(), 1);
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let mut calls = StateCalls::default();
        for _ in 0..5 {
            calls.add(B256::ZERO, call(MOST_BYTES / 4));
        }
        assert_eq!((calls.calls.len(), calls.bytes), (4, MOST_BYTES));
    }
}
