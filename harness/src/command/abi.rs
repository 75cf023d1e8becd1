//! `slipway show abi`: the ABI of every contract that clients use, with its addresses, in the format that a client reads.
use std::collections::BTreeMap;
use std::fmt::Write as _;

use alloy::json_abi::{EventParam, JsonAbi, Param, ToSolConfig};
use alloy::primitives::Address;
use serde_json::{Map, Value, json};
use slipway_contracts::ChainId;
use slipway_contracts::artifacts::abis;
use slipway_contracts::deploy;
use slipway_contracts::toolchain::{Published, Toolchain, ToolchainOptions};
use slipway_sim::ports::{BASE, Ports};

use crate::arguments::{AbiArguments, AbiFormat};
use crate::error::{CommandError, Fatal};
use crate::exit::Exit;
use crate::terminal::output;

#[derive(Debug, thiserror::Error)]
enum AbiError {
    #[error("no contract is named {name:?}: give one of {known}")]
    UnknownContract { name: String, known: String },
    #[error("the ABI of {name} cannot be read: {source}")]
    Unreadable { name: String, source: serde_json::Error },
}

impl Fatal for AbiError {
    fn exit(&self) -> Exit {
        if matches!(self, Self::UnknownContract { .. }) { Exit::Usage } else { Exit::Inconclusive }
    }
}

/// A contract as shown to clients.
struct Contract {
    name: String,
    abi: Value,
    /// Addresses of a contract of this name, by chain id.
    addresses: BTreeMap<u64, Address>,
    /// Other deployments of its code, under other names: the hooks and viewers of quote assets.
    instances: BTreeMap<u64, BTreeMap<String, Address>>,
}

pub(super) async fn run(arguments: AbiArguments) -> Result<Exit, CommandError> {
    let mut options = ToolchainOptions::from_environment();
    options.offline = arguments.tools.offline;
    let toolchain = Toolchain::locate(&options, &|_| {}).await?;
    let mut contracts = contracts(&toolchain)?;
    if let Some(name) = &arguments.name {
        contracts.retain(|contract| contract.name.eq_ignore_ascii_case(name));
        if contracts.is_empty() {
            let known: Vec<&str> = names().collect();
            return Err(AbiError::UnknownContract { name: name.clone(), known: known.join(", ") }.into());
        }
    }
    let written: Result<Vec<String>, AbiError> = match arguments.format {
        AbiFormat::Json => {
            let rows: Vec<Value> = contracts.iter().map(Contract::json).collect();
            let one = arguments.name.is_some() && rows.len() == 1;
            Ok(vec![format!("{:#}\n", if one { rows[0].clone() } else { rows.into() })])
        }
        AbiFormat::Typescript => {
            let chains = arguments.name.is_none().then(chains);
            Ok(contracts.iter().map(Contract::typescript).chain(chains).collect())
        }
        AbiFormat::Solidity => {
            let opening = "// SPDX-License-Identifier: MIT\npragma solidity ^0.8.0;\n".to_owned();
            std::iter::once(Ok(opening)).chain(contracts.iter().map(Contract::solidity)).collect()
        }
        AbiFormat::Human => contracts.iter().map(Contract::human).collect(),
    };
    output::done(&written?.join("\n"))
}

/// The chains as arguments of viem's `defineChain`, on the default ports.
fn chains() -> String {
    let ports = Ports::from_base(BASE).unwrap_or_default();
    let mut text = String::new();
    for (chain, port) in [(ChainId::PRIMARY, ports.primary_chain), (ChainId::SECOND, ports.second_chain)] {
        let definition = json!({
            "id": chain.0,
            "name": format!("slipway {}", chain.0),
            "nativeCurrency": { "name": "Ether", "symbol": "ETH", "decimals": 18 },
            "rpcUrls": { "default": { "http": [format!("http://127.0.0.1:{port}")] } },
            "testnet": true,
        });
        let _ = writeln!(text, "export const chain{} = {definition:#} as const;", chain.0);
    }
    text
}

/// Published contracts that are part of a deployment or that clients use on the chain.
fn published() -> impl Iterator<Item = Published> {
    Published::ALL.into_iter().filter(|contract| *contract != Published::DeflatingErc20)
}

fn names() -> impl Iterator<Item = &'static str> {
    abis().iter().map(|(name, _)| *name).chain(published().map(Published::name))
}

fn contracts(toolchain: &Toolchain) -> Result<Vec<Contract>, CommandError> {
    let mut placed = BTreeMap::new();
    for chain in ChainId::ALL {
        placed.insert(chain.0, deploy::addresses(chain, toolchain)?);
    }
    let own = abis().iter().map(|(name, text)| {
        let abi = serde_json::from_str(text).expect("a committed ABI is JSON; a test reads each");
        Ok((*name, abi))
    });
    let published = published().map(|contract| Ok((contract.name(), toolchain.published_abi(contract)?)));
    own.chain(published).map(|known| known.map(|(name, abi)| Contract::placed(name, abi, &placed))).collect()
}

/// The contract whose code a deployment's name refers to.
fn code_of(name: &str) -> &str {
    match name.split_once(' ') {
        Some(("Stock", _)) => "MintableToken",
        Some((code, _)) => code,
        None => name,
    }
}

impl Contract {
    fn placed(name: &str, abi: Value, placed: &BTreeMap<u64, BTreeMap<String, Address>>) -> Self {
        let mut contract =
            Self { name: name.to_owned(), abi, addresses: BTreeMap::new(), instances: BTreeMap::new() };
        for (&chain, known) in placed {
            for (instance, &address) in known.iter().filter(|(instance, _)| code_of(instance) == name) {
                if instance == name {
                    contract.addresses.insert(chain, address);
                } else {
                    contract.instances.entry(chain).or_default().insert(instance.clone(), address);
                }
            }
        }
        contract
    }

    fn addresses_json(&self) -> Value {
        let rows =
            self.addresses.iter().map(|(chain, address)| (chain.to_string(), address.to_string().into()));
        rows.collect::<Map<_, _>>().into()
    }

    fn instances_json(&self) -> Value {
        let rows = self.instances.iter().map(|(chain, known)| {
            let known: Map<String, Value> =
                known.iter().map(|(name, address)| (name.clone(), address.to_string().into())).collect();
            (chain.to_string(), known.into())
        });
        rows.collect::<Map<_, _>>().into()
    }

    fn json(&self) -> Value {
        json!({
            "name": self.name,
            "addresses": self.addresses_json(),
            "instances": self.instances_json(),
            "abi": self.abi,
        })
    }

    /// Constants with the names that code generators for the web use: `launchHookAbi`, `launchHookAddress`.
    fn typescript(&self) -> String {
        let name = lower_camel(&self.name);
        let mut text = format!("export const {name}Abi = {:#} as const;\n", self.abi);
        if !self.addresses.is_empty() {
            let _ = writeln!(text, "export const {name}Address = {:#} as const;", self.addresses_json());
        }
        if !self.instances.is_empty() {
            let _ = writeln!(text, "export const {name}Instances = {:#} as const;", self.instances_json());
        }
        text
    }

    fn parsed(&self) -> Result<JsonAbi, AbiError> {
        let failed = |source| AbiError::Unreadable { name: self.name.clone(), source };
        serde_json::from_value(self.abi.clone()).map_err(failed)
    }

    /// An interface with all types that it uses, and its addresses as constants of a library.
    fn solidity(&self) -> Result<String, AbiError> {
        let config = ToSolConfig::new().one_contract(true).enums_as_udvt(true);
        let mut text = self.parsed()?.to_sol(&format!("I{}", self.name), Some(config));
        text.push('\n');
        if self.addresses.is_empty() && self.instances.is_empty() {
            return Ok(text);
        }
        let _ = writeln!(text, "\nlibrary {}Addresses {{", self.name);
        for (chain, address) in &self.addresses {
            let _ = writeln!(text, "    address internal constant CHAIN_{chain} = {address};");
        }
        for (chain, known) in &self.instances {
            for (name, address) in known {
                let symbol = name.rsplit(' ').next().unwrap_or_default();
                let _ = writeln!(text, "    address internal constant CHAIN_{chain}_{symbol} = {address};");
            }
        }
        text.push_str("}\n");
        Ok(text)
    }

    /// One signature per line, as viem's `parseAbi` and ethers' `Interface` read them; the addresses are in comments.
    fn human(&self) -> Result<String, AbiError> {
        let abi = self.parsed()?;
        let mut text = format!("// {}\n", self.name);
        for (chain, address) in &self.addresses {
            let _ = writeln!(text, "// {chain} {address}");
        }
        for (chain, known) in &self.instances {
            for (name, address) in known {
                let _ = writeln!(text, "// {chain} {address} {name}");
            }
        }
        if let Some(constructor) = &abi.constructor {
            let payable = mutability(constructor.state_mutability);
            let _ = writeln!(text, "constructor({}){payable}", parameters(&constructor.inputs));
        }
        if abi.receive.is_some() {
            text.push_str("receive() external payable\n");
        }
        if let Some(fallback) = &abi.fallback {
            let _ = writeln!(text, "fallback() external{}", mutability(fallback.state_mutability));
        }
        for function in abi.functions() {
            let inputs = parameters(&function.inputs);
            let _ = write!(text, "function {}({inputs}) external", function.name);
            text.push_str(mutability(function.state_mutability));
            if !function.outputs.is_empty() {
                let _ = write!(text, " returns ({})", parameters(&function.outputs));
            }
            text.push('\n');
        }
        for event in abi.events() {
            let inputs: Vec<String> = event.inputs.iter().map(event_parameter).collect();
            let anonymous = if event.anonymous { " anonymous" } else { "" };
            let _ = writeln!(text, "event {}({}){anonymous}", event.name, inputs.join(", "));
        }
        for error in abi.errors() {
            let _ = writeln!(text, "error {}({})", error.name, parameters(&error.inputs));
        }
        Ok(text)
    }
}

fn mutability(of: alloy::json_abi::StateMutability) -> &'static str {
    use alloy::json_abi::StateMutability::{NonPayable, Payable, Pure, View};
    match of {
        Pure => " pure",
        View => " view",
        Payable => " payable",
        NonPayable => "",
    }
}

fn parameters(parameters: &[Param]) -> String {
    let written = |parameter: &Param| named(&parameter.ty, &parameter.components, "", &parameter.name);
    parameters.iter().map(written).collect::<Vec<_>>().join(", ")
}

fn event_parameter(parameter: &EventParam) -> String {
    let indexed = if parameter.indexed { " indexed" } else { "" };
    named(&parameter.ty, &parameter.components, indexed, &parameter.name)
}

/// A parameter: its type with tuples expanded, the text between, and its name.
fn named(ty: &str, components: &[Param], between: &str, name: &str) -> String {
    let ty = match ty.strip_prefix("tuple") {
        Some(array) => format!("({}){array}", parameters(components)),
        None => ty.to_owned(),
    };
    let space = if name.is_empty() { "" } else { " " };
    format!("{ty}{between}{space}{name}")
}

/// `LaunchHook` as `launchHook`, `WETH9` as `weth9`.
fn lower_camel(name: &str) -> String {
    let upper = name.chars().take_while(char::is_ascii_uppercase).count();
    let whole = name.chars().all(|letter| !letter.is_ascii_lowercase());
    let lowered = if whole { name.len() } else { upper.saturating_sub(1).max(1) };
    name.chars()
        .enumerate()
        .map(|(at, letter)| if at < lowered { letter.to_ascii_lowercase() } else { letter })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{code_of, lower_camel};

    #[test]
    fn names_are_those_of_generated_code() {
        let names = ["LaunchHook", "WETH9", "V4Quoter", "UniswapV2Pair"].map(lower_camel);
        assert_eq!(names, ["launchHook", "weth9", "v4Quoter", "uniswapV2Pair"]);
        let codes = ["LaunchHook", "LaunchHook NRTH", "Stock NRTH"].map(code_of);
        assert_eq!(codes, ["LaunchHook", "LaunchHook", "MintableToken"]);
    }
}
