//! The tests that take or wait longest, ahead of the others: tests begin in the order of their names.
use std::collections::BTreeSet;
use std::path::Path;

use slipway_test_support::settings::Setting;

use crate::green::green;
use crate::program::{expect_code, json, list};

/// The ids in a list of the command.
fn ids(kind: &str) -> BTreeSet<String> {
    list(kind).iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect()
}

/// Every seeded defect fails the checks of its clauses and no others, and every check has a defect: one drill
/// of one platform, which is sound again after each defect.
#[test]
fn every_defect_is_caught_and_every_check_is_proven() {
    let drill = json(&expect_code(&["drill", "--json"], 0));
    assert_eq!(drill["summary"]["caught"], ids("defects").len(), "{drill:#}");
    let rows = drill["defects"].as_array().unwrap();
    let proven: BTreeSet<String> = rows
        .iter()
        .flat_map(|row| row["caughtBy"].as_array().unwrap())
        .map(|kill| kill["check"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(proven, ids("checks"));
}

/// A variant from the committed proof, which has them all, drawn by its digest: alone, and then all that can be in force together.
#[test]
fn sampled_variants_pass_again() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../proof");
    let digest = std::fs::read(folder.join("manifest.sha256")).unwrap();
    let seed = digest.iter().take(8).fold(0_u64, |sum, digit| sum << 8 | u64::from(*digit)).to_string();
    let folder = folder.to_str().unwrap();
    let sample = ["drill", "--variants", "--sample", "1", "--seed", &seed, "--proof", folder, "--json"];
    let report = json(&expect_code(&sample, 0));
    assert_eq!(report["variants"].as_array().unwrap().len(), 1);
    let together = &report["together"];
    assert_eq!(together["verdict"], "passed");
    let ids = together["ids"].as_array().unwrap();
    assert!(ids.len() > 50 && !ids.contains(&"cdn-headers".into()), "{together:#}");
}

#[tokio::test(flavor = "multi_thread")]
async fn green_without_control_plane() {
    green(Setting::NoControl).await;
}
