//! The contracts to read: named by the capabilities, believed only where the chain has code for them.
use alloy::primitives::Address;
use serde_json::Value;

use crate::check::Verdict;
use crate::client::chain::Chain;
use crate::reads::{CAPABILITIES, param};
use crate::trial::Trial;
use crate::wire::LaunchHook;

/// A contract that launches and trades.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Deployment {
    pub(crate) chain_id: u64,
    /// The launch hook, or the token factory of V1.
    pub(crate) hook: Address,
    pub(crate) is_v1: bool,
    /// The v4 pool manager of its pools.
    pub(crate) pool_manager: Option<Address>,
    /// The v4 state view of its pools.
    pub(crate) state_view: Option<Address>,
    /// The first block that can hold a log of it, as the service says.
    pub(crate) start_block: u64,
}

/// Every tradeable deployment of a chain, and the auction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Deployments {
    pub(crate) tradeable: Vec<Deployment>,
    pub(crate) auction: Option<Address>,
    /// Named contracts without code.
    pub(crate) without_code: Vec<Address>,
}

impl Deployments {
    /// Reads them from the capabilities of a chain.
    pub(crate) async fn read(trial: &Trial<'_>, chain: &Chain) -> Verdict<Self> {
        let chain_id = chain.chain_id();
        let response = trial.read(CAPABILITIES, &[param("chainId", chain_id.to_string())]).await?;
        let body = response.json().unwrap_or_default();
        let mut named = Self::of(chain_id, &body);
        let mut tradeable = Vec::new();
        for mut deployment in named.tradeable {
            if chain.code(deployment.hook).await?.is_empty() {
                named.without_code.push(deployment.hook);
                continue;
            }
            // How its v4 parts are called is left open; a hook knows its pool manager.
            if !deployment.is_v1 && deployment.pool_manager.is_none() {
                deployment.pool_manager =
                    chain.call(deployment.hook, &LaunchHook::poolManagerCall {}).await?.ok();
            }
            tradeable.push(deployment);
        }
        Ok(Self { tradeable, ..named })
    }

    /// Those that a capabilities object names.
    pub(crate) fn of(chain_id: u64, body: &Value) -> Self {
        let address = |value: &Value| value.as_str()?.parse::<Address>().ok();
        let named = body["tradeableDeployments"].as_array().into_iter().flatten();
        let tradeable = named.filter_map(|deployment| {
            Some(Deployment {
                chain_id,
                hook: address(&deployment["hook"])?,
                is_v1: deployment["version"] == "v1",
                pool_manager: address(&deployment["v4"]["poolManager"]),
                state_view: address(&deployment["v4"]["stateView"]),
                start_block: deployment["startBlock"].as_u64().unwrap_or_default(),
            })
        });
        Self {
            tradeable: tradeable.collect(),
            auction: address(&body["emperorAuction"]),
            without_code: Vec::new(),
        }
    }
}
