//! Arguments of the commands on finished runs: recreate and compare reports, keep known failures, verify proofs.
use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::PrintArguments;
use crate::report::ReportFiles;

#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct ReportArguments {
    #[command(subcommand)]
    pub(crate) command: Option<ReportCommand>,
    /// The file that `slipway check --events` wrote.
    #[arg(value_name = "EVENTS", required = true)]
    pub(crate) events: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) print: PrintArguments,
    #[command(flatten)]
    pub(crate) files: ReportFiles,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ReportCommand {
    /// Show what changed between two runs; a regression is a failure.
    #[command(after_help = "Examples:
  slipway report diff before.json after.json")]
    Diff(DiffArguments),
    /// Remove what passes in a report from a list of known failures and add what fails; known failures keep their reason and dates.
    #[command(after_help = "Examples:
  slipway check --json > report.json; slipway report baseline known.toml report.json --reason 'ticket 7'")]
    Baseline(BaselineArguments),
}

#[derive(Args, Debug)]
pub(crate) struct DiffArguments {
    /// JSON report or events of the earlier run.
    #[arg(value_name = "A")]
    pub(crate) before: PathBuf,
    /// JSON report or events of the later run.
    #[arg(value_name = "B")]
    pub(crate) after: PathBuf,
    #[command(flatten)]
    pub(crate) print: PrintArguments,
}

#[derive(Args, Debug)]
pub(crate) struct BaselineArguments {
    /// The TOML file; created if missing.
    pub(crate) baseline: PathBuf,
    /// JSON report or events of a run.
    pub(crate) report: PathBuf,
    /// Why new failures are forgiven.
    #[arg(long)]
    pub(crate) reason: Option<String>,
    /// Last date on which new failures are forgiven, such as 2026-12-31.
    #[arg(long, value_name = "DATE")]
    pub(crate) until: Option<String>,
}
