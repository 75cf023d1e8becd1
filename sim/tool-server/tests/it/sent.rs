//! A launch whose broadcast gets no response.
use std::sync::Arc;
use std::time::{Duration, Instant};

use alloy::primitives::{Bytes, hex, keccak256};
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::chain::serve;
use crate::peer::{Environment, Peer, code, launch_with};

/// The tool server's time limit for a response, as the setting and as a duration for the test.
const WAIT: (&str, &str) = ("SLIPWAY_ANSWER_WAIT_SECONDS", "0.3");
const WAITED: Duration = Duration::from_millis(250);

fn launch(id: u64) -> Value {
    let mut arguments = launch_with("confirm", json!("YES"));
    arguments["name"] = json!(format!("Launch {id}"));
    let params = json!({ "name": "launch_token", "arguments": arguments });
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params })
}

#[tokio::test]
async fn cancelled_launch_keeps_its_turn_until_its_broadcast_is_over() {
    let (broadcast, mut broadcasts) = mpsc::unbounded_channel();
    let nonces = Arc::<Mutex<Vec<Instant>>>::default();
    let asked = Arc::clone(&nonces);
    let address = serve(move |method, params| match method {
        "eth_sendRawTransaction" => {
            let payload: Bytes = params[0].as_str().unwrap().parse().unwrap();
            broadcast.send((keccak256(payload), Instant::now())).unwrap();
            Some(Value::Null)
        }
        "eth_getTransactionCount" => {
            asked.lock().push(Instant::now());
            None
        }
        "eth_getTransactionReceipt" => Some(json!({ "result": null })),
        // A launch whose members are all 1.
        "eth_call" => {
            Some(json!({ "result": hex::encode_prefixed([[0; 31].as_slice(), &[1]].concat().repeat(40)) }))
        }
        _ => None,
    })
    .await;
    let environment = Environment::offline()
        .with("SERVICE_MCP_RPC_URL", &address)
        .with("SERVICE_BASE_URL", &address)
        .with(WAIT.0, WAIT.1);
    let mut peer = Peer::connect_with(&environment);
    peer.initialize("2025-11-25").await;

    peer.send(&launch(101)).await;
    let (first, began) = broadcasts.recv().await.unwrap();
    let cancelled = json!({ "requestId": 101, "reason": "a test" });
    peer.send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancelled })).await;
    peer.send(&launch(102)).await;
    let second = loop {
        let line = peer.line().await.unwrap();
        if line["id"] == 102 {
            break line;
        }
    };
    assert_eq!(code(&second["result"]), "broadcast-unknown");
    let (other, _) = broadcasts.recv().await.unwrap();
    assert!(nonces.lock()[1] - began >= WAITED, "the nonce is read when the broadcast is over");
    assert!(broadcasts.try_recv().is_err(), "each launch is sent once");

    let status = peer.call_raw(r#"{"name":"launch_status","arguments":{"launchId":1}}"#).await;
    let listed = status["structuredContent"]["sentLaunches"].as_array().unwrap();
    let shown: Vec<_> = listed.iter().map(|sent| (&sent["transactionHash"], &sent["state"])).collect();
    let (first, other) = (json!(first), json!(other));
    assert_eq!(shown, [(&first, &json!("unknown")), (&other, &json!("unknown"))]);
}
