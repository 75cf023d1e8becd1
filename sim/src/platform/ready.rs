//! The ready line: the addresses of everything, as one JSON object.
use std::collections::BTreeMap;
use std::time::Duration;

use alloy::primitives::Address;

use crate::account::Account;
use crate::address;
use crate::clock::ClockMode;
use crate::indexer::Counts;

/// Version of the ready line and the control plane: incremented whenever a member is removed or changes its meaning.
pub(super) const PROTOCOL: u32 = 1;

/// The addresses of everything; its JSON is one line that scripts read.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Ready {
    /// Version of this line and of the control plane; a launcher refuses an unknown one.
    pub protocol: u32,
    /// Process id of the platform.
    pub pid: u32,
    /// The seed.
    pub seed: u64,
    /// The clock's mode.
    pub clock: ClockMode,
    /// The REST service.
    pub base_url: String,
    /// The swap service.
    pub swap_base_url: String,
    /// The control plane; null when it is disabled.
    pub control_url: Option<String>,
    /// Token for callers of the control plane; absent if none is required.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub control_token: Option<String>,
    /// Credential of the operator.
    pub operator_key: String,
    /// The chains, the primary first.
    pub chains: Vec<ReadyChain>,
    /// Funded accounts on both chains.
    pub accounts: Vec<Account>,
    /// The size of the index after the start.
    pub indexed: ReadyIndex,
}

impl Ready {
    /// The ready line as JSON.
    ///
    /// # Panics
    /// Never: all of it is text, numbers and lists.
    #[must_use]
    pub fn to_value(&self) -> serde_json::Value {
        serde_json::to_value(self).expect("texts, numbers and lists are JSON")
    }
}

/// The size of the index after the start, and how fast it was built.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReadyIndex {
    /// Launches of both chains and versions.
    pub launches: usize,
    /// Blocks of both chains.
    pub blocks: usize,
    /// Events in the blocks.
    pub events: usize,
    /// Time to read and fold them, in milliseconds.
    pub milliseconds: u64,
    /// Events per second of that time.
    pub events_per_second: u64,
}

impl ReadyIndex {
    pub(super) fn of(counts: Counts, took: Duration) -> Self {
        let Counts { launches, blocks, events } = counts;
        let rate = events as u128 * 1_000_000 / took.as_micros().max(1);
        Self {
            launches,
            blocks,
            events,
            milliseconds: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
            events_per_second: u64::try_from(rate).unwrap_or(u64::MAX),
        }
    }
}

/// One chain.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReadyChain {
    /// Chain id.
    pub chain_id: u64,
    /// URL of its node.
    pub rpc_url: String,
    /// The launch hook.
    #[serde(serialize_with = "address::checksummed")]
    pub hook: Address,
    /// Every contract by its name.
    #[serde(serialize_with = "address::checksummed_values")]
    pub contracts: BTreeMap<String, Address>,
}
