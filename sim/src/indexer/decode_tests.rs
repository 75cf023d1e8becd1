//! What logs say: every amount in its place, and the logs of strangers nothing.
use std::sync::Arc;

use super::{Decoded, Watched, decode, events_of};
use crate::chain::{Chain, Head, RawBlock};
use crate::event::{Event, EventKind, Metadata, Side};
use alloy::primitives::{Address, B256, Log as RawLog, U256};
use alloy::providers::{Provider, ProviderBuilder};
use alloy::rpc::types::Log;
use alloy::sol_types::SolEvent;
use alloy::transports::mock::Asserter;
use serde_json::json;
use slipway_contracts::bindings::{
    IEmperorAuction, ILaunchHook, IPoolManager, ITokenFactory, IUniswapV2Factory, IUniswapV2Pair,
    TradeAmounts, TradePrice,
};

const HOOK: Address = Address::repeat_byte(1);
const MANAGER: Address = Address::repeat_byte(2);
const FACTORY: Address = Address::repeat_byte(3);
const AUCTION: Address = Address::repeat_byte(4);
const PAIR: Address = Address::repeat_byte(6);
/// The second token of the factory.
const TOKEN: Address = Address::repeat_byte(8);

fn watched() -> Watched {
    Watched {
        hooks: [HOOK].into(),
        pool_manager: MANAGER,
        token_factory: Some(FACTORY),
        auction: Some(AUCTION),
        v1: [(TOKEN, 2)].into(),
        pairs: [PAIR].into(),
        ..Watched::default()
    }
}

fn log(emitter: Address, event: &impl SolEvent) -> Log {
    Log { inner: RawLog { address: emitter, data: event.encode_log_data() }, ..Log::default() }
}

fn decoded(log: &Log) -> Option<EventKind> {
    match decode(&watched(), log)? {
        Decoded::Event(kind) => Some(kind),
        Decoded::NewPair { .. } => None,
    }
}

fn sell() -> ILaunchHook::Trade {
    ILaunchHook::Trade {
        launchId: U256::from(3),
        trader: Address::repeat_byte(9),
        tradeType: 1,
        price: TradePrice { priceAfter: U256::from(10), marketCap: U256::from(11) },
        amounts: TradeAmounts { ethAmount: U256::from(12), tokenAmount: U256::from(13), fee: U256::from(14) },
        refund: U256::ZERO,
    }
}

#[test]
fn trade_amounts_decode() {
    let expected = EventKind::Trade {
        launch_id: 3,
        trader: Address::repeat_byte(9),
        side: Side::Sell,
        price_after: U256::from(10),
        market_cap: U256::from(11),
        quote_amount: U256::from(12),
        token_amount: U256::from(13),
        fee: U256::from(14),
        refund: U256::ZERO,
    };
    assert_eq!(decoded(&log(HOOK, &sell())), Some(expected));
}

#[test]
fn unknown_emitters_are_ignored() {
    assert_eq!(decoded(&log(Address::repeat_byte(5), &sell())), None);
    assert_eq!(decoded(&log(MANAGER, &sell())), None);
}

#[test]
fn an_unknown_trade_type_is_nothing() {
    assert_eq!(decoded(&log(HOOK, &ILaunchHook::Trade { tradeType: 2, ..sell() })), None);
}

#[test]
fn a_pool_swap_keeps_its_signs() {
    let swap = IPoolManager::Swap {
        id: B256::repeat_byte(7),
        sender: HOOK,
        amount0: -5,
        amount1: 6,
        sqrtPriceX96: alloy::primitives::Uint::from(77),
        liquidity: 1,
        tick: alloy::primitives::Signed::ZERO,
        fee: alloy::primitives::Uint::from(1000),
    };
    let kind = decoded(&log(MANAGER, &swap)).unwrap();
    let expected = EventKind::PoolSwap {
        pool_id: B256::repeat_byte(7),
        sender: swap.sender,
        amount0: -5,
        amount1: 6,
        sqrt_price_x96: U256::from(77),
    };
    assert_eq!(kind, expected);
}

fn v1_trade(trade_type: u8) -> ITokenFactory::TokenTraded {
    ITokenFactory::TokenTraded {
        token: TOKEN,
        trader: Address::repeat_byte(9),
        tradeType: trade_type,
        ethAmount: U256::from(20),
        tokenAmount: U256::from(21),
        fee: U256::from(22),
        refund: U256::from(23),
        priceAfter: U256::from(24),
        marketCap: U256::from(25),
    }
}

#[test]
fn v1_trade_amounts_decode() {
    for (trade_type, side) in [(0, Side::Buy), (1, Side::Sell)] {
        let expected = EventKind::Trade {
            launch_id: 2,
            trader: Address::repeat_byte(9),
            side,
            price_after: U256::from(24),
            market_cap: U256::from(25),
            quote_amount: U256::from(20),
            token_amount: U256::from(21),
            fee: U256::from(22),
            refund: U256::from(23),
        };
        assert_eq!(decoded(&log(FACTORY, &v1_trade(trade_type))), Some(expected));
    }
    assert_eq!(decoded(&log(FACTORY, &v1_trade(2))), None);
    assert_eq!(decoded(&log(HOOK, &v1_trade(0))), None);
    let of_a_stranger = ITokenFactory::TokenTraded { token: Address::repeat_byte(0x77), ..v1_trade(0) };
    assert_eq!(decoded(&log(FACTORY, &of_a_stranger)), None);
}

#[test]
fn v1_creation_and_graduation_decode() {
    let created = ITokenFactory::TokenCreated {
        token: TOKEN,
        creator: Address::repeat_byte(9),
        pair: PAIR,
        name: "name".to_owned(),
        symbol: "symbol".to_owned(),
        description: "description".to_owned(),
        imageUrl: "image".to_owned(),
    };
    let expected = EventKind::TokenCreated {
        launch_id: 2,
        creator: Address::repeat_byte(9),
        token: TOKEN,
        pair: PAIR,
        metadata: Arc::new(Metadata {
            name: "name".to_owned(),
            ticker: "symbol".to_owned(),
            description: "description".to_owned(),
            image_url: "image".to_owned(),
            ..Metadata::default()
        }),
    };
    assert_eq!(decoded(&log(FACTORY, &created)), Some(expected));
    let graduated = ITokenFactory::TokenGraduated {
        token: TOKEN,
        pair: PAIR,
        ethSeeded: U256::from(30),
        tokensSeeded: U256::from(31),
    };
    let expected = EventKind::TokenGraduated {
        launch_id: 2,
        pair: PAIR,
        quote_seeded: U256::from(30),
        tokens_seeded: U256::from(31),
    };
    assert_eq!(decoded(&log(FACTORY, &graduated)), Some(expected));
    assert_eq!(decoded(&log(FACTORY, &ITokenFactory::CreationClosedForGood {})), None);
}

#[test]
fn pair_events_decode_by_side() {
    let swap = IUniswapV2Pair::Swap {
        sender: HOOK,
        amount0In: U256::from(40),
        amount1In: U256::from(41),
        amount0Out: U256::from(42),
        amount1Out: U256::from(43),
        to: HOOK,
    };
    let expected = EventKind::PairSwap {
        amount0_in: U256::from(40),
        amount1_in: U256::from(41),
        amount0_out: U256::from(42),
        amount1_out: U256::from(43),
    };
    assert_eq!(decoded(&log(PAIR, &swap)), Some(expected));
    let sync = IUniswapV2Pair::Sync {
        reserve0: alloy::primitives::Uint::from(50),
        reserve1: alloy::primitives::Uint::from(51),
    };
    let expected = EventKind::Sync { reserve0: 50, reserve1: 51 };
    assert_eq!(decoded(&log(PAIR, &sync)), Some(expected));
    assert_eq!(decoded(&log(FACTORY, &sync)), None);
}

fn bid() -> IEmperorAuction::BidWon {
    IEmperorAuction::BidWon {
        epoch: U256::from(20_000),
        token: TOKEN,
        bidder: Address::repeat_byte(9),
        amount: U256::from(60),
        startBid: U256::from(61),
    }
}

#[test]
fn won_bid_decodes() {
    let expected = EventKind::BidWon {
        epoch: 20_000,
        token: TOKEN,
        bidder: Address::repeat_byte(9),
        amount: U256::from(60),
        start_bid: U256::from(61),
    };
    assert_eq!(decoded(&log(AUCTION, &bid())), Some(expected));
    assert_eq!(decoded(&log(HOOK, &bid())), None);
    let beyond = IEmperorAuction::BidWon { epoch: U256::MAX, ..bid() };
    assert_eq!(decoded(&log(AUCTION, &beyond)), None, "no day has such a number");
    let withdrawn = IEmperorAuction::ProceedsWithdrawn { beneficiary: HOOK, amount: U256::from(1) };
    assert_eq!(decoded(&log(AUCTION, &withdrawn)), None);
}

/// A node that fails says nothing of a token.
#[tokio::test]
async fn tokens_of_a_pair_are_described_by_a_node_that_answers() {
    const PAIRS: Address = Address::repeat_byte(7);
    let created =
        IUniswapV2Factory::PairCreated { token0: TOKEN, token1: HOOK, pair: PAIR, number: U256::from(1) };
    let head = Head { number: 5, hash: B256::ZERO, parent: B256::ZERO, timestamp: 9, is_empty: false };
    let block = RawBlock { head, logs: vec![log(PAIRS, &created)] };
    let node = Asserter::new();
    let chain = Chain::over(1, ProviderBuilder::default().connect_mocked_client(node.clone()).erased());
    let mut watched = Watched { pair_factory: Some(PAIRS), ..watched() };
    events_of(&chain, &mut watched, &block).await.unwrap_err();
    // Refused as of the block, and as of the latest one.
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
