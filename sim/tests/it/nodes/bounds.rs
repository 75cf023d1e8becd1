//! Whatever a caller sends to a node is bounded: work, answers, batches, filters, sockets; and only the platform replaces a chain.
use std::collections::BTreeSet;
use std::net::Ipv4Addr;
use std::time::Duration;

use futures::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use slipway_sim::Config;
use tokio::time::{Instant, timeout};
use tokio_tungstenite::tungstenite::Message;

use super::{Nodes, TOKEN, call};
use crate::platform::{config, order, ordered, signal_nodes};

/// Error code for a limit.
const LIMIT: i64 = -32_005;
/// A program that never ends: JUMPDEST, PUSH1 0, JUMP.
const ENDLESS: &str = "0x5b600056";
/// Time limit of this test's answers on a busy machine.
const BOUNDED: Duration = Duration::from_secs(30);

/// Calls that would never end without a gas limit, by every way to raise it.
fn endless() -> Vec<Value> {
    let huge = "0xffffffffffffffff";
    let code = json!({ "0x00000000000000000000000000000000000000aa": { "code": ENDLESS } });
    let (create, to) =
        (json!({ "data": ENDLESS, "gas": huge }), "0x00000000000000000000000000000000000000aa");
    vec![
        call("eth_call", json!([{ "data": ENDLESS }, "latest"])),
        call("eth_call", json!([create, "pending"])),
        call("eth_call", json!([{ "to": to, "gas": huge }, "latest", code])),
        call("eth_call", json!([{ "to": to }, "latest", code, { "gasLimit": huge }])),
        call("eth_estimateGas", json!([create])),
        call("eth_estimateGas", json!([{ "to": to }, "latest", code, { "gasLimit": huge }])),
        call("eth_createAccessList", json!([create, "latest"])),
        call("debug_traceCall", json!([create, "latest", { "tracer": "callTracer" }])),
        call(
            "eth_simulateV1",
            json!([{ "blockStateCalls": [{
                "blockOverrides": { "gasLimit": huge },
                "stateOverrides": code,
                "calls": [{ "to": to }, { "to": to, "gas": huge }],
            }] }, "latest"]),
        ),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn endless_calls_stop_no_order() {
    let nodes = Nodes::behind(config()).await;
    let limit = nodes.result("eth_getBlockByNumber", json!(["latest", false])).await["gasLimit"].clone();
    assert_eq!(limit, "0x1c9c380");
    for endless in endless() {
        // The caller hangs up; the node continues for a while.
        let sent = nodes.client.post(&nodes.url).json(&endless).send();
        drop(timeout(Duration::from_millis(20), sent).await);
        let (_, _, answer) = timeout(BOUNDED, nodes.post(&[], &endless)).await.unwrap();
        assert!(
            answer["error"].is_object() || answer["result"].is_array() || answer["result"].is_object(),
            "{answer}"
        );
    }
    let orders = async {
        ordered(&nodes.platform, "POST /_sim/clock/advance", json!({ "seconds": 1 })).await;
        ordered(&nodes.platform, "GET /_sim/ready", "").await;
    };
    timeout(BOUNDED, orders).await.unwrap();
    nodes.platform.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn blocks_keep_a_finite_gas_limit() {
    let nodes = Nodes::behind(config()).await;
    let limit =
        async || nodes.result("eth_getBlockByNumber", json!(["latest", false])).await["gasLimit"].clone();
    let checkpoint = nodes.platform.engine().checkpoint(None).await.unwrap();
    let refused = nodes.ask("evm_setBlockGasLimit", json!(["0xffffffffffffffff"])).await;
    assert_eq!(refused["error"]["code"], LIMIT, "{refused}");
    assert_eq!(nodes.result("evm_setBlockGasLimit", json!([100_000_000])).await, true);
    nodes.result("evm_mine", json!([])).await;
    assert_eq!(limit().await, "0x5f5e100");
    nodes.platform.engine().revert(checkpoint).await.unwrap();
    nodes.result("evm_mine", json!([])).await;
    assert_eq!(limit().await, "0x1c9c380");
    nodes.platform.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn batches_and_answers_are_bounded() {
    let host = Ipv4Addr::UNSPECIFIED.into();
    let nodes = Nodes::behind(Config { host, control_token: Some(TOKEN.to_owned()), ..config() }).await;
    let shown = format!("Bearer {TOKEN}");
    let batch = |count: u64| {
        let calls = (0..count).map(|id| json!({ "jsonrpc": "2.0", "id": id, "method": "eth_chainId" }));
        Value::Array(calls.collect())
    };
    for (headers, most) in [(vec![], 100), (vec![("authorization", shown.as_str())], 1_000)] {
        let (_, _, answers) = nodes.post(&headers, &batch(most)).await;
        let ids: Vec<u64> =
            answers.as_array().unwrap().iter().map(|one| one["id"].as_u64().unwrap()).collect();
        assert_eq!(ids, (0..most).collect::<Vec<_>>());
        let (status, _, refused) = nodes.post(&headers, &batch(most + 1)).await;
        assert_eq!((status, &refused["error"]["code"]), (200, &json!(LIMIT)), "{refused}");
    }
    let logs = json!([{ "fromBlock": "0x0" }]);
    let calls =
        (0..40).map(|id| json!({ "jsonrpc": "2.0", "id": id, "method": "eth_getLogs", "params": logs }));
    let (_, _, answers) = nodes.post(&[], &Value::Array(calls.collect())).await;
    let answers = answers.as_array().unwrap().clone();
    let whole = answers.iter().filter(|one| one["result"].is_array()).count();
    assert!((1..40).contains(&whole), "{whole} of the answers are whole");
    for (id, answer) in answers.iter().enumerate() {
        assert_eq!(answer["id"], id);
        assert!(answer["result"].is_array() || answer["error"]["code"] == LIMIT, "{answer}");
    }
    nodes.platform.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn filters_are_bounded() {
    let nodes = Nodes::behind(config()).await;
    let first = nodes.result("eth_newBlockFilter", json!([])).await;
    let mut last = first.clone();
    for _ in 0..128 {
        last = nodes.result("eth_newFilter", json!([{}])).await;
    }
    nodes.result("eth_getFilterChanges", json!([last])).await;
    let gone = nodes.ask("eth_getFilterChanges", json!([first])).await;
    assert!(gone["error"].is_object(), "{gone}");
    // A filter that was removed takes no place, and one that is polled stays.
    let used = nodes.result("eth_newFilter", json!([{}])).await;
    for number in 0..256 {
        let passing = nodes.result("eth_newFilter", json!([{}])).await;
        if number < 128 {
            nodes.result("eth_uninstallFilter", json!([passing])).await;
        } else if number % 64 == 0 {
            nodes.result("eth_getFilterChanges", json!([used])).await;
        }
    }
    nodes.result("eth_getFilterChanges", json!([used])).await;
    let past = nodes.ask("eth_newFilter", json!([{ "fromBlock": "0x0" }])).await;
    assert_eq!(past["error"]["code"], LIMIT, "{past}");
    nodes.platform.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn snapshots_are_bounded() {
    let nodes = Nodes::behind(config()).await;
    let first = nodes.result("evm_snapshot", json!([])).await;
    let mut taken = 1;
    let refused = loop {
        let answer = nodes.ask("evm_snapshot", json!([])).await;
        if answer["error"].is_object() {
            break answer;
        }
        taken += 1;
        assert!(taken <= 1_024, "{answer}");
    };
    assert_eq!(refused["error"]["code"], LIMIT, "{refused}");
    // The platform has some of its own, and takes more for its checkpoints.
    assert!(taken > 1_000, "{taken}: {refused}");
    ordered(&nodes.platform, "POST /_sim/checkpoints", "").await;
    assert_eq!(nodes.result("evm_revert", json!([first])).await, true);
    assert!(nodes.result("evm_snapshot", json!([])).await.is_string());
    nodes.platform.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn more_calls_than_a_socket_may_have_under_way_wait() {
    let nodes = Nodes::behind(config()).await;
    let mut socket = nodes.socket(&[]).await.unwrap();
    for id in 0..300 {
        let call = json!({ "jsonrpc": "2.0", "id": id, "method": "eth_blockNumber" });
        socket.0.send(Message::text(call.to_string())).await.unwrap();
    }
    let mut ids = BTreeSet::new();
    while ids.len() < 300 {
        ids.insert(socket.next().await["id"].as_u64().unwrap());
    }
    // Two calls have more than 2 MiB, so the third is read after an answer.
    let to = "0x00000000000000000000000000000000000000aa";
    let large = json!([{ "to": to, "data": format!("0x{}", "00".repeat(700_000)) }, "latest", { to: { "code": ENDLESS } }]);
    for (id, method, params) in
        [(0, "eth_call", &large), (1, "eth_call", &large), (2, "eth_blockNumber", &json!([]))]
    {
        let call = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        socket.0.send(Message::text(call.to_string())).await.unwrap();
    }
    let order = [
        socket.next().await["id"].clone(),
        socket.next().await["id"].clone(),
        socket.next().await["id"].clone(),
    ];
    assert_ne!(order[0], 2, "{order:?}");
    let block = |id: u64| json!({ "jsonrpc": "2.0", "id": id, "method": "eth_getBlockByNumber", "params": ["latest", true] });
    // An answer in many frames is one message.
    let answers = socket.ask(&Value::Array((0..1_000).map(block).collect())).await;
    assert_eq!(answers.as_array().unwrap().len(), 1_000);
    assert_eq!(answers[999]["id"], 999);
    let refused = socket.ask(&Value::Array((0..1_001).map(block).collect())).await;
    assert_eq!(refused["error"]["code"], LIMIT, "{refused}");
    nodes.platform.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_socket_that_does_not_read_is_closed() {
    let nodes = Nodes::behind(config()).await;
    let mut silent = nodes.socket(&[]).await.unwrap();
    let block = |id: u64| json!({ "jsonrpc": "2.0", "id": id, "method": "eth_getLogs", "params": [{ "fromBlock": "0x0" }] });
    for id in 0..20 {
        silent.0.send(Message::text(block(id).to_string())).await.unwrap();
    }
    let begun = Instant::now();
    // Other callers go on until the platform has given up; then the rest in the buffers ends before all of the answers have come.
    while begun.elapsed() < Duration::from_secs(25) {
        timeout(BOUNDED, nodes.result("eth_blockNumber", json!([]))).await.unwrap();
    }
    let mut read = 0;
    while let Some(Ok(message)) = silent.0.next().await {
        read += usize::from(message.is_text());
    }
    assert!(read < 20, "{read} answers");
    nodes.platform.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_platform_replaces_a_chain() {
    let nodes = Nodes::behind(config()).await;
    let head = nodes.result("eth_getBlockByNumber", json!(["latest", false])).await;
    let mut socket = nodes.socket(&[]).await.unwrap();
    for (method, params) in [
        ("anvil_reset", json!([])),
        ("hardhat_reset", json!([{}])),
        ("anvil_loadState", json!(["0x00"])),
        ("hardhat_loadState", json!(["0x00"])),
        ("anvil_setChainId", json!([5])),
        ("anvil_setRpcUrl", json!(["http://127.0.0.1:1"])),
    ] {
        let one = call(method, params);
        for answer in [
            nodes.post(&[], &one).await.2,
            nodes.post(&[], &json!([one])).await.2[0].clone(),
            socket.ask(&one).await,
            socket.ask(&json!([one])).await[0].clone(),
        ] {
            let message = answer["error"]["message"].as_str().unwrap();
            assert!(message.contains("POST /_sim/checkpoints/{id}/revert"), "{method}: {message}");
            assert_eq!(answer["id"], 7);
        }
    }
    assert_eq!(nodes.result("eth_getBlockByNumber", json!(["latest", false])).await, head);
    assert_eq!(nodes.result("eth_chainId", json!([])).await, "0xdef1");
    nodes.platform.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn state_is_there_at_safe_and_finalized() {
    let nodes = Nodes::behind(config()).await;
    let account = nodes.platform.ready().accounts[0].address;
    let checkpoint = nodes.platform.engine().checkpoint(None).await.unwrap();
    for round in 0..3 {
        for tag in ["latest", "safe", "finalized", "pending"] {
            nodes.result("eth_getBalance", json!([account, tag])).await;
            nodes.result("eth_call", json!([{ "to": account }, tag])).await;
        }
        match round {
            0 => _ = nodes.result("anvil_mine", json!([100])).await,
            1 => nodes.platform.engine().revert(checkpoint).await.unwrap(),
            _ => {}
        }
    }
    nodes.platform.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn seeded_blocks_have_state_and_traces() {
    let nodes = Nodes::behind(config()).await;
    let account = nodes.platform.ready().accounts[0].address;
    let head = nodes.result("eth_getBlockByNumber", json!(["latest", false])).await;
    let height = u64::from_str_radix(&head["number"].as_str().unwrap()[2..], 16).unwrap();
    // Ten thousand ether at the end of the market, nothing before the accounts were funded.
    let rich = nodes.result("eth_getBalance", json!([account, "latest"])).await;
    assert_eq!(nodes.result("eth_getBalance", json!([account, format!("{:#x}", height - 1)])).await, rich);
    assert_eq!(nodes.result("eth_getBalance", json!([account, "earliest"])).await, "0x0");
    let hook = nodes.platform.ready().chains[0].hook;
    assert_eq!(nodes.result("eth_getCode", json!([hook, "0x0"])).await, "0x");
    let middle = nodes.result("eth_getBlockByNumber", json!([format!("{:#x}", height / 2), true])).await;
    let code = nodes.result("eth_getCode", json!([hook, { "blockHash": middle["hash"] }])).await;
    assert!(code.as_str().unwrap().len() > 2_000);
    let trade = &middle["transactions"][0];
    let trace =
        nodes.result("debug_traceTransaction", json!([trade["hash"], { "tracer": "callTracer" }])).await;
    assert_eq!((&trace["from"], &trace["to"]), (&trade["from"], &trade["to"]), "{trace}");
    // These states belong to the chain itself, and stay when it goes on.
    nodes.result("anvil_mine", json!([100])).await;
    assert_eq!(nodes.result("eth_getBalance", json!([account, head["number"]])).await, rich);
    nodes.platform.stop().await;
}

/// Eleven empty blocks follow each transaction, so that the state before it is soon gone.
#[tokio::test(flavor = "multi_thread")]
async fn transactions_are_traced_however_many_blocks_follow() {
    let nodes = Nodes::behind(config()).await;
    let (ready, tracer) = (nodes.platform.ready(), json!({ "tracer": "callTracer" }));
    let (account, hook) = (ready.accounts[0].address, ready.chains[0].hook);
    let launch = json!({ "name": "Traced", "ticker": "TRC", "targetRaise": "1" });
    let token = ordered(&nodes.platform, "POST /_sim/launches", launch).await["token"].clone();
    let buy = json!({ "token": token, "side": "buy", "amount": "0.01" });
    let bought = ordered(&nodes.platform, "POST /_sim/trades", buy).await;
    // A launch whose words are missing is refused by the contract.
    let wrong = json!({ "from": account, "to": hook, "data": "0x8dbbea4d", "gas": "0x989680" });
    let reverted = nodes.result("eth_sendTransaction", json!([wrong])).await;
    let mut traced = Vec::new();
    for hash in [&bought["transactionHash"], &reverted] {
        let trace = nodes.result("debug_traceTransaction", json!([hash, tracer])).await;
        traced.push((hash, trace));
    }
    assert!(traced[0].1["calls"][0]["calls"].is_array(), "{}", traced[0].1);
    assert_eq!(traced[1].1["error"], "execution reverted", "{}", traced[1].1);
    nodes.result("anvil_mine", json!([100])).await;
    for (hash, trace) in traced {
        assert_eq!(nodes.result("debug_traceTransaction", json!([hash, tracer])).await, trace);
        let top = json!({ "tracer": "callTracer", "tracerConfig": { "onlyTopCall": true } });
        let top = nodes.result("debug_traceTransaction", json!([hash, top])).await;
        assert_eq!((&top["calls"], &top["gasUsed"]), (&Value::Null, &trace["gasUsed"]));
    }
    nodes.platform.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_order_is_answered_in_time_whatever_a_node_does() {
    let nodes = Nodes::behind(config()).await;
    let before = nodes.platform.engine().clock().now();
    signal_nodes(&nodes.platform, "-STOP");
    for line in ["POST /_sim/clock/advance", "POST /_sim/checkpoints"] {
        let body = if line.ends_with("advance") { json!({ "seconds": 60 }) } else { json!({}) };
        let (status, answer) = timeout(BOUNDED, order(&nodes.platform, line, body)).await.unwrap();
        assert_eq!(status, 503, "{line}: {answer}");
        let message = answer["error"].as_str().unwrap();
        assert!(
            ["chain 57073", "chain 4663"].iter().any(|chain| message.contains(chain)),
            "{line}: {answer}"
        );
    }
    assert_eq!(nodes.platform.engine().clock().now(), before);
    signal_nodes(&nodes.platform, "-CONT");
    let now = ordered(&nodes.platform, "POST /_sim/clock/advance", json!({ "seconds": 60 })).await;
    assert_eq!(now["now"], before + 60);
    ordered(&nodes.platform, "GET /_sim/ready", "").await;
    nodes.platform.stop().await;
}
