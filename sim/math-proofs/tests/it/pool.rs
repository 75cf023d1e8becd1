//! The published v4 quoter's answers against the native quotes of a pool, at thousands of prices and amounts.
use alloy::primitives::{Address, Bytes, U256, keccak256};
use alloy::sol_types::{SolCall, SolValue};
use serde_json::{Map, Value, json};
use slipway_contracts::bindings::{IV4Quoter, PoolKey};
use slipway_math::pool::{Pool, sqrt_price_at};
use slipway_sim::vectors::{CaseKind, Question, Questions};

use crate::local_chain::LocalChain;

const CALLS: usize = 5_000;
/// Slot of the manager's pools, and the offset of a pool's liquidity.
const POOLS: u64 = 6;
const LIQUIDITY: u64 = 3;

/// The key of a pool like a launch's, but without a hook.
fn key() -> PoolKey {
    PoolKey {
        currency0: Address::with_last_byte(1),
        currency1: Address::with_last_byte(2),
        fee: U256::from(1_000).to(),
        tickSpacing: 60.try_into().unwrap(),
        hooks: Address::ZERO,
    }
}

/// The last tick whose price is at most this one.
fn tick_at(sqrt_price: U256) -> i32 {
    let (mut low, mut high) = (-887_272_i32, 887_272_i32);
    while low < high {
        let middle = (low + high + 1).div_euclid(2);
        if sqrt_price_at(middle) <= sqrt_price { low = middle } else { high = middle - 1 }
    }
    low
}

/// The manager's storage for a pool: its price with tick and fee, and its liquidity.
fn storage(pool: &Pool) -> Value {
    let slot: U256 = keccak256((keccak256(key().abi_encode()), U256::from(POOLS)).abi_encode()).into();
    let tick = U256::from(tick_at(pool.sqrt_price_x96).cast_unsigned() & 0xff_ffff);
    let price = pool.sqrt_price_x96 | (tick << 160) | (U256::from(1_000) << 208);
    let words = [(slot, price), (slot + U256::from(LIQUIDITY), U256::from(pool.liquidity))];
    let words: Map<String, Value> =
        words.iter().map(|(slot, word)| (format!("{slot:#066x}"), json!(format!("{word:#066x}")))).collect();
    json!({ "stateDiff": words })
}

#[tokio::test]
async fn pool_quotes_match_the_published_quoter() {
    let chain = LocalChain::start(1).await;
    let contract = |name| chain.deployment.contract(name).unwrap();
    let (quoter, manager) = (contract("V4Quoter"), contract("PoolManager"));
    let questions: Vec<Question> = Questions::new(CaseKind::Pool, 0x4001).take(CALLS).collect();
    let calls = questions.iter().map(|question| {
        let Question::Pool { pool, zero_for_one, amount_in } = question else { panic!("{question:?}") };
        let params = IV4Quoter::QuoteExactSingleParams {
            poolKey: key(),
            zeroForOne: *zero_for_one,
            exactAmount: *amount_in,
            hookData: Bytes::new(),
        };
        let call = IV4Quoter::quoteExactInputSingleCall { params };
        let state: Map<String, Value> = [(manager.to_string(), storage(pool))].into_iter().collect();
        json!([{ "to": quoter, "input": Bytes::from(call.abi_encode()) }, "latest", state])
    });
    let answers: Vec<Bytes> = chain.batch("eth_call", calls.collect()).await;
    for (question, answer) in questions.iter().zip(answers) {
        let quoted = IV4Quoter::quoteExactInputSingleCall::abi_decode_returns(&answer).unwrap();
        assert_eq!(U256::from(question.answer().amount_out), quoted.amountOut, "{question:?}");
    }
}
