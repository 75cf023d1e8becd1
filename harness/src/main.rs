//! The `slipway` command: starts platforms, checks them, judges and reports; standard output is data, standard error narration.
#[cfg(not(unix))]
compile_error!("slipway runs on Linux and macOS; on Windows use WSL");

mod arguments;
mod command;
mod error;
mod exit;
mod files;
mod prove;
mod quotes;
#[cfg(test)]
mod reference;
mod rehearse;
mod report;
mod run;
mod target;
mod terminal;

use std::io::{self, IsTerminal as _};
use std::process::ExitCode;

use clap::error::ErrorKind;
use tokio::runtime::{Builder, Runtime};
use tracing::Level;
use tracing_subscriber::Layer as _;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::arguments::Command;
use crate::error::Fatal;
use crate::exit::Exit;
use crate::files::platform_settings;
use crate::report::annotations;
use crate::terminal::colour::Colour;
use crate::terminal::steps::Steps;
use crate::terminal::{output, secrets, signals, steps};

fn main() -> ExitCode {
    secrets::learn_command_line();
    let arguments = match platform_settings::arguments() {
        Ok(arguments) => arguments,
        Err(error) => {
            let asked = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
            let plain = error.to_string();
            if secrets::hidden(&plain) == plain {
                // If the output is closed, the error cannot be reported.
                let _ = error.print();
            } else {
                output::narrate(plain.trim_end());
            }
            if !asked {
                // Without the usage that follows.
                let error = plain.split("\n\n").next().unwrap_or_default();
                annotate(error.trim_start_matches("error: "));
            }
            return if asked { Exit::Conformant } else { Exit::Usage }.into();
        }
    };
    // Standard error belongs to the tool server: a log of its wrapper would reveal secrets that the server keeps.
    if !arguments.command.is_around_tool_server() {
        narrate(arguments.verbose);
    }
    runtime(&arguments.command)
        .map_err(|source| RuntimeError { source }.into())
        .and_then(|runtime| runtime.block_on(command::run(arguments.command)))
        .unwrap_or_else(|error| {
            if !error.is_end_of_reader() {
                output::complain(&error);
                annotate(&error.told());
            }
            error.exit()
        })
        .into()
}

/// In a job of GitHub Actions an error that ends `check` is an annotation, as its failures are.
fn annotate(error: &str) {
    if annotations::wanted() && std::env::args_os().nth(1).is_some_and(|word| word == "check") {
        output::narrate(&annotations::of_error(error));
    }
}

#[derive(Debug, thiserror::Error)]
#[error("cannot start the async runtime: {source}")]
struct RuntimeError {
    source: io::Error,
}

impl Fatal for RuntimeError {}

/// A standalone tool server has one session, and an editor waits for its start: it starts no threads.
fn runtime(command: &Command) -> io::Result<Runtime> {
    let alone = match command {
        Command::Mcp(arguments) => !arguments.embedded,
        command => command.is_around_tool_server(),
    };
    let mut builder = if alone { Builder::new_current_thread() } else { Builder::new_multi_thread() };
    let runtime = builder.enable_all().build()?;
    runtime.block_on(async { signals::outlive_file_limit() })?;
    Ok(runtime)
}

/// Log output goes to standard error; RUST_LOG overrides the flag. A node's handle reports its end, so errors of the connection to it are
/// left out, and so are the refusals that the peer of a tool server gets.
fn narrate(verbose: u8) {
    // Someone at a terminal sees the steps of a first start; a log does not need them.
    let has_steps = verbose == 0 && io::stderr().is_terminal();
    // Present even without steps: an absent layer counts as one that wants every event, which would enable every level.
    let shown =
        if has_steps { Targets::new().with_target(steps::TARGET, Level::INFO) } else { Targets::new() };
    let steps = Steps::default().with_filter(shown);
    let default = match verbose {
        0 if has_steps => "warn,alloy_pubsub=off,rmcp=error,slipway_tool_server=info",
        0 => "warn,alloy_pubsub=off,rmcp=error,slipway_contracts::toolchain=info,slipway_tool_server=info",
        1 => "info",
        2 => "debug",
        _ => "trace",
    };
    let chosen = std::env::var("RUST_LOG").ok().and_then(|text| text.parse::<Targets>().ok());
    let filter = chosen.unwrap_or_else(|| default.parse().expect("the defaults are well-formed"));
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(secrets::log)
        .with_target(false)
        .without_time()
        // A closed standard error is no reason to panic.
        .log_internal_errors(false);
    let lines = lines.with_ansi(Colour::of_stderr().is_on());
    tracing_subscriber::registry().with(steps).with(lines.with_filter(filter)).init();
}
