//! Generators of clients and of requests accept our OpenAPI documents: the clients read every endpoint, and answers match the documents.
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::json;
use slipway_test_support::{Tool, need};

use crate::clients::tools::{SLIPWAY, compiles, npm_folder, python, slipway, source, succeed};
use crate::site::Site;

/// Writes the documents of both services into this folder.
fn documents(folder: &Path) {
    for service in ["rest", "swap"] {
        fs::write(folder.join(format!("{service}.json")), slipway(&["show", "openapi", service])).unwrap();
    }
}

/// Runs a program that reads all endpoints of a new platform; returns its output.
fn said(command: &[&str], folder: &Path) -> String {
    let mut exec = Command::new(SLIPWAY);
    let output = succeed(exec.args(["exec", "--"]).args(command).current_dir(folder));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn openapi_typescript_client_compiles_and_reads_every_endpoint() {
    let Some(()) = need(&[Tool::Node]) else { return };
    let (generator, folder) = (npm_folder("tests/openapi"), npm_folder("launchers/npm"));
    let generated = folder.join("test/generated");
    fs::create_dir_all(&generated).unwrap();
    documents(&generated);
    for service in ["rest", "swap"] {
        let [from, to] = ["json", "d.ts"].map(|ending| generated.join(format!("{service}.{ending}")));
        let mut generate = Command::new("npx");
        succeed(generate.arg("openapi-typescript").arg(from).arg("-o").arg(to).current_dir(&generator));
    }
    compiles(&folder, "nodenext", &["--types", "node", "--outDir", "compiled", "test/openapi.ts"]);
    assert_eq!(said(&["node", "compiled/openapi.js"], &folder), "read 21 operations\n");
}

#[test]
fn openapi_python_client_is_made_without_warnings_and_reads_every_endpoint() {
    let Some(()) = need(&[Tool::Python, Tool::Venv]) else { return };
    let python = python("tests/openapi/requirements.txt");
    let folder = tempfile::tempdir().unwrap();
    documents(folder.path());
    // The generator formats its output with a program of its own environment.
    let programs = python.parent().unwrap();
    let known = std::env::var_os("PATH").unwrap_or_default();
    let path =
        std::env::join_paths([programs.to_owned()].into_iter().chain(std::env::split_paths(&known))).unwrap();
    for service in ["rest", "swap"] {
        let mut generate = Command::new(programs.join("openapi-python-client"));
        generate.args(["generate", "--meta", "none", "--fail-on-warning", "--config"]);
        generate.arg(source("tests/openapi/config.yaml"));
        generate.args(["--path", &format!("{service}.json"), "--output-path", &format!("{service}_client")]);
        succeed(generate.env("PATH", &path).current_dir(folder.path()));
    }
    let program = folder.path().join("read.py");
    fs::copy(source("tests/openapi/read.py"), &program).unwrap();
    let said = said(&[python.to_str().unwrap(), program.to_str().unwrap()], folder.path());
    assert_eq!(said, "read 22 operations\n");
}

/// The output of Schemathesis about the service at this address; `None` if it finds nothing.
fn found(origin: &str, options: &[&str]) -> Option<String> {
    let python = python("tests/openapi/schemathesis.txt");
    let folder = tempfile::tempdir().unwrap();
    let mut run = Command::new(python.parent().unwrap().join("schemathesis"));
    run.args(["run", &format!("{origin}/openapi.json"), "--seed", "1", "--max-examples", "5", "--no-color"]);
    run.args(["--phases", "coverage,fuzzing", "--generation-database", "none"]);
    run.args(["--checks", CHECKS]).args(options).current_dir(folder.path());
    let output = run.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    match output.status.code() {
        Some(0) => None,
        Some(1) => Some(said),
        code => panic!("{code:?}: {said}{}", String::from_utf8_lossy(&output.stderr)),
    }
}

/// The properties of every answer: it is declared, with the declared type and form. Failures of the service (5xx) are declared with their
/// exact messages, so any other one is found.
const CHECKS: &str = "status_code_conformance,content_type_conformance,response_schema_conformance";

#[tokio::test(flavor = "multi_thread")]
async fn schemathesis_finds_nothing_in_any_service() {
    let Some(()) = need(&[Tool::Python, Tool::Venv]) else { return };
    let site = Site::start(&["--clock", "fixed"]);
    let operator = format!("X-Operator-Key: {}", site.text("operatorKey"));
    let wallet = json!({ "address": site.ready["accounts"][0]["address"] });
    let token = site.order("/_sim/bearers", &wallet).await["token"].take();
    let bearer = format!("Authorization: Bearer {}", token.as_str().unwrap());
    // The control plane last: it moves the clock, reverts, and makes other services fail.
    for (service, headers) in [
        ("baseUrl", vec!["--header", &operator, "--header", &bearer]),
        ("swapBaseUrl", vec![]),
        // It waits for blocks that never come.
        ("controlUrl", vec!["--exclude-operation-id", "waitUntilIndexed"]),
    ] {
        assert_eq!(found(site.text(service), &headers), None, "{service}");
    }
}

#[test]
fn schemathesis_finds_seeded_defects() {
    let Some(()) = need(&[Tool::Python, Tool::Venv]) else { return };
    for (defect, operation) in
        [("list-market-cap-text", "listTokens"), ("svc-refusal-as-text", "getLeaderboard")]
    {
        let site = Site::start(&["--clock", "fixed", "--defect", defect]);
        let found = found(site.text("baseUrl"), &["--include-operation-id", operation]);
        assert!(found.is_some(), "{defect}");
    }
}
