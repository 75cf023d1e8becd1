//! `slipway exec -- COMMAND`: runs a platform around a command, and passes on signals and its exit code.
use std::ffi::OsString;
use std::io;
use std::process::ExitStatus;

use tokio::process::Command;

use crate::arguments::ExecArguments;
use crate::error::CommandError;
use crate::exit::Exit;
use crate::target::local::{self, Front, LocalPlatform};
use crate::target::variables::{SpawnError, environment};
use crate::terminal::output;
use crate::terminal::signals::{Recipient, Signals};

/// The exit codes of a shell for a command that cannot be executed, and for one that is not found.
const NOT_EXECUTABLE: u8 = 126;
const NOT_FOUND: u8 = 127;

pub(super) async fn run(arguments: ExecArguments) -> Result<Exit, CommandError> {
    let front = Front::of(&arguments.serve.platform)?;
    let config = local::served(arguments.serve)?;
    let platform = local::start(config, front).await?;
    let ended = around(&arguments.command, &platform).await;
    platform.stop().await;
    ended
}

/// Runs the command to its end.
async fn around(words: &[OsString], platform: &LocalPlatform) -> Result<Exit, CommandError> {
    let (program, rest) = words.split_first().expect("the command line demands at least one word");
    let failed = |source| SpawnError { program: program.display().to_string(), source };
    let mut signals = Signals::listen().map_err(failed)?;
    let mut command = Command::new(program);
    command.args(rest).envs(environment(&platform.ready().to_value())).kill_on_drop(true);
    let recipient = Recipient::prepare(&mut command);
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(source) => {
            let exit = Exit::Passed(code_of(&source));
            output::complain(&failed(source).into());
            return Ok(exit);
        }
    };
    let recipient = recipient(&child).expect("a command that nobody has waited for has an id");
    tokio::select! {
        ended = signals.ended(&mut child, recipient) => {
            Ok(ended.map(|(status, _)| passed(status)).map_err(failed)?)
        }
        error = platform.died() => {
            recipient.end(&mut child).await;
            Err(error.into())
        }
    }
}

/// The exit code of a shell for a command that could not be started.
fn code_of(error: &io::Error) -> u8 {
    if error.kind() == io::ErrorKind::NotFound { NOT_FOUND } else { NOT_EXECUTABLE }
}

/// The exit code of a command; after a signal, the code that a shell would return.
fn passed(status: ExitStatus) -> Exit {
    let signal = std::os::unix::process::ExitStatusExt::signal(&status);
    let code = status.code().or(signal.map(|signal| 128 + signal)).unwrap_or(1);
    Exit::Passed(u8::try_from(code).unwrap_or(1))
}
