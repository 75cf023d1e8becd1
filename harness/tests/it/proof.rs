//! `slipway drill --write` and `--verify`: the committed proof is complete, and its rows can be rewritten one by one.
use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::program::{command, expect_code, json as json_of, list};

pub(crate) fn committed() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../snapshots/proof.json")
}

/// The report of `drill --verify` on a file.
fn verified(path: &str, code: i32) -> Value {
    json_of(&expect_code(&["drill", &format!("--verify={path}"), "--json"], code))
}

/// Every check, defect and variant of this program has its rows; each fault names the drill that rewrites it.
#[test]
fn committed_proof_is_complete() {
    let report = verified(committed().to_str().unwrap(), 0);
    assert_eq!(report, json!({ "proven": list("checks").len(), "faults": [] }));
    // Outside a checkout, the proof that the program was built with.
    let elsewhere = tempfile::tempdir().unwrap();
    let output = command(&["drill", "--verify", "--json"]).current_dir(&elsewhere).output().unwrap();
    assert_eq!(json_of(&output), report);
}

#[test]
fn rows_that_were_changed_or_removed_are_written_as_they_were() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("proof.json");
    let path = file.to_str().unwrap();
    let text = fs::read_to_string(committed()).unwrap();
    let mut proof: Value = serde_json::from_str(&text).unwrap();
    let kills = proof["checks"]["list-totals"].as_object_mut().unwrap();
    let kill = kills.remove("list-count-everything").unwrap();
    kills.insert("no-such-defect".to_owned(), kill);
    kills["list-pages-rounded-down"]["actual"] = json!("something else");
    proof["variants"].as_object_mut().unwrap().remove("token-record-in-camel-case").unwrap();
    fs::write(&file, proof.to_string()).unwrap();
    let faults = verified(path, 5)["faults"].to_string();
    for fault in [
        "there is no defect no-such-defect",
        "slipway drill --only list-count-everything --write",
        "slipway drill --variants --only token-record-in-camel-case --write",
    ] {
        assert!(faults.contains(fault), "{faults}");
    }

    let write = format!("--write={path}");
    expect_code(
        &["drill", "--only", "list-count-everything", "--only", "list-pages-rounded-down", &write],
        0,
    );
    expect_code(&["drill", "--variants", "--only", "token-record-in-camel-case", &write], 0);
    assert_eq!(fs::read_to_string(&file).unwrap(), text);
    // A change without the required result gets no row.
    expect_code(&["drill", "--only", "control", &write], 5);
    assert_eq!(fs::read_to_string(&file).unwrap(), text);
}

#[test]
fn other_files_and_seeds_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("proof.json");
    let refused = |text: &str, arguments: &[&str]| {
        fs::write(&file, text).unwrap();
        let error = String::from_utf8(expect_code(arguments, 2).stderr).unwrap();
        assert!(error.contains(file.to_str().unwrap()), "{error}");
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
    };
    let (write, verify) = (format!("--write={}", file.display()), format!("--verify={}", file.display()));
    refused("{}", &["drill", &verify]);
    refused("{\"seed\": 1}", &["drill", "--only", "control", &write]);
    refused("{\"seed\":2,\"checks\":{},\"variants\":{}}", &["drill", "--only", "control", &write]);
    fs::remove_file(&file).unwrap();
    expect_code(&["drill", &verify], 2);
}

/// The texts of failures are for people who do not know the source of the checks.
#[test]
fn failures_show_values_without_types_of_rust() {
    let proof: Value = serde_json::from_str(&fs::read_to_string(committed()).unwrap()).unwrap();
    for (check, rows) in proof["checks"].as_object().unwrap() {
        for (defect, failure) in rows.as_object().unwrap() {
            let text = format!("{} {}", failure["expected"], failure["actual"]);
            let types = ["Some(", "Ok(", "Err(", "Number(", "RawValue", "numer:"];
            assert!(!types.iter().any(|of_rust| text.contains(of_rust)), "{check}, {defect}: {text}");
        }
    }
}
