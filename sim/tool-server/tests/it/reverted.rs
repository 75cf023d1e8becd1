//! A launch that is mined and reverts: its error says why.
use alloy::primitives::{Bytes, keccak256};
use serde_json::{Value, json};

use crate::chain::serve;
use crate::peer::{Environment, Peer, code, launch_with};

/// The code and the message of the refusal if the launch's call fails like this on the state after its block.
async fn refused(call: Value) -> (String, String) {
    let address = serve(move |method, params| match method {
        "eth_sendRawTransaction" => {
            let payload: Bytes = params[0].as_str().unwrap().parse().unwrap();
            Some(json!({ "result": keccak256(payload) }))
        }
        "eth_getTransactionReceipt" => Some(json!({ "result": {
            "transactionHash": params[0], "blockNumber": "0x7", "status": "0x0", "logs": [],
        } })),
        "eth_call" => {
            assert_eq!(params[1], "0x7");
            Some(call.clone())
        }
        _ => None,
    })
    .await;
    let environment =
        Environment::offline().with("SERVICE_MCP_RPC_URL", &address).with("SERVICE_BASE_URL", &address);
    let mut peer = Peer::connect_with(&environment);
    peer.initialize("2025-11-25").await;
    let params = json!({ "name": "launch_token", "arguments": launch_with("confirm", json!("YES")) });
    let result = peer.call_raw(&params.to_string()).await;
    (
        code(&result).as_str().unwrap_or_default().to_owned(),
        result["content"][0]["text"].as_str().unwrap().to_owned(),
    )
}

#[tokio::test]
async fn a_mined_launch_that_reverted_says_why_as_far_as_the_rpc_tells() {
    let reverted =
        |data: &str| json!({ "error": { "code": 3, "message": "execution reverted", "data": data } });
    let expired = format!("0xd81b2f2e{:064x}", 7);
    for (call, reason) in [
        (reverted("0x05232efc"), "RaiseOutOfRange()"),
        (reverted(&expired), "AllowanceExpired(deadline: 7)"),
        (reverted("0x01020304"), "execution reverted"),
        (json!({ "result": "0x" }), "the RPC does not tell why"),
        (json!({ "error": { "code": -32000, "message": "missing trie node" } }), "the RPC does not tell why"),
    ] {
        let (code, text) = refused(call).await;
        assert_eq!(code, "reverted");
        assert!(text.contains(&format!(" was mined and reverted: {reason}")), "{reason}: {text}");
    }
}
