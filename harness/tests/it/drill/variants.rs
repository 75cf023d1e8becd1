//! `slipway drill --variants`: platforms that chose differently pass, and the run can itself fail.
use serde_json::Value;

use crate::program::{expect_code, json};

fn tried(ids: &[&str], code: i32) -> Value {
    let only = ids.iter().flat_map(|id| ["--only", id]);
    let arguments: Vec<&str> = ["drill", "--variants", "--json"].into_iter().chain(only).collect();
    json(&expect_code(&arguments, code))
}

/// The control is a platform that breaks the interface.
#[test]
fn choices_are_listed_and_a_breach_fails() {
    let report = tried(&["no-credential-as-403", "control"], 5);
    let rows = report["variants"].as_array().unwrap();
    assert_eq!(rows.len(), 2);
    let row = |id| rows.iter().find(|row| row["id"] == id).unwrap();
    let varied = row("no-credential-as-403");
    for (name, value) in [("verdict", "passed"), ("layer", "rest"), ("restsOn", "REF-CREDENTIAL")] {
        assert_eq!(varied[name], value, "{varied:#}");
    }
    let differences = varied["differences"].as_array().unwrap();
    assert!(differences.iter().any(|difference| difference["clause"] == "SVC-ERR"), "{varied:#}");
    assert_eq!(report["summary"]["failed"], 1, "{report:#}");
    assert!(!row("control")["failures"].as_array().unwrap().is_empty());
}
