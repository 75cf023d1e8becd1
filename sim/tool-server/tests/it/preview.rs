//! What a preview warns of, against a chain and a service that answer from a script.
use alloy::primitives::hex;
use alloy::sol_types::SolError as _;
use serde_json::{Value, json};
use slipway_contracts::bindings::ILaunchHook;

use crate::chain::{HOOK, serve};
use crate::peer::{Environment, Peer, code, launch_with};

/// A response of the RPC, `result` or `error`, by method.
type Script = fn(&str) -> Option<Value>;

/// The preview of a sound launch against such a chain.
async fn preview(script: Script, variables: &[(&str, &str)]) -> Value {
    let address = serve(move |method, _| script(method)).await;
    let mut environment =
        Environment::offline().with("SERVICE_MCP_RPC_URL", &address).with("SERVICE_BASE_URL", &address);
    for (variable, value) in variables {
        environment = environment.with(variable, value);
    }
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
async fn sound_launch_has_no_warnings() {
    let preview = preview(|_| None, &[]).await;
    assert_eq!(warnings(&preview), [""; 0], "{preview}");
    assert_eq!(
        preview["structuredContent"]["hook"],
        HOOK.to_checksum(None),
        "addresses have their EIP-55 form"
    );
}

#[tokio::test]
async fn every_refusal_of_a_launch_is_a_warning() {
    let cases: [(Script, &[&str]); 10] = [
        (|method| (method == "eth_chainId").then(|| json!({ "result": "0x1" })), &["wrong-chain"]),
        (|method| (method == "eth_getCode").then(|| json!({ "result": "0x" })), &["hook-without-code"]),
        (|method| (method == "eth_getBalance").then(|| json!({ "result": "0x1" })), &["balance-short"]),
        // Enough for the prebuy, not for the gas.
        (
            |method| (method == "eth_getBalance").then(|| json!({ "result": "0xb1a2bc2ec50001" })),
            &["balance-short"],
        ),
        (
            |method| {
                let data = hex::encode_prefixed(ILaunchHook::BelowMinimumBuy::SELECTOR);
                let error = json!({ "code": 3, "message": "execution reverted", "data": data });
                (method == "eth_call").then(|| json!({ "error": error }))
            },
            &["would-revert"],
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
            |method| {
                let head = json!({ "timestamp": "0x6b49d200", "baseFeePerGas": "0x174876e801" });
                (method == "eth_getBlockByNumber").then(|| json!({ "result": head }))
            },
            &["base-fee-over-cap"],
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
        let preview = preview(script, &[]).await;
        assert_eq!(warnings(&preview), expected, "{preview}");
    }
}

#[tokio::test]
async fn settings_and_unreachable_services_are_warnings() {
    let preview = preview(|_| None, &[("SERVICE_MCP_ENABLE_WRITES", "")]).await;
    assert_eq!(warnings(&preview), ["writes-disabled"]);
    let offline = Peer::initialized().await.preview(launch_with("prebuyEth", json!(0))).await;
    assert_eq!(warnings(&offline), ["rpc-failed", "service-failed"]);
    assert_eq!(offline["structuredContent"]["hook"], Value::Null);
}

#[tokio::test]
async fn passed_start_is_refused() {
    let address = serve(|_, _| None).await;
    let environment =
        Environment::offline().with("SERVICE_MCP_RPC_URL", &address).with("SERVICE_BASE_URL", &address);
    let mut peer = Peer::connect_with(&environment);
    peer.initialize("2025-11-25").await;
    for (start, refused) in [(0x6b49_d1ff_u64, true), (0x6b49_d200, false), (0, false)] {
        let preview = peer.preview(launch_with("startTimestamp", json!(start))).await;
        assert_eq!(code(&preview) == "start-past", refused, "{start}");
    }
}
