//! Golden transcript of the tool server: the greeting, the tools with their schemas, and one answer of each shape.
use std::ffi::OsString;

use serde_json::{Value, json};
use slipway_test_support::is_current;
use slipway_tool_server::{ToolServerConfig, reference, serve_on};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};

use super::golden::{Market, golden_folder};
use super::tree::root;

pub(super) const IDS: [&str; 12] = [
    "tools-greeting",
    "tools-list",
    "tools-wallet-info",
    "tools-preview-launch",
    "tools-preview-refused",
    "tools-launch-without-writes",
    "tools-launch-status",
    "tools-recent-launches",
    "tools-unknown-tool",
    "tools-resources",
    "tools-rules",
    "tools-prompts",
];

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
        ("initialize", greeting),
        ("tools/list", json!({})),
        tool("wallet_info", json!({})),
        tool("preview_launch", launch),
        tool("preview_launch", json!({ "name": "Slip", "ticker": "TOO LONG A TICKER" })),
        tool("launch_token", confirmed),
        tool("launch_status", json!({ "launchId": 1 })),
        tool("recent_launches", json!({ "limit": 2 })),
        tool("no_such_tool", json!({})),
        ("resources/list", json!({})),
        ("resources/read", json!({ "uri": "slipway://rules" })),
        ("prompts/list", json!({})),
    ];
    let _bound = golden_folder();
    for (number, (id, (method, params))) in IDS.into_iter().zip(asked).enumerate() {
        let question = json!({ "jsonrpc": "2.0", "id": number, "method": method, "params": params });
        questions.write_all(format!("{question}\n").as_bytes()).await.unwrap();
        let answer = answers.next_line().await.unwrap().unwrap();
        let answer: Value = serde_json::from_str(&answer).unwrap();
        assert_eq!(answer["id"], number);
        insta::assert_snapshot!(id, market.redacted(format!("{question:#}\n\n{answer:#}")));
        if number == 0 {
            let opened = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
            questions.write_all(format!("{opened}\n").as_bytes()).await.unwrap();
        }
    }
    questions.shutdown().await.unwrap();
    drop((questions, answers));
    serving.await.unwrap().unwrap();
    market.stop().await;
}
