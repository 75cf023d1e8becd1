//! Clients that well-known generators make from the documents of both services: they compile, and read every endpoint.
use std::fs;
use std::path::Path;
use std::process::Command;

use slipway_test_support::{Tool, need};

use crate::clients::tools::{SLIPWAY, compiles, npm_folder, python, slipway, source, succeed};

/// The documents of both services, each in a file of this folder.
fn documents(folder: &Path) {
    for service in ["rest", "swap"] {
        fs::write(folder.join(format!("{service}.json")), slipway(&["openapi", service])).unwrap();
    }
}

/// The output of a program that reads all endpoints of a separate platform.
fn said(command: &[&str], folder: &Path) -> String {
    let mut exec = Command::new(SLIPWAY);
    let output = succeed(exec.args(["exec", "--"]).args(command).current_dir(folder));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn openapi_typescript_client_compiles_and_reads_every_endpoint() {
    let Some(()) = need(&[Tool::Node]) else { return };
    let folder = npm_folder("launchers/npm");
    let generated = folder.join("test/generated");
    fs::create_dir_all(&generated).unwrap();
    documents(&generated);
    for service in ["rest", "swap"] {
        let (from, to) = (format!("{service}.json"), format!("{service}.d.ts"));
        let mut generate = Command::new("npx");
        succeed(generate.args(["openapi-typescript", &from, "-o", &to]).current_dir(&generated));
    }
    compiles(&folder, "nodenext", &["--outDir", "compiled", "test/openapi.ts"]);
    assert_eq!(said(&["node", "compiled/openapi.js"], &folder), "read 21 operations\n");
}

#[test]
fn openapi_python_client_is_made_without_warnings_and_reads_every_endpoint() {
    let Some(()) = need(&[Tool::Python, Tool::Venv]) else { return };
    let python = python("tests/openapi/requirements.txt");
    let folder = tempfile::tempdir().unwrap();
    documents(folder.path());
    // The generator formats what it writes with a program of its own environment.
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
