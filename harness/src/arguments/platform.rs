//! The arguments of the commands that a build without the platform lacks.
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

/// How an ABI is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum AbiFormat {
    /// Objects with name, addresses and ABI.
    Json,
    /// Constants of TypeScript, `as const`.
    Typescript,
    /// Interfaces of Solidity, with libraries of addresses.
    Solidity,
    /// Human-readable signatures, one per line.
    Human,
}

#[derive(Args, Debug)]
pub(crate) struct AbiArguments {
    /// The contract (default: all of them).
    pub(crate) name: Option<String>,
    /// Its format.
    #[arg(long, value_enum, default_value = "json")]
    pub(crate) format: AbiFormat,
    /// Never install anything: fail if the published contracts are missing.
    #[arg(long)]
    pub(crate) offline: bool,
}

/// What is quoted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum QuoteKind {
    /// The curve of a launch.
    Curve,
    /// The cost of a number of tokens on that curve.
    Inverse,
    /// The V1 curve.
    V1,
    /// One pair of the exchange.
    Swap,
    /// Several pairs of the exchange, one after another.
    Route,
    /// The pool of a graduated launch.
    Pool,
}

#[derive(Args, Debug)]
pub(crate) struct VectorsArguments {
    /// What is quoted.
    #[arg(value_enum)]
    pub(crate) kind: QuoteKind,
    /// Number of cases.
    #[arg(long, default_value_t = 1_000, value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    pub(crate) count: u64,
    /// Seed of the cases.
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
    /// Measure a quoter in any language against the platform's own quotes.
    ///
    /// The quoter reads one case per line, as `slipway vectors` writes them but without the answers (`amountOut`, `cost` and `refund`;
    /// of an inverse `cost` alone), and answers each with one line, in order: the amount as decimal text, or an object with that
    /// member; the others are compared if present. It should write each answer at once: one that answers only at the end of its
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
    /// What is quoted.
    #[arg(long, value_enum, default_value = "curve")]
    pub(crate) kind: QuoteKind,
    /// Number of cases in a round.
    #[arg(long, default_value_t = 1_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub(crate) count: u64,
    /// Seed of the cases.
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Number of rounds; each measures every side in turn.
    #[arg(long, default_value_t = 11, value_parser = clap::value_parser!(u64).range(1..=1_000))]
    pub(crate) rounds: u64,
    /// Longest wait for an answer, in seconds.
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
pub(crate) struct DoctorArguments {
    /// First of the five ports to look at.
    #[arg(long, default_value_t = slipway_sim::ports::BASE, value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) port: u16,
    /// Also look for the programs that tests of this repository need.
    #[arg(long)]
    pub(crate) tests: bool,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct AnswerArguments {
    /// What is quoted.
    #[arg(value_enum)]
    pub(crate) kind: QuoteKind,
    /// Add this many units to every tenth answer.
    #[arg(long, default_value_t = 0)]
    pub(crate) error: u64,
}

#[derive(Args, Debug)]
pub(crate) struct ReadyArguments {
    /// First of the five ports.
    #[arg(long, default_value_t = slipway_sim::ports::BASE)]
    pub(crate) port: u16,
    /// Wait up to this many seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 0)]
    pub(crate) wait: u64,
}

#[derive(Args, Debug)]
pub(crate) struct ToolchainArguments {
    /// The folder; created if missing.
    #[arg(value_name = "DIR")]
    pub(crate) directory: PathBuf,
    /// Never install anything: fail if the chain tools are missing.
    #[arg(long)]
    pub(crate) offline: bool,
}

#[derive(Args, Debug)]
pub(crate) struct ManArguments {
    /// Write a page for every command into this folder, instead of printing the first one.
    #[arg(value_name = "DIR")]
    pub(crate) directory: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub(crate) struct EnvArguments {
    /// First of the five ports of the running platform.
    #[arg(long, default_value_t = slipway_sim::ports::BASE, value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) port: u16,
    /// The file that `slipway up --ready-file` wrote, for a platform on free ports.
    #[arg(long, value_name = "FILE", conflicts_with = "port")]
    pub(crate) ready_file: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub(crate) struct CompletionsArguments {
    /// The shell.
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}
