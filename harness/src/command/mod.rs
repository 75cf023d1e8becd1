//! The commands, one module each.
#[cfg(feature = "platform")]
mod abi;
#[cfg(feature = "platform")]
mod bench;
mod check;
#[cfg(feature = "platform")]
mod docs;
#[cfg(feature = "platform")]
mod doctor;
mod drill;
#[cfg(feature = "platform")]
mod env;
#[cfg(feature = "platform")]
mod exec;
mod explain;
mod fuzz;
mod interface;
mod list;
#[cfg(feature = "platform")]
mod mcp;
#[cfg(feature = "platform")]
mod openapi;
#[cfg(feature = "platform")]
mod packaging;
#[cfg(feature = "platform")]
mod rehearse;
#[cfg(feature = "platform")]
mod relay;
mod report;
#[cfg(feature = "platform")]
mod up;
#[cfg(feature = "platform")]
mod vectors;
mod wrap;

use tokio::signal::unix::{SignalKind, signal};

use crate::arguments::{Command, PlatformArguments, TargetArguments};
use crate::drill::Breadth;
use crate::error::CommandError;
use crate::exit::Exit;

pub(crate) async fn run(command: Command) -> Result<Exit, CommandError> {
    match command {
        Command::Check(arguments) => unless_interrupted(check::run(*arguments)).await,
        Command::Drill(arguments) => unless_interrupted(drill::run(*arguments, Breadth::Concerned)).await,
        Command::Matrix(arguments) => unless_interrupted(drill::run(*arguments, Breadth::Every)).await,
        #[cfg(feature = "platform")]
        Command::Up(arguments) => up::run(*arguments).await,
        #[cfg(feature = "platform")]
        Command::Exec(arguments) => exec::run(arguments).await,
        #[cfg(feature = "platform")]
        Command::Env(arguments) => env::run(&arguments),
        #[cfg(feature = "platform")]
        Command::Rehearse(arguments) => unless_interrupted(rehearse::run(arguments)).await,
        #[cfg(feature = "platform")]
        Command::Mcp(arguments) => mcp::run(arguments).await,
        #[cfg(feature = "platform")]
        Command::Openapi(arguments) => openapi::run(&arguments),
        #[cfg(feature = "platform")]
        Command::Abi(arguments) => abi::run(arguments).await,
        #[cfg(feature = "platform")]
        Command::Vectors(arguments) => vectors::run(&arguments),
        #[cfg(feature = "platform")]
        Command::Bench(arguments) => bench::run(arguments).await,
        Command::Fuzz(arguments) => unless_interrupted(fuzz::run(*arguments)).await,
        Command::List(arguments) => list::run(&arguments),
        Command::Explain(arguments) => explain::run(&arguments),
        Command::Interface(arguments) => interface::run(&arguments),
        #[cfg(feature = "platform")]
        Command::Docs(arguments) => docs::run(&arguments).await,
        Command::Report(arguments) => report::report(&arguments),
        Command::Verify(arguments) => report::verify(&arguments),
        Command::Diff(arguments) => report::diff(&arguments),
        Command::Baseline(arguments) => report::baseline(&arguments.command),
        Command::Schema(arguments) => report::schema(&arguments),
        #[cfg(feature = "platform")]
        Command::Doctor(arguments) => doctor::run(arguments).await,
        #[cfg(feature = "platform")]
        Command::Ready(arguments) => packaging::ready(&arguments).await,
        #[cfg(feature = "platform")]
        Command::Toolchain(arguments) => packaging::toolchain(&arguments).await,
        #[cfg(feature = "platform")]
        Command::Completions(arguments) => packaging::completions(&arguments),
        #[cfg(feature = "platform")]
        Command::Man(arguments) => packaging::man(&arguments),
        Command::WrapToolServer(arguments) => wrap::run(arguments).await,
        #[cfg(feature = "platform")]
        Command::RelayTools(arguments) => relay::run(arguments).await,
        Command::ExecInContainer(arguments) => crate::container::exec::run(arguments).await,
    }
}

/// The start of a command line that repeats a run: seed, defects and addresses, no secrets.
fn command_line(command: &str, platform: &PlatformArguments, target: &TargetArguments) -> String {
    let mut line = format!("slipway {command} --seed {}", platform.seed);
    for id in &platform.defects {
        add_option(&mut line, "--defect", id);
    }
    for (option, value) in [
        ("--image", &target.image),
        ("--base-url", &target.base_url),
        ("--swap-url", &target.swap_url),
        ("--control-url", &target.control_url),
    ] {
        if let Some(value) = value {
            add_option(&mut line, option, value);
        }
    }
    line
}

fn add_option(line: &mut String, option: &str, value: &str) {
    line.push_str(&format!(" {option} {}", shlex::try_quote(value).unwrap_or_default()));
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
