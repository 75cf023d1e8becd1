//! The command line: its arguments, without their behaviour.
mod errors;
mod lookup;
mod quotes;
mod report;
mod serve;
mod target;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, CommandFactory as _, FromArgMatches, Parser, Subcommand};
use slipway_scenarios::{Check, Part, checks};

pub(crate) use lookup::{
    AbiArguments, AbiFormat, CompletionsArguments, DoctorArguments, ExplainArguments, Listed, ManArguments,
    OpenapiArguments, SchemaArgument, SchemaArguments, ServiceArgument, ShowArguments, Shown,
};
pub(crate) use quotes::{
    AnswerArguments, BenchArguments, CasesArguments, QuoteKind, QuotesArguments, QuotesCommand,
};
pub(crate) use report::{BaselineArguments, DiffArguments, ReportArguments, ReportCommand};
pub(crate) use serve::{
    ClockArgument, EnvArguments, ExecArguments, LogArgument, MarketArgument, McpArguments, PlayArguments,
    RehearseArguments, RelayArguments, ServeArguments, UpArguments,
};
pub(crate) use target::{ExecInContainerArguments, LaneArgument, TargetArguments};

use crate::report::ReportFiles;

/// A token-launch platform on one machine, and the harness that checks any such platform.
#[derive(Debug, Parser)]
#[command(name = "slipway", version, disable_help_subcommand = true, max_term_width = 100)]
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

/// The commands grouped by purpose, in the order of the help.
const GROUPS: [(&str, &[&str]); 4] = [
    ("Run a platform", &["up", "exec", "play", "env", "mcp"]),
    ("Check a platform", &["check", "report", "drill"]),
    ("Test a client", &["rehearse", "quotes"]),
    ("Look up", &["explain", "show", "doctor"]),
];

impl Arguments {
    /// The definition of the command line, with the commands in groups.
    pub(crate) fn definition() -> clap::Command {
        let command = Self::command();
        let mut groups = String::new();
        for (title, names) in GROUPS {
            groups.push_str(&format!("{title}:\n"));
            for name in names {
                let known = command.find_subcommand(name).and_then(clap::Command::get_about);
                groups.push_str(&format!(
                    "  {name:<10}{}\n",
                    known.map(ToString::to_string).unwrap_or_default()
                ));
            }
            groups.push('\n');
        }
        command.help_template(format!(
            "{{about}}\n\n{{usage-heading}} {{usage}}\n\n{groups}Options:\n{{options}}\n\n{{after-help}}"
        ))
    }

    /// Reads a command line; a former name is refused, and the error gives the new one.
    pub(crate) fn read_from<Word: Into<OsString> + Clone>(
        words: impl IntoIterator<Item = Word>,
    ) -> Result<Self, clap::Error> {
        let mut words: Vec<OsString> = words.into_iter().map(Into::into).collect();
        // `slipway help check` is `slipway check --help`; a subcommand of this name would be in every list of commands.
        if words.get(1).is_some_and(|word| word == "help") {
            words.remove(1);
            words.push("--help".into());
        }
        let mut definition = Self::definition();
        let read = definition
            .try_get_matches_from_mut(&words)
            .and_then(|mut matches| <Self as FromArgMatches>::from_arg_matches_mut(&mut matches));
        read.map_err(|error| errors::explained(error, &mut definition, &words))
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run the platform until a shutdown signal.
    #[command(after_help = "Examples:
  slipway up                              on port 4700 and the four above it
  slipway up --seed 7 --market 500        another market, larger
  slipway up --market market.toml         the market that a file says
  slipway up --live 30                    a market that lives, 30 actions a minute
  slipway up --clock fixed                time moves only when told
  slipway up --json --port 0              one line for programs, free ports")]
    Up(Box<UpArguments>),
    /// Run a command against a new platform, and exit with its code.
    ///
    /// The command has the platform's addresses in its environment. The platform ends with it.
    #[command(after_help = "Examples:
  slipway exec -- npm test
  slipway exec --clock fixed -- pytest -x")]
    Exec(ExecArguments),
    /// Play a scenario from a file, and compare what the platform says.
    ///
    /// A scenario has launches, trades, chat, faults and reorgs, and what the platform should say then.
    #[command(after_help = "Examples:
  slipway play launch.toml                a new platform, which ends with the play
  slipway play launch.toml --seed 7       with other accounts
  slipway play launch.toml --attach       on the running platform")]
    Play(Box<PlayArguments>),
    /// Print the variables of `exec` for a running platform.
    #[command(after_help = "Examples:
  eval \"$(slipway env)\"
  eval \"$(slipway env --port 5000)\"")]
    Env(EnvArguments),
    /// Serve the tool server on standard input and output.
    #[command(after_help = "Examples:
  slipway mcp                  addresses from SERVICE_MCP_RPC_URL and SERVICE_BASE_URL
  slipway mcp --embedded       with its own platform")]
    Mcp(McpArguments),
    /// Check a platform: a new one on this machine, or any by address.
    #[command(after_help = "Examples:
  slipway check                                  the local platform
  slipway check --base-url URL --rpc-url 57073=URL   a platform elsewhere, read only
  slipway check --section /api/chat              one section
  slipway check --html report.html               a report to show")]
    Check(Box<CheckArguments>),
    /// Recreate the reports of a run, compare runs, keep known failures.
    #[command(after_help = "Examples:
  slipway report events.jsonl --html report.html
  slipway report diff before.json after.json
  slipway check --json > report.json; slipway report baseline known.toml report.json")]
    Report(ReportArguments),
    /// Prove the checks: each seeded defect must fail the checks it names.
    #[command(after_help = "Examples:
  slipway drill --only 'list-*'                  some of the defects
  slipway drill --variants --only json-escapes   a legal variant, which must pass
  slipway drill --all                            every check against every defect
  slipway drill --verify                         the committed proof, without a platform")]
    Drill(Box<DrillArguments>),
    /// Run a client under one fault at a time, and report what it broke.
    ///
    /// The client runs once per fault, with the variables of `exec`; each run begins with the same platform. A client may fail under a
    /// fault, but may not break a rule.
    #[command(after_help = "Examples:
  slipway rehearse -- node my-bot.mjs
  slipway rehearse --only cut-answer -- ./my-client
  slipway rehearse --agent -- ./my-agent      a client of the tool server; see SLIPWAY_MCP_CONFIG")]
    Rehearse(RehearseArguments),
    /// Print quote cases with exact answers, or measure a quoter.
    ///
    /// A quoter is measured against the platform's own quotes.
    #[command(after_help = "Examples:
  slipway quotes cases curve --count 1000 > cases.jsonl
  slipway quotes bench curve -- node quoter.mjs")]
    Quotes(QuotesArguments),
    /// Explain a check, a clause, a word, an error or a transaction, or list all.
    ///
    /// By its id it explains a check, a clause, a seeded defect, a legal variant or a statement of the interface; by its name, or by the data
    /// of a revert, an error of a contract; by its hash a transaction of the running platform.
    #[command(after_help = "Examples:
  slipway explain LIST-COUNT           a clause
  slipway explain list-totals          a check
  slipway explain S131                 a statement of the interface
  slipway explain 0x5c50…              a transaction of the running platform
  slipway explain 0x0d7b65ad           an error of a contract, by its selector
  slipway explain SlippageExceeded     the same by its name
  slipway explain --list checks        one per line
  slipway explain --list defects --json
  slipway explain --list statements > interface.md   the interface")]
    Explain(ExplainArguments),
    /// Print the ABIs, the OpenAPI documents or the JSON Schemas.
    #[command(after_help = "Examples:
  slipway show abi --format typescript > abi.ts
  slipway show abi LaunchHook --format human
  slipway show openapi swap > swap.json
  slipway show schema target > slipway.schema.json")]
    Show(ShowArguments),
    /// Show what this machine offers, and the remedy for each gap.
    ///
    /// It looks at the tools, the ports, the container engine, the database and the cache.
    #[command(after_help = "Examples:
  slipway doctor
  slipway doctor --wait 30                whether a platform answers on the usual ports
  slipway doctor --install tools; SLIPWAY_TOOLCHAIN=$PWD/tools slipway up --offline")]
    Doctor(DoctorArguments),
    /// Print the completions for a shell.
    #[command(hide = true)]
    Completions(CompletionsArguments),
    /// Print the man page, or write one for every command.
    #[command(hide = true)]
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
    /// Whether it runs between a tool server and its client.
    pub(crate) fn is_around_tool_server(&self) -> bool {
        matches!(self, Self::WrapToolServer(_) | Self::RelayTools(_) | Self::ExecInContainer(_))
    }
}

/// Options of the local platform.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Local platform")]
pub(crate) struct PlatformArguments {
    /// Seed of the market, the accounts and everything generated.
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Switch on a seeded defect (repeatable).
    #[arg(long = "defect", value_name = "ID")]
    pub(crate) defects: Vec<String>,
    #[command(flatten)]
    pub(crate) tools: OfflineArgument,
}

#[derive(Args, Clone, Copy, Debug, Default)]
pub(crate) struct OfflineArgument {
    /// Never install anything: fail if the chain tools are missing.
    #[arg(long)]
    pub(crate) offline: bool,
}

/// Where a platform is looked for.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct PortArgument {
    /// First of the five ports of a platform (default: 4700).
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=65_531))]
    pub(crate) port: Option<u16>,
}

impl PortArgument {
    /// The given port, or the usual one.
    pub(crate) fn base(&self) -> u16 {
        self.port.unwrap_or(slipway_sim::ports::BASE)
    }
}

/// How a result is printed.
#[derive(Args, Clone, Copy, Debug, Default)]
pub(crate) struct PrintArguments {
    /// Print JSON instead of text.
    #[arg(long)]
    pub(crate) json: bool,
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

#[derive(Args, Clone, Debug)]
pub(crate) struct CheckArguments {
    /// What the checks may do to the target; `read` is the default for an external target, `write` for a platform that this run started.
    #[arg(long, value_enum)]
    pub(crate) lane: Option<LaneArgument>,
    /// Run only the checks of these check ids, clause ids or id prefixes ending in `*` (repeatable, or with commas).
    #[arg(long, value_name = "ID", value_delimiter = ',')]
    pub(crate) only: Vec<String>,
    /// Leave out the checks of these check ids, clause ids or id prefixes ending in `*` (repeatable, or with commas).
    #[arg(long, value_name = "ID", value_delimiter = ',')]
    pub(crate) skip: Vec<String>,
    /// Run only the checks of this section of the report, such as `chain` or `GET /api/tokens*` (repeatable).
    #[arg(long, value_name = "NAME")]
    pub(crate) section: Vec<String>,
    /// Require these parts of the interface: `rest`, `swap`, `chain`, `tools`, each also with `+write` (needs keys) or `+limits`
    /// (needs a control plane), or `full`. A binding check of a required part that is skipped or inconclusive ends the run with 3.
    /// Default: of a platform that the run starts, the parts for which everything was given.
    #[arg(long, value_name = "PROFILE", value_delimiter = ',')]
    pub(crate) require: Vec<Required>,
    /// Check an external target against the choices of this project too.
    #[arg(long)]
    pub(crate) strict: bool,
    #[command(flatten)]
    pub(crate) print: PrintArguments,
    /// Write every exchange and verdict to this file, one JSON object per line (see `slipway show schema events`).
    #[arg(long, value_name = "FILE")]
    pub(crate) events: Option<PathBuf>,
    /// Known failures, as TOML (see `slipway report baseline`) or an earlier JSON report: they do not fail the run; one that passes now
    /// is stale, and one whose end date has passed counts again.
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,
    /// Run again what failed or was inconclusive in an earlier run, with its seed: its JSON report or its events.
    #[arg(long, value_name = "REPORT", conflicts_with_all = ["only", "skip", "section", "seed"])]
    pub(crate) rerun: Option<PathBuf>,
    /// Check again whenever the file that describes the target, or one of these files and folders, changes, until Ctrl-C.
    #[arg(long, value_name = "PATH", num_args = 0..)]
    pub(crate) watch: Option<Vec<PathBuf>>,
    #[command(flatten)]
    pub(crate) platform: PlatformArguments,
    #[command(flatten)]
    pub(crate) target: TargetArguments,
    #[command(flatten)]
    pub(crate) files: ReportFiles,
}

/// The proof of the checks, from the root of the project.
pub(crate) const PROOF: &str = "snapshots/proof.json";

#[derive(Args, Debug)]
pub(crate) struct DrillArguments {
    /// What the checks may do to an external target (default: `read`, and `write` for a container of this run); the local platform
    /// is always written to.
    #[arg(long, value_enum)]
    pub(crate) lane: Option<LaneArgument>,
    /// In place of the seeded defects, put legal variants in front of the target: platforms that keep the interface and chose differently
    /// in its gaps. The checks must pass each.
    #[arg(long, conflicts_with = "all")]
    pub(crate) variants: bool,
    /// Drill the defects of this file in place of ours, and with `--variants` its legal variants.
    #[arg(long, value_name = "FILE", conflicts_with = "write")]
    pub(crate) changes: Option<PathBuf>,
    /// Run every check against each defect, and list those that fail for a clause that the defect does not name.
    #[arg(long)]
    pub(crate) all: bool,
    /// Write the results of these defects or variants into the proof of the checks, whose other rows stay.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = PROOF)]
    pub(crate) write: Option<PathBuf>,
    /// Judge the proof of the checks, and drill nothing: every check is proven, every defect failed each clause that it names, every
    /// variant passed. Outside a checkout it judges the proof that this program was built with.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = PROOF)]
    #[arg(conflicts_with_all = ["lane", "variants", "changes", "all", "write", "only", "seed", "defects", "image", "base_url", "swap_url"])]
    pub(crate) verify: Option<PathBuf>,
    /// Drill only these defects or variants, by id or prefix ending in `*` (repeatable, or with commas).
    #[arg(long, value_name = "ID", value_delimiter = ',')]
    pub(crate) only: Vec<String>,
    #[command(flatten)]
    pub(crate) print: PrintArguments,
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
    /// File of changes that has some of them.
    #[arg(long, value_name = "FILE")]
    pub(crate) changes: Option<PathBuf>,
    /// Name that the tool server reads in place of a variable of the interface, as OURS=THEIRS (repeatable).
    #[arg(long = "variable", value_name = "OURS=THEIRS")]
    pub(crate) variables: Vec<String>,
    /// The command of the tool server.
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub(crate) command: Vec<OsString>,
}

#[cfg(test)]
mod tests;
