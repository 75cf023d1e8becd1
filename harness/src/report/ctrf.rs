//! The report in the Common Test Report Format (ctrf.io): a test per check, in a suite per section and clause.
use serde_json::{Map, Value, json};

use super::escape::visible_json;
use super::events::{ClauseInfo, Verdict, Word};
use super::{Report, millis};

/// The version of the format.
const SPECIFICATION: &str = "0.0.0";

pub(super) fn render(report: &Report) -> String {
    let begun = report.run.started;
    let mut tests = Vec::new();
    for section in &report.run.sections {
        for clause in &section.clauses {
            let of_clause = report.of_clause(clause);
            tests.extend(of_clause.map(|verdict| test(verdict, &section.title, clause, begun)));
        }
    }
    let count = |status: &str| tests.iter().filter(|test| test["status"] == status).count();
    let document = json!({
        "reportFormat": "CTRF",
        "specVersion": SPECIFICATION,
        "generatedBy": "slipway",
        "results": {
            "tool": { "name": report.run.tool.name, "version": report.run.tool.version },
            "summary": {
                "tests": tests.len(),
                "passed": count("passed"),
                "failed": count("failed"),
                "skipped": count("skipped"),
                "pending": count("pending"),
                "other": count("other"),
                "start": begun,
                "stop": begun + millis(report.end.took),
                "duration": millis(report.end.took),
                "extra": {
                    "headline": report.headline().title(),
                    "verdict": report.sentence(),
                    "seed": report.run.seed,
                    "replay": report.run.replay,
                },
            },
            "tests": tests,
        },
    });
    visible_json(&format!("{document:#}\n"))
}

fn test(verdict: &Verdict, section: &str, clause: &ClauseInfo, begun: u64) -> Value {
    let mut test = Map::new();
    let mut add = |name: &str, value: Value| test.insert(name.to_owned(), value);
    add("testId", verdict.check.as_str().into());
    add("name", verdict.check.as_str().into());
    add("status", status(verdict.verdict).into());
    add("rawStatus", verdict.verdict.as_str().into());
    add("duration", millis(verdict.took).into());
    add("start", (begun + millis(verdict.at.saturating_sub(verdict.took))).into());
    add("stop", (begun + millis(verdict.at)).into());
    add("suite", json!([section, clause.id]));
    add("labels", json!({ "clause": clause.id, "binding": clause.binding }));
    if let Some(failure) = &verdict.failure {
        add("message", format!("expected {}, got {}", failure.expected, failure.actual).into());
        add("trace", format!("reproduce: {}\nreplay: {}", failure.reproduce, failure.replay).into());
    } else if let Some(reason) = &verdict.reason {
        add("message", reason.as_str().into());
    }
    test.into()
}

/// The format's status for a verdict: a known failure and a difference fail nothing, so they are neither passed nor failed.
fn status(word: Word) -> &'static str {
    match word {
        Word::Passed => "passed",
        Word::Failed => "failed",
        Word::Skipped => "skipped",
        Word::Inconclusive | Word::Known | Word::Difference => "other",
    }
}
