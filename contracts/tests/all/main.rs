//! Integration tests of the crate, one binary.

#![expect(clippy::unwrap_used, reason = "a test fails by unwrapping")]

mod abi;
mod compile;
mod deploy;
mod node;
mod node_death;
mod toolchain;

use std::path::PathBuf;
use std::process::Command;

use slipway_contracts::toolchain::{Toolchain, ToolchainOptions};
use tokio::sync::OnceCell;

/// The true tools, installed by the first test that needs them.
async fn tools() -> &'static Toolchain {
    static TOOLS: OnceCell<Toolchain> = OnceCell::const_new();
    TOOLS
        .get_or_init(|| async {
            Toolchain::locate(&ToolchainOptions::from_environment(), &|_| {})
                .await
                .expect("the chain tools")
        })
        .await
}

/// This binary again, to run one of its tests alone as a process that another test watches and kills.
fn reenter(test: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("a running test has a binary"));
    command
        .args(["--exact", test, "--ignored", "--nocapture"])
        .env(REENTERED, "1");
    command
}

const REENTERED: &str = "SLIPWAY_TEST_REENTERED";

/// Refuses to run a test that is meant for [`reenter`] only.
fn require_reentered() {
    assert!(
        std::env::var_os(REENTERED).is_some(),
        "this test is run by another test only"
    );
}

/// Makes an executable script. A child process writes it: were it this process, a fork of another test could hold the file open for
/// writing, and the system would refuse to run it.
fn script(path: PathBuf, content: &str) -> PathBuf {
    let status = Command::new("sh")
        .args([
            "-c",
            r#"printf '#!/bin/sh\n%s\n' "$2" > "$1" && chmod 755 "$1""#,
            "sh",
        ])
        .arg(&path)
        .arg(content)
        .status()
        .expect("a shell");
    assert!(status.success());
    path
}
