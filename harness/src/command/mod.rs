//! The commands, one module each.
mod abi;
mod bench;
mod check;
mod drill;
mod exec;
mod explain;
mod fuzz;
mod list;
mod mcp;
mod openapi;
mod up;
mod vectors;
mod wrap;

use tokio::signal::unix::{SignalKind, signal};

use crate::arguments::Command;
use crate::drill::Breadth;
use crate::error::CommandError;
use crate::exit::Exit;

/// Does what was asked.
pub(crate) async fn run(command: Command) -> Result<Exit, CommandError> {
    match command {
        Command::Check(arguments) => unless_interrupted(check::run(*arguments)).await,
        Command::Drill(arguments) => unless_interrupted(drill::run(*arguments, Breadth::Concerned)).await,
        Command::Matrix(arguments) => unless_interrupted(drill::run(*arguments, Breadth::Every)).await,
        Command::Up(arguments) => up::run(arguments).await,
        Command::Exec(arguments) => exec::run(arguments).await,
        Command::Mcp(arguments) => mcp::run(arguments).await,
        Command::Openapi(arguments) => openapi::run(&arguments),
        Command::Abi(arguments) => abi::run(arguments).await,
        Command::Vectors(arguments) => vectors::run(&arguments),
        Command::Bench(arguments) => bench::run(arguments).await,
        Command::Fuzz(arguments) => unless_interrupted(fuzz::run(*arguments)).await,
        Command::List(arguments) => list::run(&arguments),
        Command::Explain(arguments) => explain::run(&arguments),
        Command::WrapToolServer(arguments) => wrap::run(arguments).await,
    }
}

/// Resolves when the user or the system asks this process to stop; listens from the call on, not from the first poll, so that
/// no request is lost while the work begins.
fn shutdown_signal() -> impl Future<Output = ()> {
    let listeners = (signal(SignalKind::interrupt()), signal(SignalKind::terminate()));
    async {
        let (Ok(mut interrupt), Ok(mut terminate)) = listeners else {
            // Without handlers the signals keep their default effect: the process ends, and its children with it.
            return std::future::pending().await;
        };
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    }
}

async fn unless_interrupted(
    work: impl Future<Output = Result<Exit, CommandError>>,
) -> Result<Exit, CommandError> {
    let stop = shutdown_signal();
    tokio::select! {
        ended = work => ended,
        () = stop => Ok(Exit::Interrupted),
    }
}
