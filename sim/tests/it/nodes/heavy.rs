//! Calls that would end the node, and traces over which it would hold its chain.
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::{Instant, timeout};

use super::Nodes;
use crate::platform::{config, ordered};

const LOOPING: &str = "0x00000000000000000000000000000000000000a5";
/// Makes a call without effect while gas is above 50,000.
const CALLS: &str = "0x5b5f5f5f5f60fe5afa5061c3505a1160005700";
/// More gas than the node may trace: some 40,000 calls.
const GAS: u64 = 6_000_000;
/// Time limit of this test's answers on a busy machine.
const BOUNDED: Duration = Duration::from_secs(30);

#[tokio::test(flavor = "multi_thread")]
async fn values_that_the_node_cannot_hold_do_not_end_it() {
    let nodes = Nodes::behind(config()).await;
    let (mine, other) =
        (nodes.platform.ready().accounts[0].address, "0x00000000000000000000000000000000000000b1");
    let history = nodes.result("eth_feeHistory", json!(["0x10000000000000000", "latest", []])).await;
    assert!(history["baseFeePerGas"].is_array(), "{history}");
    nodes.result("anvil_impersonateAccount", json!([other])).await;
    for (method, params) in [
        ("eth_fillTransaction", json!([{ "from": other, "maxFeePerBlobGas": "0x1" }])),
        ("eth_sendTransaction", json!([{ "from": mine, "to": other, "maxFeePerBlobGas": "0x1" }])),
        ("eth_sendTransaction", json!([{ "from": other, "to": mine, "maxFeePerBlobGas": "0x1" }])),
        ("eth_sendUnsignedTransaction", json!([{ "from": other, "to": mine, "maxFeePerBlobGas": "0x1" }])),
        ("evm_setIntervalMining", json!([1_u64 << 63])),
        ("anvil_setNextBlockBaseFeePerGas", json!(["0x10000000000000000"])),
        ("hardhat_setNextBlockBaseFeePerGas", json!(["0x10000000000000000"])),
        ("anvil_setCode", json!([other, "0xef01"])),
        ("hardhat_setCode", json!([other, "0xef0100"])),
    ] {
        let answer = nodes.ask(method, params.clone()).await;
        let code = answer["error"]["code"].as_i64();
        assert!(matches!(code, Some(-32_602 | -32_005)), "{method} {params}: {answer}");
    }
    // The largest values that are accepted do no harm either.
    nodes.result("anvil_setNextBlockBaseFeePerGas", json!(["0xfffffffffffffffe"])).await;
    nodes.result("evm_setIntervalMining", json!([u32::MAX])).await;
    nodes.result("evm_mine", json!([])).await;
    ordered(&nodes.platform, "GET /_sim/ready", "").await;
    nodes.platform.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn traces_of_large_transactions_hold_no_chain() {
    let nodes = Nodes::behind(config()).await;
    let mine = nodes.platform.ready().accounts[0].address;
    nodes.result("anvil_setCode", json!([LOOPING, CALLS])).await;
    let sent = json!([{ "from": mine, "to": LOOPING, "gas": format!("{GAS:#x}") }]);
    let hash = nodes.result("eth_sendTransaction", sent).await;
    let pay = async || {
        let sent = json!([{ "from": mine, "to": mine, "value": "0x1", "gas": "0x5208" }]);
        let begun = Instant::now();
        nodes.result("eth_sendTransaction", sent).await;
        begun.elapsed()
    };
    let traced = async {
        let calls = nodes.result("trace_transaction", json!([hash])).await;
        assert!(calls.as_array().unwrap().len() > 10_000);
        // It was replayed to the same block.
        assert_eq!(calls[0]["transactionHash"], hash);
    };
    let paid = async {
        let mut longest = Duration::ZERO;
        for _ in 0..20 {
            longest = longest.max(pay().await);
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        longest
    };
    let ((), longest) = tokio::join!(traced, timeout(BOUNDED, paid));
    longest.expect("payments are mined while the trace is made");
    // The pages show such a transaction without its calls.
    let shown =
        ordered(&nodes.platform, &format!("GET /_sim/transactions/{}", hash.as_str().unwrap()), "").await;
    assert_eq!(shown["calls"].as_array().map(Vec::len), Some(1), "{shown}");
    for method in ["ots_traceTransaction", "trace_block"] {
        let block = nodes.result("eth_getTransactionByHash", json!([hash])).await["blockNumber"].clone();
        let params = if method == "ots_traceTransaction" { json!([hash]) } else { json!([block]) };
        let answer = timeout(3 * BOUNDED, nodes.ask(method, params)).await.expect(method);
        assert!(answer["result"].is_array() || answer["error"]["code"] == -32_005, "{method}");
    }
    // Blocks that are not there are the node's to refuse.
    for block in ["0xfffffffffffffffe", "0xffffffffffffffff", "0x7fffffff"] {
        nodes.ask("trace_block", json!([block])).await;
        nodes.ask("trace_filter", json!([{ "fromBlock": block, "toBlock": block }])).await;
    }
    let program = json!([{ "to": LOOPING }, "latest", { "tracer": "{result:function(){for(;;){}},fault:function(){}}" }]);
    assert_eq!(nodes.ask("debug_traceCall", program).await["error"]["code"], -32_602);
    timeout(BOUNDED, async { ordered(&nodes.platform, "GET /_sim/ready", Value::Null).await }).await.unwrap();
    nodes.platform.stop().await;
}
