//! Logs of unknown contracts are ignored, and a failing node is an error, not an empty token description.
use super::{Watched, decode, events_of};
use crate::chain::{Chain, Head, RawBlock};
use crate::event::{Event, EventKind};
use alloy::primitives::{Address, B256, Log as RawLog, U256};
use alloy::providers::{Provider, ProviderBuilder};
use alloy::rpc::types::Log;
use alloy::sol_types::SolEvent;
use alloy::transports::mock::Asserter;
use serde_json::json;
use slipway_contracts::bindings::{ILaunchHook, IUniswapV2Factory};

const HOOK: Address = Address::repeat_byte(1);
const MANAGER: Address = Address::repeat_byte(2);
const PAIR: Address = Address::repeat_byte(6);
const TOKEN: Address = Address::repeat_byte(8);

fn watched() -> Watched {
    Watched { hooks: [HOOK].into(), pool_manager: MANAGER, ..Watched::default() }
}

fn log(emitter: Address, event: &impl SolEvent) -> Log {
    Log { inner: RawLog { address: emitter, data: event.encode_log_data() }, ..Log::default() }
}

#[test]
fn unknown_emitters_are_ignored() {
    let paused = ILaunchHook::CreationPaused { paused: true };
    for (emitter, is_known) in [(HOOK, true), (MANAGER, false), (Address::repeat_byte(5), false)] {
        assert_eq!(decode(&watched(), &log(emitter, &paused)).is_some(), is_known, "{emitter}");
    }
}

/// A failing node yields no token description.
#[tokio::test]
async fn tokens_of_a_pair_are_described_by_a_node_that_answers() {
    const PAIRS: Address = Address::repeat_byte(7);
    let created =
        IUniswapV2Factory::PairCreated { token0: TOKEN, token1: HOOK, pair: PAIR, number: U256::from(1) };
    let head = Head { number: 5, hash: B256::ZERO, parent: B256::ZERO, timestamp: 9, is_empty: false };
    let block = RawBlock { head, logs: vec![log(PAIRS, &created)] };
    let node = Asserter::new();
    let chain =
        Chain::over(1, "", ProviderBuilder::default().connect_mocked_client(node.clone()).erased(), None);
    let mut watched = Watched { pair_factory: Some(PAIRS), ..watched() };
    events_of(&chain, &mut watched, &block).await.unwrap_err();
    // The node fails for the block and for the latest one.
    node.push_failure_msg("too busy");
    node.push_failure_msg("too busy");
    events_of(&chain, &mut watched, &block).await.unwrap_err();
    let word = |number: u64| json!({ "status": "0x1", "returnData": B256::from(U256::from(number)) });
    let refused = json!({ "status": "0x0", "returnData": "0x" });
    let calls = [&refused, &refused, &word(6), &refused, &refused, &refused];
    node.push_failure_msg("the state is gone");
    node.push_success(&json!([{ "calls": calls }]));
    let events = events_of(&chain, &mut watched, &block).await.unwrap();
    let [Event { kind: EventKind::PairCreated { token0, token1, .. }, .. }] = &events[..] else {
        panic!("{events:?}");
    };
    assert_eq!((token0.decimals, token1.decimals), (6, 18));
}
