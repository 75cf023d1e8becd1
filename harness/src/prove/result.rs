//! The result of a change: the checks that failed under it, and whether that is the required result.
use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Value, json};
use slipway_defects::Layer;
use slipway_scenarios::model::verdict::Failure;
use slipway_scenarios::{Check, checks};

use super::change::Change;
use crate::run::runner::{Finished, Outcome};
use crate::terminal::printable::serialized;

/// Why a check or a clause is undecided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Reason {
    pub(crate) id: String,
    pub(crate) reason: String,
}

impl Reason {
    pub(super) fn new(id: &str, reason: impl Into<String>) -> Self {
        Self { id: id.to_owned(), reason: reason.into() }
    }
}

/// A check that failed, or that reported a difference from a choice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct CheckFailure {
    pub(crate) check: &'static str,
    pub(crate) clause: &'static str,
    pub(crate) expected: String,
    pub(crate) actual: String,
    pub(crate) reproduce: String,
}

impl CheckFailure {
    fn of(check: &Check, failure: &Failure) -> Self {
        Self {
            check: check.id,
            clause: failure.clause,
            expected: failure.expected.clone(),
            actual: failure.actual.clone(),
            reproduce: failure.reproduce.clone(),
        }
    }

    /// Every check must reach a verdict on a variant.
    fn without_verdict(check: &Check, reason: &str) -> Self {
        Self {
            check: check.id,
            clause: check.clause.id,
            expected: "a verdict".to_owned(),
            actual: reason.to_owned(),
            reproduce: String::new(),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Finding {
    /// A defect failed every clause that it names.
    Caught,
    /// A defect did not fail a clause that it names.
    Missed,
    /// The target cannot have the defect, or only part of it.
    NotProven,
    /// A variant failed no check.
    Passed,
    /// A variant failed a check.
    Failed,
    /// A variant changes nothing that a check sees: it is tried only together with others.
    Unseen,
}

/// A change with the results of the checks under it.
#[derive(Clone, Debug)]
pub(crate) struct ChangeResult {
    pub(crate) change: Change,
    /// How many checks judged it.
    pub(crate) judged_by: usize,
    pub(crate) concerned: usize,
    /// Failures of clauses that the change names.
    pub(crate) declared: Vec<CheckFailure>,
    /// Other failures.
    pub(crate) undeclared: Vec<CheckFailure>,
    /// Named clauses that no check failed, although all of their checks ran.
    pub(crate) missed: Vec<&'static str>,
    /// Named clauses without evidence either way.
    pub(crate) not_proven: Vec<Reason>,
    /// Differences of a variant from this project's choices.
    pub(crate) differences: Vec<CheckFailure>,
    pub(crate) skipped: Vec<Reason>,
}

impl ChangeResult {
    /// The result of a change that this target cannot have.
    pub(super) fn lacking(change: Change, reason: &str) -> Self {
        let not_proven = change.clauses().iter().map(|clause| Reason::new(clause, reason)).collect();
        Self { not_proven, ..Self::new(change, 0) }
    }

    fn new(change: Change, concerned: usize) -> Self {
        Self {
            change,
            judged_by: 0,
            concerned,
            declared: Vec::new(),
            undeclared: Vec::new(),
            missed: Vec::new(),
            not_proven: Vec::new(),
            differences: Vec::new(),
            skipped: Vec::new(),
        }
    }

    pub(super) fn of(change: Change, concerned: usize, finished: &[Finished], baseline: &Baseline) -> Self {
        let mut result = Self { judged_by: finished.len(), ..Self::new(change, concerned) };
        for item in finished {
            result.add(item);
        }
        for clause in change.clauses() {
            if result.declared.iter().any(|failure| failure.clause == *clause) {
                continue;
            }
            match open_question(clause, finished, baseline) {
                Some(reason) => result.not_proven.push(Reason::new(clause, reason)),
                None => result.missed.push(clause),
            }
        }
        result
    }

    fn add(&mut self, item: &Finished) {
        let check = item.check;
        match &item.outcome {
            Outcome::Failed(failure) => {
                // The checks of all answers fail under nearly every defect, so defects need not list their clauses.
                let is_of_all = || checks().any(|check| check.after_all && check.clause.id == failure.clause);
                let failed = CheckFailure::of(check, failure);
                if self.change.clauses().contains(&failure.clause) {
                    self.declared.push(failed);
                } else if !self.change.is_defect() || !is_of_all() {
                    self.undeclared.push(failed);
                }
            }
            Outcome::Inconclusive(reason) if !self.change.is_defect() => {
                self.undeclared.push(CheckFailure::without_verdict(check, reason));
            }
            Outcome::Skipped(reason) => self.skipped.push(Reason::new(check.id, reason)),
            Outcome::Passed | Outcome::Difference(_) | Outcome::Inconclusive(_) => {}
        }
        self.differences
            .extend(item.differences.iter().map(|difference| CheckFailure::of(check, difference)));
    }

    /// Whether it is a defect that no exchange with the proxies showed; a tool server is wrapped by another process, which tells nothing.
    pub(super) fn changed_nothing(&self) -> bool {
        let Change::Defect(defect) = self.change else { return false };
        defect.layer != Layer::ToolServer && defect.change.is_some_and(|change| !change.has_changed())
    }

    pub(crate) fn finding(&self) -> Finding {
        if self.change.is_defect() {
            return match (self.missed.is_empty(), self.not_proven.is_empty()) {
                (false, _) => Finding::Missed,
                (_, false) => Finding::NotProven,
                _ => Finding::Caught,
            };
        }
        match (self.judged_by, self.undeclared.is_empty()) {
            (0, _) => Finding::Unseen,
            (_, true) => Finding::Passed,
            (_, false) => Finding::Failed,
        }
    }

    pub(super) fn json(&self) -> Value {
        let short = |failures: &[CheckFailure]| {
            failures.iter().map(|it| json!({"check": it.check, "clause": it.clause})).collect::<Vec<_>>()
        };
        match self.change {
            Change::Defect(defect) => {
                let open = |open: &Reason| json!({"clause": open.id, "reason": open.reason});
                json!({
                    "id": defect.id,
                    "clauses": defect.clauses,
                    "caughtBy": short(&self.declared),
                    "missed": self.missed,
                    "changedNothing": self.changed_nothing(),
                    "notProven": self.not_proven.iter().map(open).collect::<Vec<_>>(),
                    "undeclared": short(&self.undeclared),
                })
            }
            Change::Variant(variant) => self.json_of_variants(json!({
                "id": variant.id,
                "layer": variant.layer(),
                "restsOn": variant.rests_on.text(),
                "summary": variant.summary,
            })),
            Change::Together { .. } => {
                let ids: Vec<&str> = self.change.variants().iter().map(|variant| variant.id).collect();
                self.json_of_variants(json!({ "ids": ids }))
            }
        }
    }

    fn json_of_variants(&self, mut described: Value) -> Value {
        described["verdict"] = serialized(&self.finding());
        described["checks"] = self.judged_by.into();
        described["concerned"] = self.concerned.into();
        described["failures"] = serialized(&self.undeclared);
        described["differences"] = serialized(&self.differences);
        described["skipped"] = serialized(&self.skipped);
        described
    }
}

/// Why a clause that no check failed is undecided: one of its checks did not run, or reached no verdict.
fn open_question(clause: &str, finished: &[Finished], baseline: &Baseline) -> Option<String> {
    checks().filter(|check| check.clause.id == clause).find_map(|check| {
        let ran = finished.iter().find(|item| item.check.id == check.id);
        match ran.map(|item| (&item.outcome, &item.lacking[..])) {
            Some((Outcome::Skipped(reason) | Outcome::Inconclusive(reason), _)) => Some(reason.clone()),
            Some((_, [])) => None,
            Some((_, lacking)) => {
                let lacking: Vec<_> = lacking.iter().map(ToString::to_string).collect();
                Some(format!("it judges less without {}", lacking.join(", ")))
            }
            None => baseline.unusable.get(check.id).cloned(),
        }
    })
}

/// The results of the checks with nothing changed.
#[derive(Default)]
pub(crate) struct Baseline {
    /// Checks that prove nothing here, and why.
    pub(super) unusable: BTreeMap<&'static str, String>,
    /// The unusable checks that ran.
    pub(super) not_green: Vec<Reason>,
}

impl Baseline {
    pub(super) fn of(finished: &[Finished]) -> Self {
        let (mut unusable, mut not_green) = (BTreeMap::new(), Vec::new());
        for item in finished {
            let id = item.check.id;
            match &item.outcome {
                Outcome::Passed => {}
                Outcome::Skipped(reason) => _ = unusable.insert(id, reason.clone()),
                other => {
                    unusable.insert(id, format!("{id} does not pass without a change"));
                    not_green.push(Reason::new(id, format!("{other:?}")));
                }
            }
        }
        Self { unusable, not_green }
    }

    pub(super) fn is_usable(&self, check: &Check) -> bool {
        !self.unusable.contains_key(check.id)
    }
}
