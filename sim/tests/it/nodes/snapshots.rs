//! The snapshots that checkpoints take of the nodes: one for each state, however many checkpoints refer to it.
use serde_json::{Value, json};

use super::Nodes;
use crate::platform::{config, order, ordered};

const ACCOUNT: &str = "0x00000000000000000000000000000000000000a1";

impl Nodes {
    async fn checkpoint(&self) -> Value {
        ordered(&self.platform, "POST /_sim/checkpoints", "").await["id"].clone()
    }

    async fn revert_to(&self, id: &Value) {
        ordered(&self.platform, &format!("POST /_sim/checkpoints/{id}/revert"), "").await;
    }

    /// Takes a snapshot; returns the number of snapshots that the node has taken so far, including this one.
    async fn taken(&self) -> u64 {
        let number = self.result("evm_snapshot", json!([])).await;
        u64::from_str_radix(number.as_str().unwrap().trim_start_matches("0x"), 16).unwrap()
    }

    async fn balance(&self) -> Value {
        self.result("eth_getBalance", json!([ACCOUNT, "latest"])).await
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_suite_with_a_checkpoint_for_each_test_takes_a_snapshot_for_each_revert() {
    let nodes = Nodes::behind(config()).await;
    let before = nodes.taken().await;
    for _ in 0..5 {
        nodes.checkpoint().await;
    }
    // The counting call itself may change the state.
    let once = nodes.taken().await;
    assert_eq!(once - before, 2);
    const TESTS: u64 = 70;
    for _ in 0..TESTS {
        let id = nodes.checkpoint().await;
        ordered(&nodes.platform, "POST /_sim/clock/advance", json!({ "seconds": 1 })).await;
        nodes.revert_to(&id).await;
    }
    assert_eq!(nodes.taken().await - once, 1 + TESTS + 1);
    nodes.platform.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn checkpoints_of_one_block_keep_what_was_changed_without_a_block() {
    let nodes = Nodes::behind(config()).await;
    let mut states = Vec::new();
    for wei in ["0x0", "0x7", "0x7", "0x9"] {
        if wei != "0x0" {
            nodes.result("anvil_setBalance", json!([ACCOUNT, wei])).await;
        }
        let pair = [nodes.checkpoint().await, nodes.checkpoint().await];
        states.push((pair, wei));
    }
    // Backwards from the latest, each of a pair more than once.
    for ([one, other], wei) in states.iter().rev() {
        for id in [other, one, one] {
            nodes.result("anvil_setBalance", json!([ACCOUNT, "0x1"])).await;
            nodes.revert_to(id).await;
            assert_eq!(nodes.balance().await, *wei, "checkpoint {id}");
        }
    }
    nodes.platform.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_snapshot_that_is_gone_is_refused_and_the_chain_goes_on() {
    let nodes = Nodes::behind(config()).await;
    let mine = async || drop(nodes.result("evm_mine", json!([])).await);
    let snapshot = async || nodes.result("evm_snapshot", json!([])).await;
    let revert = async |snapshot: &Value| nodes.result("evm_revert", json!([snapshot])).await;
    let alive = async |what: &str| {
        assert!(nodes.result("eth_getBlockByNumber", json!(["latest", false])).await.is_object(), "{what}");
        assert_eq!(order(&nodes.platform, "GET /_sim/ready", "").await.0, 200, "{what}");
    };
    // An earlier revert has removed it; the number may be written in any way.
    let first = snapshot().await;
    mine().await;
    let second = snapshot().await;
    assert_eq!(revert(&first).await, true);
    let number = u64::from_str_radix(second.as_str().unwrap().trim_start_matches("0x"), 16).unwrap();
    for again in [first, second.clone(), json!(number), json!(number.to_string()), json!(u64::MAX)] {
        assert_eq!(revert(&again).await, false, "{again}");
        alive("after a revert").await;
    }
    // A checkpoint has removed it.
    let checkpoint = nodes.checkpoint().await;
    mine().await;
    let third = snapshot().await;
    nodes.revert_to(&checkpoint).await;
    assert_eq!(revert(&third).await, false);
    alive("after a checkpoint").await;
    // A rollback has removed its block, and that of a checkpoint.
    for _ in 0..4 {
        mine().await;
    }
    let fourth = snapshot().await;
    let checkpoint = nodes.checkpoint().await;
    nodes.result("anvil_rollback", json!([3])).await;
    assert_eq!(revert(&fourth).await, false);
    alive("after a rollback").await;
    let back = format!("POST /_sim/checkpoints/{checkpoint}/revert");
    for status in [410, 404] {
        assert_eq!(order(&nodes.platform, &back, "").await.0, status);
        alive("after a revert to a block that is gone").await;
    }
    // A reorganisation may give the same blocks again.
    for _ in 0..4 {
        mine().await;
    }
    let fifth = snapshot().await;
    nodes.result("anvil_reorg", json!([3, []])).await;
    revert(&fifth).await;
    alive("after a reorganisation").await;
    // Two callers at once.
    for _ in 0..20 {
        let first = snapshot().await;
        mine().await;
        let second = snapshot().await;
        tokio::join!(revert(&first), revert(&second), snapshot());
        alive("after two at once").await;
    }
    nodes.platform.stop().await;
}

/// Each block of a chain but its first follows another (Yellow Paper, section 4.4.4): a block that is mined while the chain goes back has a
/// gap below it.
#[tokio::test(flavor = "multi_thread")]
async fn no_block_is_mined_while_a_chain_goes_back() {
    let nodes = Nodes::behind(config()).await;
    let base = nodes.checkpoint().await;
    let mine = async || {
        for _ in 0..4 {
            nodes.result("evm_mine", json!([])).await;
        }
    };
    let go_back = async || {
        let snapshot = nodes.result("evm_snapshot", json!([])).await;
        for _ in 0..2 {
            nodes.result("evm_mine", json!([])).await;
        }
        nodes.result("evm_revert", json!([snapshot])).await;
    };
    let transfer =
        json!({ "from": nodes.platform.ready().accounts[3].address, "to": ACCOUNT, "value": "0x1" });
    let send = async || {
        for _ in 0..4 {
            // A transaction may be dropped, with the nonce of the next one.
            nodes.ask("eth_sendTransaction", json!([transfer])).await;
        }
    };
    for round in 0..60 {
        tokio::join!(mine(), mine(), send(), send(), go_back(), async {
            if round % 4 == 0 {
                nodes.revert_to(&base).await;
            }
        });
    }
    let height = nodes.result("eth_blockNumber", json!([])).await;
    let height = u64::from_str_radix(height.as_str().unwrap().trim_start_matches("0x"), 16).unwrap();
    for number in height.saturating_sub(600)..=height {
        let block = nodes.result("eth_getBlockByNumber", json!([format!("{number:#x}"), false])).await;
        assert!(block.is_object(), "there is no block {number} below {height}");
    }
    assert_eq!(order(&nodes.platform, "GET /_sim/ready", "").await.0, 200);
    // What a caller has set stays set.
    nodes.result("evm_setIntervalMining", json!([3600])).await;
    nodes.revert_to(&base).await;
    assert_eq!(nodes.result("anvil_getIntervalMining", json!([])).await, 3600);
    nodes.platform.stop().await;
}

/// A node keeps a queue of 64 blocks with their states, to which each revert adds the snapshot's block once more.
#[tokio::test(flavor = "multi_thread")]
async fn a_chain_goes_back_to_its_snapshot_however_often_it_was_there() {
    let nodes = Nodes::behind(config()).await;
    let mine = async |blocks: u64| drop(nodes.result("anvil_mine", json!([blocks])).await);
    // Behind a snapshot too, if there were few reverts.
    mine(5).await;
    let snapshot = nodes.result("evm_snapshot", json!([])).await;
    mine(3).await;
    assert_eq!(nodes.result("evm_revert", json!([snapshot])).await, true);
    nodes.result("anvil_rollback", json!([3])).await;
    // By a checkpoint and by a snapshot of the node in turns; blocks of the fixed clock have the same hashes each time.
    let checkpoint = nodes.checkpoint().await;
    for round in 0..30 {
        let snapshot = nodes.result("evm_snapshot", json!([])).await;
        let blocks = [7, 13, 32][round % 3];
        mine(blocks).await;
        let method = if round % 2 == 0 { "anvil_rollback" } else { "anvil_reorg" };
        let params = if round % 2 == 0 { json!([blocks]) } else { json!([blocks, []]) };
        let answer = nodes.ask(method, params).await;
        assert!(answer["error"].is_null(), "round {round}: {method} of {blocks} blocks: {answer}");
        match round % 4 {
            0 | 1 => nodes.revert_to(&checkpoint).await,
            _ => assert_eq!(nodes.result("evm_revert", json!([snapshot])).await, true),
        }
    }
    // By rollbacks alone.
    for round in 0..70 {
        mine(2).await;
        let answer = nodes.ask("anvil_rollback", json!([2])).await;
        assert!(answer["error"].is_null(), "rollback {round}: {answer}");
    }
    // At most 64.
    mine(70).await;
    for (method, params) in [("anvil_rollback", json!([65])), ("anvil_reorg", json!([65, []]))] {
        let error = nodes.ask(method, params).await;
        let message = error["error"]["message"].as_str().unwrap_or_default();
        let expected = "the chain cannot go back so far: its node has the states of the latest 64 blocks";
        assert!(message.starts_with(expected), "{error}");
    }
    nodes.result("anvil_reorg", json!([32, []])).await;
    nodes.platform.stop().await;
}
