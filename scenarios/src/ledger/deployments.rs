//! The contracts to read: named by the capabilities, believed only where the chain has code for them.
use super::launch::Deployment;
use crate::client::chain::Chain;
use crate::prelude::*;
use crate::reads::CAPABILITIES;
use crate::wire::LaunchHook;

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
        let mut named = Self { auction: parsed(&body["emperorAuction"]), ..Self::default() };
        for deployment in body["tradeableDeployments"].as_array().into_iter().flatten() {
            let Some(hook) = parsed(&deployment["hook"]) else { continue };
            if chain.code(hook).await?.is_empty() {
                named.without_code.push(hook);
                continue;
            }
            let is_v1 = deployment["version"] == "v1";
            let mut pool_manager = parsed(&deployment["v4"]["poolManager"]);
            // How its v4 parts are called is left open; a hook knows its pool manager.
            if !is_v1 && pool_manager.is_none() {
                pool_manager = chain.call(hook, &LaunchHook::poolManagerCall {}).await?.ok();
            }
            let state_view = parsed(&deployment["v4"]["stateView"]);
            let start_block = deployment["startBlock"].as_u64().unwrap_or_default();
            named.tradeable.push(Deployment { chain_id, hook, is_v1, pool_manager, state_view, start_block });
        }
        Ok(named)
    }
}
