//! `slipway mcp`: the tool server on this process's standard input and output, alone or with its own platform.
use std::ffi::OsString;
use std::io::IsTerminal as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use slipway_sim::{Account, Ready};
use slipway_tool_server::{
    Addresses, ConfigError, ServeError, StartFailed, Stop, ToolServerConfig, serve, serve_starting,
};
use tokio::sync::oneshot;
use tokio::task::JoinError;

use crate::arguments::{McpArguments, PlatformArguments};
use crate::error::{CommandError, Fatal};
use crate::exit::Exit;
use crate::target::local::{self, Front};
use crate::terminal::output::narrate;
use crate::terminal::signals::shutdown_signal;

const RPC: &str = "SERVICE_MCP_RPC_URL";
const BASE: &str = "SERVICE_BASE_URL";
const KEY: &str = "SERVICE_MCP_PRIVATE_KEY";
const KEY_FILE: &str = "SERVICE_MCP_PRIVATE_KEY_FILE";

/// Why no tool server could start or keep running.
#[derive(Debug, thiserror::Error)]
enum McpError {
    #[error("--embedded starts its own platform, and {variable} names another: use only one of the two")]
    TwoPlatforms { variable: &'static str },
    #[error("the tool server cannot start: {error}{remedy}", error = .0, remedy = remedy(.0))]
    Settings(#[from] ConfigError),
    #[error("the tool server: {0}")]
    Served(#[from] ServeError),
}

impl Fatal for McpError {
    fn exit(&self) -> Exit {
        if matches!(self, Self::Served(_)) { Exit::Inconclusive } else { Exit::Usage }
    }
}

/// How to start one without a key.
fn remedy(error: &ConfigError) -> &'static str {
    if *error == ConfigError::KeyMissing { "; `slipway mcp --embedded` needs none" } else { "" }
}

pub(super) async fn run(arguments: McpArguments) -> Result<Exit, CommandError> {
    if std::io::stdin().is_terminal() {
        narrate(
            "an editor or an agent starts this command: it reads JSON-RPC from standard input, a message a line",
        );
    }
    if arguments.embedded {
        return embedded(arguments).await;
    }
    let config = ToolServerConfig::from_variables(&|name| std::env::var_os(name)).map_err(McpError::from)?;
    let (stop, stopped) = stopping();
    Ok(ended(Ok(serve(config, stop).await), &stopped)?)
}

/// Resolves on a shutdown signal; the flag is true from then on.
fn stopping() -> (Stop, Arc<AtomicBool>) {
    let stopped = Arc::<AtomicBool>::default();
    let (signal, seen) = (shutdown_signal(), Arc::clone(&stopped));
    let stop = async move {
        signal.await;
        seen.store(true, Ordering::SeqCst);
    };
    (Box::pin(stop), stopped)
}

/// Runs the tool server at once; its platform starts in parallel and ends last.
async fn embedded(arguments: McpArguments) -> Result<Exit, CommandError> {
    // A tool server given the addresses of two platforms must not choose between them.
    if let Some(variable) = [RPC, BASE].into_iter().find(|name| given(name).is_some()) {
        return Err(McpError::TwoPlatforms { variable }.into());
    }
    let platform =
        PlatformArguments { seed: arguments.seed.unwrap_or(1), defects: Vec::new(), tools: arguments.tools };
    // A signal also ends the session, once every open request is answered.
    let (stop, stopped) = stopping();
    let account = Account::first_of(platform.seed);
    let config =
        ToolServerConfig::from_variables(&|name| variable(name, &account)).map_err(McpError::from)?;
    let (announce, announced) = oneshot::channel();
    let started = async { announced.await.unwrap_or_else(|_| Err(failed("the tool server stops"))) };
    // In a separate task, because steps of the start may block.
    let mut serving = tokio::spawn(serve_starting(config, Box::pin(started), stop));
    let started = tokio::select! {
        started = local::start(local::config(&platform, arguments.time.clock.into()), Front::Nothing) => started,
        served = &mut serving => return Ok(ended(served, &stopped)?),
    };
    let platform = match started {
        Ok(platform) => platform,
        Err(error) => {
            // The peer gets the error from its calls; the caller of this command gets it below.
            let _ = announce.send(Err(failed(&error.to_string())));
            // An error of the platform takes precedence over one of the session.
            drop(serving.await);
            return Err(error.into());
        }
    };
    // A peer that has disconnected needs no addresses.
    let _ = announce.send(addresses(platform.ready()));
    let ended = tokio::select! {
        served = serving => ended(served, &stopped).map_err(CommandError::from),
        error = platform.died() => Err(error.into()),
    };
    platform.stop().await;
    ended
}

fn failed(problem: &str) -> StartFailed {
    StartFailed { problem: problem.to_owned() }
}

fn addresses(ready: &Ready) -> Result<Addresses, StartFailed> {
    let url = |text: &str| text.parse().map_err(|_| failed("the platform has no usable address"));
    let chain = ready.chains.first().ok_or_else(|| failed("the platform has no chain"))?;
    Ok(Addresses { rpc_url: url(&chain.rpc_url)?, base_url: url(&ready.base_url)? })
}

fn ended(served: Result<Result<(), ServeError>, JoinError>, stopped: &AtomicBool) -> Result<Exit, McpError> {
    served.unwrap_or(Err(ServeError::Task))?;
    Ok(if stopped.load(Ordering::SeqCst) { Exit::Interrupted } else { Exit::Conformant })
}

fn given(variable: &str) -> Option<OsString> {
    std::env::var_os(variable).filter(|value| !value.is_empty())
}

/// The value of a variable; the key defaults to the platform's first account.
fn variable(name: &str, account: &Account) -> Option<OsString> {
    let keyless = || given(KEY).is_none() && given(KEY_FILE).is_none();
    match name {
        KEY if keyless() => Some(account.private_key.to_string().into()),
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
