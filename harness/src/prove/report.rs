//! The report of a drill: its JSON, its text and its exit code.
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde_json::{Value, json};
use slipway_defects::catalogue;
use slipway_scenarios::checks;

use super::Drill;
use super::change::Change;
use super::result::{ChangeResult, CheckFailure, Finding, Reason};
use crate::exit::Exit;
use crate::report::count::counted;
use crate::terminal::colour::Colour;
use crate::terminal::printable::Printable;
use crate::terminal::table::columns;

/// A drill that has ended.
#[derive(Debug)]
pub(crate) struct DrillReport {
    /// Whether the drill started the target, which must then offer everything.
    local: bool,
    /// The seed of everything generated.
    seed: u64,
    /// Whether legal variants were tried, not seeded defects.
    of_variants: bool,
    /// Whether every check was run against each defect.
    every_check: bool,
    results: Vec<ChangeResult>,
    /// Checks that no defect failed.
    unproven: Vec<&'static str>,
    /// Checks that the target cannot prove.
    not_proven: Vec<Reason>,
    /// Checks that were not green with nothing changed.
    not_green: Vec<Reason>,
}

impl DrillReport {
    pub(crate) fn new(drill: Drill, of_variants: bool, every_check: bool, local: bool, seed: u64) -> Self {
        let Drill { results, not_green, unusable, stopped_of: _ } = drill;
        let (unproven, not_proven) = without_proof(&results, &unusable);
        Self { local, seed, of_variants, every_check, results, unproven, not_proven, not_green }
    }

    pub(crate) fn results(&self) -> &[ChangeResult] {
        &self.results
    }

    /// The single changes, without all variants together.
    fn single(&self) -> impl Iterator<Item = &ChangeResult> {
        self.results.iter().filter(|result| !matches!(result.change, Change::Together { .. }))
    }

    fn together(&self) -> Option<&ChangeResult> {
        self.results.iter().find(|result| matches!(result.change, Change::Together { .. }))
    }

    /// The counts of the drill.
    pub(crate) fn sum(&self) -> String {
        let (all, count) = (self.single().count(), |finding| self.count(finding));
        if self.of_variants {
            let [passed, failed, unseen] = [Finding::Passed, Finding::Failed, Finding::Unseen].map(count);
            format!(
                "{passed} of {} passed, {failed} failed, {unseen} seen by no check",
                counted(all, "variant")
            )
        } else {
            let [caught, missed, open] = [Finding::Caught, Finding::Missed, Finding::NotProven].map(count);
            format!("{caught} of {} caught, {missed} missed, {open} not proven", counted(all, "defect"))
        }
    }

    fn count(&self, finding: Finding) -> usize {
        self.single().filter(|result| result.finding() == finding).count()
    }

    /// Every variant must pass. On a target that the drill started, a variant that no check sees must be tried together with others.
    fn exit_of_variants(&self) -> Exit {
        let together = self.together().is_some_and(|together| together.finding() == Finding::Passed);
        let is_untried = |result: &ChangeResult| match result.change {
            Change::Variant(variant) => {
                result.finding() == Finding::Unseen && !(together && variant.together)
            }
            _ => false,
        };
        let has_failed = self.results.iter().any(|result| result.finding() == Finding::Failed);
        let is_partial = self.results.iter().any(is_untried) || !self.not_green.is_empty();
        if has_failed || (self.local && is_partial) {
            Exit::SelfCheck
        } else if self.results.iter().all(|result| result.finding() == Finding::Unseen) {
            Exit::Inconclusive
        } else {
            Exit::Conformant
        }
    }

    /// A refuted claim is always a failed self-check. An open one is a failed self-check only on the local platform, which offers
    /// everything; if nothing was proven there is no verdict.
    fn exit_of_defects(&self) -> Exit {
        let refuted = self.count(Finding::Missed) + self.unproven.len() > 0;
        let is_partial = self.count(Finding::NotProven) + self.not_green.len() + self.not_proven.len() > 0;
        if refuted || (self.local && is_partial) {
            Exit::SelfCheck
        } else if self.count(Finding::Caught) == 0 {
            Exit::Inconclusive
        } else {
            Exit::Conformant
        }
    }
}

/// The checks that no defect failed although all their defects were on, and those among them that the target leaves undecided; both empty
/// unless every defect was drilled.
fn without_proof(results: &[ChangeResult], unusable: &[Reason]) -> (Vec<&'static str>, Vec<Reason>) {
    let drilled: BTreeSet<&str> = results.iter().map(|result| result.change.id()).collect();
    if !catalogue().iter().all(|defect| drilled.contains(defect.id)) {
        return Default::default();
    }
    let unusable: BTreeMap<&str, &str> =
        unusable.iter().map(|open| (open.id.as_str(), open.reason.as_str())).collect();
    let proven: BTreeSet<&str> =
        results.iter().flat_map(|result| &result.declared).map(|failure| failure.check).collect();
    let (mut unproven, mut not_proven) = (Vec::new(), Vec::new());
    for check in checks().filter(|check| !proven.contains(check.id)) {
        let mut open = results.iter().flat_map(|result| &result.not_proven);
        let open = open.find(|open| open.id == check.clause.id).map(|open| open.reason.as_str());
        match unusable.get(check.id).copied().or(open) {
            Some(reason) => not_proven.push(Reason::new(check.id, reason)),
            None => unproven.push(check.id),
        }
    }
    (unproven, not_proven)
}

impl Printable for DrillReport {
    fn exit(&self) -> Exit {
        if self.of_variants { self.exit_of_variants() } else { self.exit_of_defects() }
    }

    fn json(&self) -> Value {
        let rows: Vec<Value> = self.single().map(ChangeResult::json).collect();
        let mut report = json!({ "local": self.local, "seed": self.seed, "notGreen": self.not_green });
        if self.of_variants {
            report["summary"] = json!({
                "passed": self.count(Finding::Passed),
                "failed": self.count(Finding::Failed),
                "unseen": self.count(Finding::Unseen),
            });
            report["variants"] = rows.into();
            if let Some(together) = self.together() {
                report["together"] = together.json();
            }
            return report;
        }
        report["summary"] = json!({
            "caught": self.count(Finding::Caught),
            "missed": self.count(Finding::Missed),
            "notProven": self.count(Finding::NotProven),
            "undeclared": self.results.iter().map(|result| result.undeclared.len()).sum::<usize>(),
            "unproven": self.unproven.len(),
            "notGreen": self.not_green.len(),
        });
        report["every"] = self.every_check.into();
        report["defects"] = rows.into();
        report["unproven"] = json!(self.unproven);
        report["notProven"] = json!(self.not_proven);
        report
    }

    fn text(&self, colour: Colour) -> String {
        let mut text = columns(self.results.iter().map(row), colour.width());
        for result in &self.results {
            details(&mut text, result);
        }
        for id in &self.unproven {
            let _ = writeln!(text, "UNPROVEN {id}: no defect fails it");
        }
        for open in &self.not_proven {
            let _ = writeln!(text, "not proven {}: {}", open.id, open.reason);
        }
        for red in &self.not_green {
            let _ = writeln!(text, "NOT GREEN {} without any change: {}", red.id, red.reason);
        }
        let _ = writeln!(text, "\n{}", self.sum());
        if self.of_variants && self.results.iter().any(|result| result.change.is_control()) {
            let _ = writeln!(text, "the control is a breach: it has to fail");
        }
        text
    }
}

/// The row of a change's result.
fn row(result: &ChangeResult) -> [String; 3] {
    let id = match result.change {
        Change::Together { .. } => format!("{} together", result.change.variants().len()),
        change => change.id().to_owned(),
    };
    let ids = |failures: &[CheckFailure]| failures.iter().map(|it| it.check).collect::<Vec<_>>().join(", ");
    let (word, detail) = match result.finding() {
        Finding::Caught => ("caught", ids(&result.declared)),
        Finding::Missed => {
            let nothing = "; it changed nothing: look at `on`, `at` and the kind of the value";
            let nothing = if result.changed_nothing() { nothing } else { "" };
            ("MISSED", format!("not failed: {}{nothing}", result.missed.join(", ")))
        }
        Finding::NotProven => {
            let open = result.not_proven.iter().map(|open| format!("{}: {}", open.id, open.reason));
            ("not proven", open.collect::<Vec<_>>().join("; "))
        }
        of_variant => {
            let (judged, all) = (result.judged_by, result.concerned);
            let drawn = if judged < all { format!(" of {all} concerned") } else { String::new() };
            let choices = result.differences.len();
            let word = match of_variant {
                Finding::Failed => "FAILED",
                Finding::Unseen => "UNSEEN",
                _ => "passed",
            };
            let that_are = if choices == 1 { "that is a choice" } else { "that are choices" };
            let (judged, choices) = (counted(judged, "check"), counted(choices, "difference"));
            (word, format!("{judged}{drawn}, {choices} {that_are}"))
        }
    };
    [word.to_owned(), id, detail]
}

/// Adds the other failures under a change, and the differences of a variant.
fn details(text: &mut String, result: &ChangeResult) {
    let id = result.change.id();
    if result.change.is_defect() {
        for CheckFailure { check, clause, .. } in &result.undeclared {
            let _ = writeln!(text, "undeclared {id} kills {check} ({clause})");
        }
        return;
    }
    for CheckFailure { check, clause, expected, actual, reproduce } in &result.undeclared {
        let _ = writeln!(text, "{id}: {check} ({clause}): expected {expected}; got {actual}");
        if !reproduce.is_empty() {
            let _ = writeln!(text, "    reproduce: {reproduce}");
        }
    }
    for CheckFailure { check, clause, expected, actual, .. } in &result.differences {
        let _ = writeln!(text, "{id}: choice {clause} ({check}): ours is {expected}; here {actual}");
    }
    for Reason { id: skipped, reason } in &result.skipped {
        let _ = writeln!(text, "{id}: skipped {skipped}: {reason}");
    }
}
