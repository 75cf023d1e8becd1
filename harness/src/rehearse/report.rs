//! The report of a rehearsal: a line per run, then each finding with the sentence that it violates, then the totals; or all as JSON.
use std::fmt::Write as _;
use std::time::Duration;

use serde_json::{Value, json};

use super::record::Exchange;
use super::rules::Finding;
use super::{Outcome, Rehearsal, Run};
use crate::colour::Colour;
use crate::exit::Exit;
use crate::printable::Printable;
use crate::report::escape::one_line;
use crate::report::events::Word;
use crate::report::text::counted;

/// Version of the JSON form; it rises when a reader of the previous one would misread it.
const VERSION: u32 = 1;

impl Printable for Rehearsal {
    fn text(&self, colour: Colour) -> String {
        let mut text = String::new();
        let width = self.runs.iter().map(|run| run.fault.id().len()).max().unwrap_or_default().max(16);
        for run in &self.runs {
            let word = colour.of(run.word(), run.word().as_str());
            let _ = writeln!(text, "{:<width$} {word}: {}", run.fault.id(), summary(run));
        }
        for (run, finding) in findings(self) {
            detail(self, run, finding, colour, &mut text);
        }
        let count = |word: Word| self.runs.iter().filter(|run| run.word() == word).count();
        let failed = format!("{} failed", count(Word::Failed));
        let failed = if count(Word::Failed) > 0 { colour.bad(&failed) } else { failed };
        let _ = write!(text, "\n{} passed, {failed}, {} skipped", count(Word::Passed), count(Word::Skipped));
        if count(Word::Inconclusive) > 0 {
            let _ = write!(text, ", {} inconclusive", count(Word::Inconclusive));
        }
        let _ = writeln!(
            text,
            "; {}; seed {}, {}",
            counted(findings(self).count(), "finding"),
            self.seed,
            seconds(self.took)
        );
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

fn findings(rehearsal: &Rehearsal) -> impl Iterator<Item = (&Run, &Finding)> {
    rehearsal.runs.iter().flat_map(|run| run.findings.iter().map(move |finding| (run, finding)))
}

fn summary(run: &Run) -> String {
    if run.word() == Word::Skipped {
        return format!("the client gave no occasion for it; {}", run.outcome.shown());
    }
    format!(
        "{}; {} requests, {} broadcasts, {} of them met; {}",
        run.outcome.shown(),
        run.exchanges.len(),
        broadcasts(&run.exchanges),
        run.injected,
        seconds(run.took)
    )
}

fn broadcasts(exchanges: &[Exchange]) -> usize {
    exchanges.iter().map(|exchange| exchange.asked.broadcasts().count()).sum()
}

fn detail(rehearsal: &Rehearsal, run: &Run, finding: &Finding, colour: Colour, text: &mut String) {
    let Finding { rule, clause, expected, actual, exchange, shown } = finding;
    let _ = writeln!(text, "\n{} {}", colour.bad("FAILED"), rule.id);
    let mut line = |name: &str, value: &str| {
        let _ = writeln!(text, "  {:<10} {}", format!("{name}:"), one_line(value));
    };
    line("fault", &format!("{}: {}", run.fault.id(), run.fault.summary()));
    line("rule", rule.sentence);
    line("clause", clause);
    line("expected", expected);
    line("actual", actual);
    line("request", &format!("{exchange}: {shown}"));
    line("replay", &replay(rehearsal, run));
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
