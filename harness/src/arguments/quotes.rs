//! Arguments of `slipway quotes`.
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::PrintArguments;

/// The kind of quotes.
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
pub(crate) struct QuotesArguments {
    #[command(subcommand)]
    pub(crate) command: QuotesCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum QuotesCommand {
    /// Print cases with their exact answers: JSON lines, a header first.
    #[command(after_help = "Examples:
  slipway quotes cases curve --count 1000 > cases.jsonl
  slipway quotes cases route --seed 7")]
    Cases(CasesArguments),
    /// Measure a quoter in any language against the platform's own quotes.
    ///
    /// The quoter reads one case per line, as `slipway quotes cases` writes them but without the answers (`amountOut`, `cost` and
    /// `refund`; of an inverse `cost` alone), and answers each with one line, in order: the amount as decimal text, or an object with
    /// that member; the others are compared if present. It should write each answer at once: one that answers only at the end of its
    /// input is measured too, but without latency. One unit of error voids the figures.
    #[command(after_help = "Examples:
  slipway quotes bench curve -- node quoter.mjs
  slipway quotes bench swap --json -- ./quoter")]
    Bench(BenchArguments),
    /// Answer cases with the platform's own quotes, as a quoter would.
    #[command(hide = true)]
    Answer(AnswerArguments),
}

/// Which cases, and how many.
#[derive(Args, Debug)]
pub(crate) struct CasesArguments {
    /// The kind of quotes.
    #[arg(value_enum)]
    pub(crate) kind: QuoteKind,
    /// Number of cases; of a measurement, in each round.
    #[arg(long, default_value_t = 1_000, value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    pub(crate) count: u64,
    /// Seed of the cases.
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
}

#[derive(Args, Debug)]
pub(crate) struct BenchArguments {
    #[command(flatten)]
    pub(crate) cases: CasesArguments,
    /// Also write the report into this folder: quotes.md, quotes.svg and quotes.json.
    #[arg(long, value_name = "DIR")]
    pub(crate) write: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) print: PrintArguments,
    /// The command of the quoter and its arguments: it reads cases on standard input and answers on standard output.
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
}

#[derive(Args, Debug)]
pub(crate) struct AnswerArguments {
    /// The kind of quotes.
    #[arg(value_enum)]
    pub(crate) kind: QuoteKind,
    /// Add this many units to every tenth answer.
    #[arg(long, default_value_t = 0)]
    pub(crate) error: u64,
}
