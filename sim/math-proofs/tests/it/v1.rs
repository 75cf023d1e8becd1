//! The exponential curve of V1: native quotes against the in-process EVM, a node, and the reference model; the edges one
//! by one. The tests of moved amounts are in `trades`.
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use alloy::primitives::{Bytes, U256};
use alloy::sol_types::SolCall;
use num_bigint::BigInt;
use slipway_contracts::artifacts::Artifacts;
use slipway_contracts::bindings::ITokenFactory;
use slipway_math::curve::{MINIMUM_BUY, MINIMUM_SELL, Position};
use slipway_math::exponential::{self, SALE_SUPPLY, TARGET};
use slipway_math_proofs::evm::{Evm, FACTORY, V1_TOKEN, small};
use slipway_math_proofs::v1_cases::{V1Case, V1Cases};
use slipway_scenarios::truth::reference::curve::Position as Reference;
use slipway_scenarios::truth::reference::v1::Exponential;

use crate::eth_call::call_with_state;
use crate::local_chain::LocalChain;

/// A V1 purchase searches its curve, and takes thirty times as long as one of a launch.
const STATES: usize = 20_000;
const CALLS: usize = 5_000;
/// The reference model sums ninety terms of 256 binary places for every step of its search.
const REFERENCE_STATES: usize = 2_000;
const ETHER: u128 = 1_000_000_000_000_000_000;

/// Runs work on seeded cases, distributed over the processors.
fn over_all_processors(seed: u64, cases: usize, work: impl Fn(V1Cases, usize) + Sync) {
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let share = cases.div_ceil(workers);
    thread::scope(|scope| {
        for worker in 0..workers {
            let cases = V1Cases::new(seed + u64::try_from(worker).unwrap());
            let work = &work;
            scope.spawn(move || work(cases, share));
        }
    });
}

/// Native and in-process EVM: 0 wei apart, in all figures of a purchase and of a sale.
#[test]
fn v1_states_match_contracts() {
    over_all_processors(0x1f5, STATES, |cases, share| {
        let mut evm = Evm::deployed(&Artifacts::sound()).unwrap();
        for case in cases.take(share) {
            evm.set_v1_case(&case);
            let answered = evm.v1_answers(case.gross, case.tokens).unwrap();
            assert_eq!(answered, case.answers(), "{case:?}");
        }
    });
}

#[test]
fn v1_edges_match_contracts() {
    let mut evm = Evm::deployed(&Artifacts::sound()).unwrap();
    let last = exponential::sold_down(0, TARGET - 1);
    for sold in [0, 1, 2, MINIMUM_SELL, SALE_SUPPLY / 2, last - 1, last] {
        let position = Position { sold, contributions: exponential::cost_up(sold) };
        let full = exponential::buy(position, 10 * TARGET).cost;
        for gross in [0, 1, MINIMUM_BUY - 1, MINIMUM_BUY, full - 1, full, full + 1, 9 * ETHER, u128::MAX] {
            for tokens in [0, 1, MINIMUM_SELL, sold].map(|tokens| tokens.min(sold)) {
                let case = V1Case { position, gross, tokens };
                evm.set_v1_case(&case);
                let answered = evm.v1_answers(gross, tokens).unwrap();
                assert_eq!(answered, case.answers(), "{case:?}");
            }
        }
        let price = ITokenFactory::priceOfCall { token: V1_TOKEN };
        assert_eq!(evm.call(FACTORY, &price).unwrap(), exponential::price_down(sold), "{sold}");
    }
}

#[tokio::test]
async fn v1_quotes_match_eth_call() {
    let chain = LocalChain::start(1).await;
    let factory = chain.factory();
    let token = V1_TOKEN;
    let cases: Vec<V1Case> = V1Cases::new(0x1ca11).take(CALLS).collect();
    for part in cases.chunks(1_000) {
        let buys = part.iter().map(|case| {
            let call = ITokenFactory::previewBuyCall { token, ethIn: U256::from(case.gross) };
            call_with_state(factory, &case.storage(token), &call)
        });
        let sells = part.iter().map(|case| {
            let call = ITokenFactory::previewSellCall { token, tokenAmount: U256::from(case.tokens) };
            call_with_state(factory, &case.storage(token), &call)
        });
        let answers: Vec<Bytes> = chain.batch("eth_call", buys.chain(sells).collect()).await;
        let (buys, sells) = answers.split_at(part.len());
        for ((case, buy), sell) in part.iter().zip(buys).zip(sells) {
            let native = case.answers();
            let buy = ITokenFactory::previewBuyCall::abi_decode_returns(buy).unwrap();
            assert_eq!([buy.tokensOut, buy.cost, buy.refund].map(small), native.buy, "{case:?}");
            let sell = ITokenFactory::previewSellCall::abi_decode_returns(sell).unwrap();
            assert_eq!([sell.payout, sell.fee].map(small), native.sell, "{case:?}");
        }
    }
}

/// The reference uses real numbers; the contract, exponentials with 96 binary places. Amounts of wei are equal; token units, of which a wei
/// buys a thousand million at the beginning and sixty million at the end, differ by at most one.
#[test]
fn v1_quotes_match_reference_model() {
    let curve = Exponential::default();
    assert_eq!([&curve.target, &curve.sale], [TARGET, SALE_SUPPLY].map(BigInt::from).each_ref());
    let differing = AtomicUsize::new(0);
    over_all_processors(0x1def, REFERENCE_STATES, |cases, share| {
        for case in cases.take(share) {
            let native = case.answers();
            let position =
                Reference { sold: case.position.sold.into(), net: case.position.contributions.into() };
            let net = curve.cost_up(&position.sold);
            assert_eq!(net, position.net, "the cost of what is sold: {case:?}");
            let bought = curve.buy(&position, &case.gross.into());
            let apart = &bought.tokens - BigInt::from(native.buy[0]);
            if apart != BigInt::from(0) {
                differing.fetch_add(1, Ordering::Relaxed);
            }
            assert!((-1..=1).any(|unit| apart == BigInt::from(unit)), "{apart}: {case:?}");
            assert_eq!(
                [bought.cost, bought.refund],
                [native.buy[1], native.buy[2]].map(BigInt::from),
                "{case:?}"
            );
            let sold = curve.sell(&position, &case.tokens.into());
            assert_eq!(
                [sold.payout.clone(), sold.gross - sold.payout],
                native.sell.map(BigInt::from),
                "{case:?}"
            );
            // The contract rounds its price down three times.
            let price = curve.price_of_whole_token(&position.sold);
            let reported: u128 = exponential::price_down(case.position.sold).to();
            let apart = price - BigInt::from(reported);
            assert!((0..=1).any(|wei| apart == BigInt::from(wei)), "{apart}: {case:?}");
        }
    });
    let differing = differing.into_inner();
    assert!(differing * 20 <= REFERENCE_STATES, "{differing} purchases differ by a unit");
}
