//! The slowest tests, ahead of the others: tests start in the order of their names.
use std::collections::BTreeSet;

use serde_json::Value;
use slipway_test_support::settings::Setting;

use crate::green::green;
use crate::program::{expect_code, json, list};
use crate::proof::committed;

/// The ids that a list of the command shows.
fn ids(kind: &str) -> BTreeSet<String> {
    list(kind).iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect()
}

/// The checks that each defect failed, with the clauses that they reported: all rows of the committed proof.
fn committed_kills() -> BTreeSet<[String; 3]> {
    let proof: Value = serde_json::from_str(&std::fs::read_to_string(committed()).unwrap()).unwrap();
    let kills = proof["checks"].as_object().unwrap().iter().flat_map(|(check, defects)| {
        let of_defect = move |(defect, kill): (&String, &Value)| {
            [check.clone(), defect.clone(), kill["clause"].as_str().unwrap().to_owned()]
        };
        defects.as_object().unwrap().iter().map(of_defect)
    });
    kills.collect()
}

/// Every seeded defect fails the checks of its clauses, and every check has a defect, as in the committed proof: one drill of one
/// platform, which is sound again after each defect.
#[test]
fn every_defect_is_caught_and_every_check_is_proven() {
    let drill = json(&expect_code(&["drill", "--json"], 0));
    assert_eq!(drill["summary"]["caught"], ids("defects").len(), "{drill:#}");
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let of_row = |row: &Value| {
        let kill = |kill: &Value| [text(&kill["check"]), text(&row["id"]), text(&kill["clause"])];
        row["caughtBy"].as_array().unwrap().iter().map(kill).collect::<Vec<_>>()
    };
    let kills: BTreeSet<[String; 3]> = drill["defects"].as_array().unwrap().iter().flat_map(of_row).collect();
    let proven: BTreeSet<String> = kills.iter().map(|[check, ..]| check.clone()).collect();
    assert_eq!(proven, ids("checks"));
    let committed = committed_kills();
    let changed: Vec<_> = kills.symmetric_difference(&committed).collect();
    assert!(changed.is_empty(), "write these rows of snapshots/proof.json again: {changed:#?}");
}

/// A variant of the committed proof, drawn by the length of its text, and all that can be combined and under which no read waits.
#[test]
fn drawn_variants_pass_again() {
    let text = std::fs::read_to_string(committed()).unwrap();
    let proof: Value = serde_json::from_str(&text).unwrap();
    let alone = proof["variants"]
        .as_object()
        .unwrap()
        .iter()
        .filter(|(id, pass)| id.as_str() != "together" && pass["checks"].as_u64().unwrap() > 0);
    let ids: Vec<&String> = alone.map(|(id, _)| id).collect();
    let drawn = ids[text.len() % ids.len()];
    let options = ["drill", "--variants", "--only", drawn, "--only", "together-quickly", "--json"];
    let report = json(&expect_code(&options, 0));
    assert_eq!(report["variants"].as_array().unwrap().len(), 1);
    assert_eq!(report["together"]["verdict"], "passed");
    let ids = report["together"]["ids"].as_array().unwrap();
    assert!(ids.len() > 50 && !ids.contains(&"cdn-headers".into()), "{ids:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn green_without_control_plane() {
    green(Setting::NoControl).await;
}
