//! The reports of `slipway check`: recreated from its events, compared, rerun, and with forgiven failures.
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::program::{Running, command, expect_code, json as json_of};

const BROKEN: [&str; 5] = ["check", "--only", "LIST-*", "--defect", "list-count-everything"];

/// The files of one run, in one folder.
struct Files(tempfile::TempDir);

impl Files {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().to_owned()
    }

    /// The options that write every format, each to a file with this prefix.
    fn options(&self, prefix: &str) -> Vec<String> {
        let names = [("--html", "html"), ("--junit", "xml"), ("--summary", "md"), ("--badge", "svg")];
        names
            .into_iter()
            .flat_map(|(option, end)| [option.to_owned(), self.text(&format!("{prefix}.{end}"))])
            .collect()
    }

    fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }
}

fn strings(parts: &[&str]) -> Vec<String> {
    parts.iter().map(|part| (*part).to_owned()).collect()
}

fn run(parts: &[String], code: i32) -> std::process::Output {
    expect_code(&parts.iter().map(String::as_str).collect::<Vec<_>>(), code)
}

#[test]
fn reports_are_made_again_from_events_byte_for_byte() {
    let files = Files::new();
    let events = files.text("run.ndjson");
    let first = run(&[strings(&BROKEN), strings(&["--events", &events]), files.options("first")].concat(), 1);
    let again = run(&[strings(&["report", &events]), files.options("again")].concat(), 1);
    assert_eq!(first.stdout, again.stdout);
    for end in ["html", "xml", "md", "svg"] {
        assert_eq!(files.read(&format!("first.{end}")), files.read(&format!("again.{end}")), "{end}");
    }
    let schema = json_of(&expect_code(&["show", "schema", "events"], 0));
    let validator = jsonschema::validator_for(&schema).unwrap();
    let text = std::fs::read_to_string(&events).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(lines.iter().all(|line| validator.is_valid(line)));
    assert!(lines.len() > 50, "every exchange is an event");
    let schema = json_of(&expect_code(&["show", "schema", "report"], 0));
    let report = json_of(&expect_code(&["report", &events, "--json"], 1));
    assert!(jsonschema::validator_for(&schema).unwrap().is_valid(&report));
    let failed = report["checks"].as_array().unwrap().iter().find(|row| row["verdict"] == "failed").unwrap();
    assert_eq!(failed["clause"], "LIST-COUNT");
    assert!(failed["exchange"]["response"]["body"].as_str().unwrap().contains("totalCount"), "{failed:#}");
    expect_code(&["report", files.path("first.html").to_str().unwrap()], 2);
    let json = files.path("report.json");
    std::fs::write(&json, report.to_string()).unwrap();
    let told = expect_code(&["report", json.to_str().unwrap()], 2);
    assert!(String::from_utf8(told.stderr).unwrap().contains("`slipway check --events FILE` writes"));
}

/// The exchange of a secret that leaked is the call whose error has it, not the last one of the check.
#[test]
fn a_leak_is_shown_by_the_call_that_has_it() {
    let leaking = ["check", "--json", "--only", "tool-server-secrets", "--defect", "mcp-secrets-shown"];
    let report = json_of(&expect_code(&leaking, 1));
    let failed = report["checks"].as_array().unwrap().iter().find(|row| row["verdict"] == "failed").unwrap();
    let body = |side: &str| failed["exchange"][side]["body"].as_str().unwrap();
    assert!(body("request").contains("tools/call"), "{failed:#}");
    assert!(body("response").contains("\"isError\":true"), "{failed:#}");
}

/// Runs the sections that use every credential: no credential is in the events.
#[test]
fn events_hold_no_secret() {
    let up = Running::up(&["--clock", "fixed"]);
    let ready = up.ready();
    let mut secrets = vec![ready["operatorKey"].as_str().unwrap().to_owned()];
    for account in ready["accounts"].as_array().unwrap() {
        secrets.push(account["privateKey"].as_str().unwrap().trim_start_matches("0x").to_owned());
    }
    drop(up);
    let files = Files::new();
    let events = files.text("run.ndjson");
    let only = ["CHAT-*", "REF-*", "TOOL-*", "MCP-*", "CHAIN-*"];
    let known: Vec<String> = json_of(&expect_code(&["explain", "--list", "clauses", "--json"], 0))
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["id"].as_str().unwrap().to_owned())
        .collect();
    let mut arguments = strings(&["check", "--events", &events]);
    for prefix in
        only.iter().filter(|prefix| known.iter().any(|id| id.starts_with(prefix.trim_end_matches('*'))))
    {
        arguments.extend(strings(&["--only", prefix]));
    }
    // Other tests judge the verdicts; this one reads only what is written.
    command(&arguments.iter().map(String::as_str).collect::<Vec<_>>()).output().unwrap();
    let text = std::fs::read_to_string(&events).unwrap().to_lowercase();
    assert!(text.matches("\"event\":\"verdict\"").count() > 40, "the checks have run");
    for secret in &secrets {
        assert!(!text.contains(&secret.to_lowercase()), "a secret of the platform is in its events");
    }
    // The longest hexadecimal text shown is an invented signature one byte too long; transactions are longer. Any bearer token follows its
    // scheme.
    let longest = text.split(|letter: char| !letter.is_ascii_hexdigit()).map(str::len).max();
    assert!(longest.unwrap() <= 132, "{longest:?}");
    for (at, scheme) in text.match_indices("bearer ") {
        let value: String = text[at + scheme.len()..].chars().take(40).collect();
        assert!(!value.starts_with(|letter: char| letter.is_ascii_digit()), "{value}");
    }
    assert!(text.contains("[concealed]"), "credentials were sent");
}

#[test]
fn what_failed_is_run_again_compared_and_forgiven() {
    let files = Files::new();
    let (good, bad) = (files.text("good.json"), files.text("bad.json"));
    let only = ["check", "--json", "--only", "LIST-COUNT", "--only", "LIST-PAGE"];
    std::fs::write(&good, expect_code(&only, 0).stdout).unwrap();
    let defect = ["--defect", "list-count-everything"];
    std::fs::write(&bad, expect_code(&[&only[..], &defect].concat(), 1).stdout).unwrap();

    let worse = json_of(&expect_code(&["report", "diff", &good, &bad, "--json"], 1));
    assert_eq!(worse["regressions"][0]["before"], "passed");
    let better = json_of(&expect_code(&["report", "diff", &bad, &good, "--json"], 0));
    assert_eq!((worse["fixed"].clone(), better["regressions"].clone()), (json!([]), json!([])));
    expect_code(&["report", "diff", &good, "/nonexistent"], 2);

    let again = json_of(&expect_code(&["check", "--json", "--rerun", &bad], 0));
    assert_eq!(again["checks"].as_array().unwrap().len(), worse["regressions"].as_array().unwrap().len());
    expect_code(&["check", "--json", "--rerun", &good], 0);
    expect_code(&["check", "--rerun", &bad, "--only", "LIST-COUNT"], 2);

    let report = ["--baseline", bad.as_str()];
    let known = json_of(&expect_code(&[&only[..], &defect, &report].concat(), 0));
    assert_eq!(known["summary"]["known"], 1);
    expect_code(&[&only[..], &report].concat(), 4);

    let known = files.text("known.toml");
    expect_code(&["report", "baseline", &known, &bad], 2);
    let until = ["--reason", "ticket 7", "--until", "9999-12-31"];
    let written = expect_code(&[&["report", "baseline", &known, &bad], &until[..]].concat(), 0);
    let written = String::from_utf8(written.stdout).unwrap();
    assert!(written.ends_with(": 1 known failure\n"), "{written}");
    let with = ["--baseline", known.as_str()];
    let forgiven = json_of(&expect_code(&[&only[..], &defect, &with].concat(), 0));
    let row = forgiven["checks"].as_array().unwrap().iter().find(|row| row["verdict"] == "known").unwrap();
    assert_eq!(row["known"]["reason"], "ticket 7");
    let stale = json_of(&expect_code(&[&only[..], &with].concat(), 4));
    assert!(!stale["staleBaseline"].as_array().unwrap().is_empty());
    let text = std::fs::read_to_string(&known).unwrap().replace("9999-12-31", "2001-01-01");
    std::fs::write(&known, text).unwrap();
    let expired = json_of(&expect_code(&[&only[..], &defect, &with].concat(), 1));
    assert!(!expired["expiredBaseline"].as_array().unwrap().is_empty());
    expect_code(&["report", "baseline", &known, &good], 0);
    assert!(!std::fs::read_to_string(&known).unwrap().contains("[[known]]"));
}

#[test]
fn github_gets_annotations_and_a_pipe_gets_failures_without_colour() {
    let output = command(&BROKEN).env("GITHUB_ACTIONS", "true").output().unwrap();
    let (text, commands) =
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert!(commands.lines().any(|line| line.starts_with("::error title=")), "{commands}");
    assert!(!text.contains('\u{1b}') && !text.contains("not yet"), "{text}");
    assert_eq!(text.lines().next().unwrap().split("  ").next(), Some("GET /api/tokens"), "{text}");
    for part in [
        "clause:    LIST-COUNT",
        "expected:  ",
        "actual:    ",
        // With the address of a plain `up`.
        "reproduce: curl -sS -i 'http://127.0.0.1:4700/api/tokens",
        "replay:    slipway check --seed 1 --defect list-count-everything",
    ] {
        assert!(text.contains(part), "{part:?} is missing in\n{text}");
    }
    assert!(
        text.find("FAILED ").unwrap() > text.find("checks passed").unwrap(),
        "failures stand last\n{text}"
    );
}
