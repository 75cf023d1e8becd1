//! The command line: what can be asked, and nothing of how it is done.
use std::ffi::OsString;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use slipway_scenarios::client::rate_limit::RatePolicy;

/// A token-launch platform on one machine, and the harness that checks any such platform.
#[derive(Debug, Parser)]
#[command(name = "slipway", version, disable_help_subcommand = true)]
#[command(after_help = "Exit codes: 0 conformant, 1 a failure, 2 usage, 3 unreachable or inconclusive, \
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
    /// Check a platform: the local one, started for the purpose, or the one whose addresses are given.
    Check(Box<CheckArguments>),
    /// Run the platform until it is told to stop.
    Up(UpArguments),
    /// Start the platform, run a command with its addresses in the environment, stop, pass the exit code on.
    Exec(ExecArguments),
    /// Serve the tool server on standard input and output.
    Mcp(McpArguments),
    /// Print the OpenAPI document of a service of ours; starts nothing.
    Openapi(OpenapiArguments),
    /// Print the ABIs of the contracts with their addresses; starts nothing.
    Abi(AbiArguments),
    /// Print quote cases with their exact answers: JSON lines, a header first.
    Vectors(VectorsArguments),
    /// Measure something beside the platform's own code.
    Bench(BenchArguments),
    /// Make requests from an OpenAPI document, valid and broken ones, and hold the answers to it.
    Fuzz(Box<FuzzArguments>),
    /// List the checks, the clauses or the seeded defects.
    List(ListArguments),
    /// Explain a check, a clause or a seeded defect by its id.
    Explain(ExplainArguments),
    /// Prove the checks: switch every seeded defect on in turn and see that its checks turn red.
    Drill(Box<DrillArguments>),
    /// Run every check against every seeded defect: each must redden the checks of its clauses and nothing else.
    Matrix(Box<DrillArguments>),
    /// Run a tool server inside the wrapper that carries its seeded defects.
    #[command(hide = true)]
    WrapToolServer(WrapArguments),
}

/// What the local platform is started with.
#[derive(Args, Clone, Debug)]
pub(crate) struct PlatformArguments {
    /// Decides the market, the accounts and everything generated.
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Switch a seeded defect on (repeatable).
    #[arg(long = "defect", value_name = "ID")]
    pub(crate) defects: Vec<String>,
    /// Never install anything: fail when the chain tools are not there yet.
    #[arg(long)]
    pub(crate) offline: bool,
    /// Do not read or write the cache of deployed states.
    #[arg(long)]
    pub(crate) no_cache: bool,
}

#[derive(Args, Debug)]
pub(crate) struct CheckArguments {
    #[command(flatten)]
    pub(crate) platform: PlatformArguments,
    #[command(flatten)]
    pub(crate) target: TargetArguments,
    /// What may be done to the target; `read` is the default for an external target, `write` for the local platform.
    #[arg(long, value_enum)]
    pub(crate) lane: Option<LaneArgument>,
    /// Run only the checks of these check ids, clause ids or id prefixes ending in `*` (repeatable).
    #[arg(long, value_name = "ID")]
    pub(crate) only: Vec<String>,
    /// Hold an external target to the choices of this project too.
    #[arg(long)]
    pub(crate) strict: bool,
    /// Print the report as one JSON object.
    #[arg(long)]
    pub(crate) json: bool,
    /// Also write a JUnit report to this file.
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
    /// An earlier JSON report: its failures are known and do not fail the run; one that passes now is stale.
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,
}

/// An external target; the local platform is started when none of these is given.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct TargetArguments {
    /// Address of the REST service.
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: Option<String>,
    /// Address of the swap service.
    #[arg(long, value_name = "URL")]
    pub(crate) swap_url: Option<String>,
    /// Chain RPC address as CHAIN=URL (repeatable).
    #[arg(long = "rpc-url", value_name = "CHAIN=URL")]
    pub(crate) rpc_urls: Vec<String>,
    /// Address of the control plane.
    #[arg(long, value_name = "URL")]
    pub(crate) control_url: Option<String>,
    /// Operator credential.
    #[arg(long, env = "SLIPWAY_OPERATOR_KEY", hide_env_values = true)]
    pub(crate) operator_key: Option<String>,
    /// File with private keys of funded accounts, one hexadecimal key a line.
    #[arg(long, value_name = "FILE")]
    pub(crate) private_keys: Option<PathBuf>,
    /// Command that starts a tool server on stdio, as one shell-quoted text.
    #[arg(long, value_name = "COMMAND")]
    pub(crate) mcp: Option<String>,
    /// Name the tool server reads in place of a variable of ours, as OURS=THEIRS (repeatable).
    #[arg(long = "mcp-variable", value_name = "OURS=THEIRS", requires = "mcp")]
    pub(crate) mcp_variables: Vec<String>,
    /// TOML file of such names, a line each: OURS = "THEIRS"; --mcp-variable goes before it.
    #[arg(long, value_name = "FILE", requires = "mcp")]
    pub(crate) mcp_variables_file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) rate: RateArguments,
}

/// How the limits of a target are treated.
#[derive(Args, Clone, Debug)]
pub(crate) struct RateArguments {
    /// Longest that one request waits for limits of the target (429 with Retry-After), where no control plane moves its clock.
    #[arg(long, value_name = "SECONDS", default_value_t = RatePolicy::default().max_wait.as_secs())]
    pub(crate) max_wait: u64,
    /// Most requests a second to each address of the target (default: no bound).
    #[arg(long, value_name = "COUNT")]
    pub(crate) requests_per_second: Option<NonZeroU32>,
}

impl Default for RateArguments {
    fn default() -> Self {
        let RatePolicy { max_wait, requests_per_second } = RatePolicy::default();
        Self { max_wait: max_wait.as_secs(), requests_per_second }
    }
}

impl RateArguments {
    /// What a client does about limits.
    pub(crate) fn policy(&self) -> RatePolicy {
        RatePolicy {
            max_wait: Duration::from_secs(self.max_wait),
            requests_per_second: self.requests_per_second,
        }
    }
}

impl TargetArguments {
    /// Whether any part of an external target was named.
    pub(crate) fn is_external(&self) -> bool {
        self.base_url.is_some()
            || self.swap_url.is_some()
            || !self.rpc_urls.is_empty()
            || self.control_url.is_some()
            || self.mcp.is_some()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LaneArgument {
    /// Only checks that read.
    Read,
    /// All checks.
    Write,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ClockArgument {
    /// Starts where the seeded market ends and runs at real speed.
    Running,
    /// Stands still until the control plane moves it.
    Fixed,
    /// The time of this machine.
    Real,
}

#[derive(Args, Debug)]
pub(crate) struct UpArguments {
    #[command(flatten)]
    pub(crate) platform: PlatformArguments,
    /// First of five ports: REST, swap, control, chain 57073, chain 4663; 0 takes free ones.
    #[arg(long, default_value_t = slipway_sim::ports::BASE)]
    pub(crate) port: u16,
    /// How time passes.
    #[arg(long, value_enum, default_value = "running")]
    pub(crate) clock: ClockArgument,
    /// Keep the off-chain facts in this directory instead of in memory.
    #[arg(long, value_name = "DIR")]
    pub(crate) state: Option<PathBuf>,
    /// Keep the off-chain facts in this PostgreSQL database, which several platforms may share.
    #[arg(
        long,
        value_name = "URL",
        conflicts_with = "state",
        env = "SLIPWAY_DATABASE_URL",
        hide_env_values = true
    )]
    pub(crate) database_url: Option<String>,
    /// Serve beside a running platform, over its chains, clock and database: the file of its ready line.
    #[arg(long, value_name = "READY_FILE", requires = "database_url", conflicts_with = "defects")]
    pub(crate) attach: Option<PathBuf>,
    /// Tell callers apart by the last address of X-Forwarded-For; only behind a proxy of your own.
    #[arg(long)]
    pub(crate) trust_forwarded: bool,
    /// Requests a minute each client address may send to read endpoints without a limit of their own (default: no limit).
    #[arg(long, value_name = "COUNT")]
    pub(crate) standard_limit: Option<u32>,
    /// Do not serve the control plane.
    #[arg(long)]
    pub(crate) no_control: bool,
    /// Credential for chat (default: derived from the seed and printed).
    #[arg(long, env = "SLIPWAY_OPERATOR_KEY", hide_env_values = true)]
    pub(crate) operator_key: Option<String>,
    /// Print one JSON line when everything answers.
    #[arg(long)]
    pub(crate) json: bool,
    /// Also write that JSON line to this file, atomically.
    #[arg(long, value_name = "FILE")]
    pub(crate) ready_file: Option<PathBuf>,
    /// Stop when standard input is closed.
    #[arg(long)]
    pub(crate) until_eof: bool,
}

#[derive(Args, Debug)]
pub(crate) struct ExecArguments {
    #[command(flatten)]
    pub(crate) platform: PlatformArguments,
    /// How time passes.
    #[arg(long, value_enum, default_value = "running")]
    pub(crate) clock: ClockArgument,
    /// The command and its arguments.
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
}

#[derive(Args, Debug)]
pub(crate) struct McpArguments {
    /// Start a platform for this tool server alone; without a key it uses the first account of that platform.
    #[arg(long)]
    pub(crate) embedded: bool,
    /// Decides the embedded platform's market and accounts (default: 1).
    #[arg(long, requires = "embedded")]
    pub(crate) seed: Option<u64>,
    /// How time passes on the embedded platform (default: running).
    #[arg(long, value_enum, requires = "embedded")]
    pub(crate) clock: Option<ClockArgument>,
    /// Never install anything: fail when the chain tools are not there yet.
    #[arg(long, requires = "embedded")]
    pub(crate) offline: bool,
    /// Do not read or write the cache of deployed states.
    #[arg(long, requires = "embedded")]
    pub(crate) no_cache: bool,
}

/// One of the HTTP services.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
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
pub(crate) struct FuzzArguments {
    #[command(flatten)]
    pub(crate) platform: PlatformArguments,
    /// Address of an external REST service.
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: Option<String>,
    /// Address of an external swap service.
    #[arg(long, value_name = "URL")]
    pub(crate) swap_url: Option<String>,
    /// The document of the one external service, in place of its own /openapi.json.
    #[arg(long, value_name = "FILE", conflicts_with = "defects")]
    pub(crate) document: Option<PathBuf>,
    /// Address of the control plane of an external target: it mints captcha tokens and moves the clock past limits.
    #[arg(long, value_name = "URL")]
    pub(crate) control_url: Option<String>,
    /// Operator credential.
    #[arg(long, env = "SLIPWAY_OPERATOR_KEY", hide_env_values = true)]
    pub(crate) operator_key: Option<String>,
    #[command(flatten)]
    pub(crate) rate: RateArguments,
    /// Requests to each service.
    #[arg(long, default_value_t = 2000, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub(crate) cases: u64,
    /// Send only the request of this number.
    #[arg(long, value_name = "NUMBER")]
    pub(crate) case: Option<u64>,
    /// Send only the operation of this id, to whichever service has it.
    #[arg(long, value_name = "ID")]
    pub(crate) operation: Option<String>,
    /// Print the requests and send none of them.
    #[arg(long, conflicts_with = "json")]
    pub(crate) dry_run: bool,
    /// Also send operations that write to an external target.
    #[arg(long)]
    pub(crate) write: bool,
    /// Print the report as one JSON object.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct ListArguments {
    /// List the clauses with what checks them.
    #[arg(long, conflicts_with = "defects")]
    pub(crate) clauses: bool,
    /// List the seeded defects of our platform.
    #[arg(long)]
    pub(crate) defects: bool,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct ExplainArguments {
    /// Id of a check, a clause or a defect.
    pub(crate) id: String,
}

#[derive(Args, Debug)]
pub(crate) struct DrillArguments {
    #[command(flatten)]
    pub(crate) platform: PlatformArguments,
    #[command(flatten)]
    pub(crate) target: TargetArguments,
    /// What may be done to an external target (default: `read`); the local platform is always written to.
    #[arg(long, value_enum)]
    pub(crate) lane: Option<LaneArgument>,
    /// Drill only these defects, by id or prefix ending in `*` (repeatable).
    #[arg(long, value_name = "ID")]
    pub(crate) only: Vec<String>,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct WrapArguments {
    /// Switch a seeded defect of the tool server on (repeatable).
    #[arg(long = "defect", value_name = "ID")]
    pub(crate) defects: Vec<String>,
    /// Name the tool server reads in place of a variable of the interface, as OURS=THEIRS (repeatable).
    #[arg(long = "variable", value_name = "OURS=THEIRS")]
    pub(crate) variables: Vec<String>,
    /// The command of the tool server.
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub(crate) command: Vec<OsString>,
}

/// How an ABI is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum AbiFormat {
    /// Objects with name, addresses and ABI.
    Json,
    /// Constants of TypeScript, `as const`.
    Typescript,
    /// Interfaces of Solidity, with libraries of addresses.
    Solidity,
    /// Human-readable signatures, one a line.
    Human,
}

#[derive(Args, Debug)]
pub(crate) struct AbiArguments {
    /// The contract (default: all of them).
    pub(crate) name: Option<String>,
    /// How it is written.
    #[arg(long, value_enum, default_value = "json")]
    pub(crate) format: AbiFormat,
    /// Never install anything: fail when the published contracts are not there yet.
    #[arg(long)]
    pub(crate) offline: bool,
}

/// What quotes are asked of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum QuoteKind {
    /// The curve of a launch.
    Curve,
    /// The curve of the first version.
    V1,
    /// One pair of the exchange.
    Swap,
}

#[derive(Args, Debug)]
pub(crate) struct VectorsArguments {
    /// What the cases are of.
    #[arg(value_enum)]
    pub(crate) kind: QuoteKind,
    /// How many cases.
    #[arg(long, default_value_t = 1_000, value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    pub(crate) count: u64,
    /// Decides the cases.
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
}

#[derive(Args, Debug)]
pub(crate) struct BenchArguments {
    #[command(subcommand)]
    pub(crate) subject: BenchSubject,
}

/// What is measured.
#[derive(Debug, Subcommand)]
pub(crate) enum BenchSubject {
    /// Measure a quoter in any language beside the platform's own quotes.
    ///
    /// The quoter reads one case a line, as `slipway vectors` writes them but without `amountOut`, `cost` and `refund`, and
    /// answers one line for each, in order: the amount as decimal text, or an object with `amountOut`; `cost` and `refund`
    /// are compared where they are there. It should write each answer at once: one that answers only at the end of its
    /// input is measured too, but without latency. One unit of error voids the figures.
    Quotes(QuotesArguments),
    /// Answer cases with the platform's own quotes, as a quoter would.
    #[command(hide = true)]
    Answer(AnswerArguments),
}

#[derive(Args, Debug)]
pub(crate) struct QuotesArguments {
    /// Command of the quoter, as one shell-quoted text: reads cases on standard input, answers on standard output.
    #[arg(long, value_name = "COMMAND")]
    pub(crate) command: String,
    /// What the quotes are asked of.
    #[arg(long, value_enum, default_value = "swap")]
    pub(crate) kind: QuoteKind,
    /// How many cases a round has.
    #[arg(long, default_value_t = 1_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub(crate) count: u64,
    /// Decides the cases.
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// How many rounds, each of every side in turn.
    #[arg(long, default_value_t = 11, value_parser = clap::value_parser!(u64).range(1..=1_000))]
    pub(crate) rounds: u64,
    /// Longest wait for an answer, seconds.
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=3_600))]
    pub(crate) wait: u64,
    /// Also write the report into this folder: quotes.md, quotes.svg and quotes.json.
    #[arg(long, value_name = "DIR")]
    pub(crate) report: Option<PathBuf>,
    /// Print the report as one JSON object.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct AnswerArguments {
    /// What the quotes are asked of.
    #[arg(value_enum)]
    pub(crate) kind: QuoteKind,
    /// Give so many units too much, in every tenth answer.
    #[arg(long, default_value_t = 0)]
    pub(crate) error: u64,
}
