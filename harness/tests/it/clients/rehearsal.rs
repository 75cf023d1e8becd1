//! `slipway rehearse`: a client that does everything right breaks no rule, and each rule catches the client that breaks it.
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};

use crate::clients::tools::SLIPWAY;
use crate::program::ends;

const FAULTS: [&str; 13] = [
    "nothing",
    "rate-limited",
    "request-timeout",
    "unavailable",
    "slow-answer",
    "cut-answer",
    "used-captcha",
    "paused-creation",
    "moving-price",
    "reorganisation",
    "graduation",
    "other-chain",
    "growing-list",
];

fn toy() -> PathBuf {
    Path::new(SLIPWAY).parent().unwrap().join("examples/toy_client")
}

fn rehearse(options: &[&str], client: &[&str]) -> Output {
    rehearse_in(tempfile::tempdir().unwrap().path(), options, client)
}

/// Rehearses with this folder for temporary files.
fn rehearse_in(folder: &Path, options: &[&str], client: &[&str]) -> Output {
    let mut command = Command::new(SLIPWAY);
    command.arg("rehearse").args(options).arg("--").args(client).env("TMPDIR", folder);
    command.output().unwrap()
}

/// The JSON report of a rehearsal that must end with this code.
fn report(code: i32, options: &[&str], client: &[&str]) -> Value {
    let output = rehearse(&[&["--json"], options].concat(), client);
    let said = String::from_utf8_lossy(&output.stderr);
    let report = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(code), "{report}\n{said}");
    serde_json::from_str(&report).unwrap_or_else(|error| panic!("{error}: {report}\n{said}"))
}

fn members<'a>(list: &'a Value, name: &str) -> Vec<&'a str> {
    list.as_array().unwrap().iter().map(|row| row[name].as_str().unwrap()).collect()
}

#[test]
fn a_good_client_breaks_no_rule_and_meets_every_fault() {
    meets_every_fault(&[]);
}

#[test]
fn a_good_client_may_ask_by_batches_over_websockets() {
    meets_every_fault(&["websocket", "batch"]);
}

/// Rehearses the client that breaks no rule, and asks so.
fn meets_every_fault(manner: &[&str]) {
    let toy = toy();
    let report = report(0, &[], &[&[toy.to_str().unwrap()], manner].concat());
    assert_eq!(report["findings"], json!([]));
    assert_eq!(members(&report["runs"], "fault"), FAULTS);
    for run in report["runs"].as_array().unwrap() {
        assert_eq!((&run["verdict"], &run["exitCode"]), (&json!("passed"), &json!(0)), "{run}");
        let is_met = run["injected"].as_u64().unwrap() > 0;
        assert_eq!(
            is_met,
            !["nothing", "paused-creation"].contains(&run["fault"].as_str().unwrap()),
            "{run}"
        );
    }
}

#[test]
fn each_rule_finds_the_client_that_breaks_it() {
    let toy = toy();
    for (wrong, fault, rule, sentence) in [
        ("retry-broadcast", "cut-answer", "broadcast-retried", "never sent again"),
        ("retry-broadcast", "unavailable", "broadcast-retried", "never sent again"),
        ("websocket retry-broadcast", "cut-answer", "broadcast-retried", "never sent again"),
        ("websocket batch ignore-chain", "other-chain", "other-chain-used", "has reported the chain id"),
        ("retry-in-batch", "unavailable", "broadcast-retried", "never sent again"),
        ("revalidate-capabilities", "nothing", "private-cached", "private and not to be stored"),
        ("cache-capabilities", "nothing", "private-cached", "private and not to be stored"),
        ("ignore-retry-after", "rate-limited", "retry-after-ignored", "Retry-After"),
        ("ignore-capabilities", "paused-creation", "withdrawn-capability-used", "flags.create"),
        ("reuse-captcha", "used-captcha", "captcha-reused", "serves one request"),
        ("exceed-limit", "nothing", "limit-exceeded", "30 reads of referral stats"),
        ("ignore-chain", "other-chain", "other-chain-used", "has reported the chain id"),
        ("skip-simulation", "nothing", "unsimulated-transaction", "simulated before it is signed"),
        ("any-price", "moving-price", "trade-unbounded", "the least that it accepts"),
        ("redirect-quote", "nothing", "quote-altered", "as it was shown"),
        ("round-amounts", "nothing", "amount-rounded", "every digit"),
        ("keep-first-total", "growing-list", "pages-unread", "the latest answer states"),
    ] {
        let words: Vec<&str> = [toy.to_str().unwrap()].into_iter().chain(wrong.split(' ')).collect();
        let report = report(1, &["--only", fault], &words);
        let findings = report["findings"].as_array().unwrap();
        assert!(findings.iter().all(|finding| finding["rule"] == rule), "{wrong}: {findings:#?}");
        let found = findings.iter().find(|finding| finding["fault"] == fault).unwrap();
        assert!(found["sentence"].as_str().unwrap().contains(sentence), "{found}");
        if rule == "limit-exceeded" {
            assert_eq!(found["clause"], "REF-READ-RATE", "{found}");
        }
        let replay = found["replay"].as_str().unwrap();
        assert!(replay.contains(&format!("--only {fault} -- ")) && replay.ends_with(wrong), "{replay}");
    }
}

const AGENT_FAULTS: [&str; 9] = [
    "nothing",
    "hostile-names",
    "hostile-descriptions",
    "hostile-links",
    "hostile-chat",
    "moved-price",
    "wrong-chain",
    "endless-answer",
    "endless-launch",
];

fn toy_agent() -> PathBuf {
    Path::new(SLIPWAY).parent().unwrap().join("examples/toy_agent")
}

/// With 20 seeds if `SLIPWAY_THOROUGH` is set.
#[test]
fn a_good_agent_breaks_no_rule_and_meets_everything_that_happens_to_agents() {
    let seeds = if std::env::var_os("SLIPWAY_THOROUGH").is_some() { 20 } else { 1 };
    for seed in 1..=seeds {
        let seed = seed.to_string();
        let options = ["--agent", "--wait", "30", "--seed", &seed];
        let report = report(0, &options, &[toy_agent().to_str().unwrap()]);
        assert_eq!(report["findings"], json!([]), "seed {seed}");
        assert_eq!(members(&report["runs"], "fault"), AGENT_FAULTS);
        for run in report["runs"].as_array().unwrap() {
            assert_eq!((&run["verdict"], &run["exitCode"]), (&json!("passed"), &json!(0)), "{seed}: {run}");
            assert_eq!(run["injected"].as_u64().unwrap() > 0, run["fault"] != "nothing", "{seed}: {run}");
            let launches =
                u64::from(!["wrong-chain", "endless-answer"].contains(&run["fault"].as_str().unwrap()));
            assert_eq!(run["broadcasts"], launches, "{seed}: {run}");
        }
    }
}

#[test]
fn each_bad_agent_is_caught_by_its_rule_and_no_other() {
    let toy = toy_agent();
    for (wrong, fault, rule) in [
        ("pay-a-name", "hostile-names", "planted-address-paid"),
        ("approve-in-chat", "hostile-chat", "planted-address-paid"),
        ("take-a-link", "hostile-links", "planted-text-signed"),
        ("take-a-code", "hostile-descriptions", "planted-text-signed"),
        ("take-an-amount", "hostile-descriptions", "planted-amount-spent"),
        ("quote-the-chat", "hostile-chat", "planted-text-passed-on"),
        ("show-the-key", "hostile-chat", "key-passed-on"),
        ("skip-the-preview", "nothing", "launch-unpreviewed"),
        ("keep-the-preview", "moved-price", "preview-outdated"),
        ("ignore-chain", "wrong-chain", "wrong-chain-signed"),
        ("launch-again", "endless-launch", "launch-repeated"),
        ("wait-for-ever", "endless-answer", "waited-for-ever"),
    ] {
        // Faults that make the agent wait are injected in one run only.
        let only: Vec<&str> = AGENT_FAULTS[1..]
            .iter()
            .filter(|each| **each == fault || !each.starts_with("endless"))
            .flat_map(|each| ["--only", each])
            .collect();
        let options = [&["--agent", "--wait", "8"], only.as_slice()].concat();
        let report = report(1, &options, &[toy.to_str().unwrap(), wrong]);
        let findings = report["findings"].as_array().unwrap();
        assert!(findings.iter().all(|finding| finding["rule"] == rule), "{wrong}: {findings:#?}");
        let found = findings.iter().find(|finding| finding["fault"] == fault);
        let found = found.unwrap_or_else(|| panic!("{wrong}: {findings:#?}"));
        let replay = found["replay"].as_str().unwrap();
        assert!(replay.starts_with("slipway rehearse --agent --seed 1 --only "), "{replay}");
        assert!(replay.contains(&format!("--only {fault} -- ")) && replay.ends_with(wrong), "{replay}");
    }
}

/// MCP 2025-06-18, transports: messages are UTF-8. What is not is the tool server's to answer, and the session goes on.
#[test]
fn a_line_that_is_no_text_ends_no_session_of_an_agent() {
    let agent = r#"
        coproc SERVER { $SLIPWAY_MCP_COMMAND; }
        asks() { printf '%s\n' "$1" >&"${SERVER[1]}" && read -r answer <&"${SERVER[0]}" && [[ $answer == *'"result"'* ]]; }
        printf '\377\376\n' >&"${SERVER[1]}"
        read -r answer <&"${SERVER[0]}" && [[ $answer == *'"error"'* ]] || exit 4
        asks '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"a","version":"0"}}}' || exit 5
        printf '%s\n' '{"jsonrpc":"2.0","method":"notifications/initialized"}' >&"${SERVER[1]}"
        asks '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"wallet_info","arguments":{}}}'
    "#;
    let report = report(0, &["--agent", "--wait", "30", "--only", "hostile-chat"], &["bash", "-c", agent]);
    assert_eq!(members(&report["runs"], "verdict"), ["passed", "skipped"], "{report}");
}

/// A script that writes its calls and then reads gets the answers, as from the tool server itself.
#[test]
fn an_agent_that_has_closed_its_side_gets_the_answers_to_what_it_asked() {
    let agent = r#"
        {
            printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"a","version":"0"}}}'
            printf '%s\n' '{"jsonrpc":"2.0","method":"notifications/initialized"}'
            printf '%s\n' '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"wallet_info","arguments":{}}}'
        } | $SLIPWAY_MCP_COMMAND | grep -q '"id":2,"result"'
    "#;
    let report = report(0, &["--agent", "--wait", "30", "--only", "hostile-chat"], &["bash", "-c", agent]);
    assert_eq!(members(&report["runs"], "verdict"), ["passed", "skipped"], "{report}");
}

#[test]
fn what_happens_to_agents_needs_the_option_and_other_faults_go_without_it() {
    for (options, said) in [
        (&["--only", "hostile-chat"][..], "hostile-chat goes with --agent"),
        (&["--agent", "--only", "cut-answer"], "cut-answer goes without --agent"),
    ] {
        let output = rehearse(options, &["true"]);
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&output.stderr).contains(said), "{output:?}");
    }
}

#[test]
fn the_text_names_the_sentence_the_request_and_the_replay() {
    let output = rehearse(&["--only", "paused-creation"], &[toy().to_str().unwrap(), "ignore-capabilities"]);
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stdout).unwrap();
    for part in [
        "paused-creation  failed  exit 0; ",
        "\nFAILED withdrawn-capability-used\n  fault:     paused-creation: creation is paused",
        "  rule:      A client launches only when the capabilities answered with success",
        "  clause:    CAP-INACTIVE\n",
        "  actual:    launched although flags.create is false\n",
        ": eth_sendRawTransaction of chain 57073\n  replay:    slipway rehearse --seed 1 --only paused-creation -- ",
        "\n1 passed, 1 failed, 0 skipped; 1 finding; seed 1, ",
    ] {
        assert!(text.contains(part), "{part:?} is not in\n{text}");
    }
}

#[test]
fn clients_that_fail_hang_or_do_nothing_are_told_apart() {
    let one = ["--only", "rate-limited", "--wait", "1"];
    let failing = report(3, &one, &["sh", "-c", "exit 7"]);
    assert_eq!(members(&failing["runs"], "verdict"), ["inconclusive"]);
    assert_eq!(failing["runs"][0]["exitCode"], 7);
    let hanging = report(3, &one, &["sleep", "1000"]);
    assert_eq!(hanging["runs"][0]["timedOut"], true);
    let asking = report(0, &["--only", "used-captcha"], &["sh", "-c", ASKS]);
    assert_eq!(members(&asking["runs"], "verdict"), ["passed", "skipped"]);
    let unknown = rehearse(&["--only", "rain"], &["true"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&unknown.stderr).contains("used-captcha"));
    let missing = rehearse(&[], &["/nonexistent/client"]);
    assert_eq!(missing.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&missing.stderr).contains("/nonexistent/client"));
}

/// A client that asks for nothing but capabilities.
const ASKS: &str = "curl -fs -o /dev/null \"$SLIPWAY_BASE_URL/api/capabilities?chainId=57073\"";

#[test]
fn a_client_that_asks_nothing_of_the_platform_passes_nothing() {
    for (options, client, said) in [
        (&[][..], "true", "the client asked nothing of this platform; does it read SLIPWAY_BASE_URL or"),
        (&[], "exit 7", "the client fails without any fault: mend that first; the client asked nothing"),
        (&["--agent"], ASKS, "the client called no tool; does it start the server of SLIPWAY_MCP_CONFIG or"),
    ] {
        let report = report(3, options, &["sh", "-c", client]);
        assert_eq!(members(&report["runs"], "verdict"), ["inconclusive"]);
        assert!(report["runs"][0]["reason"].as_str().unwrap().starts_with(said), "{report}");
        let text = String::from_utf8(rehearse(options, &["sh", "-c", client]).stdout).unwrap();
        assert!(text.contains(said) && text.contains("?\nIt printed nothing.\n"), "{text}");
    }
}

#[test]
fn what_a_client_breaks_without_a_fault_fails_no_other_run() {
    let wrong = [toy().display().to_string(), "skip-simulation".to_owned()];
    let output = rehearse(&["--only", "used-captcha"], &wrong.each_ref().map(String::as_str));
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{text}");
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("nothing       failed") && !lines[0].contains("as in nothing"), "{text}");
    assert!(lines[1].starts_with("used-captcha  passed"), "{text}");
    assert!(lines[1].ends_with("; 1 finding as in nothing"), "{text}");
    assert!(text.contains("\n1 passed, 1 failed, 0 skipped; 1 finding; seed"), "{text}");
}

#[test]
fn what_a_client_prints_is_kept_and_with_v_goes_to_standard_error() {
    let folder = tempfile::tempdir().unwrap();
    let told = |options: &[&str]| {
        let options = [&["--only", "rate-limited"], options].concat();
        let output = rehearse_in(folder.path(), &options, &["sh", "-c", "echo printed; exit 7"]);
        [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap())
    };
    let kept = |said: &str| {
        let (_, rest) = said.split_once("what the client printed in each run: ").unwrap();
        let log = Path::new(rest.lines().next().unwrap()).join("nothing.log");
        assert_eq!(fs::read_to_string(log).unwrap(), "printed\n");
    };
    let [report, narration] = told(&[]);
    assert!(report.contains("It printed last:\n  printed\n"), "{report}");
    assert!(!narration.contains("printed\n"), "{narration}");
    kept(&report);
    let [_, narration] = told(&["--json"]);
    kept(&narration);
    let [report, narration] = told(&["-v"]);
    assert!(narration.contains("printed\n") && !report.contains("printed"), "{report}{narration}");
}

#[test]
fn a_client_that_prints_without_end_is_read_and_kept_up_to_a_bound() {
    let folder = tempfile::tempdir().unwrap();
    let print = ["sh", "-c", "yes | head -c 50000000; echo the end; exit 7"];
    let output = rehearse_in(folder.path(), &["--only", "rate-limited"], &print);
    let report = String::from_utf8(output.stdout).unwrap();
    assert!(report.contains("exit 7") && report.contains("the rest was dropped\n"), "{report}");
    let (_, rest) = report.split_once("what the client printed in each run: ").unwrap();
    let log = fs::read(Path::new(rest.lines().next().unwrap()).join("nothing.log")).unwrap();
    assert!(log.starts_with(b"y\ny\n"));
    assert!((16 << 20..(16 << 20) + 100).contains(&log.len()), "{} bytes", log.len());
}

#[test]
fn what_a_client_leaves_behind_ends_with_its_run() {
    let folder = tempfile::tempdir().unwrap();
    let pids = folder.path().join("pids");
    let script = format!("sleep 1000 & echo $! >> {}; {ASKS}", pids.display());
    report(0, &["--only", "used-captcha"], &["sh", "-c", &script]);
    let pids = fs::read_to_string(pids).unwrap();
    assert_eq!(pids.lines().count(), 2);
    pids.lines().for_each(ends);
}
