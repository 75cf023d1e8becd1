//! The calls by which callers change the state of a node without a block, each with its place between the blocks. They let another node
//! replay the chain.
use std::collections::BTreeMap;

use alloy::primitives::B256;

use super::{Chain, RepeatedCall};

/// Most bytes of the parameters of these calls; later calls are not remembered.
const MOST_BYTES: usize = 16 << 20;

#[derive(Debug, Default)]
pub(super) struct StateCalls {
    /// Each call with the latest block at its time, in order.
    calls: Vec<(B256, RepeatedCall)>,
    bytes: usize,
    /// The number of calls before each snapshot of the node.
    before_snapshots: BTreeMap<u64, usize>,
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
        let reverted = self.before_snapshots.split_off(&snapshot);
        if let Some(before) = reverted.get(&snapshot) {
            self.calls.truncate(*before);
            self.bytes = self.calls.iter().map(|(_, call)| call.length()).sum();
        }
    }
}

impl Chain {
    /// Remembers a call that has changed the state after this block.
    pub(crate) fn note_call(&self, latest: B256, call: RepeatedCall) {
        self.inner.state_calls.lock().add(latest, call);
    }

    /// Remembers that the node has taken a snapshot.
    pub(crate) fn note_snapshot(&self, number: u64) {
        let mut calls = self.inner.state_calls.lock();
        let before = calls.calls.len();
        calls.before_snapshots.insert(number, before);
    }

    /// Forgets the calls that a revert to a snapshot has undone.
    pub(crate) fn note_revert(&self, snapshot: u64) {
        self.inner.state_calls.lock().revert(snapshot);
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

    use super::{MOST_BYTES, RepeatedCall, StateCalls};

    fn call(length: usize) -> RepeatedCall {
        RepeatedCall { method: String::new(), params: Some(to_raw_value(&"0".repeat(length - 2)).unwrap()) }
    }

    #[test]
    fn a_revert_forgets_what_came_after_its_snapshot() {
        let mut calls = StateCalls::default();
        for snapshot in 0..3 {
            calls.before_snapshots.insert(snapshot, calls.calls.len());
            calls.add(B256::ZERO, call(10));
        }
        calls.revert(1);
        assert_eq!((calls.calls.len(), calls.bytes, calls.before_snapshots.len()), (1, 10, 1));
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
