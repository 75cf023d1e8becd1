//! A tool server whose platform is still starting, and the rules it hands to agents.
use serde_json::json;
use slipway_tool_server::{Addresses, StartFailed};
use tokio::sync::oneshot;

use crate::peer::{Environment, Peer, code};

const WALLET_INFO: &str = r#"{"name":"wallet_info"}"#;

#[tokio::test]
async fn only_calls_wait_for_the_platform() {
    let (announce, announced) = oneshot::channel::<Addresses>();
    let start = Box::pin(async { Ok::<_, StartFailed>(announced.await.unwrap()) });
    let mut peer = Peer::connect_starting(&Environment::offline(), start);
    assert_eq!(peer.initialize("2025-11-25").await["result"]["serverInfo"]["name"], "slipway");
    let call = json!({ "jsonrpc": "2.0", "id": "early", "method": "tools/call", "params": { "name": "wallet_info" } });
    peer.send(&call).await;
    // Answered although the call before them is still waiting.
    assert_eq!(peer.request("tools/list", json!({})).await["result"]["tools"].as_array().unwrap().len(), 5);
    assert!(peer.request("ping", json!({})).await["result"].is_object());
    let nowhere = |port: u16| format!("http://127.0.0.1:{port}").parse().unwrap();
    announce.send(Addresses { rpc_url: nowhere(9), base_url: nowhere(9) }).unwrap();
    let early = peer.line().await.unwrap();
    assert_eq!((&early["id"], code(&early["result"])), (&json!("early"), &json!("rpc-failed")));
    assert_eq!(code(&peer.call_raw(WALLET_INFO).await), "rpc-failed");
    peer.leave().await.unwrap();
}

#[tokio::test]
async fn failed_start_is_a_tool_error() {
    let start = Box::pin(async { Err::<Addresses, _>(StartFailed { problem: "npm is missing".to_owned() }) });
    let mut peer = Peer::connect_starting(&Environment::offline(), start);
    peer.initialize("2025-11-25").await;
    for _ in 0..2 {
        let result = peer.call_raw(WALLET_INFO).await;
        assert_eq!(code(&result), "platform-failed");
        assert!(result.to_string().contains("npm is missing"), "{result}");
    }
    peer.leave().await.unwrap();
}

#[tokio::test]
async fn rules_are_a_resource_and_a_prompt_with_the_caps() {
    let environment = Environment::offline().with("SERVICE_MCP_MAX_RAISE_ETH", "3.25");
    let mut peer = Peer::connect_with(&environment);
    peer.initialize("2025-11-25").await;
    let resources = peer.request("resources/list", json!({})).await;
    let uri = resources["result"]["resources"][0]["uri"].clone();
    let read = peer.request("resources/read", json!({ "uri": uri })).await;
    let text = read["result"]["contents"][0]["text"].as_str().unwrap();
    assert!(text.contains("3.25 ETH") && text.contains("Launching is enabled"), "{text}");
    let prompts = peer.request("prompts/list", json!({})).await;
    let prompt =
        peer.request("prompts/get", json!({ "name": prompts["result"]["prompts"][0]["name"] })).await;
    assert_eq!(prompt["result"]["messages"][0]["content"]["text"], text);
    let unknown = peer.request("resources/read", json!({ "uri": "file:///etc/passwd" })).await;
    assert!(unknown["error"]["code"].is_i64(), "{unknown}");
    let unknown = peer.request("prompts/get", json!({ "name": "none" })).await;
    assert_eq!(unknown["error"]["code"], -32602);
}
