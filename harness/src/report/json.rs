//! The report as one JSON object with a version and a schema.
use std::collections::BTreeMap;

use schemars::{JsonSchema, schema_for};
use serde::Serialize;
use serde_json::Value;

use super::events::{Broken, Event, Exchange, Known, TargetInfo, Tool, Word};
use super::{Counts, Report, Scope, millis, worst};
use crate::terminal::printable::serialized;

/// Version of the report; it rises when a reader of the previous one would misread it.
const VERSION: u32 = 2;

/// A finished run.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(title = "Report")]
struct Whole<'a> {
    /// Version of this form.
    version: u32,
    /// The program that ran.
    tool: &'a Tool,
    /// SHA-256 of the ids, the texts and the bindings of all clauses.
    interface: &'a str,
    /// The target.
    target: &'a TargetInfo,
    /// What the checks were allowed to do.
    lane: &'a str,
    /// The number of checks by result.
    summary: Summary,
    /// The verdict in one sentence.
    verdict: String,
    /// The verdict in a few words.
    headline: &'static str,
    /// How much was judged.
    scope: Scope,
    /// Every selected check, in the order of the interface.
    checks: Vec<CheckEntry<'a>>,
    /// The worst verdict of each clause with a selected check.
    clauses: BTreeMap<&'a str, Word>,
    /// Entries of the baseline that no longer hold.
    stale_baseline: &'a [String],
    /// Entries of the baseline whose end date has passed.
    expired_baseline: &'a [String],
}

/// The number of checks by result.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Summary {
    #[serde(flatten)]
    counts: Counts,
    /// The seed of everything generated.
    seed: u64,
    /// Wall time of the checks.
    milliseconds: u64,
}

/// The result of one check.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct CheckEntry<'a> {
    /// Its id.
    id: &'a str,
    /// The clause it checks.
    clause: &'a str,
    /// The part of the interface that it belongs to.
    part: &'a str,
    /// The result.
    verdict: Word,
    /// The statements on which it reached a verdict.
    statements: &'a [String],
    /// What the target was not given, without which the check judged less.
    lacking: &'a [String],
    /// Time it took.
    milliseconds: u64,
    /// The requirement of the clause.
    #[serde(skip_serializing_if = "Option::is_none")]
    expected: Option<&'a str>,
    /// What the target did.
    #[serde(skip_serializing_if = "Option::is_none")]
    actual: Option<&'a str>,
    /// A command line or tool call that reproduces it.
    #[serde(skip_serializing_if = "Option::is_none")]
    reproduce: Option<&'a str>,
    /// The command line that runs the check again.
    #[serde(skip_serializing_if = "Option::is_none")]
    replay: Option<&'a str>,
    /// The request and the response.
    #[serde(skip_serializing_if = "Option::is_none")]
    exchange: Option<&'a Exchange>,
    /// Differences from choices of this project.
    differences: &'a [Broken],
    /// Why it was skipped, or reached no verdict.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    /// The entry of the baseline that names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    known: Option<&'a Known>,
}

/// The whole report.
pub(crate) fn render(report: &Report) -> Value {
    let (seed, milliseconds) = (report.run.seed, millis(report.end.took));
    let clauses = report.run.sections.iter().flat_map(|section| &section.clauses);
    let whole = Whole {
        version: VERSION,
        tool: &report.run.tool,
        interface: &report.run.interface,
        target: &report.run.target,
        lane: &report.run.lane,
        summary: Summary { counts: report.counts(), seed, milliseconds },
        verdict: report.sentence(),
        headline: report.headline().title(),
        scope: report.scope(),
        checks: rows(report),
        clauses: clauses
            .filter_map(|clause| Some((clause.id.as_str(), worst(report.of_clause(clause))?)))
            .collect(),
        stale_baseline: &report.end.stale,
        expired_baseline: &report.end.expired,
    };
    serialized(&whole)
}

fn rows(report: &Report) -> Vec<CheckEntry<'_>> {
    let rows = report.verdicts.iter().map(|verdict| {
        let failure = verdict.failure.as_ref();
        CheckEntry {
            id: &verdict.check,
            clause: report.check(&verdict.check).map_or("", |(clause, _)| clause.id.as_str()),
            part: report.check(&verdict.check).map_or("", |(_, check)| check.part.as_str()),
            verdict: verdict.verdict,
            statements: verdict.statements.as_deref().unwrap_or_default(),
            lacking: &verdict.lacking,
            milliseconds: millis(verdict.took),
            expected: failure.map(|failure| failure.expected.as_str()),
            actual: failure.map(|failure| failure.actual.as_str()),
            reproduce: failure.map(|failure| failure.reproduce.as_str()),
            replay: failure.map(|failure| failure.replay.as_str()),
            exchange: report.evidence(verdict),
            differences: &verdict.differences,
            reason: verdict.reason.as_deref(),
            known: verdict.known.as_ref(),
        }
    });
    rows.collect()
}

/// JSON Schema of the report.
pub(crate) fn schema_of_report() -> Value {
    schema_for!(Whole<'_>).to_value()
}

/// JSON Schema of one line of the stream of events.
pub(crate) fn schema_of_events() -> Value {
    schema_for!(Event).to_value()
}
