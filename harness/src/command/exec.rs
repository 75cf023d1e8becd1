//! `slipway exec -- COMMAND`: the platform around a command; its exit code is passed on.
use slipway_contracts::ChainId;
use std::process::ExitStatus;

use slipway_sim::Ready;
use tokio::process::Command;

use super::shutdown_signal;
use crate::arguments::ExecArguments;
use crate::error::CommandError;
use crate::exit::Exit;
use crate::local::{self, Front};

pub(super) async fn run(arguments: ExecArguments) -> Result<Exit, CommandError> {
    let front = Front::of(&arguments.platform)?;
    let mut config = local::config(&arguments.platform, arguments.clock.into());
    config.allow_origins = arguments.allow_origins;
    let platform = local::start(config, front).await?;
    let (program, rest) =
        arguments.command.split_first().expect("the command line demands at least one word");
    let spawned =
        Command::new(program).args(rest).envs(environment(platform.ready())).kill_on_drop(true).spawn();
    let mut child = spawned.map_err(|source| CommandError::Spawn { program: program.clone(), source })?;
    let failed = |source| CommandError::Spawn { program: program.clone(), source };
    let ended = tokio::select! {
        status = child.wait() => status.map(passed).map_err(failed),
        death = platform.died() => Err(CommandError::Died { reason: death.to_string() }),
        () = shutdown_signal() => Ok(Exit::Interrupted),
    };
    platform.stop().await;
    ended
}

/// A command ended by a signal has the code a shell would give it.
fn passed(status: ExitStatus) -> Exit {
    let signal = std::os::unix::process::ExitStatusExt::signal(&status);
    let code = status.code().or(signal.map(|signal| 128 + signal)).unwrap_or(1);
    Exit::Passed(u8::try_from(code).unwrap_or(1))
}

/// What the command can read of the platform; the tool server's own variables point at it too.
pub(crate) fn environment(ready: &Ready) -> Vec<(String, String)> {
    let mut variables = vec![
        ("SLIPWAY_BASE_URL".to_owned(), ready.base_url.clone()),
        ("SLIPWAY_SWAP_URL".to_owned(), ready.swap_base_url.clone()),
        ("SLIPWAY_OPERATOR_KEY".to_owned(), ready.operator_key.clone()),
        ("SERVICE_BASE_URL".to_owned(), ready.base_url.clone()),
        (
            "SLIPWAY_READY".to_owned(),
            serde_json::to_string(ready).expect("the ready line holds only strings and numbers"),
        ),
    ];
    variables
        .extend(ready.control_token.iter().map(|token| ("SLIPWAY_CONTROL_TOKEN".to_owned(), token.clone())));
    variables.extend(ready.control_url.iter().map(|url| ("SLIPWAY_CONTROL_URL".to_owned(), url.clone())));
    for chain in &ready.chains {
        variables.push((format!("SLIPWAY_RPC_URL_{}", chain.chain_id), chain.rpc_url.clone()));
        variables.push((format!("SLIPWAY_HOOK_{}", chain.chain_id), chain.hook.to_string()));
        if chain.chain_id == ChainId::PRIMARY.0 {
            variables.push(("SERVICE_MCP_RPC_URL".to_owned(), chain.rpc_url.clone()));
        }
    }
    if let Some(account) = ready.accounts.first() {
        variables.push(("SLIPWAY_ACCOUNT".to_owned(), account.address.to_string()));
        variables.push(("SLIPWAY_PRIVATE_KEY".to_owned(), account.private_key.to_string()));
    }
    variables
}
