//! `slipway check`: verdicts, reports and every exit code it can have.
use serde_json::Value;

use crate::program::{Running, expect_code, json, list, run};

/// The drill and the settings of `green` test that all checks pass.
#[test]
fn report_counts_every_check() {
    let directory = tempfile::tempdir().unwrap();
    let junit = directory.path().join("junit.xml");
    let all = list("checks");
    let is_chosen = |row: &&Value| row["clause"].as_str().unwrap().starts_with("LIST-");
    let chosen = all.iter().filter(is_chosen).count();
    let output = expect_code(&["check", "--only", "LIST-*", "--json", "--junit", junit.to_str().unwrap()], 0);
    let report = json(&output);
    let checks = report["checks"].as_array().unwrap();
    assert!(chosen > 10 && checks.len() == chosen, "{chosen} {report:#}");
    assert!(checks.iter().all(|row| row["verdict"] == "passed"), "{report:#}");
    let summary = &report["summary"];
    assert_eq!(summary["passed"], chosen);
    for none in ["failed", "skipped", "inconclusive", "differences"] {
        assert_eq!(summary[none], 0, "{none}: {summary:#}");
    }
    let xml = std::fs::read_to_string(junit).unwrap();
    assert_eq!(xml.matches("<testcase ").count(), chosen);
}

#[test]
fn a_wrong_command_line_is_usage() {
    expect_code(&["check", "--base-url", "not an address"], 2);
    for line in [
        "check --no-such-option",
        "check --only no-such-check",
        "check --skip no-such-check",
        "check --section none",
        "check --defect no-such-defect",
        "check --base-url http://127.0.0.1:1 --defect list-count-everything",
        "check --rpc-url 1=http://127.0.0.1:1",
        "check --baseline /nonexistent/report.json",
        "check --require everything",
        "check --private-keys /nonexistent",
        "check --defect list-count-everything --private-keys /nonexistent",
        "check --operator-key key",
        "drill --control-token token",
        "env /nonexistent",
        "up --port 0 --import /nonexistent",
        "drill --defect list-page-zero",
        "drill --only no-such-defect",
        "drill --write --base-url http://127.0.0.1:1",
        "drill --variants --all",
        "drill --verify --only list-*",
        "drill --verify --seed 2",
        "drill --verify --base-url http://127.0.0.1:1",
        "drill --verify=/nonexistent",
        "drill --variants --only no-such-variant",
        "explain",
        "explain --list",
        "explain --list checks LIST-COUNT",
        "explain no-such-id",
        "explain S0",
        "report",
        "show",
        "show openapi chain",
        "quotes",
        "doctor --install tools --wait 1",
        "doctor --port 65532",
        "mcp --seed 3",
        "mcp --clock fixed",
        "mcp --offline",
        "explain no-such-id --json",
        "check --wait 5 --only LIST-COUNT",
        "check --only LIST-COUNT --html /nonexistent/report.html",
        "doctor --offline",
        "report /nonexistent",
        "nonsense",
        "",
    ] {
        expect_code(&line.split_whitespace().collect::<Vec<_>>(), 2);
    }
}

#[test]
fn a_file_of_keys_with_another_line_is_usage() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("keys");
    let key = "11".repeat(32);
    for other in ["no key", &"00".repeat(32), &"1".repeat(63)] {
        std::fs::write(&path, format!("{key}\n\n0x{key}\n{other}\n")).unwrap();
        let file = path.to_str().unwrap();
        let output = expect_code(&["check", "--base-url", "http://127.0.0.1:1", "--private-keys", file], 2);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains("line 4 of the private keys") && !said.contains(other), "{said}");
    }
}

#[test]
fn unreachable_target_is_inconclusive_and_nothing_run_is_a_failure() {
    let only = ["check", "--json", "--only", "LIST-COUNT"];
    for (option, address, code, verdict, word) in [
        ("--base-url", "http://127.0.0.1:1", 3, "inconclusive", ""),
        ("--rpc-url", "57073=http://127.0.0.1:1", 1, "skipped", "--base-url"),
    ] {
        let report = json(&expect_code(&[&only[..], &[option, address]].concat(), code));
        assert_eq!(report["summary"]["failed"], 0);
        assert_eq!(report["checks"][0]["verdict"], verdict);
        assert!(report["checks"][0]["reason"].as_str().unwrap().contains(word));
    }
}

#[test]
fn external_target_is_read_only_by_default() {
    let up = Running::up(&["--clock", "fixed"]);
    let ready = up.ready();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let base = text(&ready["baseUrl"]);
    let rpc = |at: usize, id: &str| format!("{id}={}", text(&ready["chains"][at]["rpcUrl"]));
    let (swap, primary, second) = (text(&ready["swapBaseUrl"]), rpc(0, "57073"), rpc(1, "4663"));
    let services = ["--base-url", &base, "--swap-url", &swap];
    let nodes = ["--rpc-url", &primary, "--rpc-url", &second];
    let report = json(&expect_code(&[&["check", "--json"], &services[..], &nodes].concat(), 0));
    let rows = report["checks"].as_array().unwrap();
    let of = |verdict: &str| rows.iter().filter(|row| row["verdict"] == verdict).count();
    assert_eq!(of("passed") + of("skipped"), list("checks").len(), "{report:#}");
    assert!(of("passed") != 0 && of("skipped") != 0, "{report:#}");
    for row in rows.iter().filter(|row| row["verdict"] == "skipped") {
        assert!(
            row["reason"].as_str().unwrap().contains("--"),
            "a skip names the option that would change it: {row}"
        );
    }
    assert_eq!(
        report["scope"]["complete"],
        serde_json::json!(["chain", "rest", "swap"]),
        "{}",
        report["verdict"]
    );
    let verdict = report["verdict"].as_str().unwrap();
    assert!(verdict.starts_with("conformant to chain, rest and swap: "), "{verdict}");
    let demanded = json(&expect_code(
        &["check", "--json", "--base-url", &base, "--only", "list-*", "--require", "rest,tools"],
        3,
    ));
    assert_eq!(demanded["scope"]["missing"], serde_json::json!(["rest", "tools"]));
    let trending = demanded["checks"].as_array().unwrap().iter().find(|row| row["id"] == "list-trending");
    let trending = trending.unwrap();
    assert_eq!(trending["verdict"], "passed", "{trending}");
    assert!(trending["lacking"].as_array().is_some_and(|lacking| !lacking.is_empty()), "{trending}");
}

/// A tool server alone is judged with a platform that the run starts; that platform is not judged.
#[test]
fn tool_server_alone_is_judged() {
    let server = format!("{} mcp", env!("CARGO_BIN_EXE_slipway"));
    let arguments =
        ["check", "--json", "--mcp", &server, "--only", "tool-server-tools", "--only", "LIST-COUNT"];
    let report = json(&expect_code(&arguments, 0));
    let checks = report["checks"].as_array().unwrap();
    assert!(checks.len() == 1 && checks[0]["verdict"] == "passed", "{report:#}");
}

#[test]
fn help_says_the_exit_codes() {
    let output = run(&["--help"]);
    assert!(output.status.success());
    assert!(String::from_utf8(output.stdout).unwrap().contains("130 interrupted"));
}

#[test]
fn sections_and_skipped_checks_select() {
    let section = "GET /api/tokens/by-owner";
    let all = list("checks");
    let of_section: Vec<&str> =
        all.iter().filter(|row| row["section"] == section).map(|row| row["id"].as_str().unwrap()).collect();
    assert!(of_section.len() > 2, "{of_section:?}");
    let report = json(&expect_code(&["check", "--json", "--section", section, "--skip", of_section[0]], 0));
    let checked: Vec<&str> =
        report["checks"].as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap()).collect();
    assert_eq!(checked, of_section[1..]);
}
