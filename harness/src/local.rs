//! The local platform, started for a command, as a target like any other.
use std::collections::BTreeMap;

use slipway_contracts::toolchain::ToolchainOptions;
use slipway_scenarios::Target;
use slipway_scenarios::target::{PrivateKey, ToolServerCommand};
use slipway_sim::cache::CachePolicy;
use slipway_sim::clock::ClockMode;
use slipway_sim::defect::Defects;
use slipway_sim::{Config, Platform, Ready, ports};
use url::Url;

use crate::arguments::{ClockArgument, PlatformArguments};
use crate::error::CommandError;

impl From<ClockArgument> for ClockMode {
    fn from(argument: ClockArgument) -> Self {
        match argument {
            ClockArgument::Running => Self::Running,
            ClockArgument::Fixed => Self::Manual,
            ClockArgument::Real => Self::Real,
        }
    }
}

/// The configuration common to every command that starts our platform.
pub(crate) fn config(arguments: &PlatformArguments, clock: ClockMode) -> Result<Config, CommandError> {
    let mut toolchain = ToolchainOptions::from_environment();
    toolchain.offline = arguments.offline;
    Ok(Config {
        seed: arguments.seed,
        clock,
        defects: Defects::select(&arguments.defects)?,
        toolchain,
        cache: if arguments.no_cache { CachePolicy::Off } else { CachePolicy::Use },
        ..Config::default()
    })
}

/// Starts it.
pub(crate) async fn start(config: Config) -> Result<Platform, CommandError> {
    Ok(Platform::start(config).await?)
}

/// The running platform as a target; its tool server is this same program.
pub(crate) fn target(ready: &Ready) -> Result<Target, CommandError> {
    let address = |text: &str| Url::parse(text).expect("the platform's own addresses are well-formed");
    let rpc_urls: BTreeMap<u64, Url> =
        ready.chains.iter().map(|chain| (chain.chain_id, address(&chain.rpc_url))).collect();
    Ok(Target {
        base_url: Some(address(&ready.base_url)),
        swap_url: Some(address(&ready.swap_base_url)),
        rpc_urls,
        control_url: ready.control_url.as_deref().map(address),
        operator_key: Some(ready.operator_key.clone()),
        private_keys: ready
            .accounts
            .iter()
            .map(|account| PrivateKey::new(account.private_key.to_string()))
            .collect(),
        tool_server: Some(tool_server()?),
    })
}

/// This program as a tool server.
fn tool_server() -> Result<ToolServerCommand, CommandError> {
    let program = std::env::current_exe().map_err(|source| CommandError::OwnPath { source })?;
    Ok(ToolServerCommand {
        program: program.display().to_string(),
        arguments: vec!["mcp".to_owned()],
        variables: BTreeMap::new(),
    })
}

/// Pairs of an address in use now and the one a plain `slipway up` serves the same part on.
pub(crate) fn lasting_addresses(ready: &Ready) -> Vec<(String, String)> {
    let mut in_use =
        vec![Some(ready.base_url.clone()), Some(ready.swap_base_url.clone()), ready.control_url.clone()];
    in_use.extend(ready.chains.iter().map(|chain| Some(chain.rpc_url.clone())));
    let lasting = (ports::BASE..).map(|port| format!("http://127.0.0.1:{port}"));
    in_use.into_iter().zip(lasting).filter_map(|(now, later)| Some((now?, later))).collect()
}
