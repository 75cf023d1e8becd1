//! Where everything is, as one JSON object.
use std::collections::BTreeMap;

use alloy::primitives::Address;

use crate::account::Account;
use crate::api::address;

/// Where everything is; its JSON is one line that scripts read.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Ready {
    /// Process that serves.
    pub pid: u32,
    /// The seed in force.
    pub seed: u64,
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
