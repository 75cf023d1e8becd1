//! The warnings of a preview, against a scripted chain and service.
use serde_json::{Value, json};

use crate::chain::serve;
use crate::peer::{Environment, Peer, launch_with};

/// A response of the RPC, `result` or `error`, by method.
type Script = fn(&str) -> Option<Value>;

/// The preview of a valid launch on a chain with this script.
async fn preview(script: Script) -> Value {
    let address = serve(move |method, _| script(method)).await;
    let environment =
        Environment::offline().with("SERVICE_MCP_RPC_URL", &address).with("SERVICE_BASE_URL", &address);
    let mut peer = Peer::connect_with(&environment);
    peer.initialize("2025-11-25").await;
    peer.preview(launch_with("prebuyEth", json!(0.05))).await
}

/// Codes of the warnings.
fn warnings(preview: &Value) -> Vec<&str> {
    let listed = preview["structuredContent"]["warnings"].as_array().unwrap();
    listed.iter().map(|warning| warning["code"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn each_failed_step_is_a_warning() {
    let cases: [(Script, &[&str]); 5] = [
        // Enough for the prebuy, not for the gas.
        (
            |method| (method == "eth_getBalance").then(|| json!({ "result": "0xb1a2bc2ec50001" })),
            &["balance-short"],
        ),
        (|method| (method == "eth_estimateGas").then(|| json!({ "result": "0xfffffff" })), &["gas-limit"]),
        (
            |method| (method == "eth_maxPriorityFeePerGas").then(|| json!({ "result": 7 })),
            &["response-malformed"],
        ),
        (
            |method| match method {
                "eth_maxPriorityFeePerGas" => Some(json!({ "error": { "code": -32601, "message": "no" } })),
                "eth_gasPrice" => Some(json!({ "result": "0x2" })),
                _ => None,
            },
            &[],
        ),
        (
            |method| match method {
                "eth_getTransactionCount" => Some(json!({ "error": { "code": -1, "message": "no" } })),
                "eth_getCode" => Some(json!({ "result": "0x" })),
                _ => None,
            },
            &["rpc-failed", "hook-without-code"],
        ),
    ];
    for (script, expected) in cases {
        let preview = preview(script).await;
        assert_eq!(warnings(&preview), expected, "{preview}");
    }
}
