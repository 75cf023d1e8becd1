//! `slipway explain --list`: the checks, clauses, seeded defects, legal variants and statements, and the rules and faults of rehearsals.
use clap::ValueEnum as _;
use serde_json::{Value, json};
use slipway_defects::variants::Variant;
use slipway_defects::{Defect, catalogue};
use slipway_scenarios::model::interface::statements;
use slipway_scenarios::{Check, checks};

use super::interface;
use crate::arguments::Listed;
use crate::prove::embedded;
use crate::rehearse::{self, Told};
use crate::run::selector::section;
use crate::terminal::colour::Colour;
use crate::terminal::table::columns;

/// All of a kind, as text or as JSON.
pub(super) fn listed(listed: Listed, as_json: bool) -> String {
    match listed {
        Listed::Statements if !as_json => interface::document(),
        _ if as_json => format!("{:#}\n", Value::from(rows(listed))),
        _ => lines(&rows(listed)),
    }
}

/// The row of an id, with its kind.
pub(super) fn row(id: &str) -> Option<Value> {
    Listed::value_variants().iter().find_map(|kind| {
        let id = if *kind == Listed::Statements { id.to_uppercase() } else { id.to_owned() };
        let mut row = rows(*kind).into_iter().find(|row| row["id"] == id)?;
        row["kind"] = kind.one().into();
        Some(row)
    })
}

fn rows(listed: Listed) -> Vec<Value> {
    match listed {
        Listed::Checks => checks().map(check).collect(),
        Listed::Clauses => clauses(),
        Listed::Defects => defects(),
        Listed::Variants => variants(),
        Listed::Rules => rehearse::rules().map(told).collect(),
        Listed::Faults => rehearse::faults().map(told).collect(),
        Listed::Statements => statements().map(interface::row).collect(),
    }
}

fn check(check: &Check) -> Value {
    let killer = embedded().of_check(check.id).map(|(defect, _)| defect);
    json!({"id": check.id, "clause": check.clause.id, "section": section(check), "summary": check.summary, "killedBy": killer})
}

fn clauses() -> Vec<Value> {
    slipway_scenarios::clauses()
        .map(|clause| {
            let checks: Vec<&str> = clause.checks.iter().map(|check| check.id).collect();
            let binding = clause.binding().to_string();
            json!({"id": clause.id, "binding": binding, "checks": checks, "summary": clause.text})
        })
        .collect()
}

fn defects() -> Vec<Value> {
    let row =
        |defect: &Defect| json!({"id": defect.id, "clauses": defect.clauses, "summary": defect.summary});
    catalogue().iter().map(row).collect()
}

fn variants() -> Vec<Value> {
    let row = |variant: &Variant| {
        let (layer, rests_on) = (variant.layer(), variant.rests_on.text());
        json!({"id": variant.id, "layer": layer, "restsOn": rests_on, "summary": variant.summary})
    };
    slipway_defects::variants::catalogue().iter().map(row).collect()
}

/// A rule or a fault of rehearsals.
fn told(told: Told) -> Value {
    json!({"id": told.id, "clause": told.clause, "agents": told.is_of_agents, "summary": told.summary})
}

fn lines(rows: &[Value]) -> String {
    let rows = rows.iter().map(|row| {
        let words = |key: &str| -> String {
            let list = row[key].as_array().map(Vec::as_slice).unwrap_or_default();
            list.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" ")
        };
        let (id, summary) =
            (row["id"].as_str().unwrap_or_default(), row["summary"].as_str().unwrap_or_default());
        let word = ["binding", "clause", "restsOn"].iter().find_map(|key| row[key].as_str());
        let middle = word.map_or_else(|| words("clauses"), str::to_owned);
        let killer = row["killedBy"].as_str().map(|id| format!(" (killed by {id})")).unwrap_or_default();
        [id.to_owned(), middle, format!("{summary}{killer}")]
    });
    columns(rows, Colour::of_stdout().width())
}
