//! The command line: its arguments, without their behaviour.
mod platform;
mod report;
mod serve;
mod target;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, Parser, Subcommand};
use slipway_scenarios::{Check, Part, checks};

pub(crate) use platform::{
    AbiArguments, AbiFormat, AnswerArguments, BenchArguments, BenchSubject, CompletionsArguments,
    DoctorArguments, EnvArguments, ManArguments, QuoteKind, QuotesArguments, ReadyArguments,
    ToolchainArguments, VectorsArguments,
};
pub(crate) use report::{
    BaselineArguments, BaselineCommand, DiffArguments, ReportArguments, SchemaArgument, SchemaArguments,
    VerifyArguments,
};
pub(crate) use serve::{ExecArguments, McpArguments, RehearseArguments, RelayArguments, UpArguments};
pub(crate) use target::ExecInContainerArguments;
pub(crate) use target::{LaneArgument, RateArguments, TargetArguments};

use crate::report::ReportFiles;

/// A token-launch platform on one machine, and the harness that checks any such platform.
#[derive(Debug, Parser)]
// Lines of help are never wrapped: whether they could be depends on what else is built.
#[command(name = "slipway", version, disable_help_subcommand = true, term_width = 0)]
#[command(after_help = "Examples:
  slipway up                                     a platform on this machine, with its pages
  slipway check --base-url https://api.example   what a platform elsewhere does differently
  slipway exec -- npm test                       a test suite against a new platform
  slipway mcp --embedded                         a tool server with its own platform

Exit codes: 0 conformant, 1 a failure, 2 usage, 3 unreachable or inconclusive, \
                        4 stale baseline, 5 self-check failed, 130 interrupted.")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// More narration on standard error (repeat for more).
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Check a platform: a local one that is started for it, or the one at the given addresses.
    #[command(after_help = "Examples:
  slipway check                                  the local platform
  slipway check --base-url URL --rpc-url 57073=URL   a platform elsewhere, read only
  slipway check --section Chat                   one section
  slipway check --html report.html               a report to show")]
    Check(Box<CheckArguments>),
    /// Run the platform until a shutdown signal.
    #[command(after_help = "Examples:
  slipway up                              on port 4700 and the four above it
  slipway up --seed 7 --market 500        another market, larger
  slipway up --clock fixed                time moves by order only
  slipway up --json --port 0              one line for programs, free ports")]
    Up(Box<UpArguments>),
    /// Start the platform, run a command with its addresses in the environment, stop, and exit with the command's code.
    #[command(after_help = "Examples:
  slipway exec -- npm test
  slipway exec --clock fixed -- pytest -x")]
    Exec(ExecArguments),
    /// Print the variables of `exec` for a running platform: eval "$(slipway env)".
    #[command(after_help = "Examples:
  eval \"$(slipway env)\"
  eval \"$(slipway env --port 5000)\"")]
    Env(EnvArguments),
    /// Run a client against the platform with one fault at a time, and report where the client broke the interface.
    ///
    /// The client runs once per fault, with the variables of `exec`; each run begins with the same platform. A client may fail under a
    /// fault, but may not break a rule.
    #[command(after_help = "Examples:
  slipway rehearse -- node my-bot.mjs
  slipway rehearse --only cut-answer -- ./my-client
  slipway rehearse --agent -- ./my-agent      a client of the tool server; see SLIPWAY_MCP_CONFIG")]
    Rehearse(RehearseArguments),
    /// Serve the tool server on standard input and output.
    #[command(after_help = "Examples:
  slipway mcp                  addresses from SERVICE_MCP_RPC_URL and SERVICE_BASE_URL
  slipway mcp --embedded       with its own platform")]
    Mcp(McpArguments),
    /// Print the OpenAPI document of one of our services; starts nothing.
    #[command(after_help = "Examples:
  slipway openapi > rest.json
  slipway openapi swap > swap.json")]
    Openapi(OpenapiArguments),
    /// Print the ABIs of the contracts with their addresses; starts nothing.
    #[command(after_help = "Examples:
  slipway abi --format typescript > abi.ts
  slipway abi LaunchHook --format human")]
    Abi(AbiArguments),
    /// Print quote cases with their exact answers: JSON lines, a header first.
    #[command(after_help = "Examples:
  slipway vectors curve --count 1000 > cases.jsonl
  slipway vectors route --seed 7")]
    Vectors(VectorsArguments),
    /// Measure other code against the platform's own.
    #[command(after_help = "Examples:
  slipway bench quotes --command 'node quoter.mjs'
  slipway bench quotes --kind swap --command ./quoter")]
    Bench(BenchArguments),
    /// List the checks, the clauses, the seeded defects or the legal variants.
    #[command(after_help = "Examples:
  slipway list                 the checks, one per line
  slipway list --defects       the seeded defects
  slipway list --clauses --json")]
    List(ListArguments),
    /// Explain a check, a clause, a seeded defect or a statement of the interface by its id.
    #[command(after_help = "Examples:
  slipway explain LIST-COUNT           a clause
  slipway explain list-totals          a check
  slipway explain S131                 a statement of the interface")]
    Explain(ExplainArguments),
    /// Print the interface: its statements, each with its checks and what it leaves open.
    #[command(after_help = "Examples:
  slipway interface > interface.md
  slipway interface S118")]
    Interface(InterfaceArguments),
    /// Recreate the reports of a run from its events.
    #[command(after_help = "Examples:
  slipway report events.jsonl --html report.html
  slipway report events.jsonl --junit junit.xml --summary summary.md")]
    Report(ReportArguments),
    /// Show what changed between two runs; a regression is a failure.
    #[command(after_help = "Examples:
  slipway diff before.json after.json")]
    Diff(DiffArguments),
    /// Verify a proof of the checks, without a platform.
    #[command(after_help = "Examples:
  slipway verify proof")]
    Verify(VerifyArguments),
    /// Maintain a list of known failures.
    #[command(after_help = "Examples:
  slipway check --json > report.json; slipway baseline update baseline.toml report.json")]
    Baseline(BaselineArguments),
    /// Print the JSON Schema of the events, of the JSON report or of `slipway.toml`.
    #[command(after_help = "Examples:
  slipway schema target > slipway.schema.json")]
    Schema(SchemaArguments),
    /// Prove the checks: switch on every seeded defect in turn and see its checks fail.
    #[command(after_help = "Examples:
  slipway drill --only 'list-*'            some of the defects
  slipway drill --proof proof              all, with the proof of each check
  slipway drill --variants --only json-escapes   a legal variant, which must pass")]
    Drill(Box<DrillArguments>),
    /// Run every check against every seeded defect: each must fail the checks of its clauses and no other.
    #[command(after_help = "Examples:
  slipway matrix --only 'list-*'")]
    Matrix(Box<DrillArguments>),
    /// Show what this machine offers: tools, ports, engine, database, cache; each gap with its remedy.
    #[command(after_help = "Examples:
  slipway doctor
  slipway doctor --tests")]
    Doctor(DoctorArguments),
    /// Ask whether the platform on the ports of this machine answers; exit code 3 when it does not.
    #[command(after_help = "Examples:
  slipway ready --wait 30")]
    Ready(ReadyArguments),
    /// Copy anvil and the published contracts into a folder for SLIPWAY_TOOLCHAIN, for machines without npm or network.
    #[command(after_help = "Examples:
  slipway toolchain tools; SLIPWAY_TOOLCHAIN=$PWD/tools slipway up --offline")]
    Toolchain(ToolchainArguments),
    /// Print the completions for a shell.
    #[command(after_help = "Examples:
  slipway completions bash > /etc/bash_completion.d/slipway")]
    Completions(CompletionsArguments),
    /// Print the man page, or write one for every command.
    #[command(after_help = "Examples:
  slipway man | man -l -
  slipway man /usr/local/share/man/man1")]
    Man(ManArguments),
    /// Run a tool server inside the wrapper that carries its seeded defects.
    #[command(hide = true)]
    WrapToolServer(WrapArguments),
    /// Pass standard streams on to the tool server of a rehearsal.
    #[command(hide = true)]
    RelayTools(RelayArguments),
    /// Run a tool server in a container of a check.
    #[command(hide = true)]
    ExecInContainer(ExecInContainerArguments),
}

impl Command {
    /// Whether it only relays between a tool server and its client.
    pub(crate) fn is_around_tool_server(&self) -> bool {
        matches!(self, Self::WrapToolServer(_) | Self::RelayTools(_) | Self::ExecInContainer(_))
    }
}

/// What the local platform is started with.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Local platform")]
pub(crate) struct PlatformArguments {
    /// Seed of the market, the accounts and everything generated.
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Switch on a seeded defect (repeatable).
    #[arg(long = "defect", value_name = "ID")]
    pub(crate) defects: Vec<String>,
    /// Never install anything: fail if the chain tools are missing.
    #[arg(long)]
    pub(crate) offline: bool,
    /// Do not read or write the cache of deployed states.
    #[arg(long)]
    pub(crate) no_cache: bool,
}

/// The parts of the interface that must be judged in full: one, or all of them.
#[derive(Clone, Debug)]
pub(crate) struct Required(pub(crate) Vec<String>);

impl FromStr for Required {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts: BTreeSet<Part> = checks().map(Check::part).collect();
        let names: Vec<String> = parts.iter().map(Part::to_string).collect();
        match text {
            "full" => Ok(Self(names)),
            part if names.iter().any(|name| name == part) => Ok(Self(vec![text.to_owned()])),
            _ => Err(format!("no such profile; there are full, {}", names.join(", "))),
        }
    }
}

#[derive(Args, Debug)]
pub(crate) struct CheckArguments {
    /// What may be done to the target; `read` is the default for an external target, `write` for a platform that this run started.
    #[arg(long, value_enum)]
    pub(crate) lane: Option<LaneArgument>,
    /// Run only the checks of these check ids, clause ids or id prefixes ending in `*` (repeatable).
    #[arg(long, value_name = "ID")]
    pub(crate) only: Vec<String>,
    /// Leave out the checks of these check ids, clause ids or id prefixes ending in `*` (repeatable).
    #[arg(long, value_name = "ID")]
    pub(crate) skip: Vec<String>,
    /// Run only the checks of this section of the report, such as `chain` or `GET /api/tokens*` (repeatable).
    #[arg(long, value_name = "NAME")]
    pub(crate) section: Vec<String>,
    /// Require these parts of the interface: `rest`, `swap`, `chain`, `tools`, each also with `+write` (needs keys) or `+limits`
    /// (needs a control plane), or `full`. A binding check of a required part that is skipped or inconclusive ends the run with 3.
    /// Default: the parts for which everything was given.
    #[arg(long, value_name = "PROFILE", value_delimiter = ',')]
    pub(crate) require: Vec<Required>,
    /// Check an external target against the choices of this project too.
    #[arg(long)]
    pub(crate) strict: bool,
    /// Print the report as one JSON object.
    #[arg(long)]
    pub(crate) json: bool,
    /// Write every exchange and verdict to this file, one JSON object per line (see `slipway schema events`).
    #[arg(long, value_name = "FILE")]
    pub(crate) events: Option<PathBuf>,
    /// Known failures, as TOML (see `slipway baseline`) or an earlier JSON report: they do not fail the run; one that passes now
    /// is stale, and one whose end date has passed counts again.
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,
    /// Run again what failed or was inconclusive in an earlier run, with its seed: its JSON report or its events.
    #[arg(long, value_name = "REPORT", conflicts_with_all = ["only", "skip", "section", "seed"])]
    pub(crate) rerun: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) platform: PlatformArguments,
    #[command(flatten)]
    pub(crate) target: TargetArguments,
    #[command(flatten)]
    pub(crate) files: ReportFiles,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ClockArgument {
    /// The time of this machine, or ahead of it once the control plane moved it.
    Real,
    /// Starts at 2026-03-04T12:00:00Z, where the seeded market ends, and runs at real speed.
    Running,
    /// Starts there too, and stops until the control plane moves it.
    Fixed,
}

/// One of the HTTP services.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ServiceArgument {
    /// The REST service.
    Rest,
    /// The swap service.
    Swap,
    /// The control plane.
    Control,
}

#[derive(Args, Debug)]
pub(crate) struct OpenapiArguments {
    /// The service.
    #[arg(value_enum, default_value = "rest")]
    pub(crate) service: ServiceArgument,
    /// Address that the document names (default: that of a plain `slipway up`).
    #[arg(long, value_name = "URL")]
    pub(crate) server: Option<String>,
}

#[derive(Args, Debug)]
pub(crate) struct ListArguments {
    /// List the clauses with their checks.
    #[arg(long, conflicts_with = "defects")]
    pub(crate) clauses: bool,
    /// List the seeded defects of our platform.
    #[arg(long)]
    pub(crate) defects: bool,
    /// List the legal variants, each with what permits it.
    #[arg(long, conflicts_with_all = ["clauses", "defects"])]
    pub(crate) variants: bool,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `slipway interface`.
#[derive(Debug, Args)]
pub(crate) struct InterfaceArguments {
    /// Print this statement only, such as S118.
    pub(crate) id: Option<String>,
}

#[derive(Args, Debug)]
pub(crate) struct ExplainArguments {
    /// Id of a check, a clause, a defect or a statement.
    pub(crate) id: String,
}

#[derive(Args, Debug)]
pub(crate) struct DrillArguments {
    /// What may be done to an external target (default: `read`, and `write` for a container of this run); the local platform
    /// is always written to.
    #[arg(long, value_enum)]
    pub(crate) lane: Option<LaneArgument>,
    /// Instead of seeded defects, put legal variants in front of the target: platforms that keep the interface and chose differently in its
    /// gaps. The checks must pass each.
    #[arg(long)]
    pub(crate) variants: bool,
    /// Write the proofs of the checks into this folder: the defect that kills each, what it changed, and the matrix of all kills; with
    /// `--variants`, what the checks said of every variant, next to an existing proof.
    #[arg(long, value_name = "DIR")]
    pub(crate) proof: Option<PathBuf>,
    /// Make this many entries of the proof in `--proof` again and compare the kills; `--seed` selects them. With `--variants`, try this
    /// many of them alone again, and together all that can be, without the caches that each read after a write waits for.
    #[arg(long, value_name = "COUNT", conflicts_with = "only")]
    pub(crate) sample: Option<usize>,
    /// Drill only these defects or variants, by id or prefix ending in `*` (repeatable).
    #[arg(long, value_name = "ID")]
    pub(crate) only: Vec<String>,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) platform: PlatformArguments,
    #[command(flatten)]
    pub(crate) target: TargetArguments,
}

#[derive(Args, Debug)]
pub(crate) struct WrapArguments {
    /// Switch on a seeded defect of the tool server (repeatable).
    #[arg(long = "defect", value_name = "ID")]
    pub(crate) defects: Vec<String>,
    /// Name that the tool server reads in place of a variable of the interface, as OURS=THEIRS (repeatable).
    #[arg(long = "variable", value_name = "OURS=THEIRS")]
    pub(crate) variables: Vec<String>,
    /// The command of the tool server.
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub(crate) command: Vec<OsString>,
}

#[cfg(test)]
mod tests;
