//! `slipway mcp` as started by an editor, and the checks of tool servers as run by the author of another one.
use slipway_contracts::ChainId;
use std::collections::BTreeMap;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Stdio as Pipe;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use slipway_scenarios::client::stdio::{PATIENCE, Stdio};
use slipway_scenarios::model::target::ToolServerCommand;

use crate::program::{Running, command, expect_code, json as report_of};

fn tool_server(arguments: &[&str]) -> ToolServerCommand {
    ToolServerCommand {
        program: env!("CARGO_BIN_EXE_slipway").to_owned(),
        arguments: arguments.iter().map(ToString::to_string).collect(),
        variables: BTreeMap::new(),
    }
}

/// Time limit of a tool's first call, which waits until a platform is started and seeded for it.
const START_PATIENCE: Duration = Duration::from_secs(300);
/// Time limit of the greeting, whatever else the start includes.
const GREETING: Duration = Duration::from_secs(1);

pub(crate) async fn greeted(arguments: &[&str], variables: &[(&str, &str)]) -> Stdio {
    let mut stdio = Stdio::spawn(&tool_server(arguments), variables).unwrap();
    let greeting = json!({
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "test", "version": "0" },
    });
    let id = stdio.begin("initialize", &greeting).await.unwrap();
    let answer = stdio.response(id, PATIENCE).await.unwrap();
    assert_eq!(answer["result"]["serverInfo"]["name"], "slipway");
    stdio.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await.unwrap();
    stdio
}

pub(crate) async fn call(stdio: &mut Stdio, tool: &str, arguments: Value) -> Value {
    let params = json!({ "name": tool, "arguments": arguments });
    let id = stdio.begin("tools/call", &params).await.unwrap();
    stdio.response(id, START_PATIENCE).await.unwrap()["result"].take()
}

#[test]
fn what_a_client_or_its_settings_lack_is_said_in_plain_words() {
    let key = format!("0x{}", "11".repeat(32));
    let greeting = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "test", "version": "0" },
    } });
    let call = |id: u64, method: &str| json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": { "name": "none" } });
    for (lines, said) in [
        (vec![json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" })], "send initialize first"),
        (vec![greeting, call(2, "tools/call")], "unknown tool"),
    ] {
        let mut command = command(&["mcp"]);
        command.env("SERVICE_MCP_PRIVATE_KEY", &key).env("SERVICE_MCP_RPC_URL", "http://127.0.0.1:1");
        command.stdin(Pipe::piped()).stdout(Pipe::piped()).stderr(Pipe::piped());
        let mut child = command.spawn().unwrap();
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        let (answers, log) =
            (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
        assert!(answers.lines().last().unwrap().contains(said), "{answers}");
        assert!(!log.contains("ErrorData"), "{log}");
    }
    let absent = command(&["mcp"]).env("SERVICE_MCP_PRIVATE_KEY_FILE", "/nonexistent/key").output().unwrap();
    let said = String::from_utf8(absent.stderr).unwrap();
    assert!(said.contains("there is no file of the name that SERVICE_MCP_PRIVATE_KEY_FILE gives"), "{said}");
}

#[tokio::test]
async fn embedded_server_exits_with_its_client() {
    let mut stdio = greeted(&["mcp", "--embedded"], &[("SERVICE_MCP_ENABLE_WRITES", "true")]).await;
    let wallet = call(&mut stdio, "wallet_info", json!({})).await;
    assert_eq!(wallet["structuredContent"]["chainId"], ChainId::PRIMARY.0);
    let launch = json!({
        "name": "Embedded", "ticker": "EMB", "description": "Launched on a platform of its own.",
        "imageUrl": "https://1.1.1.1/a.png", "targetRaiseEth": 1, "prebuyEth": 0.05, "confirm": "YES",
    });
    let launched = call(&mut stdio, "launch_token", launch).await;
    let id = &launched["structuredContent"]["launchId"];
    assert!(id.is_string(), "{launched}");
    let status = call(&mut stdio, "launch_status", json!({ "launchId": id })).await;
    assert_eq!(status["structuredContent"]["netContributionsWei"], "49000000000000000");
    // The launches of that chain's seeded market, and this one once its block is indexed.
    let begun = Instant::now();
    let tokens = loop {
        let recent = call(&mut stdio, "recent_launches", json!({ "limit": 50 })).await;
        let tokens = recent["structuredContent"]["tokens"].as_array().unwrap().clone();
        if tokens.len() > 41 || begun.elapsed() > PATIENCE {
            break tokens;
        }
    };
    assert_eq!((tokens.len(), &tokens[0]["name"]), (41 + 1, &json!("Embedded")));
    stdio.close_input();
    assert!(stdio.ended(PATIENCE).await.unwrap().success());
    for line in stdio.output().unwrap().split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        assert_eq!(serde_json::from_slice::<Value>(line).unwrap()["jsonrpc"], "2.0");
    }
}

/// Without the chain tools the start cannot succeed, and the peer gets the reason from its calls.
#[tokio::test]
async fn embedded_server_greets_before_its_platform_starts() {
    let cache = tempfile::tempdir().unwrap();
    let variables = [
        ("XDG_CACHE_HOME", cache.path().to_str().unwrap()),
        ("PATH", "/nonexistent"),
        ("ANVIL", ""),
        ("SLIPWAY_TOOLCHAIN", ""),
    ];
    let begun = Instant::now();
    let mut stdio = greeted(&["mcp", "--embedded", "--offline"], &variables).await;
    assert!(begun.elapsed() < GREETING, "{:?}", begun.elapsed());
    let listed = stdio.request("tools/list", &json!({})).await.unwrap();
    assert_eq!(listed["result"]["tools"].as_array().unwrap().len(), 5);
    let refused = call(&mut stdio, "wallet_info", json!({})).await;
    assert_eq!(refused["_meta"]["slipway/error"]["code"], "platform-failed", "{refused}");
    stdio.close_input();
    assert_eq!(stdio.ended(PATIENCE).await.unwrap().code(), Some(3));
}

#[test]
fn embedded_conflicts_with_addresses() {
    for variable in ["SERVICE_MCP_RPC_URL", "SERVICE_BASE_URL"] {
        let output = command(&["mcp", "--embedded"]).env(variable, "http://127.0.0.1:1").output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8(output.stderr).unwrap().contains(variable));
    }
}

/// Our own tool server disguised as a third party's: it knows none of the interface's variables by name.
fn foreign(folder: &Path) -> String {
    let path = folder.join("foreign.sh");
    let script = format!(
        "#!/bin/sh\n\
         export SERVICE_MCP_RPC_URL=\"$LAUNCH_RPC\" SERVICE_BASE_URL=\"$LAUNCH_SITE\"\n\
         export SERVICE_MCP_PRIVATE_KEY=\"$LAUNCH_KEY\" SERVICE_MCP_ENABLE_WRITES=\"$LAUNCH_WRITES\"\n\
         exec {} mcp\n",
        env!("CARGO_BIN_EXE_slipway")
    );
    std::fs::write(&path, script).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn external_tool_server_uses_renamed_variables() {
    let up = Running::up(&[]);
    let ready = up.ready();
    let folder = tempfile::tempdir().unwrap();
    let (keys, names) = (folder.path().join("keys"), folder.path().join("slipway.toml"));
    std::fs::write(&keys, ready["accounts"][0]["privateKey"].as_str().unwrap()).unwrap();
    let mapping = "[mcp-variables]\nSERVICE_MCP_RPC_URL = \"LAUNCH_RPC\"\nSERVICE_BASE_URL = \"LAUNCH_SITE\"\n\
         SERVICE_MCP_PRIVATE_KEY = \"LAUNCH_KEY\"\nSERVICE_MCP_ENABLE_WRITES = \"LAUNCH_WRITES\"\n";
    std::fs::write(&names, mapping).unwrap();
    let server = foreign(folder.path());
    let rpc = format!("57073={}", ready["chains"][0]["rpcUrl"].as_str().unwrap());
    let mut arguments = vec!["check", "--json", "--lane", "write", "--mcp", &server, "--rpc-url", &rpc];
    arguments.extend(["--base-url", ready["baseUrl"].as_str().unwrap()]);
    arguments.extend(["--private-keys", keys.to_str().unwrap()]);
    for check in ["tool-server-confirm", "tool-server-wallet", "tool-server-chain-change"] {
        arguments.extend(["--only", check]);
    }
    // Without the name mapping none of our variables reaches it.
    let lost = report_of(&expect_code(&arguments, 3));
    assert_eq!(lost["summary"]["passed"], 0, "{lost:#}");
    arguments.extend(["--target-file", names.to_str().unwrap()]);
    let report = report_of(&expect_code(&arguments, 0));
    assert_eq!(report["summary"]["passed"], 3, "{report:#}");
}
