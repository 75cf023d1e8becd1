//! The `slipway` command: starts platforms, checks them, judges and reports; standard output is data, standard error narration.
mod arguments;
mod command;
mod drill;
mod error;
mod exit;
mod foreign;
mod output;
mod own;
mod progress;
mod report;
mod runner;
mod selector;

use std::process::ExitCode;

use clap::Parser as _;
use clap::error::ErrorKind;
use tracing_subscriber::EnvFilter;

use crate::arguments::Arguments;
use crate::exit::Exit;

#[tokio::main]
async fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            let asked = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
            // A closed output leaves nothing to tell it to.
            let _ = error.print();
            return if asked { Exit::Conformant } else { Exit::Usage }.into();
        }
    };
    narrate(arguments.verbose);
    command::run(arguments.command)
        .await
        .unwrap_or_else(|error| {
            output::complain(&error);
            error.exit()
        })
        .into()
}

/// Narration goes to standard error; RUST_LOG decides over the flag. The end of a node is told by its handle, so the
/// complaints of the connection to it are left out.
fn narrate(verbose: u8) {
    let default = match verbose {
        0 => "warn,alloy_pubsub=off,slipway_contracts::toolchain=info",
        1 => "info",
        2 => "debug",
        _ => "trace",
    };
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(default));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(slipway_sim::mcp::log)
        .with_target(false)
        .without_time()
        .init();
}
