//! `slipway.toml`, `--wait`, and `slipway doctor`.
use std::collections::BTreeSet;
use std::net::TcpListener;
use std::process::Stdio;
use std::time::Instant;

use serde_json::Value;
use slipway_test_support::relay::relay;
use tokio::net::TcpSocket;

use crate::program::{Running, command, expect_code, json, run};

#[test]
fn target_file_of_the_current_folder_is_checked() {
    let up = Running::up(&["--clock", "fixed"]);
    let ready = up.ready();
    let folder = tempfile::tempdir().unwrap();
    let key = ready["accounts"][0]["privateKey"].as_str().unwrap();
    std::fs::write(folder.path().join("keys"), key).unwrap();
    let file = format!(
        "base-url = {}\ncontrol-url = {}\nprivate-keys = {{ file = \"keys\" }}\nlane = \"write\"\n\n[rpc-urls]\n57073 = {}\n",
        ready["baseUrl"], ready["controlUrl"], ready["chains"][0]["rpcUrl"]
    );
    std::fs::write(folder.path().join("slipway.toml"), file).unwrap();
    let deeper = folder.path().join("deeper");
    std::fs::create_dir(&deeper).unwrap();
    let mut check = command(&["check", "--json", "--only", "LIST-COUNT", "--only", "upload-serves"]);
    let output = check.current_dir(&deeper).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(json(&output)["summary"]["skipped"], 0, "the file allows writes");
    // An option overrides the file.
    let mut check = command(&["check", "--json", "--only", "LIST-COUNT", "--base-url", "http://127.0.0.1:1"]);
    assert_eq!(check.current_dir(&deeper).output().unwrap().status.code(), Some(3));
    std::fs::write(folder.path().join("slipway.toml"), "base-uri = \"http://127.0.0.1:1\"").unwrap();
    let mut check = command(&["check", "--only", "LIST-COUNT"]);
    let output = check.current_dir(&deeper).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(
        error.contains("slipway.toml:1:") && error.contains("base-uri") && error.lines().count() == 1,
        "{error}"
    );
}

#[test]
fn token_of_the_target_file_is_shown() {
    let up = Running::up(&["--clock", "fixed", "--control-token", "locked"]);
    let ready = up.ready();
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("keys"), ready["accounts"][0]["privateKey"].as_str().unwrap()).unwrap();
    std::fs::write(folder.path().join("token"), "locked\n").unwrap();
    let check = |file: &str| {
        let described = format!(
            "base-url = {}\ncontrol-url = {}\nprivate-keys = {{ file = \"keys\" }}\nlane = \"write\"\n{file}",
            ready["baseUrl"], ready["controlUrl"]
        );
        std::fs::write(folder.path().join("slipway.toml"), described).unwrap();
        // An upload uses a captcha of the control plane.
        let mut check = command(&["check", "--json", "--only", "upload-serves"]);
        check.env_remove("SLIPWAY_CONTROL_TOKEN").current_dir(folder.path()).output().unwrap()
    };
    let output = check("control-token = { file = \"token\" }\n");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(json(&output)["summary"]["passed"], 1);
    let refused = check("");
    assert_eq!(refused.status.code(), Some(3), "{}", String::from_utf8_lossy(&refused.stderr));
}

/// Without a REST service the contracts named in the file are judged, by reads and by writes; what only a service shows is not.
#[test]
fn contracts_alone_are_judged() {
    let up = Running::up(&["--clock", "fixed"]);
    let ready = up.ready();
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("keys"), ready["accounts"][0]["privateKey"].as_str().unwrap()).unwrap();
    let (url, contracts) = (&ready["chains"][0]["rpcUrl"], &ready["chains"][0]["contracts"]);
    let check = |conventions: &str, only: &[&str]| {
        let described = format!(
            "private-keys = {{ file = \"keys\" }}\nlane = \"write\"\n[rpc-urls]\n57073 = {url}\n[target.conventions]\n{conventions}"
        );
        std::fs::write(folder.path().join("slipway.toml"), described).unwrap();
        let mut check = command(&["check", "--json"]);
        check.args(only.iter().flat_map(|id| ["--only", id])).current_dir(folder.path()).output().unwrap()
    };
    let named = format!(
        "hook = {}\nv1-factory = {}\nrouter = {}\nquoter = {}\n",
        contracts["LaunchHook"],
        contracts["TokenFactory"],
        contracts["UniversalRouter"],
        contracts["V4Quoter"]
    );
    let output = check(&named, &["chain-*", "token-after-launch"]);
    let report = json(&output);
    assert_eq!(output.status.code(), Some(0), "{report:#}");
    let checks = report["checks"].as_array().unwrap();
    let without = |verdict: &str| {
        let other = checks.iter().filter(|row| row["verdict"] != verdict);
        other.filter_map(|row| row["id"].as_str()).collect::<BTreeSet<_>>()
    };
    // One chain was given, and no service.
    assert_eq!(without("passed"), BTreeSet::from(["chain-ids", "token-after-launch"]), "{report:#}");
    let judged = |id: &str| &checks.iter().find(|row| row["id"] == id).unwrap()["statements"];
    assert_eq!(*judged("chain-after-graduation"), serde_json::json!(["S296", "S5"]));
    let nobody = "hook = \"0x00000000000000000000000000000000000000aa\"";
    let output = check(nobody, &["chain-launch-limits"]);
    let reason = &json(&output)["checks"][0]["reason"];
    assert!(reason.as_str().is_some_and(|reason| reason.contains("has no code")), "{reason}");
}

#[tokio::test(flavor = "multi_thread")]
async fn waiting_ends_when_the_target_answers_or_time_is_up() {
    // Bound but not listening: it refuses connections, and no other process can take the port meanwhile.
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let address = format!("http://{}", socket.local_addr().unwrap());
    let begun = Instant::now();
    let output = run(&["check", "--only", "LIST-COUNT", "--base-url", &address, "--wait", "1"]);
    assert_eq!(output.status.code(), Some(3));
    assert!(begun.elapsed().as_secs() >= 1);
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(
        error.contains("the REST service") && error.contains(&address) && error.contains("1 s"),
        "{error}"
    );

    let check =
        command(&["check", "--json", "--only", "LIST-COUNT", "--base-url", &address, "--wait", "120"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
    let up = Running::up(&["--clock", "fixed"]);
    let origin = up.ready()["baseUrl"].as_str().unwrap().to_owned();
    let target = tokio::spawn(relay(socket.listen(64).unwrap(), origin));
    let output = check.wait_with_output().unwrap();
    target.abort();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(json(&output)["summary"]["passed"], 1);
}

fn row<'a>(report: &'a Value, part: &str) -> &'a Value {
    report.as_array().unwrap().iter().find(|row| row["part"] == part).unwrap()
}

#[test]
fn doctor_names_each_gap_with_its_remedy() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let report = json(&run(&["doctor", "--json", "--port", &port.to_string()]));
    for part in ["slipway", "anvil", "ports", "engine", "database", "cache"] {
        assert!(row(&report, part)["found"].is_string(), "{part}");
    }
    let ports = row(&report, "ports");
    assert_eq!(ports["state"], "optional");
    assert!(ports["found"].as_str().unwrap().contains(&port.to_string()), "{ports}");
    assert!(ports["remedy"].as_str().unwrap().contains("--port"), "{ports}");

    let empty = tempfile::tempdir().unwrap();
    let output = command(&["doctor"])
        .env("PATH", empty.path())
        .env("XDG_CACHE_HOME", empty.path())
        .env_remove("ANVIL")
        .env_remove("SLIPWAY_TOOLCHAIN")
        .env("DOCKER_HOST", "unix:///nonexistent/docker.sock")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(3), "nothing can start without anvil");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("missing   anvil"), "{text}");
    assert!(text.contains("SLIPWAY_TOOLCHAIN") && text.contains("DOCKER_HOST"), "{text}");
}

/// Exit code 2: a file that the command line names is wrong.
#[test]
fn what_is_no_folder_is_refused_before_anything_is_made_in_it() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let shown = file.path().to_str().unwrap();
    for command in [&["doctor", "--install", shown][..], &["man", shown]] {
        let said = String::from_utf8(expect_code(command, 2).stderr).unwrap();
        assert!(said.starts_with(&format!("error: the folder {shown} cannot be written: ")), "{said}");
    }
}

/// npm installs the chain tools into the cache.
#[test]
fn doctor_misses_the_chain_tools_that_have_no_place() {
    let output = command(&["doctor"])
        .env("XDG_CACHE_HOME", "/proc/none")
        .env_remove("SLIPWAY_TOOLCHAIN")
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("missing   anvil") && text.contains("XDG_CACHE_HOME"), "{text}");
    assert_eq!(output.status.code(), Some(3));
}

/// 192.0.2.0/24 is for documentation and no machine's (RFC 5737).
#[test]
fn an_address_of_another_machine_is_no_host() {
    let output = run(&["up", "--port", "0", "--host", "192.0.2.1"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("`--host` takes an address of this machine") && !said.contains("--port"), "{said}");
}

#[test]
fn sample_of_the_documentation_satisfies_the_schema() {
    let schema = json(&run(&["show", "schema", "target"]));
    let validator = jsonschema::validator_for(&schema).unwrap();
    let page = include_str!("../../../docs/reference/settings.md");
    let sample = page.split("```toml\n").nth(1).unwrap().split("```").next().unwrap();
    let mut described: Value = toml::from_str(sample).unwrap();
    assert!(validator.is_valid(&described), "{described:#}");
    described["base-uri"] = Value::from("https://launch.example");
    assert!(!validator.is_valid(&described), "unknown members are refused");
}
