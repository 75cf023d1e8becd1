//! The scope of a run: the parts of the interface that it judged in full, and the verdict that follows.
use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;

use super::Report;
use super::events::{ClauseInfo, Verdict, Word};

/// How much of the interface a run judged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Scope {
    /// Parts of the interface that were judged in full: all of their binding checks reached a verdict.
    pub(crate) complete: Vec<String>,
    /// Parts of which only some checks reached a verdict.
    pub(crate) partial: Vec<String>,
    /// Parts of which none did.
    #[serde(rename = "notLookedAt")]
    pub(crate) unseen: Vec<String>,
    /// Demanded parts that were not judged in full.
    pub(crate) missing: Vec<String>,
    /// Statements of the interface with a binding check that reached a verdict.
    #[serde(rename = "judgedStatements")]
    pub(crate) judged: usize,
    /// All statements of the interface.
    pub(crate) statements: usize,
}

impl Scope {
    pub(super) fn of(report: &Report) -> Self {
        let mut scope = Self {
            complete: Vec::new(),
            partial: Vec::new(),
            unseen: Vec::new(),
            missing: Vec::new(),
            judged: 0,
            statements: report.run.statements,
        };
        let clauses = || report.run.sections.iter().flat_map(|section| &section.clauses);
        let binding = || clauses().filter(|clause| clause.binding != "choice");
        for (part, checks) in &report.run.parts {
            let in_part = |clause: &ClauseInfo| {
                let of_part = clause.checks.iter().filter(|check| check.part == *part);
                of_part.filter(|check| report.verdict(&check.id).is_some_and(is_decided)).count()
            };
            let list = match binding().map(in_part).sum::<usize>() {
                0 => &mut scope.unseen,
                decided if decided < *checks => &mut scope.partial,
                _ => &mut scope.complete,
            };
            list.push(part.clone());
        }
        let is_missing = |part: &&String| !scope.complete.contains(part);
        scope.missing = report.run.required.iter().filter(is_missing).cloned().collect();
        let decided = binding().filter(|clause| report.of_clause(clause).any(is_decided));
        scope.judged = decided.flat_map(|clause| &clause.statements).collect::<BTreeSet<_>>().len();
        scope
    }

    /// Whether every part was judged in full.
    pub(crate) fn is_full(&self) -> bool {
        self.partial.is_empty() && self.unseen.is_empty()
    }
}

/// Whether a check reached a verdict on its clause.
fn is_decided(verdict: &Verdict) -> bool {
    !matches!(verdict.verdict, Word::Skipped | Word::Inconclusive)
}

impl Report {
    /// The verdict in one sentence: to what the target conforms, how much that is, and what was not looked at.
    pub(crate) fn sentence(&self) -> String {
        let scope = self.scope();
        let counts = self.counts();
        let extent = format!("{} of {} statements", scope.judged, scope.statements);
        let mut sentence = if counts.failed > 0 {
            let ran = self.verdicts.iter().filter(|verdict| verdict.verdict != Word::Skipped).count();
            format!("not conformant: {} of {ran} checks failed; {extent}", counts.failed)
        } else if scope.complete.is_empty() {
            format!("no part of the interface was judged in full: {extent}")
        } else if scope.is_full() {
            format!("conformant to every part of the interface: {extent}")
        } else {
            format!("conformant to {}: {extent}", listed(&scope.complete))
        };
        for (words, parts) in [
            ("demanded and not judged in full", &scope.missing),
            ("looked at in part", &scope.partial),
            ("not looked at", &scope.unseen),
        ] {
            if !parts.is_empty() {
                sentence.push_str(&format!("; {words}: {}", parts.join(", ")));
            }
        }
        sentence
    }
}

/// `rest`, `rest and swap`, `rest, swap and tools`.
fn listed(parts: &[String]) -> String {
    match parts {
        [all @ .., last] if !all.is_empty() => format!("{} and {last}", all.join(", ")),
        _ => parts.concat(),
    }
}
