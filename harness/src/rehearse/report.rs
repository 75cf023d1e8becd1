//! The report of a rehearsal: a line per run, then each finding with the sentence that it violates, then the totals; or all as JSON.
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::time::Duration;

use serde_json::{Value, json};

use super::client::{Outcome, end_of_log, log_name};
use super::fault::Act;
use super::rules::Finding;
use super::{Rehearsal, Run};
use crate::exit::Exit;
use crate::report::count::counted;
use crate::report::escape::one_line;
use crate::report::events::Word;
use crate::terminal::colour::Colour;
use crate::terminal::printable::Printable;
use crate::terminal::table::{columns, details};

/// Version of the JSON form; it rises when a reader of the previous one would misread it.
const VERSION: u32 = 1;

/// How much is shown of the output of a client that fails without a fault.
const LINES_OF_LOG: usize = 8;
const MOST_OF_LOG: u64 = 4_096;

impl Printable for Rehearsal {
    fn text(&self, colour: Colour) -> String {
        let mut text = String::new();
        // Without a width, each run takes one line.
        for (line, run) in columns(self.runs.iter().map(Run::row), None).lines().zip(&self.runs) {
            let _ = writeln!(text, "{}", colour.of(run.word(), line));
        }
        let mut told = BTreeSet::new();
        for (run, finding) in self.findings().filter(|(_, finding)| told.insert(finding.rule.id)) {
            let _ =
                write!(text, "\n{} {}\n{}", colour.bad("FAILED"), finding.rule.id, self.detail(run, finding));
        }
        text += &self.told_logs();
        let _ = writeln!(text, "\n{}; seed {}, {}", self.sum(colour), self.seed, seconds(self.took));
        text
    }

    fn json(&self) -> Value {
        let runs = self.runs.iter().map(|run| {
            let (code, signal) = match run.outcome {
                Outcome::Code(code) => (Some(code), None),
                Outcome::Signal(signal) => (None, Some(signal)),
                Outcome::TimedOut(_) => (None, None),
            };
            json!({
                "fault": run.fault.id,
                "summary": run.fault.summary,
                "verdict": run.word().as_str(),
                "exitCode": code,
                "signal": signal,
                "timedOut": matches!(run.outcome, Outcome::TimedOut(_)),
                "reason": self.obstacle(run),
                "requests": run.exchanges.len(),
                "broadcasts": run.broadcasts(),
                "injected": run.injected,
                "milliseconds": run.took.as_millis(),
            })
        });
        let findings = self.findings().map(|(run, finding)| {
            json!({
                "rule": finding.rule.id,
                "sentence": finding.rule.sentence,
                "clause": finding.clause(),
                "fault": run.fault.id,
                "asInNothing": finding.is_as_in_nothing,
                "expected": finding.breach.expected,
                "actual": finding.breach.actual,
                "request": { "number": finding.breach.exchange + 1, "shown": finding.shown },
                "replay": self.replay(run),
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
        match (self.count(Word::Failed), self.count(Word::Inconclusive)) {
            (0, 0) => Exit::Conformant,
            (0, _) => Exit::Inconclusive,
            _ => Exit::Failure,
        }
    }
}

impl Rehearsal {
    fn findings(&self) -> impl Iterator<Item = (&Run, &Finding)> {
        self.runs.iter().flat_map(|run| run.findings.iter().map(move |finding| (run, finding)))
    }

    fn count(&self, word: Word) -> usize {
        self.runs.iter().filter(|run| run.word() == word).count()
    }

    /// The number of runs by result.
    fn sum(&self, colour: Colour) -> String {
        let failed = format!("{} failed", self.count(Word::Failed));
        let failed = if self.count(Word::Failed) > 0 { colour.bad(&failed) } else { failed };
        let inconclusive = match self.count(Word::Inconclusive) {
            0 => String::new(),
            count => format!(", {count} inconclusive"),
        };
        let (passed, skipped) = (self.count(Word::Passed), self.count(Word::Skipped));
        let new = self.findings().filter(|(_, finding)| !finding.is_as_in_nothing);
        let findings = counted(new.count(), "finding");
        format!("{passed} passed, {failed}, {skipped} skipped{inconclusive}; {findings}")
    }

    /// The summary of a rehearsal that was interrupted.
    pub(super) fn stopped(&self, all: usize) -> String {
        let rules: BTreeSet<&str> = self.findings().map(|(_, finding)| finding.rule.id).collect();
        let rules = rules.iter().map(|rule| format!("\nFAILED {rule}")).collect::<String>();
        let done = self.runs.len();
        format!("interrupted after {done} of {}: {}{rules}", counted(all, "run"), self.sum(Colour::never()))
    }

    /// The sentence about the folder with the client's output, if it is kept.
    pub(super) fn kept(&self) -> Option<String> {
        self.logs.as_ref().map(|folder| format!("what the client printed in each run: {}", folder.display()))
    }

    /// The folder of the client's output, and the end of it for a client that fails without a fault.
    fn told_logs(&self) -> String {
        let mut text = String::new();
        let (Some(folder), Some(kept), Some(first)) = (&self.logs, self.kept(), self.runs.first()) else {
            return text;
        };
        if let Some(obstacle) = self.obstacle(first) {
            let log = end_of_log(&folder.join(log_name(first.fault.id)), MOST_OF_LOG).unwrap_or_default();
            let log = String::from_utf8_lossy(&log);
            let lines: Vec<&str> = log.lines().collect();
            let printed = if lines.is_empty() { "It printed nothing." } else { "It printed last:" };
            let _ = writeln!(text, "\n{obstacle}\n{printed}");
            for line in &lines[lines.len().saturating_sub(LINES_OF_LOG)..] {
                let _ = writeln!(text, "  {}", one_line(line));
            }
        }
        text + "\n" + &kept + "\n"
    }

    /// Why the rehearsal ends with this run, which is the one without a fault.
    fn obstacle(&self, run: &Run) -> Option<String> {
        if run.fault.act != Act::Nothing || run.word() != Word::Inconclusive {
            return None;
        }
        let ended = match run.outcome {
            Outcome::Code(0) => None,
            Outcome::TimedOut(_) => Some("the client does not end without any fault: mend that first"),
            _ => Some("the client fails without any fault: mend that first"),
        };
        let asked = if self.is_agent {
            "the client called no tool; does it start the server of SLIPWAY_MCP_CONFIG or SLIPWAY_MCP_COMMAND?"
        } else {
            "the client asked nothing of this platform; does it read SLIPWAY_BASE_URL or SLIPWAY_RPC_URL_57073?"
        };
        let reasons: Vec<_> = ended.into_iter().chain(run.is_idle.then_some(asked)).collect();
        Some(reasons.join("; "))
    }

    /// A broken rule: the exchange that shows it first, and the other faults under which it is broken.
    fn detail(&self, run: &Run, finding: &Finding) -> String {
        let Finding { rule, breach, shown, .. } = finding;
        let alike = self.findings().filter(|(_, other)| other.rule.id == rule.id);
        let others = alike.map(|(other, _)| other.fault.id).filter(|fault| *fault != run.fault.id);
        let rows = [
            ("fault", &format!("{}: {}", run.fault.id, run.fault.summary)),
            ("also", &others.collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>().join(", ")),
            ("rule", &rule.sentence.to_owned()),
            ("clause", &finding.clause().unwrap_or_default().to_owned()),
            ("expected", &breach.expected),
            ("actual", &breach.actual),
            ("request", &format!("{}: {shown}", breach.exchange + 1)),
            ("replay", &self.replay(run)),
        ];
        let rows = rows.into_iter().filter(|(_, value)| !value.is_empty());
        details(rows.map(|(name, value)| (name, one_line(value))))
    }

    /// The command line that runs the client with this fault again.
    fn replay(&self, run: &Run) -> String {
        let command = shlex::try_join(self.command.iter().map(String::as_str)).unwrap_or_default();
        let agent = if self.is_agent { " --agent" } else { "" };
        format!("slipway rehearse{agent} --seed {} --only {} -- {command}", self.seed, run.fault.id)
    }
}

impl Run {
    /// Its line in the report.
    fn row(&self) -> [String; 3] {
        let ended = match self.outcome {
            Outcome::Code(code) => format!("exit {code}"),
            Outcome::Signal(signal) => format!("signal {signal}"),
            Outcome::TimedOut(after) => format!("no end within {} s", after.as_secs()),
        };
        let known = self.findings.iter().filter(|finding| finding.is_as_in_nothing).count();
        let known =
            if known > 0 { format!("; {} as in nothing", counted(known, "finding")) } else { String::new() };
        let result = if self.word() == Word::Skipped {
            format!("not applicable: the client {}{known}", self.fault.undone)
        } else {
            let requests = counted(self.exchanges.len(), "request");
            let broadcasts = counted(self.broadcasts(), "broadcast");
            format!(
                "{ended}; {requests}, {broadcasts}, {} affected; {}{known}",
                self.injected,
                seconds(self.took)
            )
        };
        [self.fault.id.to_owned(), self.word().as_str().to_owned(), result]
    }

    fn broadcasts(&self) -> usize {
        self.exchanges.iter().map(|exchange| exchange.asked.sent.len()).sum()
    }
}

fn seconds(took: Duration) -> String {
    format!("{}.{} s", took.as_secs(), took.subsec_millis() / 100)
}

#[cfg(test)]
mod tests {
    use super::super::Fault;
    use super::super::rules::{RULES, Rule, breach};
    use super::*;
    use crate::reference::golden::golden_folder;

    /// A client that breaks three rules under every fault; its report used to be longer than a screen.
    fn worst() -> Rehearsal {
        // Two of the rules are broken without any fault, the third under each.
        let finding = |rule: &'static Rule, place| Finding {
            is_as_in_nothing: place > 0 && rule.id != RULES[2].id,
            rule,
            breach: breach(6, "one broadcast", "two of them"),
            shown: "eth_sendRawTransaction of chain 57073".to_owned(),
        };
        let run = |(place, fault): (usize, &'static Fault)| Run {
            fault,
            outcome: match place % 3 {
                0 => Outcome::Code(0),
                _ => Outcome::TimedOut(Duration::from_secs(120)),
            },
            injected: place,
            exchanges: Vec::new(),
            is_idle: false,
            findings: RULES[..3].iter().filter(|_| place != 2).map(|rule| finding(rule, place)).collect(),
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
