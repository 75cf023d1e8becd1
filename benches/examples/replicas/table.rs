//! Tables in Markdown, and what their figures are made of.
use std::io::Write as _;
use std::time::Duration;

use slipway_benches::process::median;
pub(crate) use slipway_benches::process::within;

use crate::Failure;
use crate::fleet::Usage;

pub(crate) fn print_line(line: &str) -> Result<(), Failure> {
    Ok(writeln!(std::io::stdout(), "{line}")?)
}

/// Prints a title and the head of a table below it.
pub(crate) fn print_head(title: &str, columns: &[&str]) -> Result<(), Failure> {
    print_line(&format!("\n## {title}\n\n| {} |\n|{}", columns.join(" | "), "---|".repeat(columns.len())))
}

pub(crate) fn print_row(cells: &[String]) -> Result<(), Failure> {
    print_line(&format!("| {} |", cells.join(" | ")))
}

/// What was done in one round.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Round {
    pub(crate) done: usize,
    pub(crate) took: Duration,
    pub(crate) usage: Usage,
}

/// The columns of [`throughput`] after the first.
pub(crate) const THROUGHPUT: [&str; 7] = [
    "a second",
    "beside 1",
    "processor time of each: platform",
    "PostgreSQL",
    "nodes",
    "client",
    "share of a core the client took",
];

/// The medians of rounds, beside a rate.
pub(crate) fn throughput(name: &str, rounds: &[Round], one: f64) -> Vec<String> {
    let each = |part: fn(&Usage) -> Duration| {
        let spent = rounds.iter().map(|round| part(&round.usage).as_secs_f64() * 1e6 / count(round.done));
        format!("{:.0} µs", median(&spent.collect::<Vec<_>>()))
    };
    let share = rounds.iter().map(|round| round.usage.client.as_secs_f64() / round.took.as_secs_f64());
    let rate = rate(rounds);
    vec![
        name.to_owned(),
        format!("{rate:.0}"),
        format!("{:.2}", rate / one),
        each(|usage| usage.platform),
        each(|usage| usage.database),
        each(|usage| usage.nodes),
        each(|usage| usage.client),
        format!("{:.2}", median(&share.collect::<Vec<_>>())),
    ]
}

/// The median of what was done in a second.
pub(crate) fn rate(rounds: &[Round]) -> f64 {
    median(&rounds.iter().map(|round| count(round.done) / round.took.as_secs_f64()).collect::<Vec<_>>())
}

fn count(done: usize) -> f64 {
    f64::from(u32::try_from(done.max(1)).unwrap_or(u32::MAX))
}

pub(crate) fn milliseconds(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1e3)
}
