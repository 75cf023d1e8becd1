//! `slipway exec -- COMMAND`: the platform around a command; its exit code is passed on.
use std::process::ExitStatus;

use tokio::process::Command;

use super::shutdown_signal;
use crate::arguments::ExecArguments;
use crate::error::CommandError;
use crate::exit::Exit;
use crate::local::{self, Front};
use crate::variables::{SpawnError, environment};

pub(super) async fn run(arguments: ExecArguments) -> Result<Exit, CommandError> {
    let front = Front::of(&arguments.serve.platform)?;
    let config = local::served(arguments.serve);
    let platform = local::start(config, front).await?;
    let (program, rest) =
        arguments.command.split_first().expect("the command line demands at least one word");
    let spawned = Command::new(program)
        .args(rest)
        .envs(environment(&platform.ready().to_value()))
        .kill_on_drop(true)
        .spawn();
    let mut child = spawned.map_err(|source| SpawnError { program: program.clone(), source })?;
    let failed = |source| SpawnError { program: program.clone(), source };
    let ended = tokio::select! {
        status = child.wait() => status.map(passed).map_err(|source| failed(source).into()),
        error = platform.died() => Err(error.into()),
        () = shutdown_signal() => Ok(Exit::Interrupted),
    };
    platform.stop().await;
    ended
}

/// A command that a signal ended has the exit code that a shell would give it.
fn passed(status: ExitStatus) -> Exit {
    let signal = std::os::unix::process::ExitStatusExt::signal(&status);
    let code = status.code().or(signal.map(|signal| 128 + signal)).unwrap_or(1);
    Exit::Passed(u8::try_from(code).unwrap_or(1))
}
