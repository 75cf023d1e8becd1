//! The commands, one module each.
mod abi;
mod bench;
mod check;
mod doctor;
mod drill;
mod env;
mod exec;
mod explain;
mod interface;
mod list;
mod mcp;
mod openapi;
mod packaging;
mod rehearse;
mod relay;
mod report;
mod up;
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
        Command::Up(arguments) => up::run(*arguments).await,
        Command::Exec(arguments) => exec::run(arguments).await,
        Command::Env(arguments) => env::run(&arguments),
        Command::Rehearse(arguments) => unless_interrupted(rehearse::run(arguments)).await,
        Command::Mcp(arguments) => mcp::run(arguments).await,
        Command::Openapi(arguments) => openapi::run(&arguments),
        Command::Abi(arguments) => abi::run(arguments).await,
        Command::Vectors(arguments) => vectors::run(&arguments),
        Command::Bench(arguments) => bench::run(arguments).await,
        Command::List(arguments) => list::run(&arguments),
        Command::Explain(arguments) => explain::run(&arguments),
        Command::Interface(arguments) => interface::run(&arguments),
        Command::Report(arguments) => report::report(&arguments),
        Command::Verify(arguments) => report::verify(&arguments),
        Command::Diff(arguments) => report::diff(&arguments),
        Command::Baseline(arguments) => report::baseline(&arguments.command),
        Command::Schema(arguments) => report::schema(&arguments),
        Command::Doctor(arguments) => doctor::run(arguments).await,
        Command::Ready(arguments) => packaging::ready(&arguments).await,
        Command::Toolchain(arguments) => packaging::toolchain(&arguments).await,
        Command::Completions(arguments) => packaging::completions(&arguments),
        Command::Man(arguments) => packaging::man(&arguments),
        Command::WrapToolServer(arguments) => wrap::run(arguments).await,
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
