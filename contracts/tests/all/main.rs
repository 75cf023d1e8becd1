//! Integration tests of the crate, one binary.

#![expect(clippy::unwrap_used, reason = "a test fails by unwrapping")]

mod abi;
mod compile;
mod deploy;
mod natspec;
mod node;
mod node_exit;
mod toolchain;

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use alloy::primitives::Bytes;
use flate2::read::GzDecoder;
use serde_json::Value;
use slipway_contracts::node::Node;
use slipway_contracts::toolchain::{TestTools, Toolchain, ToolchainOptions};
use tokio::sync::OnceCell;

/// The real tools, installed by the first test that needs them.
async fn tools() -> &'static Toolchain {
    static TOOLS: OnceCell<Toolchain> = OnceCell::const_new();
    TOOLS
        .get_or_init(|| async {
            Toolchain::locate(&ToolchainOptions::from_environment(), &|_| {}).await.expect("the chain tools")
        })
        .await
}

/// The real test-only tools, installed by the first test that needs them.
async fn test_tools() -> &'static TestTools {
    static TOOLS: OnceCell<TestTools> = OnceCell::const_new();
    TOOLS
        .get_or_init(|| async {
            TestTools::locate(&ToolchainOptions::from_environment(), &|_| {}).await.expect("the test tools")
        })
        .await
}

/// Sets and stops the node's time, like the platform.
async fn stand_at(node: &Node, at: u64) {
    let _: Value = node.command("evm_setTime", (at,)).await.unwrap();
    let _: Value = node.command("anvil_setBlockTimestampInterval", (0,)).await.unwrap();
}

/// Writes the state of a node to a file for another node to load.
async fn dump_state(node: &Node, file: &Path) {
    let packed: Bytes = node.command("anvil_dumpState", ()).await.unwrap();
    io::copy(&mut GzDecoder::new(&packed[..]), &mut File::create(file).unwrap()).unwrap();
}

const REENTERED: &str = "SLIPWAY_TEST_REENTERED";

/// This binary again, running only one of its tests: a process for that test to watch and kill.
fn reenter(test: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("a running test has a binary"));
    command.args(["--exact", test, "--nocapture"]).env(REENTERED, "1");
    command
}

/// Whether this process is the one that [`reenter`] made.
fn is_reentered() -> bool {
    std::env::var_os(REENTERED).is_some()
}

/// Makes an executable script. A child process writes it: if this process did, a fork of another test could hold the file open for
/// writing, and the system would refuse to run it.
fn script(path: PathBuf, content: &str) -> PathBuf {
    let status = Command::new("sh")
        .args(["-c", r#"printf '#!/bin/sh\n%s\n' "$2" > "$1" && chmod 755 "$1""#, "sh"])
        .arg(&path)
        .arg(content)
        .status()
        .expect("a shell");
    assert!(status.success());
    path
}
