//! The report as one JSON object, and the reading of an earlier one as a baseline.
use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};

use super::Report;
use crate::runner::{Finished, Outcome};

/// The whole report: `summary`, `checks`, and what became of every clause.
pub(crate) fn render(report: &Report) -> Value {
    let counts = report.counts();
    json!({
        "summary": {
            "passed": counts.passed,
            "failed": counts.failed,
            "skipped": counts.skipped,
            "inconclusive": counts.inconclusive,
            "implementationDefined": counts.implementation_defined,
            "known": counts.known,
            "seed": report.seed,
            "milliseconds": u64::try_from(report.took.as_millis()).unwrap_or(u64::MAX),
        },
        "checks": report.finished.iter().map(|finished| check(report, finished)).collect::<Vec<_>>(),
        "clauses": clauses(report),
        "staleBaseline": report.stale,
    })
}

fn check(report: &Report, finished: &Finished) -> Value {
    let mut row = json!({
        "id": finished.check.id,
        "clause": finished.check.clause.id,
        "verdict": finished.outcome.word(),
        "milliseconds": u64::try_from(finished.took.as_millis()).unwrap_or(u64::MAX),
    });
    let fields = row.as_object_mut().expect("the row was built as an object");
    match &finished.outcome {
        Outcome::Passed => {}
        Outcome::Failed(failure) | Outcome::ImplementationDefined(failure) | Outcome::Known(failure) => {
            fields.insert("expected".into(), failure.expected.clone().into());
            fields.insert("actual".into(), failure.actual.clone().into());
            fields.insert("reproduce".into(), failure.reproduce.clone().into());
            fields.insert("replay".into(), report.replay(finished.check.id).into());
        }
        Outcome::Skipped(reason) | Outcome::Inconclusive(reason) => {
            fields.insert("reason".into(), reason.clone().into());
        }
    }
    row
}

/// Per clause id, the words of the checks that try it; a clause no check tries is `notYet`.
pub(crate) fn clauses(report: &Report) -> BTreeMap<&'static str, Value> {
    let verdicts = |id: &str| -> Value {
        let words: Vec<&str> = report
            .finished
            .iter()
            .filter(|finished| finished.check.clause.id == id)
            .map(|finished| finished.outcome.word())
            .collect();
        if words.is_empty() { "notYet".into() } else { worst(&words).into() }
    };
    slipway_scenarios::clauses().map(|clause| (clause.id, verdicts(clause.id))).collect()
}

fn worst<'a>(words: &[&'a str]) -> &'a str {
    const ORDER: [&str; 6] =
        ["failed", "inconclusive", "known", "implementation-defined", "passed", "skipped"];
    words
        .iter()
        .copied()
        .min_by_key(|word| ORDER.iter().position(|other| other == word))
        .expect("a clause with verdicts has one")
}

/// A baseline that cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BaselineError {
    #[error("the baseline {path} cannot be read: {source}")]
    Unreadable { path: String, source: std::io::Error },
    #[error("the baseline {path} is not a JSON report of this command")]
    Malformed { path: String },
}

/// The ids of the checks an earlier report says failed.
pub(crate) fn failures_of_baseline(path: &Path) -> Result<Vec<String>, BaselineError> {
    let shown = path.display().to_string();
    let text = std::fs::read_to_string(path)
        .map_err(|source| BaselineError::Unreadable { path: shown.clone(), source })?;
    let malformed = || BaselineError::Malformed { path: shown.clone() };
    let report: Value = serde_json::from_str(&text).map_err(|_| malformed())?;
    let rows = report.get("checks").and_then(Value::as_array).ok_or_else(malformed)?;
    rows.iter()
        .filter(|row| matches!(row["verdict"].as_str(), Some("failed" | "known")))
        .map(|row| row["id"].as_str().map(str::to_owned).ok_or_else(malformed))
        .collect()
}

/// Marks failures the baseline knows; returns the entries that no longer hold.
pub(crate) fn apply_baseline(finished: &mut [Finished], known: &[String]) -> Vec<String> {
    let mut stale = Vec::new();
    for id in known {
        match finished.iter_mut().find(|item| item.check.id == id) {
            None => stale.push(format!("{id}: no such check ran")),
            Some(item) => match &item.outcome {
                Outcome::Failed(failure) => item.outcome = Outcome::Known(failure.clone()),
                Outcome::Passed | Outcome::ImplementationDefined(_) => {
                    stale.push(format!("{id}: it passes now"));
                }
                Outcome::Known(_) | Outcome::Skipped(_) | Outcome::Inconclusive(_) => {}
            },
        }
    }
    stale
}
