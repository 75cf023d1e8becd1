//! Time and checkpoints: everything moves together, and goes back together.
use alloy::eips::BlockId;
use alloy::network::TransactionBuilder;
use alloy::primitives::{Address, B256, Signature, U256};
use alloy::providers::{DynProvider, Provider};
use alloy::rpc::types::TransactionRequest;
use serde_json::Value;
use slipway_contracts::bindings::ILaunchHook;
use slipway_sim::clock::ClockMode;
use slipway_sim::engine::EngineError;
use slipway_sim::fact::Fact;
use slipway_sim::{Config, MARKET_END, Platform};

use tokio::task::JoinSet;

use crate::platform::{PRIMARY, SECOND, config, found, get, hook, latest_times, launch, provider, start};

#[tokio::test(flavor = "multi_thread")]
async fn fixed_clock_moves_both_chains_on_request() {
    let platform = start().await;
    let engine = platform.engine();
    assert_eq!(engine.clock().now(), MARKET_END);
    assert_eq!(latest_times(&platform).await, [MARKET_END; 2]);
    launch(&platform, PRIMARY, "Sundial").await;
    assert_eq!(latest_times(&platform).await, [MARKET_END; 2]);
    assert_eq!(engine.advance(90).await.unwrap(), MARKET_END + 90);
    assert_eq!(engine.set_time(MARKET_END + 100).await.unwrap(), MARKET_END + 100);
    assert_eq!(latest_times(&platform).await, [MARKET_END + 100; 2]);
    let refused = engine.set_time(MARKET_END + 99).await;
    assert!(matches!(refused, Err(EngineError::BackwardTime { .. })), "{refused:?}");
    assert_eq!(engine.clock().now(), MARKET_END + 100);
    platform.stop().await;
}

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

#[tokio::test(flavor = "multi_thread")]
async fn checkpoint_can_be_restored_repeatedly() {
    let platform = start().await;
    let engine = platform.engine();
    launch(&platform, PRIMARY, "Keepsake").await;
    let everything = get(&platform, "/api/tokens?sortBy=oldest").await;
    let heights = engine.heights().borrow().clone();
    let checkpoint = engine.checkpoint(None).await.unwrap();
    for round in 0..3 {
        for (chain_id, name) in [(PRIMARY, "Mayfly"), (SECOND, "Dayfly")] {
            launch(&platform, chain_id, &format!("{name}{round}")).await;
        }
        engine.advance(60 * 60).await.unwrap();
        let later = engine.checkpoint(None).await.unwrap();
        let token = everything["tokens"][0]["address"].as_str().unwrap().parse::<Address>().unwrap();
        engine
            .store()
            .append(&Fact::TokenDisabled { token, disabled: true }, engine.clock().now())
            .await
            .unwrap();
        engine.catch_up().await.unwrap();
        assert_ne!(get(&platform, "/api/tokens?sortBy=oldest").await, everything);
        engine.revert(checkpoint).await.unwrap();
        assert_eq!(get(&platform, "/api/tokens?sortBy=oldest").await, everything);
        assert_eq!(*engine.heights().borrow(), heights);
        assert_eq!(engine.clock().now(), MARKET_END);
        assert_eq!(latest_times(&platform).await, [MARKET_END; 2]);
        let ended = engine.revert(later).await;
        assert!(matches!(ended, Err(EngineError::UnknownCheckpoint { .. })), "{ended:?}");
    }
    assert_eq!(found(&platform, "Mayfly").await, 0);
    launch(&platform, PRIMARY, "Afterwards").await;
    assert_eq!(found(&platform, "Afterwards").await, 1);
    platform.stop().await;
}

/// Sends a transfer from an account to itself. It may be refused: the account's nonce goes back with the chain.
async fn send_transfer(node: DynProvider, from: Address) {
    let transfer = TransactionRequest::default().with_from(from).with_to(from).with_gas_limit(21_000);
    let _: Result<Value, _> = node.raw_request("eth_sendTransaction".into(), (&transfer,)).await;
}

/// Every block of a chain has its parent, from the latest down to a height.
async fn assert_linked(node: &DynProvider, height: u64) {
    let mut block = node.get_block(BlockId::latest()).await.unwrap().unwrap();
    while block.header.number > height {
        let number = block.header.number - 1;
        let parent = node.get_block(number.into()).await.unwrap();
        let parent = parent.unwrap_or_else(|| panic!("the chain has no block {number}"));
        // A block that is mined meanwhile changes nothing below it.
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
        // From none to all of them have been taken when the chain goes back.
        for _ in 0..round * 5 % 30 {
            senders.join_next().await;
        }
        // A block that somebody orders may have what the miner has turns for.
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

/// A block costs a node more than all the rest of a revert.
#[tokio::test(flavor = "multi_thread")]
async fn revert_mines_no_block_while_the_miner_rests() {
    let platform = start().await;
    let engine = platform.engine();
    let node = provider(&platform, PRIMARY);
    let filter: Value = node.raw_request("eth_newBlockFilter".into(), ()).await.unwrap();
    let mined = async || {
        let hashes: Vec<B256> = node.raw_request("eth_getFilterChanges".into(), (&filter,)).await.unwrap();
        hashes.len()
    };
    let checkpoint = engine.checkpoint(None).await.unwrap();
    for (what, is_known) in [("nothing", true), ("a launch", true), ("a move", true), ("others", false)] {
        match what {
            "a launch" => drop(launch(&platform, PRIMARY, "Pebble").await),
            "a move" => drop(engine.advance(60).await.unwrap()),
            "others" => drop(node.raw_request::<_, Value>("evm_mine".into(), ()).await.unwrap()),
            _ => {}
        }
        assert_eq!(mined().await, usize::from(what != "nothing"), "{what}");
        engine.revert(checkpoint).await.unwrap();
        assert_eq!(mined().await == 0, is_known, "{what}");
    }
    platform.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn signed_captcha_satisfies_the_hook() {
    let platform = start().await;
    let trader = Address::repeat_byte(7);
    let mut nonces: Vec<B256> = Vec::new();
    for chain_id in [PRIMARY, SECOND, PRIMARY] {
        let proof = platform.engine().captcha_auth(chain_id, None, trader, 3).unwrap();
        let hook = ILaunchHook::new(hook(&platform, chain_id), provider(&platform, chain_id));
        let digest =
            hook.captchaDigest(trader, U256::from(3), proof.deadline, proof.nonce).call().await.unwrap();
        let signature = Signature::from_raw(&proof.signature).unwrap();
        let signer = hook.captchaSigner().call().await.unwrap();
        assert_eq!(signature.recover_address_from_prehash(&digest).unwrap(), signer);
        assert!(proof.deadline > MARKET_END);
        nonces.push(proof.nonce);
    }
    nonces.dedup();
    assert_eq!(nonces.len(), 3);
    platform.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn creation_is_paused_on_one_chain() {
    let platform = start().await;
    let paused = async |chain_id| {
        let hook = ILaunchHook::new(hook(&platform, chain_id), provider(&platform, chain_id));
        hook.creationPaused().call().await.unwrap()
    };
    platform.engine().pause_creation(PRIMARY, None, true).await.unwrap();
    assert_eq!([paused(PRIMARY).await, paused(SECOND).await], [true, false]);
    platform.engine().pause_creation(PRIMARY, None, false).await.unwrap();
    assert!(!paused(PRIMARY).await);
    let unknown = platform.engine().pause_creation(1, None, true).await;
    assert!(matches!(unknown, Err(EngineError::UnknownChain { chain_id: 1 })), "{unknown:?}");
    platform.stop().await;
}
