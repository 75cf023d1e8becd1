//! Golden transcript of the tool server: the greeting, the tools with their schemas, and one answer of each shape.
use std::ffi::OsString;

use serde_json::{Value, json};
use slipway_test_support::is_current;
use slipway_tool_server::{ToolServerConfig, reference, serve_on};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};

use super::golden::{Golden, Market};
use super::tree::root;

#[test]
fn page_describes_every_tool() {
    is_current(&root().join("docs/reference/tools.md"), "tools", &reference());
}

#[tokio::test]
async fn the_conversation_is_the_golden_one() {
    let market = Market::start().await;
    let ready = market.ready();
    let variables = [
        ("SERVICE_BASE_URL", ready.base_url.clone()),
        ("SERVICE_MCP_RPC_URL", ready.chains[0].rpc_url.clone()),
        ("SERVICE_MCP_PRIVATE_KEY", ready.accounts[0].private_key.to_string()),
    ];
    let lookup = |name: &str| {
        let found = variables.iter().find(|(variable, _)| *variable == name);
        found.map(|(_, value)| OsString::from(value))
    };
    let config = ToolServerConfig::from_variables(&lookup).unwrap();
    let (ours, theirs) = tokio::io::duplex(1 << 20);
    let (input, output) = tokio::io::split(theirs);
    let serving = tokio::spawn(serve_on(config, Box::new(input), Box::new(output)));
    let (answers, mut questions) = tokio::io::split(ours);
    let mut answers = BufReader::new(answers).lines();
    let launch = json!({
        "name": "Slip", "ticker": "SLIP", "description": "A launch that is previewed.",
        "imageUrl": "https://1.1.1.1/slip.png", "targetRaiseEth": 1,
    });
    let tool = |name: &str, arguments: Value| ("tools/call", json!({ "name": name, "arguments": arguments }));
    let greeting = json!({
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "golden", "version": "0" },
    });
    let mut confirmed = launch.clone();
    confirmed["confirm"] = "YES".into();
    let asked = [
        ("greeting", ("initialize", greeting)),
        ("list", ("tools/list", json!({}))),
        ("wallet-info", tool("wallet_info", json!({}))),
        ("preview-launch", tool("preview_launch", launch)),
        ("preview-refused", tool("preview_launch", json!({ "name": "Slip", "ticker": "TOO LONG A TICKER" }))),
        ("launch-without-writes", tool("launch_token", confirmed)),
        ("launch-status", tool("launch_status", json!({ "launchId": 1 }))),
        ("recent-launches", tool("recent_launches", json!({ "limit": 2 }))),
        ("unknown-tool", tool("no_such_tool", json!({}))),
        ("resources", ("resources/list", json!({}))),
        ("rules", ("resources/read", json!({ "uri": "slipway://rules" }))),
        ("prompts", ("prompts/list", json!({}))),
    ];
    let mut golden = Golden::default();
    for (number, (id, (method, params))) in asked.into_iter().enumerate() {
        let question = json!({ "jsonrpc": "2.0", "id": number, "method": method, "params": params });
        questions.write_all(format!("{question}\n").as_bytes()).await.unwrap();
        let answer = answers.next_line().await.unwrap().unwrap();
        let answer: Value = serde_json::from_str(&answer).unwrap();
        assert_eq!(answer["id"], number);
        golden.add(id, &market.redacted(format!("{question:#}\n\n{answer:#}")));
        if number == 0 {
            let opened = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
            questions.write_all(format!("{opened}\n").as_bytes()).await.unwrap();
        }
    }
    golden.compare("tools");
    questions.shutdown().await.unwrap();
    drop((questions, answers));
    serving.await.unwrap().unwrap();
    market.stop().await;
}
