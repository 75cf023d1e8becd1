//! `slipway drill --wire`: equal seeds give equal runs, whole or in shards, and a proxy that changes nothing alarms nobody.
use std::process::Stdio;

use crate::program::{Running, expect_code, json};

#[test]
fn equal_seeds_give_equal_mutants_and_verdicts() {
    let up = Running::start(&["up", "--json", "--port", "0", "--clock", "fixed"], Stdio::null());
    let url = up.ready()["baseUrl"].as_str().unwrap().to_owned();
    let run = |count, seed| {
        json(&expect_code(&["drill", "--wire", count, "--seed", seed, "--json", "--base-url", &url], 0))
    };
    let first = run("40", "3");
    let folder = tempfile::tempdir().unwrap();
    let shards = ["1/2", "2/2"].map(|shard| {
        let file = folder.path().join(shard.replace('/', "-"));
        let seed = ["drill", "--wire", "40", "--seed", "3", "--json", "--base-url", &url, "--shard", shard];
        std::fs::write(&file, expect_code(&seed, 0).stdout).unwrap();
        file.to_str().unwrap().to_owned()
    });
    let merged = json(&expect_code(&["report", "--json", &shards[0], &shards[1]], 0));
    assert_eq!(first, merged);
    expect_code(&["report", &shards[0], &shards[0]], 2);
    let summary = &first["summary"];
    assert_eq!(summary["mutants"], 40);
    assert_eq!(
        summary["caught"].as_u64().unwrap() + summary["unconstrained"].as_u64().unwrap(),
        40,
        "{summary}"
    );
    assert!(summary["caught"].as_u64().unwrap() > 20, "{first:#}");
    let survivors = first["survivors"].as_array().unwrap();
    assert_eq!(survivors.len() as u64, summary["unconstrained"].as_u64().unwrap());
    for survivor in survivors {
        for field in ["service", "endpoint", "pointer", "kind", "request"] {
            assert!(survivor[field].is_string(), "{survivor}");
        }
    }
    // The control: nothing is changed, and every check that ran is green.
    let control = run("0", "1");
    assert_eq!(control["summary"]["mutants"], 0);
    assert_eq!(control["notGreen"].as_array().unwrap().len(), 0, "{control:#}");
}

#[test]
fn wire_takes_no_other_selection() {
    expect_code(&["drill", "--wire", "5", "--only", "list-*"], 2);
    expect_code(&["drill", "--wire", "5", "--defect", "list-page-zero"], 2);
    expect_code(&["drill", "--wire", "many"], 2);
    expect_code(&["matrix", "--wire", "5"], 2);
    expect_code(&["wrap-tool-server", "--mutant", "{}", "--", "true"], 2);
}
