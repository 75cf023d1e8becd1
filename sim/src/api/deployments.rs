//! The deployments of a chain: the contracts with which tokens are launched and traded.
use std::collections::{BTreeMap, BTreeSet};

use alloy::primitives::{Address, B256, keccak256};
use futures::future::try_join_all;
use slipway_contracts::deploy::{Deployment as Placed, QuoteAsset};

use super::schema::{AddressText, Hash};
use crate::engine::{Engine, EngineError};

/// Versions of the contracts.
pub(super) const FIRST: &str = "v1";
const SECOND: &str = "v2";
/// Ways to withdraw accrued fees.
const PULL: &str = "pull";
const PUSH: &str = "push";

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
    /// The quote asset of its launches; null for the native coin.
    pub quote_asset: Option<AddressText>,
    /// The contracts that it builds on; null for V1.
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
    fn of_hook(placed: &Placed, hook: Address, quote_asset: Option<Address>) -> Self {
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
    fn of_factory(placed: &Placed, factory: Address) -> Self {
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

    /// Adds the hashes of the code that is on the chain now.
    pub(super) async fn with_runtime_hashes(
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
