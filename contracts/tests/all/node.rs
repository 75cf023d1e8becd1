//! A node's time, mining, snapshots and state: the facts about anvil that the platform relies on.

use alloy::eips::BlockId;
use alloy::primitives::{Address, Bytes, U256, address};
use alloy::providers::Provider;
use alloy::rpc::types::{Filter, TransactionRequest};
use serde_json::{Value, json};
use slipway_contracts::ChainId;
use slipway_contracts::node::{Node, NodeOptions, STATES_OF_NO_BLOCK};

use crate::{REENTERED, dump_state, is_reentered, stand_at, test_tools, tools};

const GENESIS: u64 = 1_700_000_000;
/// The first development account.
const ACCOUNT: Address = address!("f39Fd6e51aad88F6F4ce6aB8827279cffFb92266");
/// Returns the block's timestamp.
const CLOCK: Address = address!("00000000000000000000000000000000000c10c0");
/// Writes an empty log.
const LOGGER: Address = address!("0000000000000000000000000000000000010660");

fn options() -> NodeOptions {
    NodeOptions { genesis_time: Some(GENESIS), ..NodeOptions::new(ChainId::PRIMARY) }
}

/// Every fact of this module, checked again on the oldest tested anvil.
#[tokio::test]
async fn every_fact_holds_on_the_oldest_tested_anvil() {
    if is_reentered() {
        return;
    }
    let output = tokio::process::Command::new(std::env::current_exe().unwrap())
        .args(["node::", "--nocapture"])
        .env(REENTERED, "1")
        .env("ANVIL", test_tools().await.oldest_anvil())
        .kill_on_drop(true)
        .output()
        .await
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.contains("test result: ok") && !said.contains(" 1 passed"), "{said}");
}

async fn node(options: &NodeOptions) -> Node {
    let node = Node::start(tools().await.anvil(), options).await.unwrap();
    node.set_code(CLOCK, &Bytes::from_static(&[0x42, 0x5f, 0x52, 0x60, 0x20, 0x5f, 0xf3])).await.unwrap();
    node.set_code(LOGGER, &Bytes::from_static(&[0x5f, 0x5f, 0xa0])).await.unwrap();
    node
}

/// The timestamp that a view sees.
async fn seen(node: &Node, block: BlockId) -> u64 {
    let call = TransactionRequest::default().to(CLOCK);
    let answer = node.provider().call(call).block(block).await.unwrap();
    U256::from_be_slice(&answer).to()
}

/// Lets the node's time run like the wall clock, starting from a given time.
async fn run_from(node: &Node, from: u64) {
    let _: Value = node.command("anvil_removeBlockTimestampInterval", ()).await.unwrap();
    let _: Value = node.command("evm_setTime", (from,)).await.unwrap();
}

/// Timestamp of the latest block.
async fn latest_time(node: &Node) -> u64 {
    node.provider().get_block(BlockId::latest()).await.unwrap().unwrap().header.timestamp
}

/// Sends a transaction and waits for its block.
async fn send(node: &Node, to: Address) -> String {
    let receipt: Value = node.command("eth_sendTransactionSync", (transaction(to),)).await.unwrap();
    receipt["transactionHash"].as_str().unwrap().to_owned()
}

fn transaction(to: Address) -> Value {
    json!({"from": ACCOUNT, "to": to, "gas": "0x20000"})
}

#[tokio::test]
async fn nodes_report_their_chain_ids() {
    let [primary, second] = ChainId::ALL.map(NodeOptions::new);
    let (primary, second) = tokio::join!(node(&primary), node(&second));
    for (node, chain) in [(&primary, ChainId::PRIMARY), (&second, ChainId::SECOND)] {
        assert_eq!(node.provider().get_chain_id().await.unwrap(), chain.0);
    }
    assert_ne!(primary.rpc_url(), second.rpc_url());
    tokio::join!(primary.stop(), second.stop());
}

#[tokio::test]
async fn fixed_time_does_not_advance() {
    let node = node(&options()).await;
    for at in [GENESIS, GENESIS + 1_000, GENESIS + 1_000_000_000] {
        stand_at(&node, at).await;
        assert_eq!(seen(&node, BlockId::pending()).await, at);
        for _ in 0..3 {
            node.mine(1).await.unwrap();
            assert_eq!(latest_time(&node).await, at);
        }
        node.mine(5).await.unwrap();
        send(&node, LOGGER).await;
        assert_eq!(latest_time(&node).await, at);
        assert_eq!(seen(&node, BlockId::latest()).await, at);
    }
}

#[tokio::test]
async fn views_see_new_time_after_next_block() {
    let node = node(&options()).await;
    node.mine(1).await.unwrap();
    stand_at(&node, GENESIS + 500).await;
    assert!(seen(&node, BlockId::latest()).await < GENESIS + 500);
    assert_eq!(seen(&node, BlockId::pending()).await, GENESIS + 500);
    node.mine(1).await.unwrap();
    assert_eq!(seen(&node, BlockId::latest()).await, GENESIS + 500);
}

#[tokio::test]
async fn running_time_can_be_set_and_fixed() {
    let node = node(&options()).await;
    let start = GENESIS + 86_400;
    run_from(&node, start).await;
    node.mine(1).await.unwrap();
    let running = latest_time(&node).await;
    assert!((start..start + 60).contains(&running), "{running}");
    stand_at(&node, start + 60).await;
    node.mine(2).await.unwrap();
    assert_eq!(latest_time(&node).await, start + 60);
}

#[tokio::test]
async fn revert_restores_blocks_and_time_once() {
    let node = node(&options()).await;
    stand_at(&node, GENESIS + 10).await;
    node.mine(2).await.unwrap();
    for _ in 0..2 {
        let snapshot: Value = node.command("evm_snapshot", ()).await.unwrap();
        stand_at(&node, GENESIS + 9_000).await;
        send(&node, LOGGER).await;
        assert!(node.command::<_, bool>("evm_revert", (&snapshot,)).await.unwrap());
        assert_eq!(node.provider().get_block_number().await.unwrap(), 2);
        assert_eq!(node.provider().get_logs(&Filter::new().from_block(0)).await.unwrap().len(), 0);
        assert_eq!(latest_time(&node).await, GENESIS + 10);
        stand_at(&node, GENESIS + 10).await;
        assert_eq!(seen(&node, BlockId::pending()).await, GENESIS + 10);
        assert!(!node.command::<_, bool>("evm_revert", (&snapshot,)).await.unwrap());
    }
}

/// A loaded dump of nothing but states of past blocks replaces those that the node has, and changes nothing else.
#[tokio::test]
async fn loaded_states_of_past_blocks_replace_the_others() {
    let node = node(&options()).await;
    let balance = async || node.provider().get_balance(ACCOUNT).await.unwrap();
    send(&node, LOGGER).await;
    send(&node, LOGGER).await;
    let before = (balance().await, node.provider().get_block(BlockId::latest()).await.unwrap());
    let loaded: bool = node.command("anvil_loadState", (&*STATES_OF_NO_BLOCK,)).await.unwrap();
    assert!(loaded);
    assert_eq!((balance().await, node.provider().get_block(BlockId::latest()).await.unwrap()), before);
    let error = node.command::<_, Value>("anvil_rollback", (1,)).await.unwrap_err();
    assert!(format!("{error:?}").contains("Required data unavailable"), "{error:?}");
    send(&node, LOGGER).await;
    let _: Value = node.command("anvil_rollback", (1,)).await.unwrap();
    assert_eq!((balance().await, node.provider().get_block(BlockId::latest()).await.unwrap()), before);
}

#[tokio::test]
async fn loaded_state_keeps_blocks_receipts_and_logs() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("state.json");
    let first = node(&options()).await;
    stand_at(&first, GENESIS + 7).await;
    let mut hashes = Vec::new();
    for _ in 0..100 {
        hashes.push(send(&first, LOGGER).await);
        first.mine(1).await.unwrap();
    }
    let logs = first.provider().get_logs(&Filter::new().from_block(0)).await.unwrap();
    let receipt = |node: &Node| {
        let (provider, hash) = (node.provider().clone(), hashes[0].clone());
        async move { provider.raw_request::<_, Value>("eth_getTransactionReceipt".into(), (hash,)).await.unwrap() }
    };
    let before = receipt(&first).await;
    dump_state(&first, &file).await;
    first.stop().await;

    let second =
        Node::start(tools().await.anvil(), &NodeOptions { state: Some(file), ..options() }).await.unwrap();
    assert_eq!(second.provider().get_logs(&Filter::new().from_block(0)).await.unwrap(), logs);
    assert_eq!(logs.len(), 100);
    assert_eq!(receipt(&second).await, before);
    assert_eq!(latest_time(&second).await, GENESIS + 7);
    // The given time is behind the wall clock, and the loaded chain can stay there.
    stand_at(&second, GENESIS + 7).await;
    second.mine(1).await.unwrap();
    assert_eq!(latest_time(&second).await, GENESIS + 7);
    run_from(&second, GENESIS + 8).await;
    second.mine(1).await.unwrap();
    let running = latest_time(&second).await;
    assert!((GENESIS + 8..GENESIS + 68).contains(&running), "{running}");
}

#[tokio::test]
async fn manual_mining_keeps_transaction_order() {
    let options = NodeOptions { automine: false, unlimited_blocks: true, ..options() };
    let node = node(&options).await;
    let mut hashes = Vec::new();
    for _ in 0..300 {
        let hash: String = node.command("eth_sendTransaction", (transaction(LOGGER),)).await.unwrap();
        hashes.push(hash);
    }
    assert_eq!(node.pending_transactions().await.unwrap(), 300);
    assert!(!node.automine().await.unwrap());
    assert_eq!(node.provider().get_block_number().await.unwrap(), 0);
    node.mine(1).await.unwrap();
    let block: Value = node.command("eth_getBlockByNumber", ("latest", false)).await.unwrap();
    assert_eq!(block["transactions"], json!(hashes));
    node.set_automine(true).await.unwrap();
    send(&node, LOGGER).await;
    assert_eq!(node.provider().get_block_number().await.unwrap(), 2);
}
