//! `slipway fuzz` and `slipway openapi`: the services match their documents, and broken ones are caught.
use serde_json::Value;

use crate::program::{Running, expect_code, json, run};

fn findings(report: &Value, service: &str) -> Vec<Value> {
    report["services"][service]["findings"].as_array().cloned().unwrap_or_default()
}

/// The control of what follows: nothing is found where nothing is broken, over several seeds, and every operation is served.
#[test]
fn sound_platform_has_no_findings() {
    let platform = Running::up(&["--clock", "fixed"]);
    let ready = platform.ready();
    let of = |name: &str| ready[name].as_str().unwrap().to_owned();
    let (rest, swap, control, key) = (of("baseUrl"), of("swapBaseUrl"), of("controlUrl"), of("operatorKey"));
    for seed in ["2", "3", "4"] {
        let target = ["--base-url", &rest, "--swap-url", &swap, "--control-url", &control];
        let run = ["--operator-key", &key, "--write", "--seed", seed, "--cases", "1000", "--json"];
        let report = json(&expect_code(&[&["fuzz"], &target[..], &run].concat(), 0));
        for service in ["rest", "swap"] {
            assert!(findings(&report, service).is_empty(), "{report:#}");
            let answers = report["services"][service]["responses"].as_object().unwrap();
            for (operation, statuses) in answers {
                // The name of an image cannot be guessed, and codes are for holders of a token.
                let hidden = ["getImage", "getReferralCode"].contains(&operation.as_str());
                assert!(hidden || statuses["200"].as_u64() > Some(0), "{operation}: {statuses}");
            }
            let count: u64 = answers
                .values()
                .flat_map(|of| of.as_object().unwrap().values())
                .filter_map(Value::as_u64)
                .sum();
            assert_eq!(count, 1000);
        }
    }
}

/// A defect, and the operation whose answers reveal it.
const DEFECTS: [(&str, &str); 27] = [
    ("recent-launch-id-text", "getRecentLaunches"),
    ("recent-limit-clamped", "getRecentLaunches"),
    ("list-market-cap-text", "listTokens"),
    ("list-holders-missing", "listTokens"),
    ("list-page-past-end", "listTokens"),
    ("list-range-exchanged", "listTokens"),
    ("list-bad-date-500", "listTokens"),
    ("owner-total-pages-renamed", "getTokensByOwner"),
    ("owner-missing-empty", "getTokensByOwner"),
    ("cap-permit2-missing", "getCapabilities"),
    ("cap-cacheable", "getCapabilities"),
    ("cap-chain-any", "getCapabilities"),
    ("batch-errors-missing", "postTokensInBatch"),
    ("batch-any-content-type", "postTokensInBatch"),
    ("token-unknown-null", "getToken"),
    ("ref-period-any", "getReferralStats"),
    ("chat-open", "postMessage"),
    ("up-storage-untold", "uploadImage"),
    ("svc-method-without-allow", "getKing"),
    ("svc-refusal-as-text", "getLeaderboard"),
    ("svc-refusal-without-status", "getLeaderboard"),
    ("swap-fee-as-number", "getQuote"),
    ("swap-both-amounts-taken", "getQuote"),
    ("swap-no-amount-guessed", "getQuote"),
    ("swap-slippage-unchecked", "getQuote"),
    ("swap-slippage-edge-refused", "getQuote"),
    ("swap-no-route-as-missing", "getQuote"),
];

fn switch(control: &str, method: minreq::Method, defect: &str) {
    let answer = minreq::Request::new(method, format!("{control}/_sim/defects/{defect}")).send().unwrap();
    assert_eq!(answer.status_code, 200, "{defect}");
}

#[test]
fn seeded_defects_are_found() {
    // A platform that starts with a defect has proxies in front; each defect is then switched on and off.
    let platform = Running::up(&["--clock", "fixed", "--defect", DEFECTS[0].0]);
    let ready = platform.ready();
    let of = |name: &str| ready[name].as_str().unwrap();
    let control = of("controlUrl");
    for (defect, operation) in DEFECTS {
        let swaps = defect.starts_with("swap-");
        let (service, option, origin) = if swaps {
            ("swap", "--swap-url", of("swapBaseUrl"))
        } else {
            ("rest", "--base-url", of("baseUrl"))
        };
        let target =
            [option, origin, "--control-url", control, "--operator-key", of("operatorKey"), "--write"];
        let cases = ["fuzz", "--operation", operation, "--cases", "100", "--json"];
        switch(control, minreq::Method::Put, defect);
        let output = run(&[&cases[..], &target[..]].concat());
        switch(control, minreq::Method::Delete, defect);
        assert_eq!(output.status.code(), Some(1), "{defect}: {output:?}");
        let report = json(&output);
        let found = findings(&report, service);
        let finding = found.first().unwrap_or_else(|| panic!("{defect}: {report:#}"));
        assert_eq!(finding["operation"], operation, "{defect}");
        for part in ["request", "expected", "actual"] {
            let stated = finding[part].as_str().is_some_and(|text| !text.is_empty());
            assert!(stated, "{defect}: {finding:#}");
        }
        assert!(finding["reproduce"].as_str().unwrap().starts_with("curl "), "{defect}: {finding:#}");
    }
}

#[test]
fn finding_replays() {
    let report =
        json(&expect_code(&["fuzz", "--defect", "list-page-zero", "--operation", "listTokens", "--json"], 1));
    let finding = findings(&report, "rest").remove(0);
    let line = finding["replay"].as_str().unwrap();
    let words: Vec<&str> = line.split(' ').skip(1).chain(["--json"]).collect();
    let again = findings(&json(&expect_code(&words, 1)), "rest").remove(0);
    for part in ["case", "request", "expected"] {
        assert_eq!(again[part], finding[part], "{line}");
    }
}

#[test]
fn a_seed_decides_every_request() {
    let requests = |seed: &str| {
        let arguments = ["fuzz", "--dry-run", "--seed", seed, "--cases", "300"];
        String::from_utf8(expect_code(&arguments, 0).stdout).unwrap()
    };
    let first = requests("1");
    assert_eq!(first.lines().count(), 600);
    assert_eq!(first, requests("1"));
    assert_ne!(first, requests("2"));
}

#[test]
fn openapi_prints_document_usable_by_fuzz() {
    let printed = expect_code(&["openapi", "swap", "--server", "https://swap.invalid"], 0);
    let document = json(&printed);
    assert_eq!(document["servers"][0]["url"], "https://swap.invalid");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("swap.json");
    std::fs::write(&path, &printed.stdout).unwrap();
    let platform = Running::up(&[]);
    let swap = platform.ready()["swapBaseUrl"].as_str().unwrap().to_owned();
    let file = path.to_str().unwrap();
    expect_code(&["fuzz", "--swap-url", &swap, "--document", file, "--cases", "50"], 0);
    // The other service does not match this document, and that is caught.
    let rest = platform.ready()["baseUrl"].as_str().unwrap().to_owned();
    expect_code(&["fuzz", "--base-url", &rest, "--document", file, "--cases", "50"], 1);
}

#[test]
fn unfuzzable_target_sets_exit_code() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("none.json");
    std::fs::write(&path, "{\"openapi\": \"2.0\"}").unwrap();
    let file = path.to_str().unwrap();
    let nobody = "http://127.0.0.1:1";
    for (arguments, code) in [
        (vec!["fuzz", "--document", file], 2),
        (vec!["fuzz", "--control-url", nobody], 2),
        (vec!["fuzz", "--cases", "0"], 2),
        (vec!["fuzz", "--base-url", nobody, "--defect", "list-page-zero"], 2),
        (vec!["fuzz", "--base-url", nobody, "--swap-url", nobody, "--document", file], 2),
        (vec!["fuzz", "--base-url", nobody, "--document", "/nonexistent/file"], 2),
        (vec!["fuzz", "--base-url", nobody, "--document", file], 3),
        (vec!["fuzz", "--base-url", nobody], 3),
        (vec!["fuzz", "--operation", "noSuchOperation"], 2),
        (vec!["openapi", "chain"], 2),
    ] {
        assert_eq!(run(&arguments).status.code(), Some(code), "{arguments:?}");
    }
}
