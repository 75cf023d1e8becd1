//! Transactions with more calls and events than are shown.
use alloy::primitives::Address;
use serde_json::{Value, json};

use super::Nodes;
use crate::platform::config;

/// Sends a transaction to a contract that repeats this code, which leaves the stack as it is; returns its explanation and its page.
async fn repeated(nodes: &Nodes, code: &str, times: u32) -> (Value, String) {
    let contract = Address::repeat_byte(0xaa);
    // Counts down from `times`; the loop begins at 4.
    let code = format!("0x62{times:06x}5b{code}600190038060045700");
    nodes.result("anvil_setCode", json!([contract, code])).await;
    let ready = nodes.platform.ready();
    let payment = json!([{ "from": ready.accounts[0].address, "to": contract, "gas": "0x1c00000" }]);
    let receipt = nodes.result("eth_sendTransactionSync", payment).await;
    assert_eq!(receipt["status"], "0x1", "{receipt}");
    let hash = receipt["transactionHash"].as_str().unwrap();
    let read = async |url: String| {
        let answer = nodes.client.get(url).send().await.unwrap();
        let (status, text) = (answer.status(), answer.text().await.unwrap());
        assert_eq!(status, 200, "{text}");
        text
    };
    let control = ready.control_url.as_ref().unwrap();
    let told = read(format!("{control}/_sim/transactions/{hash}")).await;
    (serde_json::from_str(&told).unwrap(), read(format!("{}/tx/{hash}", ready.base_url)).await)
}

fn counted(told: &Value) -> (usize, &Value, usize, &Value) {
    let length = |name: &str| told[name].as_array().unwrap().len();
    (length("calls"), &told["truncated"], length("events"), &told["eventCount"])
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_and_events_are_shown_up_to_a_limit() {
    let nodes = Nodes::behind(config()).await;
    let more_calls = "It makes more calls than are shown.";
    // A log without topics and data.
    let log = "60006000a0";
    let (told, page) = repeated(&nodes, log, 500).await;
    assert_eq!(counted(&told), (1, &json!(false), 500, &json!(500)));
    assert!(!page.contains("more than are shown") && !page.contains(more_calls));
    let (told, page) = repeated(&nodes, log, 5_000).await;
    assert_eq!(counted(&told), (1, &json!(false), 500, &json!(5_000)));
    assert!(page.contains("It has 5,000 events, more than are shown.") && page.len() < 1 << 20);
    // A call of an account without code.
    let call = "600060006000600060fe5afa50";
    let (told, page) = repeated(&nodes, call, 499).await;
    assert_eq!(counted(&told), (500, &json!(false), 0, &json!(0)));
    assert!(!page.contains(more_calls));
    let (told, page) = repeated(&nodes, call, 500).await;
    assert_eq!(counted(&told), (500, &json!(true), 0, &json!(0)));
    assert!(page.contains(more_calls));
    // The trace of these is too large to be read.
    let (told, page) = repeated(&nodes, call, 100_000).await;
    assert_eq!(counted(&told), (1, &json!(true), 0, &json!(0)));
    assert_eq!(told["calls"][0]["depth"], 0);
    assert!(page.contains(more_calls));
    nodes.platform.stop().await;
}
