//! The contracts to read: named by the capabilities, believed only where the chain has code for them.
use super::launch::Deployment;
use crate::client::chain::Chain;
use crate::prelude::*;
use crate::reads::CAPABILITIES;
use crate::steady::prerequisite;
use crate::wire::LaunchHook;

/// Every tradeable deployment of a chain, and the auction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Deployments {
    pub(crate) tradeable: Vec<Deployment>,
    pub(crate) auction: Option<Address>,
    /// Named contracts without code.
    pub(crate) without_code: Vec<Address>,
}

/// The auction that the target file declares, or the capabilities name.
pub(crate) fn auction_of(trial: &Trial<'_>, capabilities: &Value) -> Option<Address> {
    trial.target().conventions.auction.or_else(|| parsed(&capabilities["emperorAuction"]))
}

impl Deployments {
    /// Reads them from the capabilities of a chain.
    pub(crate) async fn read(trial: &Trial<'_>, chain: &Chain) -> Verdict<Self> {
        let chain_id = chain.chain_id();
        let query = [param("chainId", chain_id.to_string())];
        // A service that cannot tell them now, as one that waits for its node too long, has not told that there are none.
        let (_, body) = prerequisite(|| trial.read_json(CAPABILITIES, &query)).await?;
        let mut named = Self { auction: auction_of(trial, &body), ..Self::default() };
        for deployment in body["tradeableDeployments"].as_array().into_iter().flatten() {
            let Some(hook) = parsed(&deployment["hook"]) else { continue };
            if chain.code(hook).await?.is_empty() {
                named.without_code.push(hook);
                continue;
            }
            let declared = trial.target().conventions.v1_factory;
            let is_v1 = declared.map_or(deployment["version"] == "v1", |factory| factory == hook);
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::client::http::Http;
    use crate::fake_servers::service::FakeService;
    use crate::target::{PRIMARY, Target};
    use crate::world::World;

    #[tokio::test]
    async fn refused_capabilities_are_no_absence_of_deployments() {
        let nowhere = url::Url::parse("http://127.0.0.1:1").unwrap();
        let service = FakeService::start(Http::new().unwrap(), nowhere.clone()).await.unwrap();
        let target = Target {
            base_url: Some(service.origin().parse().unwrap()),
            rpc_urls: BTreeMap::from([(PRIMARY, nowhere)]),
            ..Target::default()
        };
        let world = World::new(target, 1).unwrap();
        let trial = Trial::new(&world, &crate::clause("FIG-PRICE").unwrap().checks[0]);
        let chain = world.chain(PRIMARY).unwrap();
        service.serve(CAPABILITIES, 200, json!({ "tradeableDeployments": [] }).to_string());
        assert_eq!(Deployments::read(&trial, chain).await.unwrap(), Deployments::default());
        service.serve(CAPABILITIES, 500, json!({ "error": "the chain cannot be read" }).to_string());
        assert!(matches!(Deployments::read(&trial, chain).await, Err(Stop::Inconclusive(_))));
    }
}
