//! `slipway drill`: the drill catches what it must, can itself fail, and works on platforms that it did not start.
mod variants;

use std::io::Write as _;
use std::process::Stdio;

use serde_json::Value;

use crate::program::{Running, expect_code, json};

/// The control: with nothing broken, the drill must report that nothing was caught.
#[test]
fn missed_defect_fails_the_self_check() {
    let drill = json(&expect_code(&["drill", "--json", "--only", "control"], 5));
    assert_eq!(drill["summary"]["missed"], 1);
}

/// A drill of a running platform with the defects of these ids.
fn drill_of(ready: &Value, options: &[&str], ids: &[&str], code: i32) -> Value {
    let url = ready["baseUrl"].as_str().unwrap();
    let mut arguments = vec!["drill", "--json", "--base-url", url];
    arguments.extend(options);
    arguments.extend(ids.iter().flat_map(|id| ["--only", id]));
    json(&expect_code(&arguments, code))
}

#[test]
fn external_platform_is_drilled() {
    let up = Running::start(&["up", "--json", "--port", "0", "--clock", "fixed"], Stdio::null());
    let ready = up.ready();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let rpc: Vec<String> = ready["chains"]
        .as_array()
        .unwrap()
        .iter()
        .map(|chain| format!("{}={}", chain["chainId"], text(&chain["rpcUrl"])))
        .collect();
    let mut keys = tempfile::NamedTempFile::new().unwrap();
    for account in ready["accounts"].as_array().unwrap() {
        writeln!(keys, "{}", text(&account["privateKey"])).unwrap();
    }
    let (swap, control) = (text(&ready["swapBaseUrl"]), text(&ready["controlUrl"]));
    let (operator, keys) = (text(&ready["operatorKey"]), keys.path().to_str().unwrap());
    let options = [
        "--swap-url",
        &swap,
        "--control-url",
        &control,
        "--rpc-url",
        &rpc[0],
        "--rpc-url",
        &rpc[1],
        "--operator-key",
        &operator,
        "--private-keys",
        keys,
        "--lane",
        "write",
    ];
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
        let drill = drill_of(&ready, &options, &ids, 0);
        assert_eq!(drill["summary"]["caught"], ids.len(), "{drill:#}");
        assert_eq!(drill["summary"]["notGreen"], 0, "{drill:#}");
    }
}

#[test]
fn missing_capability_is_not_proven() {
    let up = Running::start(&["up", "--json", "--port", "0", "--no-control"], Stdio::null());
    let ready = up.ready();
    let ids = ["list-pages-rounded-down", "swap-pairs-incomplete", "chain-refund-off", "chat-open"];
    let drill = drill_of(&ready, &[], &ids, 0);
    let rows = drill["defects"].as_array().unwrap();
    let open = |id: &str| rows.iter().find(|row| row["id"] == id).unwrap()["notProven"].clone();
    assert_eq!(drill["summary"]["caught"], 1, "{drill:#}");
    assert_eq!(drill["summary"]["notProven"], 3, "{drill:#}");
    assert_eq!(open("list-pages-rounded-down"), serde_json::json!([]));
    for (id, clause) in [("swap-pairs-incomplete", "PAIRS"), ("chat-open", "CHAT-POST-CRED")] {
        assert_eq!(open(id)[0]["clause"], clause);
        assert!(!open(id)[0]["reason"].as_str().unwrap().is_empty());
    }
    // If nothing can be shown, there is no verdict.
    drill_of(&ready, &[], &["swap-pairs-incomplete"], 3);
}

#[test]
fn drill_refuses_defect_option_and_unknown_ids() {
    expect_code(&["drill", "--defect", "list-page-zero"], 2);
    expect_code(&["drill", "--only", "no-such-defect"], 2);
    expect_code(&["drill", "--base-url", "http://127.0.0.1:1", "--only", "list-page-zero"], 3);
}
