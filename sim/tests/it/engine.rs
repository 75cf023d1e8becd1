//! A running clock, and reverts during transactions.
use std::time::Duration;

use alloy::eips::BlockId;
use alloy::network::TransactionBuilder;
use alloy::primitives::{Address, B256};
use alloy::providers::{DynProvider, Provider};
use alloy::rpc::types::TransactionRequest;
use serde_json::Value;
use slipway_sim::clock::ClockMode;
use slipway_sim::{Config, Platform};
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::platform::{PRIMARY, SECOND, config, get, latest_times, launch, provider, start};

#[tokio::test(flavor = "multi_thread")]
async fn running_clock_and_chains_agree() {
    let platform = Platform::start(Config { clock: ClockMode::Running, ..config() }).await.unwrap();
    let engine = platform.engine();
    for _ in 0..3 {
        let before = engine.clock().now();
        let now = engine.advance(1_000).await.unwrap();
        assert!((before + 1_000..before + 1_010).contains(&now));
        let earliest = engine.clock().now();
        for chain_id in [PRIMARY, SECOND] {
            provider(&platform, chain_id).raw_request::<_, Value>("evm_mine".into(), ()).await.unwrap();
        }
        let times = latest_times(&platform).await;
        assert!(times.iter().all(|time| (earliest..=engine.clock().now()).contains(time)), "{times:?}");
    }
    platform.stop().await;
}

/// Sends a transfer from an account to itself. The node may refuse it: the account's nonce reverts with the chain.
async fn send_transfer(node: DynProvider, from: Address) {
    let transfer = TransactionRequest::default().with_from(from).with_to(from).with_gas_limit(21_000);
    let _: Result<Value, _> = node.raw_request("eth_sendTransaction".into(), (&transfer,)).await;
}

/// Checks that every block of a chain has its parent, from the latest down to a height.
async fn assert_linked(node: &DynProvider, height: u64) {
    let mut block = node.get_block(BlockId::latest()).await.unwrap().unwrap();
    while block.header.number > height {
        let number = block.header.number - 1;
        let parent = node.get_block(number.into()).await.unwrap();
        let parent = parent.unwrap_or_else(|| panic!("the chain has no block {number}"));
        // A block mined meanwhile changes nothing below it.
        assert_eq!(block.header.parent_hash, parent.header.hash);
        block = parent;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn revert_amid_transactions_leaves_no_hole() {
    let platform = start().await;
    let engine = platform.engine();
    let node = provider(&platform, PRIMARY);
    let _: Value = node.raw_request("anvil_autoImpersonateAccount".into(), (true,)).await.unwrap();
    let everything = get(&platform, "/api/tokens?sortBy=oldest").await;
    let heights = engine.heights().borrow().clone();
    let checkpoint = engine.checkpoint(None).await.unwrap();
    for round in 0..12 {
        let mut senders = JoinSet::new();
        for account in platform.ready().accounts.iter().cycle().take(30) {
            senders.spawn(send_transfer(node.clone(), account.address));
        }
        // When the chain reverts, any number of these may still be pending.
        for _ in 0..round * 5 % 30 {
            senders.join_next().await;
        }
        // A block mined on a caller's command may contain transactions that the miner has turns for.
        for _ in 0..round % 3 {
            let _: Value = node.raw_request("evm_mine".into(), ()).await.unwrap();
        }
        engine.revert(checkpoint).await.unwrap();
        assert_linked(&node, heights[&PRIMARY]).await;
        senders.join_all().await;
    }
    engine.revert(checkpoint).await.unwrap();
    assert_eq!(*engine.heights().borrow(), heights);
    assert_eq!(get(&platform, "/api/tokens?sortBy=oldest").await, everything);
    platform.stop().await;
}

/// A block costs a node more than the rest of a revert.
#[tokio::test(flavor = "multi_thread")]
async fn revert_mines_no_block_while_the_miner_rests() {
    let platform = start().await;
    let engine = platform.engine();
    let node = provider(&platform, PRIMARY);
    let filter: Value = node.raw_request("eth_newBlockFilter".into(), ()).await.unwrap();
    // A node tells its filters of a block after it has the block.
    let mined = async |at_least: usize| {
        let told = async {
            let mut blocks = 0;
            loop {
                let hashes: Vec<B256> =
                    node.raw_request("eth_getFilterChanges".into(), (&filter,)).await.unwrap();
                blocks += hashes.len();
                if blocks >= at_least {
                    return blocks;
                }
            }
        };
        timeout(Duration::from_secs(30), told).await.expect("the node tells of its blocks")
    };
    let checkpoint = engine.checkpoint(None).await.unwrap();
    for (what, is_known) in [("nothing", true), ("a launch", true), ("a move", true), ("others", false)] {
        match what {
            "a launch" => drop(launch(&platform, PRIMARY, "Pebble").await),
            "a move" => drop(engine.advance(60).await.unwrap()),
            "others" => drop(node.raw_request::<_, Value>("evm_mine".into(), ()).await.unwrap()),
            _ => {}
        }
        let news = usize::from(what != "nothing");
        assert_eq!(mined(news).await, news, "{what}");
        engine.revert(checkpoint).await.unwrap();
        assert_eq!(mined(usize::from(!is_known)).await == 0, is_known, "{what}");
    }
    platform.stop().await;
}
