//! Defects of the contracts: the RPC replaces the sound code by that of a mutated source, and restores it. Leaves out how it is compiled.
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

/// The list of mutations, beside the sources they mutate.
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
    })
}

/// The line of the list on which a defect is named; 0 when it is not.
fn line_of(id: &str) -> u32 {
    let name = format!("\"id\": \"{id}\"");
    (1..).zip(CHAIN_DEFECTS.lines()).find(|(_, line)| line.contains(&name)).map_or(0, |(number, _)| number)
}

/// The contracts of a platform cannot be changed.
#[derive(Debug, thiserror::Error)]
pub enum ChainError {
    /// No RPC was given.
    #[error("the contracts cannot be changed without the address of an RPC")]
    NoRpc,
    /// Nothing says where the contracts are.
    #[error("the contracts cannot be found without the address of the service")]
    NoService,
    /// The service does not say where its contracts are.
    #[error("the service does not name its contracts on chain {chain}: {reason}")]
    NoCapabilities {
        /// The chain.
        chain: u64,
        /// What it said.
        reason: String,
    },
    /// A node refused, or did not answer.
    #[error("the node of chain {chain} refuses {method}: {reason}")]
    Rpc {
        /// The chain.
        chain: u64,
        /// The method.
        method: &'static str,
        /// What it said.
        reason: String,
    },
    /// A node says that it has put the code there, and has not.
    #[error("the node of chain {chain} does not change the code at {address}")]
    NotChanged {
        /// The chain.
        chain: u64,
        /// The contract.
        address: Address,
    },
    /// The platform has contracts of its own.
    #[error("no contract of the platform has the code of the {name} that the defect mutates")]
    NotFound {
        /// The contract.
        name: &'static str,
    },
    /// The mutated contract is not committed.
    #[error(transparent)]
    Artifact(#[from] ArtifactError),
}

/// The contracts of a platform, and which of them have mutated code now.
#[derive(Debug, Default)]
pub(crate) struct Mutants {
    client: Client,
    rest: Option<Url>,
    rpc: BTreeMap<u64, Url>,
    standing: OnceCell<Vec<Contract>>,
    state: Mutex<State>,
}

/// A contract by its chain and address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Contract {
    chain: u64,
    address: Address,
}

#[derive(Debug, Default)]
struct State {
    selected: Vec<&'static str>,
    /// The sound code of every contract whose code was exchanged.
    sound: BTreeMap<Contract, Bytes>,
}

impl Mutants {
    /// The contracts that a service names, changed by the RPCs of their chains.
    pub(crate) fn new(rest: Option<Url>, rpc: BTreeMap<u64, Url>) -> Self {
        Self { client: crate::client(rest.iter().chain(rpc.values())), rest, rpc, ..Self::default() }
    }

    /// Puts the code of a defect in place, beside that of the others.
    pub(crate) async fn put(&self, defect: &Defect) -> Result<(), ChainError> {
        let mut state = self.state.lock().await;
        if state.selected.contains(&defect.id) {
            return Ok(());
        }
        state.selected.push(defect.id);
        let applied = self.apply(&mut state).await;
        if applied.is_err() {
            state.selected.retain(|id| *id != defect.id);
            self.apply(&mut state).await?;
        }
        applied
    }

    /// Takes the code of a defect back; that of the others stays.
    pub(crate) async fn restore(&self, defect: &Defect) -> Result<(), ChainError> {
        let mut state = self.state.lock().await;
        if !state.selected.contains(&defect.id) {
            return Ok(());
        }
        state.selected.retain(|id| *id != defect.id);
        self.apply(&mut state).await
    }

    /// Takes the code of every defect back.
    pub(crate) async fn restore_all(&self) -> Result<(), ChainError> {
        let mut state = self.state.lock().await;
        state.selected.clear();
        self.apply(&mut state).await
    }

    /// Puts the sound code back everywhere, then the code of what is selected.
    async fn apply(&self, state: &mut State) -> Result<(), ChainError> {
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
                return Err(ChainError::NotFound { name });
            }
        }
        Ok(())
    }

    /// Everything that the service names, and what its hooks name.
    async fn standing(&self) -> Result<&[Contract], ChainError> {
        Ok(self.standing.get_or_try_init(|| self.find()).await?)
    }

    async fn find(&self) -> Result<Vec<Contract>, ChainError> {
        let rest = self.rest.as_ref().ok_or(ChainError::NoService)?;
        if self.rpc.is_empty() {
            return Err(ChainError::NoRpc);
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
                    // What is no launch hook has no such parts.
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

    async fn capabilities(&self, rest: &Url, chain: u64) -> Result<Value, ChainError> {
        let failed = |reason| ChainError::NoCapabilities { chain, reason };
        let mut url = rest.join("/api/capabilities").map_err(|error| failed(error.to_string()))?;
        url.query_pairs_mut().append_pair("chainId", &chain.to_string());
        let response = self.client.get(url).timeout(TIMEOUT).send().await;
        let response = response.and_then(reqwest::Response::error_for_status);
        let response = response.map_err(|error| failed(error.to_string()))?;
        response.json().await.map_err(|error| failed(error.to_string()))
    }

    async fn code(&self, Contract { chain, address }: Contract) -> Result<Bytes, ChainError> {
        let code = self.call(chain, "eth_getCode", json!([address, "latest"])).await?;
        let read = code.as_str().and_then(|text| text.parse().ok());
        read.ok_or(ChainError::Rpc { chain, method: "eth_getCode", reason: format!("{code} is no code") })
    }

    async fn set_code(&self, contract: Contract, code: &Bytes) -> Result<(), ChainError> {
        let Contract { chain, address } = contract;
        self.call(chain, "anvil_setCode", json!([address, code])).await?;
        if self.code(contract).await? == *code {
            Ok(())
        } else {
            Err(ChainError::NotChanged { chain, address })
        }
    }

    async fn call(&self, chain: u64, method: &'static str, params: Value) -> Result<Value, ChainError> {
        let failed = |reason| ChainError::Rpc { chain, method, reason };
        let url = self.rpc.get(&chain).ok_or(ChainError::NoRpc)?;
        let request = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let response = self.client.post(url.clone()).timeout(TIMEOUT).json(&request).send().await;
        let response = response.map_err(|error| failed(error.to_string()))?;
        let mut response: Value = response.json().await.map_err(|error| failed(error.to_string()))?;
        match response.get("error") {
            Some(error) => Err(failed(error["message"].as_str().unwrap_or("no reason given").to_owned())),
            None => Ok(response["result"].take()),
        }
    }
}

/// The mutated code with the immutable values of the standing code; none when the standing code is not the sound one.
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
