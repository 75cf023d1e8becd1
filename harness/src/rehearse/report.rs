//! The report of a rehearsal: a line per run, then each finding with the sentence that it violates, then the totals; or all as JSON.
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::time::Duration;

use serde_json::{Value, json};

use super::client::log_name;
use super::record::Exchange;
use super::rules::Finding;
use super::{Outcome, Rehearsal, Run};
use crate::exit::Exit;
use crate::report::escape::one_line;
use crate::report::events::Word;
use crate::report::text::counted;
use crate::terminal::colour::Colour;
use crate::terminal::printable::Printable;
use crate::terminal::table::{columns, details};

/// Version of the JSON form; it rises when a reader of the previous one would misread it.
const VERSION: u32 = 1;

/// How much is shown of the output of a client that fails without a fault.
const LINES_OF_LOG: usize = 8;
const MOST_OF_LOG: usize = 4_096;

impl Printable for Rehearsal {
    fn text(&self, colour: Colour) -> String {
        let mut text = String::new();
        // Without a width, each run takes one line.
        for (line, run) in columns(self.runs.iter().map(row), None).lines().zip(&self.runs) {
            let _ = writeln!(text, "{}", colour.of(run.word(), line));
        }
        let mut told = BTreeSet::new();
        for (run, finding) in findings(self).filter(|(_, finding)| told.insert(finding.rule.id)) {
            detail(self, run, finding, colour, &mut text);
        }
        self.tell_logs(&mut text);
        let _ = writeln!(text, "\n{}; seed {}, {}", self.sum(colour), self.seed, seconds(self.took));
        text
    }

    fn json(&self) -> Value {
        let runs = self.runs.iter().map(|run| {
            json!({
                "fault": run.fault.id(),
                "summary": run.fault.summary(),
                "verdict": run.word().as_str(),
                "exitCode": if let Outcome::Code(code) = run.outcome { Some(code) } else { None },
                "signal": if let Outcome::Signal(signal) = run.outcome { Some(signal) } else { None },
                "timedOut": matches!(run.outcome, Outcome::TimedOut { .. }),
                "requests": run.exchanges.len(),
                "broadcasts": broadcasts(&run.exchanges),
                "injected": run.injected,
                "milliseconds": run.took.as_millis(),
            })
        });
        let findings = findings(self).map(|(run, finding)| {
            json!({
                "rule": finding.rule.id,
                "sentence": finding.rule.sentence,
                "clause": finding.clause,
                "fault": run.fault.id(),
                "expected": finding.expected,
                "actual": finding.actual,
                "request": { "number": finding.exchange, "shown": finding.shown },
                "replay": replay(self, run),
            })
        });
        json!({
            "version": VERSION,
            "tool": { "name": "slipway", "version": env!("CARGO_PKG_VERSION") },
            "seed": self.seed,
            "command": self.command,
            "runs": runs.collect::<Vec<_>>(),
            "findings": findings.collect::<Vec<_>>(),
            "milliseconds": self.took.as_millis(),
        })
    }

    fn exit(&self) -> Exit {
        let any = |word: Word| self.runs.iter().any(|run| run.word() == word);
        match (any(Word::Failed), any(Word::Inconclusive)) {
            (true, _) => Exit::Failure,
            (false, true) => Exit::Inconclusive,
            (false, false) => Exit::Conformant,
        }
    }
}

impl Rehearsal {
    /// The number of runs by result.
    fn sum(&self, colour: Colour) -> String {
        let count = |word: Word| self.runs.iter().filter(|run| run.word() == word).count();
        let failed = format!("{} failed", count(Word::Failed));
        let failed = if count(Word::Failed) > 0 { colour.bad(&failed) } else { failed };
        let mut sum = format!("{} passed, {failed}, {} skipped", count(Word::Passed), count(Word::Skipped));
        if count(Word::Inconclusive) > 0 {
            let _ = write!(sum, ", {} inconclusive", count(Word::Inconclusive));
        }
        let _ = write!(sum, "; {}", counted(findings(self).count(), "finding"));
        sum
    }

    /// The summary of a rehearsal that was interrupted.
    pub(super) fn stopped(&self, all: usize) -> String {
        let rules: BTreeSet<&str> = findings(self).map(|(_, finding)| finding.rule.id).collect();
        let rules = rules.iter().map(|rule| format!("\nFAILED {rule}")).collect::<String>();
        let done = self.runs.len();
        format!("interrupted after {done} of {}: {}{rules}", counted(all, "run"), self.sum(Colour::never()))
    }

    /// The sentence about the folder with the client's output, if it is kept.
    pub(super) fn kept(&self) -> Option<String> {
        self.logs.as_ref().map(|folder| format!("what the client printed in each run: {}", folder.display()))
    }

    /// Adds the folder of the client's output, and the end of it for a client that fails without a fault.
    fn tell_logs(&self, text: &mut String) {
        let (Some(folder), Some(kept), Some(first)) = (&self.logs, self.kept(), self.runs.first()) else {
            return;
        };
        if first.word() == Word::Inconclusive {
            let _ = writeln!(text, "\nthe client fails without any fault: mend that first. It printed last:");
            let log = std::fs::read(folder.join(log_name(first.fault.id()))).unwrap_or_default();
            let log = String::from_utf8_lossy(&log[log.len().saturating_sub(MOST_OF_LOG)..]).into_owned();
            let lines: Vec<&str> = log.lines().collect();
            for line in &lines[lines.len().saturating_sub(LINES_OF_LOG)..] {
                let _ = writeln!(text, "  {}", one_line(line));
            }
        }
        let _ = writeln!(text, "\n{kept}");
    }
}

fn findings(rehearsal: &Rehearsal) -> impl Iterator<Item = (&Run, &Finding)> {
    rehearsal.runs.iter().flat_map(|run| run.findings.iter().map(move |finding| (run, finding)))
}

/// The row of a run's result.
fn row(run: &Run) -> Vec<String> {
    let mut row = vec![run.fault.id().to_owned(), run.word().as_str().to_owned()];
    if run.word() == Word::Skipped {
        row.push(format!("not applicable: the client {}", run.fault.undone()));
    } else {
        row.push(format!(
            "{}; {}, {}, {} affected; {}",
            run.outcome.shown(),
            counted(run.exchanges.len(), "request"),
            counted(broadcasts(&run.exchanges), "broadcast"),
            run.injected,
            seconds(run.took)
        ));
    }
    row
}

fn broadcasts(exchanges: &[Exchange]) -> usize {
    exchanges.iter().map(|exchange| exchange.asked.broadcasts().count()).sum()
}

/// A broken rule: the exchange that shows it first, and the other faults under which it is broken.
fn detail(rehearsal: &Rehearsal, run: &Run, finding: &Finding, colour: Colour, text: &mut String) {
    let Finding { rule, clause, expected, actual, exchange, shown } = finding;
    let _ = writeln!(text, "\n{} {}", colour.bad("FAILED"), rule.id);
    let others: BTreeSet<&str> = findings(rehearsal)
        .filter(|(_, other)| other.rule.id == rule.id)
        .map(|(other, _)| other.fault.id())
        .filter(|fault| *fault != run.fault.id())
        .collect();
    let others = others.into_iter().collect::<Vec<_>>().join(", ");
    let (fault, request, replay) = (
        format!("{}: {}", run.fault.id(), run.fault.summary()),
        format!("{exchange}: {shown}"),
        replay(rehearsal, run),
    );
    let rows = [
        ("fault", fault.as_str()),
        ("also", &others),
        ("rule", rule.sentence),
        ("clause", clause),
        ("expected", expected),
        ("actual", actual),
        ("request", &request),
        ("replay", &replay),
    ];
    let rows = rows.into_iter().filter(|(_, value)| !value.is_empty());
    text.push_str(&details(rows.map(|(name, value)| (name, one_line(value)))));
}

/// The command line that runs the client with this fault again.
fn replay(rehearsal: &Rehearsal, run: &Run) -> String {
    let command = shlex::try_join(rehearsal.command.iter().map(String::as_str)).unwrap_or_default();
    let agent = if rehearsal.is_agent { " --agent" } else { "" };
    format!("slipway rehearse{agent} --seed {} --only {} -- {command}", rehearsal.seed, run.fault.id())
}

fn seconds(took: Duration) -> String {
    format!("{}.{} s", took.as_secs(), took.subsec_millis() / 100)
}

#[cfg(test)]
mod tests {
    use super::super::Fault;
    use super::super::rules::RULES;
    use super::*;
    use crate::reference::golden::golden_folder;

    /// A client that breaks three rules under every fault; its report used to be longer than a screen.
    fn worst() -> Rehearsal {
        let run = |(place, fault): (usize, Fault)| Run {
            fault,
            outcome: if place % 3 == 0 {
                Outcome::Code(0)
            } else {
                Outcome::TimedOut { after: Duration::from_secs(120) }
            },
            injected: place,
            exchanges: Vec::new(),
            findings: RULES[..3]
                .iter()
                .map(|rule| Finding {
                    rule,
                    clause: rule.clause,
                    expected: "one broadcast".to_owned(),
                    actual: "two of them".to_owned(),
                    exchange: 7,
                    shown: "eth_sendRawTransaction of chain 57073".to_owned(),
                })
                .filter(|_| place != 2)
                .collect(),
            took: Duration::from_millis(1_250),
        };
        Rehearsal {
            seed: 1,
            command: ["node", "my bot.mjs"].map(str::to_owned).to_vec(),
            is_agent: false,
            runs: Fault::of_rehearsal(false).into_iter().enumerate().map(run).collect(),
            took: Duration::from_secs(61),
            logs: Some("/nowhere/slipway-rehearse-1".into()),
            stopped_of: None,
        }
    }

    #[test]
    fn the_report_fits_on_a_screen_and_is_the_committed_one() {
        let rehearsal = worst();
        let text = rehearsal.text(Colour::never());
        assert!(text.lines().count() <= 50, "{}", text.lines().count());
        assert_eq!(rehearsal.json()["findings"].as_array().unwrap().len(), 36, "JSON has each breach");
        let _golden = golden_folder();
        insta::assert_snapshot!("rehearsal", text);
    }
}
