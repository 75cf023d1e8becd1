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
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

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
    let chosen = std::env::var("RUST_LOG")
        .ok()
        .and_then(|text| text.parse::<Targets>().ok());
    let filter = chosen.unwrap_or_else(|| default.parse().expect("the defaults are well-formed"));
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(slipway_sim::mcp::log)
        .with_target(false)
        .without_time();
    tracing_subscriber::registry().with(filter).with(lines).init();
}
