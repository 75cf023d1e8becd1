//! CTRF reports are valid under the schema in the format's package.
use std::fs;

use serde_json::Value;
use slipway_test_support::{Tool, need};

use crate::clients::tools::{npm_folder, source};
use crate::program::expect_code;

#[test]
fn ctrf_reports_are_valid_by_the_schema_of_the_format() {
    let Some(()) = need(&[Tool::Node]) else { return };
    let read = |path: &std::path::Path| -> Value {
        serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
    };
    let schema = read(&npm_folder("tests/ctrf").join("node_modules/ctrf/dist/ctrf-schema-0.0.json"));
    let validator = jsonschema::validator_for(&schema).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (events, file) = (source("tests/previous/0.1.0/events.ndjson"), folder.path().join("ctrf.json"));
    let arguments = ["report", events.to_str().unwrap(), "--json", "--ctrf", file.to_str().unwrap()];
    let report: Value = serde_json::from_slice(&expect_code(&arguments, 1).stdout).unwrap();
    let mut ctrf = read(&file);
    let errors: Vec<String> = validator.iter_errors(&ctrf).map(|error| error.to_string()).collect();
    assert_eq!(errors, Vec::<String>::new());
    let (summary, tests) = (&ctrf["results"]["summary"], ctrf["results"]["tests"].as_array().unwrap());
    assert_eq!(tests.len(), report["checks"].as_array().unwrap().len());
    for word in ["passed", "failed", "skipped"] {
        assert_eq!(summary[word], report["summary"][word], "{word}");
        assert_eq!(
            tests.iter().filter(|test| test["status"] == word).count() as u64,
            summary[word],
            "{word}"
        );
    }
    let failed = tests.iter().find(|test| test["status"] == "failed").unwrap();
    assert_eq!(failed["name"], "owner-required");
    assert!(failed["message"].as_str().unwrap().starts_with("expected "), "{failed}");
    // The control: the schema rejects a status that the format does not define.
    ctrf["results"]["tests"][0]["status"] = "known".into();
    assert!(!validator.is_valid(&ctrf));
}
