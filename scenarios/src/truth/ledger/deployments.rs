//! The contracts to read: named by the capabilities, and trusted only if the chain has code for them.
use alloy::sol_types::SolCall;

use super::launch::Deployment;
use crate::answers::members::members_within;
use crate::answers::reads::CAPABILITIES;
use crate::client::chain::Chain;
use crate::client::wire::{LaunchHook, Parts, Pools};
use crate::prelude::*;
use crate::truth::steady::prerequisite;

/// Every tradeable deployment of a chain, and the auction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Deployments {
    pub(crate) tradeable: Vec<Deployment>,
    pub(crate) auction: Option<Address>,
    /// Named contracts without code.
    pub(crate) without_code: Vec<Address>,
    /// Named contracts that are neither a launch hook nor a token factory of this project's ABI.
    pub(crate) of_another_abi: Vec<Address>,
}

/// Returns the auction that the target file declares, else the capabilities'.
pub(crate) fn auction_of(trial: &Trial<'_>, capabilities: &Value) -> Option<Address> {
    trial.target().conventions.auction.or_else(|| parsed(&capabilities["emperorAuction"]))
}

impl Deployments {
    /// Reads the deployments from the capabilities of a chain.
    pub(crate) async fn read(trial: &Trial<'_>, chain: &Chain) -> Verdict<Self> {
        let chain_id = chain.chain_id();
        let query = [param("chainId", chain_id.to_string())];
        // A service that cannot answer now, for example because its node is too slow, has not said that it has none.
        let (_, body) = prerequisite(|| trial.read_json(CAPABILITIES, &query)).await?;
        let mut named = Self { auction: auction_of(trial, &body), ..Self::default() };
        for deployment in body["tradeableDeployments"].as_array().into_iter().flatten() {
            let Some(hook) = contract_of(chain, deployment).await? else { continue };
            if chain.code(hook).await?.is_empty() {
                named.without_code.push(hook);
                continue;
            }
            // The name of a version is left open, but the contract's answers are not.
            let Some(kind) = kind_of(chain, hook).await? else {
                named.of_another_abi.push(hook);
                continue;
            };
            let declared = trial.target().conventions.v1_factory;
            let is_v1 = declared.map_or(kind == Kind::Factory, |factory| factory == hook);
            let mut pool_manager = parsed(&deployment["v4"]["poolManager"]);
            let mut state_view = parsed(&deployment["v4"]["stateView"]);
            // The names of its v4 parts are left open too: a hook knows its pool manager, and a state view answers for a pool.
            if !is_v1 && pool_manager.is_none() {
                pool_manager = chain.call(hook, &LaunchHook::poolManagerCall {}).await?.ok();
            }
            if !is_v1 && state_view.is_none() {
                state_view =
                    that_answers(chain, deployment, &Pools::getSlot0Call { poolId: Default::default() })
                        .await?;
            }
            let start_block = deployment["startBlock"].as_u64().unwrap_or_default();
            named.tradeable.push(Deployment { chain_id, hook, is_v1, pool_manager, state_view, start_block });
        }
        Ok(named)
    }
}

/// The kind of a contract, recognised by its answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Hook,
    Factory,
}

/// Returns whether a contract answers like this project's hook or its V1 factory; `None` if like neither.
async fn kind_of(chain: &Chain, contract: Address) -> Verdict<Option<Kind>> {
    if chain.call(contract, &LaunchHook::launchCountCall {}).await?.is_ok() {
        return Ok(Some(Kind::Hook));
    }
    let is_factory = chain.call(contract, &Parts::pairsCall {}).await?.is_ok();
    Ok(is_factory.then_some(Kind::Factory))
}

/// Returns the contract of a deployment: its member `hook`, which the interface names only for the active one, else the first member at any
/// depth that is a hook or factory.
async fn contract_of(chain: &Chain, deployment: &Value) -> Verdict<Option<Address>> {
    if let Some(hook) = parsed(&deployment["hook"]) {
        return Ok(Some(hook));
    }
    for address in members_within(deployment).into_iter().filter_map(|(_, member)| parsed(member)) {
        if kind_of(chain, address).await?.is_some() {
            return Ok(Some(address));
        }
    }
    Ok(None)
}

/// Returns the first contract named anywhere in a deployment that answers a call.
async fn that_answers<C: SolCall>(chain: &Chain, deployment: &Value, call: &C) -> Verdict<Option<Address>> {
    for address in members_within(deployment).into_iter().filter_map(|(_, member)| parsed(member)) {
        if chain.call(address, call).await?.is_ok() {
            return Ok(Some(address));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::client::http::Http;
    use crate::fake_servers::service::FakeService;
    use crate::model::target::{PRIMARY, Target};
    use crate::trial::world::World;

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
