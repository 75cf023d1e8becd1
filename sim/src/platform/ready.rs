//! Where everything is, as one JSON object.
use std::collections::BTreeMap;
use std::time::Duration;

use alloy::primitives::Address;

use crate::account::Account;
use crate::address;
use crate::clock::ClockMode;
use crate::indexer::Counts;

/// Counts the forms of the ready line and of the control plane: one more wherever a member is removed or means something else.
pub(super) const PROTOCOL: u32 = 1;

/// Where everything is; its JSON is one line that scripts read.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Ready {
    /// The form of this line and of the control plane; a launcher refuses one that it does not know.
    pub protocol: u32,
    /// Process that serves.
    pub pid: u32,
    /// The seed in force.
    pub seed: u64,
    /// How time passes.
    pub clock: ClockMode,
    /// The service.
    pub base_url: String,
    /// The swap service.
    pub swap_base_url: String,
    /// The control plane; null when it is switched off.
    pub control_url: Option<String>,
    /// What callers of the control plane must show; absent where nothing is demanded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub control_token: Option<String>,
    /// Credential of the operator.
    pub operator_key: String,
    /// The chains, the primary first.
    pub chains: Vec<ReadyChain>,
    /// Funded accounts on both chains.
    pub accounts: Vec<Account>,
    /// What was indexed until then.
    pub indexed: ReadyIndex,
}

impl Ready {
    /// As the ready line contains it.
    ///
    /// # Panics
    /// Never: all of it is text, numbers and lists.
    #[must_use]
    pub fn to_value(&self) -> serde_json::Value {
        serde_json::to_value(self).expect("texts, numbers and lists are JSON")
    }
}

/// How much the start has indexed, and how quickly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReadyIndex {
    /// Launches of both chains and versions.
    pub launches: usize,
    /// Blocks of both chains.
    pub blocks: usize,
    /// Events in them.
    pub events: usize,
    /// How long it took to read and fold them.
    pub milliseconds: u64,
    /// Events in one second of that.
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
    /// Where its node answers.
    pub rpc_url: String,
    /// The launch hook.
    #[serde(serialize_with = "address::checksummed")]
    pub hook: Address,
    /// Every contract by its name.
    #[serde(serialize_with = "address::checksummed_values")]
    pub contracts: BTreeMap<String, Address>,
}
