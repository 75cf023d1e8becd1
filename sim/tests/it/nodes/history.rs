//! The states of past blocks: a caller reads at each block what was there when it was the latest one, however many blocks have followed.
use alloy::primitives::Address;
use serde_json::{Value, json};
use slipway_sim::Config;

use super::Nodes;
use crate::platform::{config, ordered};

const RICHER: Address = Address::repeat_byte(0xa1);
const CODED: Address = Address::repeat_byte(0xa2);
/// Returns its storage at 0.
const CODE: &str = "0x60005460005260206000f3";
/// More blocks than a node keeps states of.
const MANY: u64 = 100;

/// What was read at a block when it was the latest one.
struct Seen {
    block: Value,
    state: Value,
}

impl Nodes {
    /// Reads the state at a block.
    async fn state_at(&self, block: &Value) -> Value {
        let mut state = Vec::new();
        for (method, params) in [
            ("eth_getBalance", json!([RICHER, block])),
            ("eth_getBalance", json!([self.platform.ready().accounts[0].address, block])),
            ("eth_getTransactionCount", json!([self.platform.ready().accounts[0].address, block])),
            ("eth_getCode", json!([CODED, block])),
            ("eth_getStorageAt", json!([CODED, "0x0", block])),
            ("eth_call", json!([{ "to": CODED }, block])),
            ("eth_getProof", json!([CODED, [format!("{:#066x}", 0)], block])),
        ] {
            state.push(self.result(method, params).await);
        }
        Value::Array(state)
    }

    async fn see(&self, seen: &mut Vec<Seen>) {
        let block = self.result("eth_getBlockByNumber", json!(["latest", true])).await;
        seen.push(Seen { state: self.state_at(&json!("latest")).await, block });
        // Until the next block, a change without a block is one of the state at this block.
        self.result("evm_mine", json!([])).await;
    }

    /// Sends a wei to [`RICHER`].
    async fn give_a_wei(&self) -> Value {
        let from = self.platform.ready().accounts[0].address;
        self.result("eth_sendTransaction", json!([{ "from": from, "to": RICHER, "value": "0x1" }])).await
    }

    async fn check(&self, seen: &[Seen]) {
        for Seen { block, state } in seen {
            let hash = json!({ "blockHash": block["hash"] });
            for at in [&block["number"], &hash] {
                assert_eq!(self.state_at(at).await, *state, "{at}");
            }
        }
    }

    /// Makes a platform forget its latest states.
    async fn mine_many(&self) {
        self.result("anvil_mine", json!([MANY])).await;
    }
}

/// Changes everything that a caller can change with a block and without one.
async fn change_everything(nodes: &Nodes) -> Vec<Seen> {
    let (mut seen, ready) = (Vec::new(), nodes.platform.ready());
    nodes.give_a_wei().await;
    nodes.see(&mut seen).await;
    nodes.result("anvil_setCode", json!([CODED, CODE])).await;
    nodes.result("hardhat_setStorageAt", json!([CODED, "0x0", format!("{:#066x}", 5)])).await;
    nodes.result("anvil_setBalance", json!([RICHER, "0x7"])).await;
    nodes.give_a_wei().await;
    nodes.see(&mut seen).await;
    // What a revert takes back is not there afterwards.
    let checkpoint = ordered(&nodes.platform, "POST /_sim/checkpoints", "").await["id"].clone();
    nodes.result("anvil_setBalance", json!([RICHER, "0x9"])).await;
    nodes.give_a_wei().await;
    nodes.mine_many().await;
    ordered(&nodes.platform, &format!("POST /_sim/checkpoints/{checkpoint}/revert"), "").await;
    nodes.give_a_wei().await;
    nodes.see(&mut seen).await;
    // A transaction without a signature, a larger block, another time.
    nodes.result("anvil_impersonateAccount", json!([ready.chains[0].hook])).await;
    nodes.result("anvil_setBalance", json!([ready.chains[0].hook, "0xde0b6b3a7640000"])).await;
    let sent = json!({ "from": ready.chains[0].hook, "to": RICHER, "value": "0x5", "gas": "0x5208" });
    nodes.result("eth_sendTransaction", json!([sent])).await;
    nodes.result("evm_setBlockGasLimit", json!(["0x3938700"])).await;
    ordered(&nodes.platform, "POST /_sim/clock/advance", json!({ "seconds": 3_600 })).await;
    nodes.give_a_wei().await;
    nodes.see(&mut seen).await;
    seen
}

/// Changes the state in a snapshot of the node, and takes the changes back.
async fn change_in_a_snapshot(nodes: &Nodes, seen: &mut Vec<Seen>) {
    let snapshot = nodes.result("evm_snapshot", json!([])).await;
    nodes.result("anvil_setBalance", json!([RICHER, "0xb"])).await;
    nodes.give_a_wei().await;
    assert_eq!(nodes.result("evm_revert", json!([snapshot])).await, true);
    nodes.give_a_wei().await;
    nodes.see(seen).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn each_block_keeps_its_state() {
    let nodes = Nodes::behind(config()).await;
    let begin = ordered(&nodes.platform, "POST /_sim/checkpoints", "").await["id"].clone();
    let mut seen = change_everything(&nodes).await;
    change_in_a_snapshot(&nodes, &mut seen).await;
    nodes.mine_many().await;
    nodes.check(&seen).await;
    // After a revert, the archive follows to the blocks of the new branch.
    nodes.result("anvil_mine", json!([3])).await;
    ordered(&nodes.platform, &format!("POST /_sim/checkpoints/{begin}/revert"), "").await;
    let error = nodes.ask("eth_getBalance", json!([RICHER, { "blockHash": seen[0].block["hash"] }])).await;
    assert_eq!(error["error"]["message"], "Resource not found", "{error}");
    let mut others = Vec::new();
    for _ in 0..3 {
        nodes.give_a_wei().await;
        nodes.see(&mut others).await;
    }
    nodes.mine_many().await;
    nodes.check(&others).await;
    nodes.platform.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn blocks_keep_their_states_over_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let kept = || Config { state_dir: Some(folder.path().to_owned()), ..config() };
    let nodes = Nodes::behind(kept()).await;
    let begin = nodes.result("eth_getBlockByNumber", json!(["latest", true])).await;
    let seeded = Seen { state: nodes.state_at(&json!("latest")).await, block: begin };
    let mut seen = change_everything(&nodes).await;
    seen.push(seeded);
    nodes.mine_many().await;
    nodes.check(&seen).await;
    nodes.platform.stop().await;
    // The folder has the calls that changed a state without a block.
    let nodes = Nodes::behind(kept()).await;
    nodes.mine_many().await;
    nodes.check(&seen).await;
    nodes.platform.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn imported_blocks_have_the_states_that_their_transactions_make() {
    let folder = tempfile::tempdir().unwrap();
    let nodes = Nodes::behind(Config { export_dir: Some(folder.path().to_owned()), ..config() }).await;
    let mut seen = Vec::new();
    nodes.see(&mut seen).await;
    for _ in 0..2 {
        nodes.give_a_wei().await;
        nodes.see(&mut seen).await;
    }
    // An export has no calls that change a state without a block.
    nodes.result("anvil_setBalance", json!([RICHER, "0x7"])).await;
    let mut changed = Vec::new();
    nodes.give_a_wei().await;
    nodes.see(&mut changed).await;
    ordered(&nodes.platform, "POST /_sim/export", json!({ "file": "exported" })).await;
    nodes.platform.stop().await;
    let nodes = Nodes::behind(Config { import: Some(folder.path().join("exported")), ..config() }).await;
    nodes.mine_many().await;
    nodes.check(&seen).await;
    let block = &changed[0].block["number"];
    let gone = nodes.ask("eth_getBalance", json!([RICHER, block])).await;
    assert!(gone["error"]["message"].as_str().unwrap().starts_with("BlockOutOfRangeError"), "{gone}");
    // What needs its state is refused, not left out.
    for (method, params) in [
        ("trace_replayBlockTransactions", json!([block, ["trace"]])),
        ("debug_traceBlockByNumber", json!([block, { "tracer": "callTracer" }])),
        ("ots_searchTransactionsAfter", json!([RICHER, 0, 25])),
    ] {
        let refused = nodes.ask(method, params).await;
        assert!(
            refused["error"]["message"].as_str().unwrap_or_default().contains("known here"),
            "{method}: {refused}"
        );
    }
    nodes.check(&seen).await;
    nodes.platform.stop().await;
}

/// A tracer that needs the state before a transaction has it.
#[tokio::test(flavor = "multi_thread")]
async fn old_transactions_have_traces_of_every_kind() {
    let nodes = Nodes::behind(config()).await;
    let launch = json!({ "name": "Traced", "ticker": "TRC", "targetRaise": "1" });
    let token = ordered(&nodes.platform, "POST /_sim/launches", launch).await["token"].clone();
    let buy = json!({ "token": token, "side": "buy", "amount": "0.01" });
    let hash = ordered(&nodes.platform, "POST /_sim/trades", buy).await["transactionHash"].clone();
    let block = nodes.result("eth_getTransactionByHash", json!([hash])).await["blockNumber"].clone();
    let asked = [
        ("debug_traceTransaction", json!([hash, {}])),
        ("debug_traceTransaction", json!([hash, { "tracer": "callTracer" }])),
        ("debug_traceTransaction", json!([hash, { "tracer": "prestateTracer" }])),
        ("debug_traceTransaction", json!([hash, { "tracer": "4byteTracer" }])),
        ("debug_traceBlockByNumber", json!([block, { "tracer": "callTracer" }])),
        ("trace_transaction", json!([hash])),
        ("trace_replayBlockTransactions", json!([block, ["trace"]])),
        ("ots_traceTransaction", json!([hash])),
    ];
    let mut seen = Vec::new();
    for (method, params) in asked {
        seen.push((method, params.clone(), nodes.result(method, params).await));
    }
    let touched = seen[2].2.as_object().unwrap();
    assert!(touched.contains_key(&token.as_str().unwrap().to_lowercase()), "{touched:?}");
    nodes.mine_many().await;
    for (method, params, before) in seen {
        let after = nodes.result(method, params.clone()).await;
        assert!(after == before, "{method} {params} differs after {MANY} blocks: {after}\n{before}");
    }
    nodes.platform.stop().await;
}

/// The method of the Ethereum execution API (`eth_getTransactionBySenderAndNonce`) finds a transaction however old, or is null.
#[tokio::test(flavor = "multi_thread")]
async fn transactions_of_all_ages_are_found_by_sender_and_nonce() {
    let nodes = Nodes::behind(config()).await;
    let sent = nodes.give_a_wei().await;
    nodes.mine_many().await;
    let sent = nodes.result("eth_getTransactionByHash", json!([sent])).await;
    let method = "eth_getTransactionBySenderAndNonce";
    let found = nodes.result(method, json!([sent["from"], sent["nonce"]])).await;
    assert!(found == sent && sent["blockNumber"].is_string(), "{found} {sent}");
    assert_eq!(nodes.result(method, json!([RICHER, "0x7"])).await, Value::Null);
    assert!(nodes.ask(method, json!([sent["from"], "seven"])).await["error"].is_object());
    nodes.platform.stop().await;
}

fn number(value: &Value) -> u64 {
    u64::from_str_radix(value.as_str().unwrap().trim_start_matches("0x"), 16).unwrap()
}

/// `eth_feeHistory` (Ethereum execution API) tells of each block what the block and its receipts say, also of the seeded ones.
#[tokio::test(flavor = "multi_thread")]
async fn fees_of_blocks_of_all_ages_are_those_of_the_blocks() {
    const COUNT: u64 = 40;
    let nodes = Nodes::behind(config()).await;
    let market = number(&nodes.result("eth_blockNumber", json!([])).await);
    nodes.give_a_wei().await;
    nodes.result("evm_mine", json!([])).await;
    let head = number(&nodes.result("eth_blockNumber", json!([])).await);
    let method = "eth_feeHistory";
    for newest in [head, market, market / 2, 3, 0] {
        let history = nodes.result(method, json!([COUNT, format!("{newest:#x}"), [0, 100]])).await;
        let oldest = (newest + 1).saturating_sub(COUNT);
        assert_eq!(number(&history["oldestBlock"]), oldest);
        let [fees, ratios, rewards] =
            ["baseFeePerGas", "gasUsedRatio", "reward"].map(|name| history[name].as_array().unwrap());
        let blocks = usize::try_from(newest + 1 - oldest).unwrap();
        assert_eq!((fees.len(), ratios.len(), rewards.len()), (blocks + 1, blocks, blocks), "{history}");
        for (place, at) in (oldest..=newest).map(|number| format!("{number:#x}")).enumerate() {
            let block = nodes.result("eth_getBlockByNumber", json!([at, false])).await;
            let receipts = nodes.result("eth_getBlockReceipts", json!([at])).await;
            let fee = number(&block["baseFeePerGas"]);
            let tips = receipts
                .as_array()
                .unwrap()
                .iter()
                .map(|receipt| number(&receipt["effectiveGasPrice"]) - fee);
            assert_eq!(number(&fees[place]), fee, "block {at}");
            let ratio = number(&block["gasUsed"]) as f64 / number(&block["gasLimit"]) as f64;
            assert_eq!(ratios[place], json!(ratio), "block {at}");
            let [lowest, highest] = [tips.clone().min(), tips.max()].map(Option::unwrap_or_default);
            assert_eq!(
                rewards[place],
                json!([format!("{lowest:#x}"), format!("{highest:#x}")]),
                "block {at}"
            );
        }
        let next = if newest == head { "pending".to_owned() } else { format!("{:#x}", newest + 1) };
        let next = nodes.result("eth_getBlockByNumber", json!([next, false])).await;
        assert_eq!(fees[blocks], next["baseFeePerGas"]);
    }
    let latest = nodes.result(method, json!(["0x1", "latest", null])).await;
    assert!(latest.get("reward").is_none() && number(&latest["oldestBlock"]) == head, "{latest}");
    for wrong in [json!(["0x1", format!("{:#x}", head + 9)]), json!(["0x1", "latest", [2, 1]])] {
        assert!(nodes.ask(method, wrong.clone()).await["error"].is_object(), "{wrong}");
    }
    nodes.platform.stop().await;
}

/// The calls of an explorer find the transactions of the seeded blocks.
#[tokio::test(flavor = "multi_thread")]
async fn seeded_transactions_are_found_by_account_and_contract() {
    let nodes = Nodes::behind(config()).await;
    let sent = nodes.give_a_wei().await;
    let mut created = Value::Null;
    for block in 1.. {
        let receipts = nodes.result("eth_getBlockReceipts", json!([format!("{block:#x}")])).await;
        let is_creation = |receipt: &&Value| receipt["contractAddress"].is_string();
        if let Some(receipt) = receipts.as_array().unwrap().iter().find(is_creation) {
            created = receipt.clone();
            break;
        }
    }
    let creator = nodes.result("ots_getContractCreator", json!([created["contractAddress"]])).await;
    assert_eq!(creator, json!({ "hash": created["transactionHash"], "creator": created["from"] }));
    for (account, hash) in [(&created["from"], &created["transactionHash"]), (&json!(RICHER), &sent)] {
        let found = nodes.result("ots_searchTransactionsAfter", json!([account, 0, 25])).await;
        let found: Vec<&Value> =
            found["txs"].as_array().unwrap().iter().map(|found| &found["hash"]).collect();
        assert!(found.contains(&hash), "{account}: {found:?}");
    }
    nodes.platform.stop().await;
}
