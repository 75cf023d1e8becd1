//! Capabilities: what a client may do on a chain, and with which contracts.
use slipway_contracts::ChainId;

use super::Api;
use super::deployments::{Deployment, Deployments, FIRST};
use super::refusal::Refusal;
use super::schema::AddressText;
use crate::state::State;

/// Schema revision of the capabilities object.
pub(crate) const REVISION: u64 = 1;
/// The chains of the platform, the primary first.
pub(crate) const CHAINS: [u64; 2] = [ChainId::PRIMARY.0, ChainId::SECOND.0];

/// Message of the refusal for a chain without a deployment.
pub(crate) const UNPLACED: &str = "nothing is deployed on this chain";
pub(crate) const UNREACHABLE: &str = "the chain does not answer";

/// Status of a deployment.
const ACTIVE: &str = "active";
const PAUSED: &str = "paused";
const HISTORICAL: &str = "historical";

/// The switches of the object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Flags {
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

/// A deployment and whether it can be used.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
#[schemars(rename = "ListedDeployment")]
pub(crate) struct Listed {
    #[serde(flatten)]
    deployment: Deployment,
    /// `active` when usable, `paused` when it takes no new launches, `historical` when it never will again and its tokens
    /// trade on.
    #[schemars(extend("enum" = [ACTIVE, PAUSED, HISTORICAL]))]
    status: &'static str,
}

/// The capabilities object.
///
/// Clause: CAP-SHAPE, CAP-MEMBERS
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Capabilities {
    /// The chain.
    #[schemars(extend("enum" = CHAINS))]
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
    /// Address for bids for the daily token; null if there is no auction.
    pub emperor_auction: Option<AddressText>,
}

impl Api {
    /// The capabilities of a chain now.
    pub(crate) async fn capabilities(&self, chain_id: u64) -> Result<Capabilities, Refusal> {
        let deployments = self.deployments.get(&chain_id);
        let deployments =
            deployments.ok_or_else(|| Refusal::unavailable("capabilities-deployment", UNPLACED))?;
        let current = deployments.with_runtime_hashes(chain_id, &self.engine).await;
        let current =
            current.map_err(|_| Refusal::unavailable("capabilities-chain-unreachable", UNREACHABLE))?;
        Ok(capabilities(&self.read(), chain_id, &current, &self.settings.release_commit))
    }

    /// The quote assets of launches on a chain other than the native coin.
    ///
    /// Clause: STOCK-ASSETS, STOCK-HOOKS
    pub(crate) fn quote_assets(&self, chain_id: u64) -> Result<Vec<ListedAsset<'_>>, Refusal> {
        let deployments = self.deployments.get(&chain_id);
        let deployments = deployments.ok_or_else(|| Refusal::unavailable("stocks-deployment", UNPLACED))?;
        let state = self.read();
        let listed = deployments.quote_assets.iter().map(|asset| ListedAsset {
            address: AddressText(asset.address),
            symbol: &asset.symbol,
            name: &asset.name,
            decimals: asset.decimals,
            hook: AddressText(asset.hook),
            status: if state.is_creation_paused(chain_id, asset.hook) { PAUSED } else { ACTIVE },
        });
        Ok(listed.collect())
    }
}

/// Clause: CAP-INACTIVE
fn capabilities(
    state: &State,
    chain_id: u64,
    deployments: &Deployments,
    release_commit: &str,
) -> Capabilities {
    let paused = state.is_creation_paused(chain_id, deployments.creation.hook.0);
    let listed = |deployment: &Deployment, status| Listed { deployment: deployment.clone(), status };
    Capabilities {
        chain_id,
        release_commit: release_commit.to_owned(),
        capability_revision: REVISION,
        flags: Flags {
            read: true,
            create: !paused,
            trade: true,
            eoti: deployments.auction.is_some(),
            token_update: false,
        },
        active_creation_deployment: listed(&deployments.creation, if paused { PAUSED } else { ACTIVE }),
        tradeable_deployments: deployments
            .tradeable
            .iter()
            .map(|each| listed(each, if each.version == FIRST { HISTORICAL } else { ACTIVE }))
            .collect(),
        emperor_auction: deployments.auction.map(AddressText),
    }
}

/// A quote asset.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
pub(crate) struct ListedAsset<'a> {
    address: AddressText,
    symbol: &'a str,
    name: &'a str,
    decimals: u8,
    hook: AddressText,
    /// `active`, or `paused` while its hook takes no new launches.
    #[schemars(extend("enum" = [ACTIVE, PAUSED]))]
    status: &'static str,
}
