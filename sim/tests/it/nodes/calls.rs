//! Ids, notifications and batches at a node, by JSON-RPC 2.0, over HTTP and over a WebSocket.
use std::time::Duration;

use futures::SinkExt as _;
use serde_json::{Value, json};
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message;

use super::{Nodes, Socket, call};
use crate::platform::config;

const PATIENCE: Duration = Duration::from_secs(30);
const INVALID_REQUEST: i64 = -32600;
const INVALID_PARAMS: i64 = -32602;
const LIMIT_EXCEEDED: i64 = -32005;
const ACCOUNT: &str = "0x1111111111111111111111111111111111111111";

impl Nodes {
    /// The answer to a message as text.
    async fn text(&self, message: String) -> String {
        let request = self.client.post(&self.url).header("content-type", "application/json").body(message);
        let answer = request.send().await.unwrap();
        assert_eq!(answer.status().as_u16(), 200);
        answer.text().await.unwrap()
    }
}

impl Socket {
    async fn told(&mut self, message: &str) -> Value {
        self.0.send(Message::text(message)).await.unwrap();
        timeout(PATIENCE, self.next()).await.unwrap()
    }
}

/// Section 4: an id is a string, a number or null. Section 5: the one in the answer is the same as the one in the call.
#[tokio::test(flavor = "multi_thread")]
async fn an_answer_has_the_id_of_its_call() {
    let nodes = Nodes::behind(config()).await;
    // The first is answered by the node, the others by the platform.
    for method in ["eth_chainId", "eth_accounts", "eth_unknown", "anvil_reset"] {
        for id in
            ["7", "-1", "1.5", "1e400", "18446744073709551616", "9007199254740993.0", r#""\ud800""#, "null"]
        {
            let answer = nodes.text(format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}"}}"#)).await;
            assert!(answer.contains(&format!(r#""id":{id},"#)), "{method} {id}: {answer}");
        }
        for id in ["{}", "[1]", "true"] {
            let answer = nodes.text(format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}"}}"#)).await;
            let answer: Value = serde_json::from_str(&answer).unwrap();
            assert_eq!((&answer["id"], &answer["error"]["code"]), (&Value::Null, &json!(INVALID_REQUEST)));
        }
    }
    // Parameters that the node cannot read.
    let call = r#"{"jsonrpc":"2.0","id":7,"method":"eth_call","params":["\ud800"]}"#;
    let answer: Value = serde_json::from_str(&nodes.text(call.to_owned()).await).unwrap();
    assert!(answer["id"] == 7 && answer["error"].is_object(), "{answer}");
    nodes.platform.stop().await;
}

/// The Ethereum execution API: storage keys are `bytesMax32`, of up to 64 digits, and the count of a block that is not there is null.
/// go-ethereum's client sends the percentiles of a fee history as null if there are none.
#[tokio::test(flavor = "multi_thread")]
async fn a_node_reads_what_clients_send() {
    let nodes = Nodes::behind(config()).await;
    let whole = format!("0x{:064x}", 1);
    for key in ["0x1", "0x01", whole.as_str()] {
        let proof = nodes.result("eth_getProof", json!([ACCOUNT, [key], "latest"])).await;
        assert_eq!(proof["storageProof"][0]["value"], "0x0", "{key}: {proof}");
    }
    let history = nodes.result("eth_feeHistory", json!(["0x1", "latest", null])).await;
    assert_eq!(history["gasUsedRatio"].as_array().unwrap().len(), 1, "{history}");
    let absent = ["eth_getBlockTransactionCountByNumber", "eth_getUncleCountByBlockNumber"];
    for method in absent {
        let answer = nodes.ask(method, json!(["0xffffff"])).await;
        assert!(answer["error"].is_null() && answer["result"].is_null(), "{method}: {answer}");
        assert!(nodes.result(method, json!(["latest"])).await.is_string(), "{method}");
        assert_eq!(nodes.ask(method, json!(["soon"])).await["error"]["code"], INVALID_PARAMS, "{method}");
    }
    let uncle = nodes.ask("eth_getUncleByBlockNumberAndIndex", json!(["0xffffff", "0x0"])).await;
    assert!(uncle["error"].is_null() && uncle["result"].is_null(), "{uncle}");
    nodes.platform.stop().await;
}

/// Sections 4.1 and 6: a notification is carried out and has no answer, nor has a batch of nothing else.
#[tokio::test(flavor = "multi_thread")]
async fn notifications_are_carried_out_and_not_answered() {
    let nodes = Nodes::behind(config()).await;
    let set = |balance: &str| json!({ "jsonrpc": "2.0", "method": "anvil_setBalance", "params": [ACCOUNT, balance] });
    let balance = || nodes.result("eth_getBalance", json!([ACCOUNT, "latest"]));
    for (message, expected) in [
        (set("0x1"), "0x1"),
        (json!([set("0x2")]), "0x2"),
        (json!([set("0x3"), set("0x4")]), "0x4"),
        (json!({ "jsonrpc": "2.0", "method": "eth_accounts" }), "0x4"),
        (json!([{ "jsonrpc": "2.0", "method": "anvil_reset" }]), "0x4"),
    ] {
        assert_eq!(nodes.text(message.to_string()).await, "", "{message}");
        assert_eq!(balance().await, expected, "{message}");
    }
    let mut socket = nodes.socket(&[]).await.unwrap();
    for message in [set("0x5"), json!([set("0x6")]), json!({ "jsonrpc": "2.0", "method": "eth_accounts" })] {
        socket.0.send(Message::text(message.to_string())).await.unwrap();
    }
    // The next message is the answer to the next call.
    let answer = socket.ask(&call("eth_chainId", json!([]))).await;
    assert!(answer["id"] == 7 && answer["result"].is_string(), "{answer}");
    nodes.platform.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn subscriptions_are_counted_and_answered_by_their_ids() {
    let nodes = Nodes::behind(config()).await;
    let mut socket = nodes.socket(&[]).await.unwrap();
    for id in ["1e400", "18446744073709551616", r#""\ud800""#] {
        let subscribe =
            format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"eth_subscribe","params":["logs"]}}"#);
        socket.0.send(Message::text(subscribe)).await.unwrap();
        let answer =
            timeout(PATIENCE, futures::StreamExt::next(&mut socket.0)).await.unwrap().unwrap().unwrap();
        let answer = answer.to_text().unwrap();
        assert!(answer.contains(&format!(r#""id":{id},"#)) && answer.contains("result"), "{answer}");
    }
    let unread = r#"{"jsonrpc":"2.0","id":7,"method":"eth_unsubscribe","params":["\ud800"]}"#;
    for _ in 0..70 {
        let answer = socket.told(unread).await;
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(7), &json!(INVALID_PARAMS)));
    }
    let mut last = Value::Null;
    for taken in 3..100 {
        // A subscription that the socket does not have frees no place.
        assert_eq!(socket.ask(&call("eth_unsubscribe", json!(["0x1"]))).await["result"], false);
        last = socket.ask(&call("eth_subscribe", json!(["logs"]))).await["result"].clone();
        assert!(last.is_string(), "{taken}");
    }
    let refused = socket.ask(&call("eth_subscribe", json!(["logs"]))).await;
    assert_eq!(refused["error"]["code"], LIMIT_EXCEEDED, "{refused}");
    // A subscription in a batch is refused, in words and in the answer of the batch.
    let batch = json!([call("eth_chainId", json!([])), call("eth_subscribe", json!(["logs"]))]);
    let answers = socket.told(&batch.to_string()).await;
    assert!(answers[0]["result"].is_string(), "{answers}");
    let message = answers[1]["error"]["message"].as_str().unwrap();
    assert!(message.contains("a message of its own") && answers[1]["id"] == 7, "{answers}");
    assert_eq!(socket.ask(&call("eth_unsubscribe", json!([last]))).await["result"], true);
    assert!(socket.ask(&call("eth_subscribe", json!(["logs"]))).await["result"].is_string());
    nodes.platform.stop().await;
}
