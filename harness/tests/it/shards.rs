//! A run that is split over machines has the same result as one that is not.
use serde_json::Value;

use crate::program::{expect_code, json as json_of, run};

const CHECK: [&str; 5] = ["check", "--only", "LIST-*", "--defect", "list-count-everything"];
const DRILL: [&str; 6] =
    ["drill", "--json", "--only", "list-count-everything", "--only", "list-pages-rounded-down"];

/// A report without what differs from run to run: times, and the numbers of exchanges.
fn lasting(mut report: Value) -> Value {
    report["summary"]["milliseconds"].take();
    for row in report["checks"].as_array_mut().unwrap() {
        row["milliseconds"].take();
        row["exchange"].take();
    }
    report
}

#[test]
fn shards_of_a_check_merge_into_the_unsplit_run() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let unsplit = lasting(json_of(&expect_code(&[&CHECK[..], &["--json"]].concat(), 1)));
    let (first, second) = (file("1"), file("2"));
    let one = &[&CHECK[..], &["--json", "--shard", "1/2", "--events", &first]].concat();
    let one = json_of(&run(one));
    assert_eq!(one["shard"], serde_json::json!({ "part": 1, "of": 2 }));
    assert!(one["checks"].as_array().unwrap().len() < unsplit["checks"].as_array().unwrap().len());
    let second_text = run(&[&CHECK[..], &["--shard", "2/2", "--events", &second]].concat()).stdout;
    assert!(String::from_utf8(second_text).unwrap().contains("; shard 2/2; seed 1"));
    // In any order.
    let html = file("report.html");
    let merged = expect_code(&["report", &second, &first, "--json", "--html", &html], 1);
    assert_eq!(lasting(json_of(&merged)), unsplit);
    assert!(std::fs::read_to_string(&html).unwrap().contains("list-count"));
    for (files, reason) in [
        (vec![&first, &first], "the shard 1/2 is there 2 times"),
        (vec![&first, &second, &second], "the shard 2/2 is there 2 times"),
    ] {
        let files: Vec<&str> = files.into_iter().map(String::as_str).collect();
        let refused = run(&[&["report"], &files[..]].concat());
        assert_eq!(refused.status.code(), Some(2));
        let error = String::from_utf8(refused.stderr).unwrap();
        assert!(error.contains(reason) && error.lines().count() == 1, "{error}");
    }
    // A shard without checks is not a failure.
    expect_code(&["check", "--only", "list-search", "--shard", "2/2"], 0);
    for shard in ["0/2", "3/2", "half"] {
        expect_code(&["check", "--only", "list-search", "--shard", shard], 2);
    }
}

#[test]
fn a_report_brings_the_matrix_of_a_proof_up_to_date() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (proof, printed) = (file("proof"), file("drill.json"));
    expect_code(&["drill", "--only", "list-count-everything", "--proof", &proof], 0);
    let matrix = || -> Value {
        let text = std::fs::read_to_string(folder.path().join("proof/matrix.json")).unwrap();
        serde_json::from_str::<Value>(&text).unwrap()["defects"].take()
    };
    assert_eq!(matrix()["list-pages-rounded-down"], Value::Null);
    let drill = expect_code(&["drill", "--json", "--only", "list-pages-rounded-down"], 0).stdout;
    std::fs::write(&printed, &drill).unwrap();
    expect_code(&["report", &printed, "--proof", &proof], 0);
    let kills = serde_json::json!([{"check": "list-totals", "clause": "LIST-COUNT"}]);
    assert_eq!(matrix()["list-pages-rounded-down"]["declared"], kills);
    assert!(matrix()["list-count-everything"].is_object(), "what was there stays");
    let verified = String::from_utf8(expect_code(&["verify", &proof], 5).stdout).unwrap();
    assert!(verified.contains("the proof is not complete") && verified.contains(" 1 faults"), "{verified}");
    // It does not apply to a market of another seed.
    let mut other: Value = serde_json::from_slice(&drill).unwrap();
    other["seed"] = serde_json::json!(2);
    std::fs::write(&printed, other.to_string()).unwrap();
    let refused = run(&["report", &printed, "--proof", &proof]);
    let error = String::from_utf8(refused.stderr).unwrap();
    assert!(error.contains("has no proof of these checks, defects and contracts with this seed"), "{error}");
    // Other reports contain nothing of a proof.
    std::fs::write(&printed, "{}").unwrap();
    expect_code(&["report", &printed, "--proof", &proof], 2);
}

#[test]
fn shards_of_a_drill_merge_into_the_unsplit_one() {
    let folder = tempfile::tempdir().unwrap();
    let unsplit = expect_code(&DRILL, 0);
    let mut files = Vec::new();
    for shard in ["1/2", "2/2"] {
        let file = folder.path().join(shard.replace('/', "-"));
        let printed = expect_code(&[&DRILL[..], &["--shard", shard]].concat(), 0).stdout;
        std::fs::write(&file, printed).unwrap();
        files.push(file.to_str().unwrap().to_owned());
    }
    let merged = expect_code(&["report", "--json", &files[0], &files[1]], 0);
    assert_eq!(json_of(&merged), json_of(&unsplit));
    let text = String::from_utf8(expect_code(&["report", &files[0]], 0).stdout).unwrap();
    assert!(text.contains("; shard 1/2"), "{text}");
}
