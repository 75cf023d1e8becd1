//! `slipway mcp`: the tool server on this process's standard input and output, alone or with a platform of its own.
use std::ffi::OsString;
use std::pin::pin;

use slipway_sim::Ready;
use slipway_tool_server::{ToolServerConfig, serve};

use super::shutdown_signal;
use crate::arguments::{ClockArgument, McpArguments, PlatformArguments};
use crate::error::CommandError;
use crate::exit::Exit;
use crate::local::{self, Front};

const RPC: &str = "SERVICE_MCP_RPC_URL";
const BASE: &str = "SERVICE_BASE_URL";
const PUBLIC: &str = "SLIPWAY_PUBLIC_URL";
const KEY: &str = "SERVICE_MCP_PRIVATE_KEY";
const KEY_FILE: &str = "SERVICE_MCP_PRIVATE_KEY_FILE";

pub(super) async fn run(arguments: McpArguments) -> Result<Exit, CommandError> {
    if arguments.embedded {
        return embedded(arguments).await;
    }
    let public = arguments.public_url.as_deref();
    serve(ToolServerConfig::from_variables(&|name| linked(name, public).or_else(|| std::env::var_os(name)))?)
        .await?;
    Ok(Exit::Conformant)
}

/// The platform starts first and ends last; whoever waits for the greeting meanwhile is answered afterwards.
async fn embedded(arguments: McpArguments) -> Result<Exit, CommandError> {
    // A tool server with the addresses of two platforms must not choose one by itself.
    if let Some(variable) = [RPC, BASE].into_iter().find(|name| given(name).is_some()) {
        return Err(CommandError::EmbeddedAddress { variable });
    }
    let platform = PlatformArguments {
        seed: arguments.seed.unwrap_or(1),
        defects: Vec::new(),
        offline: arguments.offline,
        no_cache: arguments.no_cache,
    };
    let public = arguments.public_url;
    let clock = arguments.clock.unwrap_or(ClockArgument::Real);
    let mut stop = pin!(shutdown_signal());
    let platform = tokio::select! {
        platform = local::start(local::config(&platform, clock.into()), Front::Nothing) => platform?,
        () = &mut stop => return Ok(Exit::Interrupted),
    };
    let config = ToolServerConfig::from_variables(&|name| {
        linked(name, public.as_deref()).or_else(|| variable(name, platform.ready()))
    });
    let ended = match config {
        Err(error) => Err(error.into()),
        Ok(config) => tokio::select! {
            served = serve(config) => served.map(|()| Exit::Conformant).map_err(CommandError::from),
            death = platform.died() => Err(CommandError::Died { reason: death.to_string() }),
            () = &mut stop => Ok(Exit::Interrupted),
        },
    };
    platform.stop().await;
    ended
}

/// The origin of links, where the command line gives it.
fn linked(name: &str, public: Option<&str>) -> Option<OsString> {
    public.filter(|_| name == PUBLIC).map(OsString::from)
}

fn given(variable: &str) -> Option<OsString> {
    std::env::var_os(variable).filter(|value| !value.is_empty())
}

/// The environment, with the platform's addresses in it, and its first account where no key is given.
fn variable(name: &str, ready: &Ready) -> Option<OsString> {
    let keyless = || given(KEY).is_none() && given(KEY_FILE).is_none();
    match name {
        RPC => Some(ready.chains.first()?.rpc_url.clone().into()),
        BASE => Some(ready.base_url.clone().into()),
        KEY if keyless() => Some(ready.accounts.first()?.private_key.to_string().into()),
        _ => given(name),
    }
}

#[cfg(test)]
mod tests {
    use slipway_sim::ports::{BASE, Ports};
    use slipway_tool_server::{DEFAULT_BASE_URL, DEFAULT_RPC_URL};

    #[test]
    fn tool_server_defaults_are_the_ports_of_the_platform() {
        let ports = Ports::from_base(BASE).unwrap();
        assert_eq!(DEFAULT_BASE_URL, format!("http://127.0.0.1:{}", ports.rest));
        assert_eq!(DEFAULT_RPC_URL, format!("http://127.0.0.1:{}", ports.primary_chain));
    }
}
