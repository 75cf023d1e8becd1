//! `slipway exec -- COMMAND`: the platform around a command; its exit code is passed on.
use slipway_contracts::ChainId;
use std::process::ExitStatus;

use serde_json::Value;
use tokio::process::Command;

use super::shutdown_signal;
use crate::arguments::ExecArguments;
use crate::error::{CommandError, UsageError};
use crate::exit::Exit;
use crate::local::{self, Front};

pub(super) async fn run(arguments: ExecArguments) -> Result<Exit, CommandError> {
    let front = Front::of(&arguments.platform)?;
    let mut config = local::config(&arguments.platform, arguments.clock.into());
    config.allow_origins = arguments.allow_origins;
    config.trailing_blocks = !arguments.no_trailing_blocks;
    config.host = arguments.host;
    config.market = arguments.market;
    config.import = arguments.import;
    if matches!(front, Front::Proxies(_)) && !config.host.is_loopback() {
        return Err(UsageError::DefectHost.into());
    }
    let platform = local::start(config, front).await?;
    let (program, rest) =
        arguments.command.split_first().expect("the command line demands at least one word");
    let spawned = Command::new(program)
        .args(rest)
        .envs(environment(&platform.ready().to_value()))
        .kill_on_drop(true)
        .spawn();
    let mut child = spawned.map_err(|source| CommandError::Spawn { program: program.clone(), source })?;
    let failed = |source| CommandError::Spawn { program: program.clone(), source };
    let ended = tokio::select! {
        status = child.wait() => status.map(passed).map_err(failed),
        error = platform.died() => Err(error),
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
pub(crate) fn environment(ready: &Value) -> Vec<(String, String)> {
    let mut variables = vec![("SLIPWAY_READY".to_owned(), ready.to_string())];
    // What is null or absent, such as a control plane that is switched off, has no variable.
    let mut add = |name: &str, value: &Value| {
        variables.extend(value.as_str().map(|text| (name.to_owned(), text.to_owned())));
    };
    add("SLIPWAY_BASE_URL", &ready["baseUrl"]);
    add("SLIPWAY_SWAP_URL", &ready["swapBaseUrl"]);
    add("SLIPWAY_OPERATOR_KEY", &ready["operatorKey"]);
    add("SLIPWAY_CONTROL_URL", &ready["controlUrl"]);
    add("SLIPWAY_CONTROL_TOKEN", &ready["controlToken"]);
    add("SERVICE_BASE_URL", &ready["baseUrl"]);
    for chain in ready["chains"].as_array().into_iter().flatten() {
        let id = &chain["chainId"];
        add(&format!("SLIPWAY_RPC_URL_{id}"), &chain["rpcUrl"]);
        add(&format!("SLIPWAY_HOOK_{id}"), &chain["hook"]);
        if *id == ChainId::PRIMARY.0 {
            add("SERVICE_MCP_RPC_URL", &chain["rpcUrl"]);
        }
    }
    // What a launcher inside the command, or a second program, starts.
    if let Ok(own) = std::env::current_exe() {
        add("SLIPWAY_BIN", &own.display().to_string().into());
    }
    add("SLIPWAY_ACCOUNT", &ready["accounts"][0]["address"]);
    add("SLIPWAY_PRIVATE_KEY", &ready["accounts"][0]["privateKey"]);
    variables
}
