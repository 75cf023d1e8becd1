//! `slipway drill --wire`: mutants are tried and scored correctly, and a proxy that changes nothing fails no check.

use crate::program::{Running, expect_code, json};

#[test]
fn mutants_are_tried_and_survivors_listed() {
    // Each run has a separate platform: under a fixed clock no rate limit ever recovers.
    let run = |count, seed| {
        let up = Running::up(&["--clock", "fixed"]);
        let url = up.ready()["baseUrl"].as_str().unwrap().to_owned();
        json(&expect_code(&["drill", "--wire", count, "--seed", seed, "--json", "--base-url", &url], 0))
    };
    let report = run("30", "3");
    let of = |name: &str| report["summary"][name].as_u64().unwrap();
    assert_eq!(of("tried"), of("caught") + of("survived") + of("inconclusive"), "{report:#}");
    assert_eq!(of("tried") + of("notApplied"), 30, "{report:#}");
    assert!(of("caught") > 15, "{report:#}");
    let survivors = report["survivors"].as_array().unwrap();
    assert_eq!(survivors.len() as u64, of("survived") + of("inconclusive"));
    for survivor in survivors {
        for field in ["service", "endpoint", "pointer", "kind", "request"] {
            assert!(survivor[field].is_string(), "{survivor}");
        }
    }
    // The control: nothing is changed, and every check that ran is green.
    let control = run("0", "1");
    assert_eq!(control["summary"]["tried"], 0);
    assert_eq!(control["notGreen"].as_array().unwrap().len(), 0, "{control:#}");
}
