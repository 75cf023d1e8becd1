//! `slipway drill`: it catches what it must, can itself fail, and works on platforms that it did not start.
mod variants;

use std::process::Stdio;

use serde_json::Value;
use slipway_test_support::up::external_options;

use crate::program::{Running, expect_code, json};

/// The control: with nothing broken, the drill must report that nothing was caught.
#[test]
fn missed_defect_fails_the_self_check() {
    let drill = json(&expect_code(&["drill", "--json", "--only", "control"], 5));
    assert_eq!(drill["summary"]["missed"], 1);
}

/// Drills a running platform with these defects.
fn drill_of(options: &[&str], ids: &[&str], code: i32) -> Value {
    let only: Vec<&str> = ids.iter().flat_map(|id| ["--only", id]).collect();
    json(&expect_code(&[&["drill", "--json"], options, &only].concat(), code))
}

#[test]
fn external_platform_is_drilled() {
    let up = Running::start(&["up", "--json", "--port", "0", "--clock", "fixed"], Stdio::null());
    let ready = up.ready();
    let keys = tempfile::NamedTempFile::new().unwrap();
    let options = external_options(&ready, keys.path());
    let options: Vec<&str> =
        ["--lane", "write"].into_iter().chain(options.iter().map(String::as_str)).collect();
    let ids = [
        "list-pages-rounded-down",
        "list-trending-first-version-last",
        "up-uncached",
        "swap-native-unknown",
        "swap-pairs-incomplete",
        "node-other-chain-id",
        "chain-refund-off",
        "cap-hash-of-nothing",
    ];
    // The second drill finds the platform as the first has left it: sound.
    for _ in 0..2 {
        let drill = drill_of(&options, &ids, 0);
        assert_eq!(drill["summary"]["caught"], ids.len(), "{drill:#}");
        assert_eq!(drill["summary"]["notGreen"], 0, "{drill:#}");
    }
}

#[test]
fn missing_capability_is_not_proven() {
    let up = Running::start(&["up", "--json", "--port", "0", "--no-control"], Stdio::null());
    let ready = up.ready();
    let options = ["--base-url", ready["baseUrl"].as_str().unwrap()];
    let ids = [
        "list-pages-rounded-down",
        "swap-pairs-incomplete",
        "chain-refund-off",
        "chat-open",
        // The checks of these run, but see the defect only with a chain or with the clock.
        "cap-start-ahead",
        "list-trending-day",
    ];
    let drill = drill_of(&options, &ids, 0);
    let rows = drill["defects"].as_array().unwrap();
    let open = |id: &str| rows.iter().find(|row| row["id"] == id).unwrap()["notProven"].clone();
    assert_eq!(drill["summary"]["caught"], 1, "{drill:#}");
    assert_eq!(drill["summary"]["notProven"], 5, "{drill:#}");
    assert_eq!(open("list-pages-rounded-down"), serde_json::json!([]));
    for (id, clause) in [
        ("swap-pairs-incomplete", "PAIRS"),
        ("chat-open", "CHAT-POST-CRED"),
        ("cap-start-ahead", "CAP-MEMBERS"),
        ("list-trending-day", "LIST-SORT-TRENDING"),
    ] {
        assert_eq!(open(id)[0]["clause"], clause);
        assert!(!open(id)[0]["reason"].as_str().unwrap().is_empty());
    }
    // If nothing can be proven, there is no verdict.
    drill_of(&options, &["swap-pairs-incomplete"], 3);
}

#[test]
fn unreachable_target_is_not_drilled() {
    expect_code(&["drill", "--base-url", "http://127.0.0.1:1", "--only", "list-page-zero"], 3);
}
