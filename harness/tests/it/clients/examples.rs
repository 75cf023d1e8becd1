//! The examples, run like their readers do, with the libraries in their lockfiles: on a platform, and in a rehearsal.
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use slipway_contracts::toolchain::{TestTools, ToolchainOptions};
use slipway_test_support::{Tool, need, node_path};

use crate::clients::tools::{SLIPWAY, npm_folder, python, source, succeed};

/// Runs an example to success on a separate platform, and under each fault of a rehearsal, where it must break no rule.
fn runs(interpreter: Option<&Path>, example: &Path, path: &OsString) {
    let under = |command: &str| {
        let mut slipway = Command::new(SLIPWAY);
        slipway.args([command, "--"]).args(interpreter).arg(example).env("PATH", path);
        String::from_utf8(succeed(&mut slipway).stdout).unwrap()
    };
    let said = under("exec");
    assert!(said.starts_with("launched, traded and graduated 0x"), "{said}");
    let report = under("rehearse");
    assert!(report.contains("; 0 findings; "), "{report}");
}

#[test]
fn every_example_is_run_and_has_at_most_160_lines() {
    let tests = include_str!("examples.rs");
    let files = fs::read_dir(source("examples")).unwrap().map(|entry| entry.unwrap().path());
    for file in files.filter(|file| file.is_file()) {
        let text = String::from_utf8_lossy(&fs::read(&file).unwrap()).into_owned();
        if text.contains("slipway exec -- ") {
            let name = file.file_name().unwrap().to_str().unwrap();
            assert!(
                tests.contains(&format!("{}\")", name.trim_end_matches(".rs"))),
                "{name} is run by no test"
            );
            let lines = text.lines().count();
            assert!(lines <= 160, "{name} has {lines} lines");
        }
    }
}

#[test]
fn viem_example_runs_and_breaks_no_rule() {
    let Some(()) = need(&[Tool::Node]) else { return };
    runs(Some(Path::new("node")), &npm_folder("examples").join("viem.mjs"), &node_path());
}

#[test]
fn ethers_example_runs_and_breaks_no_rule() {
    let Some(()) = need(&[Tool::Node]) else { return };
    runs(Some(Path::new("node")), &npm_folder("examples").join("ethers.mjs"), &node_path());
}

#[test]
fn web3_example_runs_and_breaks_no_rule() {
    let Some(()) = need(&[Tool::Python, Tool::Venv]) else { return };
    let python = python("examples/requirements.txt");
    runs(Some(&python), &source("examples/web3_example.py"), &node_path());
}

#[test]
fn alloy_example_runs_and_breaks_no_rule() {
    let built = Path::new(SLIPWAY).parent().unwrap().join("examples/alloy_example");
    runs(None, &built, &node_path());
}

/// cast comes from the packages of the tests.
#[tokio::test]
async fn shell_example_runs_and_breaks_no_rule() {
    let Some(()) = need(&[Tool::Curl, Tool::Jq]) else { return };
    let tools = TestTools::locate(&ToolchainOptions::from_environment(), &|_| {}).await.unwrap();
    let known = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> =
        std::iter::once(tools.cast_folder()).chain(std::env::split_paths(&known)).collect();
    let path = std::env::join_paths(folders).unwrap();
    runs(Some(Path::new("bash")), &source("examples/shell.sh"), &path);
}
