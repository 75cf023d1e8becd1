//! Every choice has a variant that shows it, except those that no proxy in front of a platform can show.
use std::collections::{BTreeMap, BTreeSet};

use slipway_defects::variants::{Ground, catalogue};
use slipway_scenarios::model::interface::{statement, statements};
use slipway_scenarios::model::verdict::Binding;
use slipway_scenarios::{clause, clauses};

use super::Change;

/// Choices without a variant, with the reason.
const UNSHOWN: &[(&str, &str)] = &[
    ("CH-BOUNDS", CONTRACTS),
    ("CH-CURVE", CONTRACTS),
    ("CH-SOLVENT", CONTRACTS),
    ("CH-GRADUATE", CONTRACTS),
    ("CH-SNIPE", CONTRACTS),
    ("CH-V1-CLOSED", CONTRACTS),
    ("FIG-DUTCH", CONTRACTS),
    ("MCP-GAIN", CONTRACTS),
    ("QUOTE-ROUTE", "a platform with another route needs its own search and state"),
    ("UP-RATE-IP", "the refusals are counted inside the platform"),
    ("FIG-PERIODS", FOLD),
    ("FIG-CREDIT", FOLD),
    ("HIST-READ", "the cache of a CDN shows it, which rests on RFC 9111"),
    ("HIST-ORDER", "two writes that overlap are ordered inside the platform"),
    ("MCP-RECENT-ARGS", "what a tool server asks its service bypasses its wrapper"),
];
const CONTRACTS: &str = "the contracts decide it, and a node in front of them cannot";
const FOLD: &str = "which event counts when is decided inside the platform";

#[test]
fn every_choice_has_a_variant_or_a_reason() {
    let grounds = catalogue().iter().filter_map(|variant| match variant.rests_on {
        Ground::Choice(id) => Some(id),
        Ground::Standard(_) | Ground::Interface(_) => None,
    });
    let shown: BTreeSet<&str> = grounds.collect();
    let unshown: BTreeSet<&str> = UNSHOWN.iter().map(|(id, _)| *id).collect();
    let choices: BTreeSet<&str> =
        clauses().filter(|clause| clause.binding() == Binding::Choice).map(|clause| clause.id).collect();
    let missing: Vec<&&str> =
        choices.iter().filter(|id| !shown.contains(*id) && !unshown.contains(*id)).collect();
    assert!(missing.is_empty(), "without a variant: {missing:?}");
    let both: Vec<&&str> = shown.intersection(&unshown).collect();
    assert!(both.is_empty(), "with a variant after all: {both:?}");
    for id in shown.iter().chain(&unshown) {
        assert!(
            choices.contains(id),
            "{id} is no choice: {:?}",
            clause(id).map(slipway_scenarios::Clause::binding)
        );
    }
}

/// What a statement leaves open: its variants, or the reason why there are none.
#[derive(Debug, serde::Deserialize)]
#[serde(untagged)]
enum Opening {
    Shown(BTreeSet<String>),
    Unshown(String),
}

#[test]
fn every_open_line_has_a_variant_or_a_reason() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../scenarios/open.toml");
    let openings: BTreeMap<String, Opening> =
        toml::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    let open: BTreeSet<&str> =
        statements().filter(|statement| statement.gap.is_some()).map(|statement| statement.id).collect();
    let told: BTreeSet<&str> = openings.keys().map(String::as_str).collect();
    assert_eq!(open.difference(&told).collect::<Vec<_>>(), Vec::<&&str>::new(), "without a row");
    assert_eq!(told.difference(&open).collect::<Vec<_>>(), Vec::<&&str>::new(), "not left open");
    for (statement, opening) in &openings {
        match opening {
            Opening::Shown(ids) => {
                assert!(!ids.is_empty(), "{statement} has no variant");
                for id in ids {
                    assert!(
                        catalogue().iter().any(|variant| variant.id == id),
                        "{statement}: {id} is no variant"
                    );
                }
            }
            Opening::Unshown(reason) => assert!(!reason.is_empty(), "{statement} has no reason"),
        }
    }
    for variant in catalogue() {
        let Ground::Interface(statement) = variant.rests_on else { continue };
        let Some(opening) = openings.get(statement) else { continue };
        let is_told = matches!(opening, Opening::Shown(ids) if ids.contains(variant.id));
        assert!(is_told, "{} is not told beside {statement}", variant.id);
    }
}

#[test]
fn statements_and_standards_are_named() {
    for variant in catalogue() {
        match variant.rests_on {
            Ground::Interface(id) => assert!(statement(id).is_some(), "{id}"),
            Ground::Standard(text) => assert!(text.contains(' '), "{text} names no section"),
            Ground::Choice(_) => {}
        }
    }
}

#[test]
fn six_variants_are_waited_for() {
    let combined = |quickly| Change::Together { quickly }.variants().len();
    assert_eq!(combined(false) - combined(true), 6);
}
