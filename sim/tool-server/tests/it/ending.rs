//! The end of a conversation: every open request is answered first.
use std::time::{Duration, Instant};

use alloy::primitives::{Bytes, hex, keccak256};
use serde_json::{Value, json};
use slipway_tool_server::{Addresses, StartFailed};
use tokio::sync::{mpsc, oneshot};

use crate::chain::serve;
use crate::peer::{Environment, Peer, launch_with};

/// JSON-RPC 2.0, section 5: "When a rpc call is made, the Server MUST reply with a Response, except for in the case of Notifications."
#[tokio::test]
async fn requests_before_any_greeting_are_answered_although_the_input_ends() {
    for (line, expected) in [
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, json!({})),
        (r#"{"jsonrpc":"2.0","id":1,"method":"no/such"}"#, Value::Null),
        ("no message", Value::Null),
    ] {
        for end in ["\n", ""] {
            let mut peer = Peer::connect();
            peer.send_bytes(format!("{line}{end}").as_bytes()).await;
            peer.close_input().await;
            let rest = peer.rest().await;
            assert_eq!(rest.len(), 1, "{line}: {rest:?}");
            assert_eq!(rest[0]["result"], expected, "{line}");
            assert_eq!(rest[0].get("error").is_some(), expected.is_null(), "{line}");
        }
    }
}

/// A chain that accepts a launch and returns no receipt, and the transactions sent to it.
async fn chain_without_receipts() -> (String, mpsc::UnboundedReceiver<Value>) {
    let (broadcast, broadcasts) = mpsc::unbounded_channel();
    let address = serve(move |method, params| match method {
        "eth_sendRawTransaction" => {
            let payload: Bytes = params[0].as_str().unwrap().parse().unwrap();
            let hash = json!(keccak256(payload));
            broadcast.send(hash.clone()).unwrap();
            Some(json!({ "result": hash }))
        }
        "eth_getTransactionReceipt" => Some(json!({ "result": null })),
        "eth_call" => {
            Some(json!({ "result": hex::encode_prefixed([[0; 31].as_slice(), &[1]].concat().repeat(40)) }))
        }
        _ => None,
    })
    .await;
    (address, broadcasts)
}

fn launch(id: &str) -> Value {
    let arguments = launch_with("confirm", json!("YES"));
    let params = json!({ "name": "launch_token", "arguments": arguments });
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params })
}

#[tokio::test]
async fn open_launch_is_answered_with_its_transaction_when_the_input_ends() {
    let (address, mut broadcasts) = chain_without_receipts().await;
    let environment =
        Environment::offline().with("SERVICE_MCP_RPC_URL", &address).with("SERVICE_BASE_URL", &address);
    let mut peer = Peer::connect_with(&environment);
    peer.initialize("2025-11-25").await;
    peer.send(&launch("launch")).await;
    let hash = broadcasts.recv().await.unwrap();
    peer.close_input().await;
    let rest = peer.rest().await;
    assert_eq!(rest.len(), 1, "{rest:?}");
    assert_eq!((&rest[0]["id"], &rest[0]["error"]["code"]), (&json!("launch"), &json!(-32603)));
    assert_eq!(rest[0]["error"]["data"]["transactionHash"], hash);
    assert!(rest[0]["error"]["message"].as_str().unwrap().contains(hash.as_str().unwrap()));
}

#[tokio::test]
async fn open_requests_are_answered_at_once_when_the_process_is_asked_to_end() {
    let (address, mut broadcasts) = chain_without_receipts().await;
    let environment = Environment::offline();
    let url: url::Url = address.parse().unwrap();
    let start =
        Box::pin(async move { Ok::<_, StartFailed>(Addresses { rpc_url: url.clone(), base_url: url }) });
    let (stop, stopped) = oneshot::channel::<()>();
    let stopped = Box::pin(async move { stopped.await.unwrap() });
    let mut peer = Peer::connect_stopping(&environment, start, stopped);
    peer.initialize("2025-11-25").await;
    peer.send(&launch("one")).await;
    let hash = broadcasts.recv().await.unwrap();
    // The second waits for its turn or for its receipt.
    peer.send(&launch("two")).await;
    assert!(peer.request("ping", json!({})).await["result"].is_object());
    let begun = Instant::now();
    stop.send(()).unwrap();
    let rest = peer.rest().await;
    assert!(begun.elapsed() < Duration::from_secs(3), "{:?}", begun.elapsed());
    let ids: Vec<&Value> = rest.iter().map(|line| &line["id"]).collect();
    assert_eq!(ids, ["one", "two"], "{rest:?}");
    assert_eq!(rest[0]["error"]["data"]["transactionHash"], hash);
}

#[tokio::test]
async fn slow_reader_gets_every_answer() {
    let mut peer = Peer::initialized().await;
    for id in 0..40 {
        // Together more than the pipe holds.
        peer.send(&json!({ "jsonrpc": "2.0", "id": id, "method": "tools/list" })).await;
    }
    peer.close_input().await;
    let mut ids: Vec<u64> = peer.rest().await.iter().map(|line| line["id"].as_u64().unwrap()).collect();
    ids.sort_unstable();
    assert_eq!(ids, (0..40).collect::<Vec<_>>());
}
