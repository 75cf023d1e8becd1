//! The scope of a run: the parts of the interface that it judged in full, and the verdict that follows.
use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;

use super::Report;
use super::count::counted;
use super::events::{CheckInfo, ClauseInfo, Verdict, Word};
use crate::exit::Exit;
use crate::terminal::printable::Printable as _;

/// How much of the interface a run judged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Scope {
    /// Parts of the interface that were judged in full: all of their binding checks reached a verdict.
    pub(crate) complete: Vec<String>,
    /// Parts of which only some checks reached a verdict.
    pub(crate) partial: Vec<String>,
    /// Parts of which no check reached a verdict.
    #[serde(rename = "notLookedAt")]
    pub(crate) unseen: Vec<String>,
    /// Required parts that were not judged in full.
    pub(crate) missing: Vec<String>,
    /// How many statements of the interface a binding check tested and reached a verdict on.
    #[serde(rename = "judgedStatements")]
    pub(crate) judged: usize,
    /// The other statements, each with the reason.
    pub(crate) not_judged: BTreeMap<String, String>,
    /// All statements of the interface.
    pub(crate) statements: usize,
    /// The statements that can be tested.
    #[serde(rename = "testableStatements")]
    pub(crate) testable: usize,
}

impl Scope {
    pub(super) fn of(report: &Report) -> Self {
        let mut scope = Self {
            complete: Vec::new(),
            partial: Vec::new(),
            unseen: Vec::new(),
            missing: Vec::new(),
            judged: 0,
            not_judged: BTreeMap::new(),
            statements: report.run.statements,
            testable: report.run.testable.unwrap_or(report.run.statements),
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
        let mut judged = BTreeSet::new();
        let mut reasons = report.run.not_judged.clone();
        for clause in binding() {
            for (check, verdict) in
                clause.checks.iter().filter_map(|check| Some((check, report.verdict(&check.id)?)))
            {
                judged.extend(judged_by(clause, verdict));
                for statement in looked_at(clause, check) {
                    reasons.entry(statement.clone()).or_insert_with(|| why_not(verdict));
                }
            }
        }
        reasons.retain(|statement, _| !judged.contains(statement));
        scope.judged = judged.len();
        scope.not_judged = reasons;
        scope
    }

    /// The extent of the run, worded the same in every report.
    pub(crate) fn extent(&self) -> String {
        format!("{} of the {} statements that can be tested", self.judged, self.testable)
    }

    /// Whether every part was judged in full.
    pub(crate) fn is_full(&self) -> bool {
        self.partial.is_empty() && self.unseen.is_empty()
    }
}

/// The statements that a check of a clause tests.
pub(super) fn looked_at<'r>(clause: &'r ClauseInfo, check: &'r CheckInfo) -> &'r [String] {
    if check.statements.is_empty() { &clause.statements } else { &check.statements }
}

/// The statements on which a check of a clause reached a verdict.
pub(super) fn judged_by<'r>(clause: &'r ClauseInfo, verdict: &'r Verdict) -> &'r [String] {
    match &verdict.statements {
        Some(statements) => statements,
        None if is_decided(verdict) => &clause.statements,
        None => &[],
    }
}

/// Why a check did not judge a statement that it tests.
fn why_not(verdict: &Verdict) -> String {
    match &verdict.reason {
        Some(reason) => format!("{} was {}: {reason}", verdict.check, verdict.verdict.as_str()),
        None => format!("nothing that {} saw shows it", verdict.check),
    }
}

/// Whether a check reached a verdict on its clause.
pub(super) fn is_decided(verdict: &Verdict) -> bool {
    !matches!(verdict.verdict, Word::Skipped | Word::Inconclusive)
}

/// The verdict in a few words, the same in every report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Headline {
    /// A check failed.
    NotConformant,
    /// No check reached a verdict, and nothing was required.
    NothingJudged,
    /// A required part was not judged.
    NoVerdict,
    /// An entry of the baseline no longer holds.
    StaleBaseline,
    /// Nothing failed, and parts of the interface were not judged in full.
    InPart,
    /// Every part of the interface was judged in full, and nothing failed.
    Conformant,
}

impl Headline {
    /// Its text.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::NotConformant => "Not conformant",
            Self::NothingJudged => "Nothing judged",
            Self::NoVerdict => "No verdict",
            Self::StaleBaseline => "Stale baseline",
            Self::InPart => "Judged in part",
            Self::Conformant => "Conformant",
        }
    }
}

impl Report {
    /// The exit code in words: a failed run never has the headline of a passed one.
    pub(crate) fn headline(&self) -> Headline {
        match self.exit() {
            Exit::Conformant if self.scope().is_full() => Headline::Conformant,
            Exit::Conformant => Headline::InPart,
            Exit::StaleBaseline => Headline::StaleBaseline,
            Exit::Failure if self.counts().failed > 0 => Headline::NotConformant,
            Exit::Failure => Headline::NothingJudged,
            _ => Headline::NoVerdict,
        }
    }

    /// The extent of the run, with the known failures among what was judged unless others outweigh them.
    pub(super) fn extent(&self, scope: &Scope) -> String {
        let (counts, extent) = (self.counts(), scope.extent());
        match counts.known {
            known if counts.failed == 0 && known > 0 => {
                format!("{extent}, but for {}", counted(known, "known failure"))
            }
            _ => extent,
        }
    }

    /// The verdict in one sentence: what the target conforms to, how much that is, and what was not judged.
    pub(crate) fn sentence(&self) -> String {
        let scope = self.scope();
        let counts = self.counts();
        let extent = self.extent(&scope);
        let mut sentence = if counts.failed > 0 {
            let ran = self.verdicts.iter().filter(|verdict| verdict.verdict != Word::Skipped).count();
            format!("not conformant: {} of {} failed; {extent}", counts.failed, counted(ran, "check"))
        } else if scope.judged == 0 && !self.verdicts.iter().any(is_decided) {
            format!("nothing was judged: {extent}")
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
