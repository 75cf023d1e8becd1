//! Chains that went back, by a checkpoint, a snapshot, a rollback or a reorganisation: the base fees of their blocks follow from one another
//! (EIP-1559), and a start replays them to the same blocks.
use alloy::eips::eip1559::{BaseFeeParams, calc_next_block_base_fee};
use slipway_sim::MarketPlan;

use super::*;

fn empty(folder: &Path) -> Config {
    // Its first blocks have a base fee far above the lowest, which falls with each block.
    Config { market: MarketPlan::empty(), trailing_blocks: false, ..kept(folder) }
}

/// Starts an empty platform, and mines some blocks after those of its market.
async fn begun(config: &Config) -> Platform {
    let platform = started(config).await;
    for chain_id in [PRIMARY, SECOND] {
        called(&platform, chain_id, "anvil_mine", json!(["0x6"])).await;
    }
    platform
}

/// Asserts that the base fee of every block follows from the block before it.
async fn has_ordinary_fees(platform: &Platform) {
    for chain_id in [PRIMARY, SECOND] {
        let number = |block: &Value, name: &str| {
            u64::from_str_radix(block[name].as_str().unwrap().trim_start_matches("0x"), 16).unwrap()
        };
        let block = async |number: &str| {
            called(platform, chain_id, "eth_getBlockByNumber", json!([number, false])).await
        };
        let mut child = block("latest").await;
        // The first blocks are those of the market.
        for _ in 0..4 {
            let height = number(&child, "number");
            let parent = block(&format!("{:#x}", height - 1)).await;
            let [used, limit, fee] =
                ["gasUsed", "gasLimit", "baseFeePerGas"].map(|name| number(&parent, name));
            let expected = calc_next_block_base_fee(used, limit, fee, BaseFeeParams::ethereum());
            assert_eq!(number(&child, "baseFeePerGas"), expected, "block {height} of {chain_id}");
            child = parent;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn fees_follow_from_the_block_to_which_a_chain_went_back() {
    let folder = tempfile::tempdir().unwrap();
    let config = empty(folder.path());
    let mut platform = begun(&config).await;
    let checkpoints = async |platform: &Platform, kind: &str| {
        ordered(platform, "GET /_sim/checkpoints", "").await[kind].as_array().unwrap().len()
    };
    let advance = async |platform: &Platform| {
        ordered(platform, "POST /_sim/clock/advance", json!({ "seconds": 7 })).await;
    };
    for discards in [false, true] {
        let checkpoint = ordered(&platform, "POST /_sim/checkpoints", "").await["id"].clone();
        launched(&platform, "Qgone").await;
        advance(&platform).await;
        ordered(&platform, &format!("POST /_sim/checkpoints/{checkpoint}/revert"), "").await;
        if discards {
            ordered(&platform, &format!("DELETE /_sim/checkpoints/{checkpoint}"), "").await;
        }
        advance(&platform).await;
        has_ordinary_fees(&platform).await;
        platform = again(platform, &config).await;
    }
    for (method, params) in
        [("evm_revert", Value::Null), ("anvil_rollback", json!([2])), ("anvil_reorg", json!([2, []]))]
    {
        let snapshot = called(&platform, PRIMARY, "evm_snapshot", json!([])).await;
        for _ in 0..3 {
            called(&platform, PRIMARY, "evm_mine", json!([])).await;
        }
        let params = if params.is_null() { json!([snapshot]) } else { params };
        called(&platform, PRIMARY, method, params).await;
        called(&platform, PRIMARY, "evm_mine", json!([])).await;
        if method != "anvil_reorg" {
            has_ordinary_fees(&platform).await;
        }
        // The checkpoint from before is one of the past.
        if method == "evm_revert" {
            assert_eq!(checkpoints(&platform, "checkpoints").await, 1);
            platform.stop().await;
            platform = started(&config).await;
            assert_eq!(
                (checkpoints(&platform, "checkpoints").await, checkpoints(&platform, "imported").await),
                (0, 1)
            );
        }
        platform = again(platform, &config).await;
    }
    // A fee that a caller has set stays with the checkpoint, and a state that went back to the same block is the one that is kept.
    called(&platform, PRIMARY, "anvil_setNextBlockBaseFeePerGas", json!(["0x77359400"])).await;
    let checkpoint = ordered(&platform, "POST /_sim/checkpoints", "").await["id"].clone();
    called(&platform, PRIMARY, "evm_mine", json!([])).await;
    ordered(&platform, &format!("POST /_sim/checkpoints/{checkpoint}/revert"), "").await;
    called(&platform, PRIMARY, "evm_mine", json!([])).await;
    let latest = called(&platform, PRIMARY, "eth_getBlockByNumber", json!(["latest", false])).await;
    assert_eq!(latest["baseFeePerGas"], "0x77359400");
    platform = again(platform, &config).await;
    ordered(&platform, &format!("DELETE /_sim/checkpoints/{checkpoint}"), "").await;
    let snapshot = called(&platform, PRIMARY, "evm_snapshot", json!([])).await;
    called(&platform, PRIMARY, "anvil_setBalance", json!([STRANGER, "0x5"])).await;
    assert_eq!(called(&platform, PRIMARY, "evm_revert", json!([snapshot])).await, true);
    assert_eq!(called(&platform, PRIMARY, "evm_revert", json!([snapshot])).await, false);
    assert_eq!(called(&platform, PRIMARY, "eth_getBalance", json!([STRANGER, "latest"])).await, "0x0");
    again(platform, &config).await.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_state_that_the_store_names_outlives_attempts_to_replace_it() {
    let folder = tempfile::tempdir().unwrap();
    let config = empty(folder.path());
    let platform = begun(&config).await;
    launched(&platform, "Qstays").await;
    called(&platform, PRIMARY, "anvil_mine", json!(["0x3"])).await;
    let refuse = "CREATE TRIGGER refuse BEFORE INSERT ON platform BEGIN SELECT RAISE(ABORT, 'refused'); END";
    changed(folder.path(), refuse).await;
    // A rollback begins the journal anew, which the database refuses: neither is acknowledged, however often it is tried.
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "anvil_rollback", "params": [1] });
    for _ in 0..3 {
        let answer = client().post(&platform.ready().chains[0].rpc_url).body(call.to_string()).send().await;
        let answer: Value = serde_json::from_str(&answer.unwrap().text().await.unwrap()).unwrap();
        assert!(answer["error"].is_object(), "{answer}");
        assert_eq!(order(&platform, "GET /_sim/ready", "").await.0, 503);
    }
    assert!(folder.path().join("chains/0").is_dir());
    changed(folder.path(), "DROP TRIGGER refuse").await;
    // With nothing in the way the next attempt replaces the state, and only that one is left.
    while order(&platform, "GET /_sim/ready", "").await.0 != 200 {}
    let mut states = std::fs::read_dir(folder.path().join("chains")).unwrap();
    assert_eq!(states.next().unwrap().unwrap().file_name(), "1");
    assert!(states.next().is_none());
    again(platform, &config).await.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_next_block_gets_goes_back_with_the_chain() {
    let folder = tempfile::tempdir().unwrap();
    let config = empty(folder.path());
    let mut platform = begun(&config).await;
    let next = async |platform: &Platform| {
        let next = called(platform, PRIMARY, "eth_getBlockByNumber", json!(["pending", false])).await;
        [next["miner"].clone(), next["gasLimit"].clone(), next["baseFeePerGas"].clone()]
    };
    let set = async |platform: &Platform, miner: &str, limit: &str, fee: &str| {
        called(platform, PRIMARY, "anvil_setCoinbase", json!([miner])).await;
        called(platform, PRIMARY, "evm_setBlockGasLimit", json!([limit])).await;
        called(platform, PRIMARY, "anvil_setNextBlockBaseFeePerGas", json!([fee])).await;
    };
    set(&platform, STRANGER, "0x5f5e100", "0x3b9aca00").await;
    let before = next(&platform).await;
    let checkpoint = ordered(&platform, "POST /_sim/checkpoints", "").await["id"].clone();
    for is_mined in [false, true] {
        set(&platform, "0x00000000000000000000000000000000000000a2", "0x2faf080", "0x77359400").await;
        if is_mined {
            called(&platform, PRIMARY, "evm_mine", json!([])).await;
        }
        ordered(&platform, &format!("POST /_sim/checkpoints/{checkpoint}/revert"), "").await;
        assert_eq!(next(&platform).await, before);
        platform = again(platform, &config).await;
        assert_eq!(next(&platform).await, before);
    }
    called(&platform, PRIMARY, "evm_mine", json!([])).await;
    again(platform, &config).await.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_checkpoint_from_before_the_state_is_discarded_for_good() {
    let folder = tempfile::tempdir().unwrap();
    let config = empty(folder.path());
    let platform = begun(&config).await;
    let snapshot = called(&platform, PRIMARY, "evm_snapshot", json!([])).await;
    let checkpoint = ordered(&platform, "POST /_sim/checkpoints", "").await["id"].clone();
    assert_eq!(called(&platform, PRIMARY, "evm_revert", json!([snapshot])).await, true);
    ordered(&platform, &format!("DELETE /_sim/checkpoints/{checkpoint}"), "").await;
    again(platform, &config).await.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_order_whose_transaction_waits_says_so_and_it_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let config = empty(folder.path());
    let platform = begun(&config).await;
    called(&platform, PRIMARY, "evm_setAutomine", json!([false])).await;
    let body = json!({ "address": STRANGER, "amount": "1" });
    let (status, answer) = order(&platform, "POST /_sim/faucet", body).await;
    assert_eq!(status, 409);
    assert!(answer["error"].as_str().unwrap().contains("waits: the node of chain 57073"), "{answer}");
    let platform = again(platform, &config).await;
    called(&platform, PRIMARY, "evm_mine", json!([])).await;
    let balance = called(&platform, PRIMARY, "eth_getBalance", json!([STRANGER, "latest"])).await;
    assert_eq!(balance, "0xde0b6b3a7640000");
    platform.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn transactions_wait_until_a_revert_drops_them() {
    let folder = tempfile::tempdir().unwrap();
    let config = empty(folder.path());
    let mut platform = begun(&config).await;
    called(&platform, PRIMARY, "evm_setAutomine", json!([true])).await;
    called(&platform, PRIMARY, "evm_setIntervalMining", json!([0])).await;
    let from = platform.ready().accounts[1].address;
    let sent = json!([{ "from": from, "to": STRANGER, "value": "0x1", "maxFeePerGas": "0x77359400", "nonce": "0x1" }]);
    let hash = called(&platform, PRIMARY, "eth_sendTransaction", sent).await;
    called(&platform, PRIMARY, "evm_mine", json!([])).await;
    let waiting = async |platform: &Platform| {
        let found = called(platform, PRIMARY, "eth_getTransactionByHash", json!([hash])).await;
        found.is_object() && found["blockNumber"].is_null()
    };
    platform = again(platform, &config).await;
    assert!(waiting(&platform).await);
    let checkpoint = ordered(&platform, "POST /_sim/checkpoints", "").await["id"].clone();
    platform = again(platform, &config).await;
    assert!(waiting(&platform).await);
    ordered(&platform, &format!("POST /_sim/checkpoints/{checkpoint}/revert"), "").await;
    assert!(!waiting(&platform).await);
    platform = again(platform, &config).await;
    assert!(!waiting(&platform).await);
    platform.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_transaction_that_a_block_has_does_not_wait_again() {
    let folder = tempfile::tempdir().unwrap();
    let config = empty(folder.path());
    let platform = begun(&config).await;
    let from = platform.ready().accounts[1].address;
    let sent = json!([{ "from": from, "to": STRANGER, "value": "0x1", "maxFeePerGas": "0x77359400" }]);
    waited(&platform, sent).await;
    called(&platform, PRIMARY, "anvil_setNonce", json!([from, "0x0"])).await;
    let platform = again(platform, &config).await;
    let waiting = called(&platform, PRIMARY, "txpool_status", json!([])).await;
    assert_eq!(waiting, json!({ "pending": "0x0", "queued": "0x0" }));
    platform.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_block_is_acknowledged_while_the_state_cannot_be_saved() {
    let folder = tempfile::tempdir().unwrap();
    let config = empty(folder.path());
    let platform = begun(&config).await;
    let url = platform.ready().chains.iter().find(|chain| chain.chain_id == PRIMARY).unwrap().rpc_url.clone();
    let answer = async |method: &str, params: Value| {
        let call = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let answer = client().post(&url).body(call.to_string()).send().await.unwrap();
        serde_json::from_str::<Value>(&answer.text().await.unwrap()).unwrap()
    };
    let snapshot = called(&platform, PRIMARY, "evm_snapshot", json!([])).await;
    // A file in the place of the folder: no state can be written.
    let [chains, aside] = ["chains", "aside"].map(|name| folder.path().join(name));
    std::fs::rename(&chains, &aside).unwrap();
    std::fs::write(&chains, "").unwrap();
    assert!(answer("evm_revert", json!([snapshot])).await["error"].is_object());
    for _ in 0..200 {
        let mined = answer("evm_mine", json!([])).await;
        assert!(mined["error"].is_object(), "{mined}");
    }
    std::fs::remove_file(&chains).unwrap();
    std::fs::rename(&aside, &chains).unwrap();
    // The next order saves the state.
    ordered(&platform, "POST /_sim/clock/advance", json!({ "seconds": 1 })).await;
    called(&platform, PRIMARY, "evm_mine", json!([])).await;
    again(platform, &config).await.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn blocks_at_an_interval_come_after_a_restart_too() {
    let folder = tempfile::tempdir().unwrap();
    let config = empty(folder.path());
    let mut platform = begun(&config).await;
    let interval =
        async |platform: &Platform| called(platform, PRIMARY, "anvil_getIntervalMining", json!([])).await;
    for seconds in [1, 600] {
        called(&platform, PRIMARY, "evm_setIntervalMining", json!([seconds])).await;
        platform.stop().await;
        platform = started(&config).await;
        assert_eq!(interval(&platform).await, seconds);
    }
    // Told to mine each transaction, a node has no interval any more, not even when it is told not to after that.
    for each in [true, false, true] {
        called(&platform, PRIMARY, "evm_setAutomine", json!([each])).await;
        if each {
            continue;
        }
        platform.stop().await;
        platform = started(&config).await;
        assert_eq!(called(&platform, PRIMARY, "anvil_getAutomine", json!([])).await, false);
        assert_eq!(interval(&platform).await, Value::Null);
    }
    platform.stop().await;
    platform = started(&config).await;
    let height = async |platform: &Platform| called(platform, PRIMARY, "eth_blockNumber", json!([])).await;
    assert_eq!(interval(&platform).await, Value::Null);
    // Each transaction has its block again.
    let before = height(&platform).await;
    let from = platform.ready().accounts[1].address;
    called(
        &platform,
        PRIMARY,
        "eth_sendTransaction",
        json!([{ "from": from, "to": STRANGER, "value": "0x1" }]),
    )
    .await;
    assert_ne!(height(&platform).await, before);
    platform.stop().await;
}
