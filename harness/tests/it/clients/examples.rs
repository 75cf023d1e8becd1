//! The examples, run as their readers run them, with the libraries in their lockfiles.
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use slipway_contracts::toolchain::{TestTools, ToolchainOptions};
use slipway_test_support::{Tool, need, node_path};

use crate::clients::tools::{SLIPWAY, npm_folder, python, source, succeed};

/// Runs an example with a separate platform.
fn runs(interpreter: Option<&Path>, example: &Path, path: &OsString) {
    let mut exec = Command::new(SLIPWAY);
    exec.args(["exec", "--"]).args(interpreter).arg(example).env("PATH", path);
    let output = succeed(&mut exec);
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.starts_with("launched, traded and graduated 0x"), "{said}");
}

#[test]
fn examples_have_at_most_160_lines() {
    for example in ["viem.mjs", "ethers.mjs", "web3_example.py", "alloy_example.rs", "shell.sh"] {
        let lines = std::fs::read_to_string(source("examples").join(example)).unwrap().lines().count();
        assert!(lines <= 160, "{example} has {lines} lines");
    }
}

#[test]
fn viem_example_runs() {
    let Some(()) = need(&[Tool::Node]) else { return };
    runs(Some(Path::new("node")), &npm_folder("examples").join("viem.mjs"), &node_path());
}

#[test]
fn ethers_example_runs() {
    let Some(()) = need(&[Tool::Node]) else { return };
    runs(Some(Path::new("node")), &npm_folder("examples").join("ethers.mjs"), &node_path());
}

#[test]
fn web3_example_runs() {
    let Some(()) = need(&[Tool::Python, Tool::Venv]) else { return };
    let python = python("examples/requirements.txt");
    runs(Some(&python), &source("examples/web3_example.py"), &node_path());
}

#[test]
fn alloy_example_runs() {
    let built = Path::new(SLIPWAY).parent().unwrap().join("examples/alloy_example");
    runs(None, &built, &node_path());
}

/// cast comes from the packages of the tests.
#[tokio::test]
async fn shell_example_runs() {
    let Some(()) = need(&[Tool::Curl, Tool::Jq]) else { return };
    let tools = TestTools::locate(&ToolchainOptions::from_environment(), &|_| {}).await.unwrap();
    let known = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> =
        std::iter::once(tools.cast_folder()).chain(std::env::split_paths(&known)).collect();
    let path = std::env::join_paths(folders).unwrap();
    runs(Some(Path::new("bash")), &source("examples/shell.sh"), &path);
}
