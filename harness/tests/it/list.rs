//! `slipway list` and `slipway explain`: everything has an id, and every id is explained.
use std::collections::BTreeSet;

use serde_json::Value;

use crate::program::{expect_code, json};

fn rows(kind: &[&str]) -> Vec<Value> {
    json(&expect_code(&[&["list", "--json"], kind].concat(), 0)).as_array().unwrap().clone()
}

fn ids(rows: &[Value]) -> Vec<&str> {
    rows.iter().map(|row| row["id"].as_str().unwrap()).collect()
}

#[test]
fn ids_are_unique_and_each_is_explained() {
    let lists = [rows(&[]), rows(&["--clauses"]), rows(&["--defects"])];
    for list in &lists {
        let names = ids(list);
        assert!(!names.is_empty());
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
        let explained = expect_code(&["explain", names[0]], 0);
        assert!(String::from_utf8(explained.stdout).unwrap().contains(names[0]));
    }
    let explained = String::from_utf8(expect_code(&["explain", "S131"], 0).stdout).unwrap();
    let printed = String::from_utf8(expect_code(&["interface", "S131"], 0).stdout).unwrap();
    assert_eq!(explained, printed);
}

#[test]
fn every_clause_has_a_check_and_a_binding() {
    let checks = rows(&[]);
    for row in rows(&["--clauses"]) {
        let by: Vec<_> = checks.iter().filter(|check| check["clause"] == row["id"]).collect();
        assert!(!by.is_empty() && by.len() == row["checks"].as_array().unwrap().len(), "{row}");
        assert!(["interface", "standard", "choice"].contains(&row["binding"].as_str().unwrap()), "{row}");
    }
}

#[test]
fn interface_page_is_current() {
    const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/interface.md");
    let printed = String::from_utf8(expect_code(&["interface"], 0).stdout).unwrap();
    if std::env::var_os("UPDATE_INTERFACE").is_some() {
        std::fs::write(PAGE, &printed).unwrap();
    }
    let page = std::fs::read_to_string(PAGE).unwrap_or_default();
    assert!(page == printed, "docs/interface.md is stale: run this test with UPDATE_INTERFACE=1");
    let one = String::from_utf8(expect_code(&["interface", "s118"], 0).stdout).unwrap();
    assert!(one.starts_with("- **S118** ") && page.contains(&one), "{one}");
}

#[test]
fn explain_prints_file_and_line() {
    for id in ["LIST-BAD", "list-garbage"] {
        let text = String::from_utf8(expect_code(&["explain", id], 0).stdout).unwrap();
        assert!(text.contains("scenarios/src/sections/list/refusals.rs:"), "{text}");
    }
}
