//! What a client may do here and with which contracts.
use std::collections::BTreeMap;

use alloy::primitives::{Address, B256};
use slipway_contracts::deploy::Deployment as Placed;

use crate::state::State;

/// Schema revision of the capabilities object.
pub const REVISION: u64 = 1;
/// The chains of the platform, the primary first.
pub const CHAINS: [u64; 2] = [57073, 4663];

/// What the switches of the object say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Flags {
    /// Tokens can be read.
    pub read: bool,
    /// Tokens can be launched.
    pub create: bool,
    /// Tokens can be traded.
    pub trade: bool,
    /// The Emperor auction runs.
    pub eoti: bool,
    /// Texts and links of a token can be changed after its launch; they cannot.
    pub token_update: bool,
}

/// The published contracts that a deployment builds on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PoolContracts {
    /// Holds every pool.
    pub pool_manager: Address,
    /// Holds positions.
    pub position_manager: Address,
    /// Reads pools.
    pub state_view: Address,
    /// Quotes swaps.
    pub quoter: Address,
    /// Routes swaps.
    pub universal_router: Address,
    /// Holds allowances.
    pub permit2: Address,
}

/// One hook with what belongs to it.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Deployment {
    /// Generation of the contracts.
    pub version: &'static str,
    /// The launch hook.
    pub hook: Address,
    /// Which interface the hook speaks.
    pub abi_family: &'static str,
    /// How accrued fees leave: `pull`, each account withdraws its own.
    pub fee_withdrawal_mode: &'static str,
    /// Hash of the hook's code.
    pub runtime_hash: B256,
    /// The contracts it builds on.
    pub v4: PoolContracts,
    /// Block from which on it can be used.
    pub start_block: u64,
}

impl Deployment {
    /// A deployment of the launch hook, whose code has this hash.
    #[must_use]
    pub fn of(placed: &Placed, runtime_hash: B256) -> Self {
        let contract = |name| placed.contract(name).unwrap_or_default();
        Self {
            version: "v2",
            hook: placed.hook,
            abi_family: "launch-hook-v2",
            fee_withdrawal_mode: "pull",
            runtime_hash,
            v4: PoolContracts {
                pool_manager: contract("PoolManager"),
                position_manager: contract("PositionManager"),
                state_view: contract("StateView"),
                quoter: contract("V4Quoter"),
                universal_router: contract("UniversalRouter"),
                permit2: contract("Permit2"),
            },
            start_block: placed.start_block,
        }
    }
}

/// The deployments of one chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deployments {
    /// Where new launches with a native raise go.
    pub creation: Deployment,
    /// Hooks of all tokens that exist, the one for new launches among them.
    pub tradeable: Vec<Deployment>,
}

/// The deployments of every chain, by chain id.
pub type Registry = BTreeMap<u64, Deployments>;

/// A deployment and whether it can be used.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Listed {
    #[serde(flatten)]
    deployment: Deployment,
    /// `active` when usable, `paused` when it takes no new launches.
    status: &'static str,
}

/// The capabilities object.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Capabilities {
    /// The chain.
    pub chain_id: u64,
    /// Build that answers.
    pub release_commit: String,
    /// Schema revision.
    pub capability_revision: u64,
    /// Switches.
    pub flags: Flags,
    /// Where new launches go.
    pub active_creation_deployment: Listed,
    /// Where existing tokens trade.
    pub tradeable_deployments: Vec<Listed>,
}

/// What a client may do on one chain now.
#[must_use]
pub fn capabilities(
    state: &State,
    chain_id: u64,
    deployments: &Deployments,
    release_commit: &str,
) -> Capabilities {
    let paused = state.is_creation_paused(chain_id, deployments.creation.hook);
    let listed = |deployment: &Deployment, status| Listed {
        deployment: deployment.clone(),
        status,
    };
    Capabilities {
        chain_id,
        release_commit: release_commit.to_owned(),
        capability_revision: REVISION,
        flags: Flags {
            read: true,
            create: !paused,
            trade: true,
            eoti: false,
            token_update: false,
        },
        active_creation_deployment: listed(&deployments.creation, if paused { "paused" } else { "active" }),
        tradeable_deployments: deployments
            .tradeable
            .iter()
            .map(|each| listed(each, "active"))
            .collect(),
    }
}
