//! Capabilities: what a client may do on a chain, and with which contracts.
use slipway_contracts::ChainId;
use std::collections::{BTreeMap, BTreeSet};

use alloy::primitives::{Address, B256, keccak256};
use futures::future::try_join_all;
use slipway_contracts::deploy::{Deployment as Placed, QuoteAsset};

use crate::api::schema::{AddressText, Hash};
use crate::engine::{Engine, EngineError};
use crate::state::State;

/// Schema revision of the capabilities object.
pub(crate) const REVISION: u64 = 1;
/// The chains of the platform, the primary first.
pub(crate) const CHAINS: [u64; 2] = [ChainId::PRIMARY.0, ChainId::SECOND.0];

/// Message of the refusal of a chain without a deployment.
pub(crate) const UNPLACED: &str = "nothing is deployed on this chain";
pub(crate) const UNREACHABLE: &str = "the chain does not answer";

/// Versions of the contracts.
const FIRST: &str = "v1";
const SECOND: &str = "v2";
/// Ways to withdraw accrued fees.
const PULL: &str = "pull";
const PUSH: &str = "push";
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

/// The published contracts that a deployment builds on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PoolContracts {
    /// Holds every pool.
    pub pool_manager: AddressText,
    /// Holds positions.
    pub position_manager: AddressText,
    /// Reads pools.
    pub state_view: AddressText,
    /// Quotes swaps.
    pub quoter: AddressText,
    /// Routes swaps.
    pub universal_router: AddressText,
    /// Holds allowances.
    pub permit2: AddressText,
}

/// The published contracts that V1 tokens graduate into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PairContracts {
    /// Makes pairs.
    pub factory: AddressText,
    /// Routes swaps.
    pub router: AddressText,
}

/// One hook with what belongs to it.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Deployment {
    /// Generation of the contracts: `v2`, or `v1` of the token factory.
    #[schemars(extend("enum" = [FIRST, SECOND]))]
    pub version: &'static str,
    /// The launch hook, or the token factory.
    pub hook: AddressText,
    /// Which interface the hook speaks.
    pub abi_family: &'static str,
    /// How accrued fees leave: `pull`, each account withdraws its own; `push`, anyone sends them to their one recipient.
    #[schemars(extend("enum" = [PULL, PUSH]))]
    pub fee_withdrawal_mode: &'static str,
    /// Hash of the hook's code as it is now.
    pub runtime_hash: Hash,
    /// What its launches are sold for; none for the native coin.
    pub quote_asset: Option<AddressText>,
    /// The contracts it builds on; none for V1.
    pub v4: Option<PoolContracts>,
    /// The V1 exchange; absent from others.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "PairContracts")]
    pub v2: Option<PairContracts>,
    /// Block from which on it can be used.
    pub start_block: u64,
}

impl Deployment {
    /// A launch hook; the hash of its code is not read yet.
    ///
    /// Clause: CAP-HOOK, CAP-CODE
    #[must_use]
    pub(crate) fn of_hook(placed: &Placed, hook: Address, quote_asset: Option<Address>) -> Self {
        let contract = |name| AddressText(placed.contract(name).unwrap_or_default());
        Self {
            version: SECOND,
            hook: AddressText(hook),
            abi_family: "launch-hook-v2",
            fee_withdrawal_mode: PULL,
            runtime_hash: Hash(B256::ZERO),
            quote_asset: quote_asset.map(AddressText),
            v4: Some(PoolContracts {
                pool_manager: contract("PoolManager"),
                position_manager: contract("PositionManager"),
                state_view: contract("StateView"),
                quoter: contract("V4Quoter"),
                universal_router: contract("UniversalRouter"),
                permit2: contract("Permit2"),
            }),
            v2: None,
            start_block: placed.start_block,
        }
    }

    /// The V1 token factory; the hash of its code is not read yet.
    #[must_use]
    pub(crate) fn of_factory(placed: &Placed, factory: Address) -> Self {
        let contract = |name| AddressText(placed.contract(name).unwrap_or_default());
        Self {
            version: FIRST,
            hook: AddressText(factory),
            abi_family: "token-factory-v1",
            fee_withdrawal_mode: PUSH,
            runtime_hash: Hash(B256::ZERO),
            quote_asset: None,
            v4: None,
            v2: Some(PairContracts {
                factory: contract("UniswapV2Factory"),
                router: contract("UniswapV2Router02"),
            }),
            start_block: placed.start_block,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Deployments {
    /// The deployment for new launches with a native raise.
    pub creation: Deployment,
    /// Hooks of all existing tokens, including the one for new launches.
    pub tradeable: Vec<Deployment>,
    /// The quote assets of launches besides the native coin.
    pub quote_assets: Vec<QuoteAsset>,
    /// The auction of the daily token, if the chain has one.
    pub auction: Option<Address>,
    pub contracts: BTreeSet<Address>,
}

impl Deployments {
    /// Everything deployed on a chain; the hashes of its code are not read yet.
    ///
    /// Clause: CAP-TRADE, FIG-CAP, CAP-PARTS, FIG-PARTS, FIG-KINDS
    #[must_use]
    pub(crate) fn of(placed: &Placed) -> Self {
        let creation = Deployment::of_hook(placed, placed.hook, None);
        let stocks = placed
            .quote_assets
            .iter()
            .map(|asset| Deployment::of_hook(placed, asset.hook, Some(asset.address)));
        let v1 = placed.token_factory().map(|factory| Deployment::of_factory(placed, factory));
        Self {
            tradeable: std::iter::once(creation.clone()).chain(stocks).chain(v1).collect(),
            creation,
            quote_assets: placed.quote_assets.clone(),
            auction: placed.auction(),
            contracts: deployed(placed),
        }
    }

    /// The same with the hashes of the code that is on the chain now.
    ///
    /// # Errors
    /// When the chain does not answer.
    pub(crate) async fn with_runtime_hashes(
        &self,
        chain_id: u64,
        engine: &Engine,
    ) -> Result<Self, EngineError> {
        let (chain, _) = engine.chain(chain_id)?;
        let mut current = self.clone();
        let listed = std::iter::once(&mut current.creation).chain(&mut current.tradeable);
        try_join_all(listed.map(async |deployment| {
            deployment.runtime_hash = Hash(keccak256(chain.code(deployment.hook.0).await?));
            Ok::<_, EngineError>(())
        }))
        .await?;
        Ok(current)
    }
}

fn deployed(placed: &Placed) -> BTreeSet<Address> {
    let assets = placed.quote_assets.iter().flat_map(|asset| [asset.address, asset.hook]);
    placed.contracts.values().copied().chain([placed.hook]).chain(assets).collect()
}

/// The deployments of every chain, by chain id.
pub(crate) type Registry = BTreeMap<u64, Deployments>;

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
    /// Where bids for the daily token go; none where there is no auction.
    pub emperor_auction: Option<AddressText>,
}

/// What a client may do on one chain now.
///
/// Clause: CAP-INACTIVE
#[must_use]
pub(crate) fn capabilities(
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

/// The quote assets of launches on a chain besides the native coin.
///
/// Clause: STOCK-ASSETS, STOCK-HOOKS
#[must_use]
pub(crate) fn quote_assets<'a>(
    state: &State,
    chain_id: u64,
    deployments: &'a Deployments,
) -> Vec<ListedAsset<'a>> {
    let listed = |asset: &'a QuoteAsset| ListedAsset {
        address: AddressText(asset.address),
        symbol: &asset.symbol,
        name: &asset.name,
        decimals: asset.decimals,
        hook: AddressText(asset.hook),
        status: if state.is_creation_paused(chain_id, asset.hook) { PAUSED } else { ACTIVE },
    };
    deployments.quote_assets.iter().map(listed).collect()
}
