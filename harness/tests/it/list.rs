//! `slipway explain`: everything has an id, and every id is explained.
use std::collections::BTreeSet;

use serde_json::Value;

use crate::program::{expect_code, json, list};

fn ids(rows: &[Value]) -> Vec<&str> {
    rows.iter().map(|row| row["id"].as_str().unwrap()).collect()
}

#[test]
fn ids_are_unique_and_each_is_explained() {
    for kind in ["checks", "clauses", "defects", "variants", "rules", "faults", "statements"] {
        let rows = list(kind);
        let names = ids(&rows);
        assert!(!names.is_empty());
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
        let explained = expect_code(&["explain", names[0]], 0);
        assert!(String::from_utf8(explained.stdout).unwrap().contains(names[0]));
        let mut row = json(&expect_code(&["explain", names[0], "--json"], 0));
        let word = row.as_object_mut().unwrap().remove("kind").unwrap();
        assert!(kind.starts_with(word.as_str().unwrap()), "{kind} {word}");
        assert_eq!(row, rows[0]);
    }
}

#[test]
fn every_clause_has_a_check_and_a_binding() {
    let checks = list("checks");
    for row in list("clauses") {
        let by: Vec<_> = checks.iter().filter(|check| check["clause"] == row["id"]).collect();
        assert!(!by.is_empty() && by.len() == row["checks"].as_array().unwrap().len(), "{row}");
        assert!(["interface", "standard", "choice"].contains(&row["binding"].as_str().unwrap()), "{row}");
    }
}

#[test]
fn interface_page_is_current() {
    const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/interface.md");
    let printed = String::from_utf8(expect_code(&["explain", "--list", "statements"], 0).stdout).unwrap();
    if std::env::var_os("UPDATE_INTERFACE").is_some() {
        std::fs::write(PAGE, &printed).unwrap();
    }
    let page = std::fs::read_to_string(PAGE).unwrap_or_default();
    assert!(page == printed, "docs/interface.md is stale: run this test with UPDATE_INTERFACE=1");
}

#[test]
fn statements_are_explained_in_plain_text() {
    let explained = |id| String::from_utf8(expect_code(&["explain", id], 0).stdout).unwrap();
    let one = explained("s110");
    assert!(one.starts_with("statement S110\n  "), "{one}");
    assert!(
        one.contains("\n  checked by: LIST-SHAPE ") && one.contains("\n  our choice: LIST-BAD "),
        "{one}"
    );
    assert!(!one.contains("**") && !one.contains(" *"), "{one}");
    assert!(explained("S43").contains("\n  not judged: a duty of clients\n"));
}

#[test]
fn explain_prints_file_and_line() {
    for id in ["LIST-BAD", "list-garbage"] {
        let text = String::from_utf8(expect_code(&["explain", id], 0).stdout).unwrap();
        assert!(text.contains("scenarios/src/sections/list/refusals.rs:"), "{text}");
    }
}

#[test]
fn errors_of_contracts_are_explained_without_a_platform() {
    let text = |id| String::from_utf8(expect_code(&["explain", id], 0).stdout).unwrap();
    let told = text("0x0d7b65ad");
    assert!(told.starts_with("error ValueNotAccepted()\n  Native value came with a call"), "{told}");
    assert_eq!(text("ValueNotAccepted"), told);
    let row = json(&expect_code(&["explain", "0x0d7b65ad", "--json"], 0));
    assert_eq!((&row["kind"], &row["declared"][0]["selector"]), (&"error".into(), &"0x0d7b65ad".into()));
    for (id, reason) in [
        ("0x01020304", "nor the data of an error"),
        ("ValueNotAcceptd", "; did you mean ValueNotAccepted? `slipway"),
    ] {
        let refused = String::from_utf8(expect_code(&["explain", id], 2).stderr).unwrap();
        assert!(refused.contains(reason), "{refused}");
    }
}

#[test]
fn rules_and_faults_of_rehearsals_are_explained_with_how_to_run_them() {
    let explained = |id| String::from_utf8(expect_code(&["explain", id], 0).stdout).unwrap();
    let rule = explained("trade-unbounded");
    assert!(rule.starts_with("rule trade-unbounded\n  A trade states"), "{rule}");
    assert!(rule.ends_with("\n  clause: QUOTE-MIN-OUT\n  judged in: slipway rehearse\n"), "{rule}");
    let fault = explained("hostile-chat");
    assert!(fault.ends_with("\n  run: slipway rehearse --agent --only hostile-chat -- COMMAND\n"), "{fault}");
}
