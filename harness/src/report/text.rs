//! The report for people: failures first with how to see them again, then a line a section, then the sum.
use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::Report;
use crate::runner::{Finished, Outcome};

/// The whole text, ending in a line break.
pub(crate) fn render(report: &Report) -> String {
    let mut text = String::new();
    sections(report, &mut text);
    for finished in &report.finished {
        detail(report, finished, &mut text);
    }
    for entry in &report.stale {
        let _ = writeln!(text, "STALE BASELINE {entry}");
    }
    skipped(report, &mut text);
    let counts = report.counts();
    let _ = write!(text, "\n{} passed, {} failed, {} skipped", counts.passed, counts.failed, counts.skipped);
    for (count, word) in [
        (counts.inconclusive, "inconclusive"),
        (counts.implementation_defined, "implementation-defined differences"),
        (counts.known, "known failures"),
    ] {
        if count > 0 {
            let _ = write!(text, ", {count} {word}");
        }
    }
    let _ = writeln!(text, "; seed {}, {:.1} s", report.seed, report.took.as_secs_f32());
    text
}

/// A line for each section that had a check to run: its clauses, and what its checks came to.
fn sections(report: &Report, text: &mut String) {
    for (name, clauses) in slipway_scenarios::sections() {
        let of_section =
            |finished: &&Finished| clauses.iter().any(|clause| clause.id == finished.check.clause.id);
        let mut checked = BTreeSet::new();
        let mut outcomes: Vec<(&str, usize)> = Vec::new();
        for finished in report.finished.iter().filter(of_section) {
            checked.insert(finished.check.clause.id);
            let word = finished.outcome.word();
            match outcomes.iter_mut().find(|(known, _)| *known == word) {
                Some((_, count)) => *count += 1,
                None => outcomes.push((word, 1)),
            }
        }
        let counts: Vec<String> =
            outcomes.iter().map(|(word, count)| format!("{} {word}", plural(*count, "check"))).collect();
        if !counts.is_empty() {
            let _ = writeln!(text, "{name:<34} {}, {}", plural(checked.len(), "clause"), counts.join(", "));
        }
    }
}

fn plural(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

fn detail(report: &Report, finished: &Finished, text: &mut String) {
    let id = finished.check.id;
    match &finished.outcome {
        Outcome::Failed(failure) | Outcome::ImplementationDefined(failure) => {
            let _ = writeln!(
                text,
                "\n{} {id}\n  clause:    {}\n  expected:  {}\n  actual:    {}\n  reproduce: {}\n  replay:    {}",
                finished.outcome.word().to_uppercase(),
                failure.clause,
                failure.expected,
                failure.actual,
                failure.reproduce,
                report.replay(id)
            );
        }
        Outcome::Inconclusive(reason) => {
            let _ = writeln!(
                text,
                "\nINCONCLUSIVE {id}\n  reason:    {reason}\n  replay:    {}",
                report.replay(id)
            );
        }
        Outcome::Passed | Outcome::Known(_) | Outcome::Skipped(_) => {}
    }
}

fn skipped(report: &Report, text: &mut String) {
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for finished in &report.finished {
        if let Outcome::Skipped(reason) = &finished.outcome {
            match reasons.iter_mut().find(|(known, _)| known == reason) {
                Some((_, ids)) => ids.push(finished.check.id),
                None => reasons.push((reason, vec![finished.check.id])),
            }
        }
    }
    for (reason, ids) in reasons {
        let _ = writeln!(text, "\nskipped because {reason}:\n  {}", ids.join(", "));
    }
}
