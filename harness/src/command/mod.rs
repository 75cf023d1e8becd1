//! The commands, one module each.
mod abi;
mod check;
mod doctor;
mod drill;
mod env;
mod error;
mod exec;
mod explain;
mod glossary;
mod interface;
mod list;
mod live;
mod mcp;
mod openapi;
mod packaging;
mod play;
mod relay;
mod report;
mod transaction;
mod up;
mod wrap;

use crate::arguments::{Command, PlatformArguments, Shown, TargetArguments};
use crate::error::CommandError;
use crate::exit::Exit;
use crate::quotes;
use crate::rehearse;

pub(crate) async fn run(command: Command) -> Result<Exit, CommandError> {
    match command {
        Command::Up(arguments) => up::run(*arguments).await,
        Command::Exec(arguments) => exec::run(arguments).await,
        Command::Play(arguments) => play::run(*arguments).await,
        Command::Env(arguments) => env::run(&arguments).await,
        Command::Mcp(arguments) => mcp::run(arguments).await,
        Command::Check(arguments) => check::run(*arguments).await,
        Command::Report(arguments) => report::run(&arguments),
        Command::Drill(arguments) => drill::run(*arguments).await,
        Command::Rehearse(arguments) => rehearse::run(&arguments).await,
        Command::Quotes(arguments) => quotes::run(arguments.command).await,
        Command::Explain(arguments) => explain::run(&arguments).await,
        Command::Show(arguments) => show(arguments.shown).await,
        Command::Doctor(arguments) => doctor::run(arguments).await,
        Command::Completions(arguments) => packaging::completions(&arguments),
        Command::Man(arguments) => packaging::man(&arguments),
        Command::WrapToolServer(arguments) => wrap::run(arguments).await,
        Command::RelayTools(arguments) => relay::run(arguments).await,
        Command::ExecInContainer(arguments) => crate::target::container::exec::run(arguments).await,
    }
}

async fn show(shown: Shown) -> Result<Exit, CommandError> {
    match shown {
        Shown::Abi(arguments) => abi::run(arguments).await,
        Shown::Openapi(arguments) => openapi::run(&arguments),
        Shown::Schema(arguments) => report::schema(&arguments),
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
