//! Defects of the contracts: the RPC replaces sound code with code compiled from a mutated source, and restores it.
use std::collections::BTreeMap;
use std::time::Duration;

use alloy::primitives::{Address, Bytes};
use alloy::sol_types::SolCall;
use reqwest::Client;
use serde_json::{Value, json};
use slipway_contracts::artifacts::{
    Artifact, ArtifactError, Artifacts, CHAIN_DEFECTS, ChainDefect, chain_defects,
};
use slipway_contracts::bindings::ILaunchHook;
use tokio::sync::{Mutex, OnceCell};
use url::Url;

use crate::{Defect, Layer};

/// The list of mutations, next to the sources they mutate.
const FILE: &str = "contracts/defects.json";
/// How long a node or the service may take to answer.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The defects of the contracts, in the order of their list.
pub(crate) fn defects() -> impl Iterator<Item = Defect> {
    chain_defects().iter().map(|defect: &'static ChainDefect| Defect {
        id: &defect.id,
        layer: Layer::Chain,
        summary: &defect.summary,
        // Leaked once: the catalogue lives as long as the program.
        clauses: defect.clauses.iter().map(String::as_str).collect::<Vec<_>>().leak(),
        file: FILE,
        line: line_of(&defect.id),
        change: None,
    })
}

/// The line of the list that names a defect; 0 if none does.
fn line_of(id: &str) -> u32 {
    let name = format!("\"id\": \"{id}\"");
    (1..).zip(CHAIN_DEFECTS.lines()).find(|(_, line)| line.contains(&name)).map_or(0, |(number, _)| number)
}

/// Why a defect cannot be switched while the platform runs.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct SwitchError(pub(crate) String);

impl From<ArtifactError> for SwitchError {
    fn from(error: ArtifactError) -> Self {
        Self(error.to_string())
    }
}

const NO_SERVICE: &str = "the contracts cannot be found without the address of the service";
const NO_RPC: &str = "the contracts cannot be changed without the address of an RPC";

/// The contracts of a platform, and the defects whose mutated code they have now.
#[derive(Debug, Default)]
pub(crate) struct Mutants {
    client: Client,
    rest: Option<Url>,
    rpc: BTreeMap<u64, Url>,
    standing: OnceCell<Vec<Contract>>,
    state: Mutex<State>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Contract {
    chain: u64,
    address: Address,
}

#[derive(Debug, Default)]
struct State {
    selected: Vec<&'static str>,
    /// The sound code of every contract whose code was replaced.
    sound: BTreeMap<Contract, Bytes>,
}

impl Mutants {
    /// The contracts that a service names, changed by the RPCs of their chains.
    pub(crate) fn new(rest: Option<Url>, rpc: BTreeMap<u64, Url>) -> Self {
        Self { client: crate::client(rest.iter().chain(rpc.values())), rest, rpc, ..Self::default() }
    }

    /// Switches the code of one defect on or off; the code of other defects stays.
    pub(crate) async fn turn(&self, defect: &Defect, selected: bool) -> Result<(), SwitchError> {
        let mut state = self.state.lock().await;
        let before = state.selected.clone();
        if before.contains(&defect.id) == selected {
            return Ok(());
        }
        state.selected.retain(|id| *id != defect.id);
        state.selected.extend(selected.then_some(defect.id));
        let applied = self.apply(&mut state).await;
        if applied.is_err() {
            state.selected = before;
            self.apply(&mut state).await?;
        }
        applied
    }

    /// Removes the code of every defect.
    pub(crate) async fn restore_all(&self) -> Result<(), SwitchError> {
        let mut state = self.state.lock().await;
        state.selected.clear();
        self.apply(&mut state).await
    }

    /// Restores the sound code everywhere, then applies the code of the selected defects.
    async fn apply(&self, state: &mut State) -> Result<(), SwitchError> {
        while let Some((contract, code)) = state.sound.pop_first() {
            if let Err(error) = self.set_code(contract, &code).await {
                state.sound.insert(contract, code);
                return Err(error);
            }
        }
        let artifacts = Artifacts::with_defects(&state.selected)?;
        for name in artifacts.defective() {
            let (sound, mutated) = (Artifacts::sound().contract(name)?, artifacts.contract(name)?);
            let mut found = false;
            for contract in self.standing().await? {
                let code = self.code(*contract).await?;
                if let Some(mutated) = exchanged(&code, &sound, &mutated) {
                    state.sound.insert(*contract, code);
                    self.set_code(*contract, &mutated).await?;
                    found = true;
                }
            }
            if !found {
                let what =
                    format!("no contract of the platform has the code of the {name} that the defect mutates");
                return Err(SwitchError(what));
            }
        }
        Ok(())
    }

    /// The contracts that the service names, and those that its hooks name.
    async fn standing(&self) -> Result<&[Contract], SwitchError> {
        Ok(self.standing.get_or_try_init(|| self.find()).await?)
    }

    async fn find(&self) -> Result<Vec<Contract>, SwitchError> {
        let rest = self.rest.as_ref().ok_or_else(|| SwitchError(NO_SERVICE.to_owned()))?;
        if self.rpc.is_empty() {
            return Err(SwitchError(NO_RPC.to_owned()));
        }
        let mut found = Vec::new();
        for &chain in self.rpc.keys() {
            let capabilities = self.capabilities(rest, chain).await?;
            let deployments = capabilities["tradeableDeployments"].as_array().into_iter().flatten();
            let hooks = deployments.map(|deployment| &deployment["hook"]);
            let named = hooks
                .chain([&capabilities["activeCreationDeployment"]["hook"], &capabilities["emperorAuction"]]);
            let named: Vec<Address> = named.filter_map(|text| text.as_str()?.parse().ok()).collect();
            let getters = [
                ILaunchHook::viewerCall::SELECTOR,
                ILaunchHook::tradingModuleCall::SELECTOR,
                ILaunchHook::splitCalculatorCall::SELECTOR,
            ];
            for address in named {
                found.push(Contract { chain, address });
                for getter in getters {
                    let call = json!([{ "to": address, "data": Bytes::from(getter) }, "latest"]);
                    // A contract that is not a launch hook has no such parts.
                    let part = self.call(chain, "eth_call", call).await.ok();
                    let part = part.and_then(|word| word.as_str()?.parse::<Bytes>().ok());
                    let part =
                        part.filter(|word| word.len() == 32).map(|word| Address::from_slice(&word[12..]));
                    found.extend(part.map(|address| Contract { chain, address }));
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    async fn capabilities(&self, rest: &Url, chain: u64) -> Result<Value, SwitchError> {
        let failed = |reason| {
            SwitchError(format!("the service does not name its contracts on chain {chain}: {reason}"))
        };
        let mut url = rest.join("/api/capabilities").map_err(|error| failed(error.to_string()))?;
        url.query_pairs_mut().append_pair("chainId", &chain.to_string());
        let response = self.client.get(url).timeout(TIMEOUT).send().await;
        let response = response.and_then(reqwest::Response::error_for_status);
        let response = response.map_err(|error| failed(error.to_string()))?;
        crate::json_of(response).await.map_err(failed)
    }

    async fn code(&self, Contract { chain, address }: Contract) -> Result<Bytes, SwitchError> {
        let code = self.call(chain, "eth_getCode", json!([address, "latest"])).await?;
        let read = code.as_str().and_then(|text| text.parse().ok());
        read.ok_or_else(|| refused(chain, "eth_getCode", &format!("{code} is no code")))
    }

    async fn set_code(&self, contract: Contract, code: &Bytes) -> Result<(), SwitchError> {
        let Contract { chain, address } = contract;
        self.call(chain, "anvil_setCode", json!([address, code])).await?;
        if self.code(contract).await? == *code {
            Ok(())
        } else {
            Err(SwitchError(format!("the node of chain {chain} does not change the code at {address}")))
        }
    }

    async fn call(&self, chain: u64, method: &'static str, params: Value) -> Result<Value, SwitchError> {
        let url = self.rpc.get(&chain).ok_or_else(|| SwitchError(NO_RPC.to_owned()))?;
        let request = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let response = self.client.post(url.clone()).timeout(TIMEOUT).json(&request).send().await;
        let failed = |reason: String| refused(chain, method, &reason);
        let response = response.map_err(|error| failed(error.to_string()))?;
        let mut response = crate::json_of(response).await.map_err(failed)?;
        match response.get("error") {
            Some(error) => {
                Err(refused(chain, method, error["message"].as_str().unwrap_or("no reason given")))
            }
            None => Ok(response["result"].take()),
        }
    }
}

fn refused(chain: u64, method: &str, reason: &str) -> SwitchError {
    SwitchError(format!("the node of chain {chain} refuses {method}: {reason}"))
}

/// The mutated code with the immutable values of the deployed code; `None` if the deployed code is not the sound one.
fn exchanged(standing: &Bytes, sound: &Artifact, mutated: &Artifact) -> Option<Bytes> {
    if standing.len() != sound.deployed_bytecode.len() {
        return None;
    }
    let mut blank = standing.to_vec();
    let mut code = mutated.deployed_bytecode.to_vec();
    for (name, from) in &sound.immutable_references {
        let value = standing.get(from.first()?.range())?;
        for place in mutated.immutable_references.get(name)? {
            code.get_mut(place.range())?.copy_from_slice(value);
        }
        for place in from {
            blank.get_mut(place.range())?.fill(0);
        }
    }
    (blank == sound.deployed_bytecode).then(|| code.into())
}
