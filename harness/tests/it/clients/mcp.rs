//! The embedded tool server with clients of the Model Context Protocol: the inspector, and the Python and TypeScript SDKs.
use std::process::Command;

use serde_json::Value;
use slipway_test_support::{Tool, need};

use crate::clients::tools::{SLIPWAY, npm_folder, python, source, succeed};

const SAID: &str = "5 tools, 1 resource, 1 prompt, 3 calls\n";

#[test]
fn inspector_lists_and_calls_the_tools() {
    let Some(()) = need(&[Tool::Node]) else { return };
    let folder = npm_folder("tests/mcp");
    let inspect = |arguments: &[&str]| -> Value {
        let mut npx = Command::new("npx");
        npx.args(["--no-install", "@modelcontextprotocol/inspector", "--cli", SLIPWAY, "mcp", "--embedded"]);
        let output = succeed(npx.arg("--method").args(arguments).current_dir(&folder));
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
    };
    assert_eq!(inspect(&["tools/list"])["tools"].as_array().unwrap().len(), 5);
    let rules = inspect(&["resources/read", "--uri", "slipway://rules"]);
    assert!(rules["contents"][0]["text"].as_str().unwrap().contains("Launching is disabled"), "{rules}");
    let wallet = inspect(&["tools/call", "--tool-name", "wallet_info"]);
    assert_eq!(wallet["structuredContent"]["chainId"], 57073, "{wallet}");
    let launch = inspect(&["tools/call", "--tool-name", "launch_status", "--tool-arg", "launchId=1"]);
    assert_eq!(launch["structuredContent"]["launchId"], "1", "{launch}");
}

#[test]
fn typescript_sdk_converses() {
    let Some(()) = need(&[Tool::Node]) else { return };
    let folder = npm_folder("tests/mcp");
    let output = succeed(Command::new("node").args(["sdk.mjs", SLIPWAY]).current_dir(folder));
    assert_eq!(String::from_utf8(output.stdout).unwrap(), SAID);
}

#[test]
fn python_sdk_converses() {
    let Some(()) = need(&[Tool::Python, Tool::Venv]) else { return };
    let output = succeed(
        Command::new(python("tests/mcp/requirements.txt")).arg(source("tests/mcp/sdk.py")).arg(SLIPWAY),
    );
    assert_eq!(String::from_utf8(output.stdout).unwrap(), SAID);
}
