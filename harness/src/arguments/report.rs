//! Arguments of the commands on finished runs: recreate and compare reports, keep baselines, verify proofs.
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use crate::report::ReportFiles;

#[derive(Args, Debug)]
pub(crate) struct ReportArguments {
    /// The file that `slipway check --events` wrote.
    #[arg(value_name = "EVENTS")]
    pub(crate) events: PathBuf,
    /// Print the report as one JSON object.
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) files: ReportFiles,
}

#[derive(Args, Debug)]
pub(crate) struct DiffArguments {
    /// JSON report or events of the earlier run.
    #[arg(value_name = "A")]
    pub(crate) before: PathBuf,
    /// JSON report or events of the later run.
    #[arg(value_name = "B")]
    pub(crate) after: PathBuf,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct BaselineArguments {
    #[command(subcommand)]
    pub(crate) command: BaselineCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum BaselineCommand {
    /// Remove what passes in a report and add what fails; known failures keep their reason and dates.
    Update {
        /// The TOML file; created if missing.
        baseline: PathBuf,
        /// JSON report or events of a run.
        report: PathBuf,
        /// Why new failures are forgiven.
        #[arg(long)]
        reason: Option<String>,
        /// Last date on which new failures are forgiven, such as 2026-12-31.
        #[arg(long, value_name = "DATE")]
        until: Option<String>,
    },
}

/// A form with a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SchemaArgument {
    /// A line of `--events`.
    Events,
    /// The object that `--json` prints.
    Report,
    /// The file `slipway.toml`, for editors.
    Target,
}

#[derive(Args, Debug)]
pub(crate) struct SchemaArguments {
    /// The form.
    #[arg(value_enum)]
    pub(crate) form: SchemaArgument,
}

#[derive(Args, Debug)]
pub(crate) struct VerifyArguments {
    /// The folder that `slipway drill --proof` wrote.
    pub(crate) proof: PathBuf,
}
