//! The report of the variants: JSON and text.
use std::fmt::Write as _;

use serde::Serialize;
use serde_json::Value;
use slipway_scenarios::verdict::Failure;

use super::{CONTROL, Tally, Tried};
use crate::colour::Colour;
use crate::drill_report::Said;
use crate::exit::Exit;
use crate::printable::{Printable, serialized};
use crate::proof::{Tolerance, Tolerated};
use crate::runner::Outcome;

/// A run of variants that has ended.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct VariantsReport {
    summary: Summary,
    local: bool,
    seed: u64,
    variants: Vec<VariantEntry>,
    /// All variants that can be in force together.
    #[serde(skip_serializing_if = "Option::is_none")]
    together: Option<Together>,
    /// Checks that are not green without any variant.
    not_green: Vec<Said>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Summary {
    passed: usize,
    failed: usize,
    /// Variants that change nothing that a check sees: they are in force only with others.
    unseen: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
enum Verdict {
    Passed,
    Failed,
    Unseen,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct VariantEntry {
    id: String,
    layer: String,
    rests_on: String,
    summary: String,
    #[serde(flatten)]
    judged: Judged,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Together {
    ids: Vec<String>,
    #[serde(flatten)]
    judged: Judged,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Judged {
    verdict: Verdict,
    /// How many checks judged it.
    checks: usize,
    failures: Vec<Seen>,
    differences: Vec<Seen>,
    skipped: Vec<Said>,
}

/// A failure, or a difference that is a choice.
#[derive(Debug, Serialize)]
struct Seen {
    check: String,
    clause: String,
    expected: String,
    actual: String,
    reproduce: String,
}

impl Seen {
    fn of(check: &str, failure: &Failure) -> Self {
        Self {
            check: check.to_owned(),
            clause: failure.clause.to_owned(),
            expected: failure.expected.clone(),
            actual: failure.actual.clone(),
            reproduce: failure.reproduce.clone(),
        }
    }
}

impl Judged {
    fn of(tried: &Tried) -> Self {
        let (mut failures, mut differences, mut skipped) = (Vec::new(), Vec::new(), Vec::new());
        for item in &tried.finished {
            let (id, clause) = (item.check.id, item.check.clause.id);
            match &item.outcome {
                Outcome::Passed | Outcome::Difference(_) => {}
                Outcome::Failed(failure) => failures.push(Seen::of(id, failure)),
                Outcome::Skipped(reason) => skipped.push(Said { id: id.to_owned(), said: reason.clone() }),
                Outcome::Inconclusive(reason) => failures.push(Seen {
                    check: id.to_owned(),
                    clause: clause.to_owned(),
                    expected: "a verdict".to_owned(),
                    actual: reason.clone(),
                    reproduce: String::new(),
                }),
            }
            differences.extend(item.differences.iter().map(|difference| Seen::of(id, difference)));
        }
        let verdict = match (tried.finished.is_empty(), failures.is_empty()) {
            (true, _) => Verdict::Unseen,
            (false, true) => Verdict::Passed,
            (false, false) => Verdict::Failed,
        };
        Self { verdict, checks: tried.finished.len(), failures, differences, skipped }
    }
}

impl VariantsReport {
    pub(crate) fn new(tally: &Tally, local: bool, seed: u64) -> Self {
        let row = |tried: &Tried| {
            let variant = tried.variants[0];
            VariantEntry {
                id: variant.id.to_owned(),
                layer: variant.layer(),
                rests_on: variant.rests_on.text().to_owned(),
                summary: variant.summary.to_owned(),
                judged: Judged::of(tried),
            }
        };
        let variants: Vec<VariantEntry> = tally.alone.iter().map(row).collect();
        let together = tally.together.as_ref().map(|tried| Together {
            ids: tried.variants.iter().map(|variant| variant.id.to_owned()).collect(),
            judged: Judged::of(tried),
        });
        let count = |verdict| variants.iter().filter(|row| row.judged.verdict == verdict).count();
        let summary = Summary {
            passed: count(Verdict::Passed),
            failed: count(Verdict::Failed),
            unseen: count(Verdict::Unseen),
        };
        let not_green = tally.not_green.iter().map(Said::of).collect();
        Self { summary, local, seed, variants, together, not_green }
    }

    /// The part that a proof keeps.
    pub(crate) fn tolerance(&self) -> Tolerance {
        let tolerated = |rests_on, judged: &Judged| Tolerated {
            rests_on,
            passed: judged.verdict != Verdict::Failed,
            checks: judged.checks,
            differences: judged.differences.iter().map(|seen| seen.clause.clone()).collect(),
        };
        let alone = |row: &VariantEntry| (row.id.clone(), tolerated(vec![row.rests_on.clone()], &row.judged));
        let together = self.together.as_ref();
        Tolerance {
            variants: self.variants.iter().map(alone).collect(),
            together: together.map(|together| tolerated(together.ids.clone(), &together.judged)),
        }
    }
}

impl Printable for VariantsReport {
    /// Every variant must pass. One that no check sees is tried with others, or is a failure on a target that was started for this run.
    fn exit(&self) -> Exit {
        let Summary { passed, failed, .. } = self.summary;
        let together =
            self.together.as_ref().is_some_and(|together| together.judged.verdict != Verdict::Passed);
        let tried = |row: &VariantEntry| {
            let with_others = self.together.as_ref().is_some_and(|together| together.ids.contains(&row.id));
            with_others || row.judged.verdict != Verdict::Unseen
        };
        let untried = !self.variants.iter().all(tried);
        if failed > 0 || together || (self.local && (untried || !self.not_green.is_empty())) {
            Exit::SelfCheck
        } else if passed == 0 {
            Exit::Inconclusive
        } else {
            Exit::Conformant
        }
    }

    fn json(&self) -> Value {
        serialized(self)
    }

    fn text(&self, _: Colour) -> String {
        let mut text = String::new();
        for row in &self.variants {
            write_judged(&mut text, &row.id, &row.judged);
        }
        if let Some(Together { ids, judged }) = &self.together {
            write_judged(&mut text, &format!("{} together", ids.len()), judged);
        }
        for red in &self.not_green {
            let _ = writeln!(text, "NOT GREEN {} without any variant: {}", red.id, red.said);
        }
        let Summary { passed, failed, unseen } = self.summary;
        let _ = writeln!(
            text,
            "\n{passed} of {} variants passed, {failed} failed, {unseen} seen by no check",
            self.variants.len()
        );
        if self.variants.iter().any(|row| row.id == CONTROL.id) {
            let _ = writeln!(text, "the control is a breach: it has to fail");
        }
        text
    }
}

fn write_judged(text: &mut String, name: &str, judged: &Judged) {
    let word = match judged.verdict {
        Verdict::Passed => "passed",
        Verdict::Failed => "FAILED",
        Verdict::Unseen => "UNSEEN",
    };
    let _ = writeln!(
        text,
        "{word} {name:<36} {} checks, {} differences that are choices",
        judged.checks,
        judged.differences.len()
    );
    for failure in &judged.failures {
        let Seen { check, clause, expected, actual, reproduce } = failure;
        let _ = writeln!(text, "    {check} ({clause}): expected {expected}; got {actual}");
        if !reproduce.is_empty() {
            let _ = writeln!(text, "    reproduce: {reproduce}");
        }
    }
    for Seen { check, clause, expected, actual, .. } in &judged.differences {
        let _ = writeln!(text, "    choice {clause} ({check}): ours is {expected}; here {actual}");
    }
    for Said { id, said } in &judged.skipped {
        let _ = writeln!(text, "    skipped {id}: {said}");
    }
}
