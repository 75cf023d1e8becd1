//! Clients wait for their transactions with the defaults of their libraries, over HTTP and over a WebSocket, and none waits forever.
use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

use slipway_contracts::toolchain::{TestTools, ToolchainOptions};
use slipway_test_support::{Tool, need};

use crate::clients::tools::{SLIPWAY, npm_folder, python, source, succeed};

/// One, two and five confirmations, each more than once: blocks mined for one transaction must not confirm the next.
const STEPS: [&str; 2] = ["1,2,5", "2"];

/// Runs the client on a platform where nobody else sends transactions.
fn waits(command: &[&OsStr], ways: &[&str]) {
    for way in ways {
        let mut exec = Command::new(SLIPWAY);
        exec.args(["exec", "--clock", "fixed", "--"]).args(command).args(STEPS).arg(way);
        let output = succeed(&mut exec);
        let waits: Vec<f64> = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(waits.len(), 6, "{command:?} over {way}");
    }
}

/// Runs the client in a folder with its packages.
fn script(name: &str) {
    let Some(()) = need(&[Tool::Node]) else { return };
    let packages = npm_folder("examples");
    let script = packages.join(format!("waits_{name}"));
    std::fs::copy(source("tests/waiting").join(name), &script).unwrap();
    waits(&[OsStr::new("node"), script.as_os_str()], &["http", "ws"]);
}

#[test]
fn viem_waits_by_default() {
    script("viem.mjs");
}

#[test]
fn ethers_waits_by_default() {
    script("ethers.mjs");
}

#[test]
fn web3_waits_by_default() {
    let Some(()) = need(&[Tool::Python, Tool::Venv]) else { return };
    let python = python("examples/requirements.txt");
    waits(&[python.as_os_str(), source("tests/waiting/web3_waits.py").as_os_str()], &["http", "ws"]);
}

#[test]
fn alloy_waits_by_default() {
    let built = Path::new(SLIPWAY).parent().unwrap().join("examples/alloy_waits");
    waits(&[built.as_os_str()], &["http", "ws"]);
}

/// cast comes from the packages of the tests.
#[tokio::test]
async fn cast_waits_by_default() {
    let tools = TestTools::locate(&ToolchainOptions::from_environment(), &|_| {}).await.unwrap();
    let cast = tools.cast_folder().join("cast");
    let script = source("tests/waiting/cast.sh");
    waits(&[OsStr::new("bash"), script.as_os_str(), cast.as_os_str()], &["http", "ws"]);
}
