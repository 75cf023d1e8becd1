//! Amounts really moved by trades on a node, against the native quotes: five thousand on each curve, many per block.
use alloy::primitives::{Address, Bytes, U256};
use alloy::rpc::types::TransactionRequest;
use alloy::sol_types::SolCall;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::json;
use slipway_contracts::bindings::IERC20;
use slipway_math::curve::{MINIMUM_BUY, MINIMUM_SELL, Position};
use slipway_math::exponential;
use slipway_math_proofs::cases::Cases;
use slipway_math_proofs::evm::small;

use crate::local_chain::{Launched, LocalChain};

const TRADES: usize = 5_000;
/// Tokens that trade in parallel, one trade of each per block.
const SIDE_BY_SIDE: u16 = 50;

/// The expected effect of a trade: wei that leave and enter the trader's account, and the tokens held afterwards.
struct Expected {
    paid: u128,
    received: u128,
    tokens_after: u128,
}

/// The market of a token.
enum Curve {
    Launch(Box<Launched>),
    V1(Address),
}

impl Curve {
    fn token(&self) -> Address {
        match self {
            Self::Launch(launched) => launched.token,
            Self::V1(token) => *token,
        }
    }

    fn target(&self) -> u128 {
        match self {
            Self::Launch(launched) => launched.curve.target_raise(),
            Self::V1(_) => exponential::TARGET,
        }
    }

    /// Token units, wei paid, and the position on the curve after a purchase.
    fn buy(&self, position: Position, gross: u128) -> (u128, u128, Position) {
        match self {
            Self::Launch(launched) => {
                let bought = launched.curve.buy(position, gross, launched.split_bps);
                (bought.tokens_out, bought.cost, bought.position_after)
            }
            Self::V1(_) => {
                let bought = exponential::buy(position, gross);
                (bought.tokens_out, bought.cost, bought.position_after)
            }
        }
    }

    /// Wei received, and the position on the curve after a sale.
    fn sell(&self, position: Position, tokens: u128) -> (u128, Position) {
        match self {
            Self::Launch(launched) => {
                let sold = launched.curve.sell(position, tokens, launched.split_bps);
                sold.map(|sold| (sold.payout, sold.position_after)).unwrap()
            }
            Self::V1(_) => {
                let sold = exponential::sell(position, tokens);
                sold.map(|sold| (sold.payout, sold.position_after)).unwrap()
            }
        }
    }
}

/// A token with its trader, and the current position of each.
struct Lane {
    curve: Curve,
    trader: Address,
    position: Position,
    held: u128,
}

impl Lane {
    fn new(curve: Curve, trader: Address) -> Self {
        Self { curve, trader, position: Position::default(), held: 0 }
    }

    fn complete(&self) -> bool {
        self.position.contributions == self.curve.target()
    }

    /// Draws the next trade, including the smallest amounts, whole balances and the end of the curve.
    fn next(&mut self, chain: &LocalChain, random: &mut ChaCha8Rng) -> (TransactionRequest, Expected) {
        if self.held >= MINIMUM_SELL && random.random_range(0..5) < 2 {
            let tokens = match random.random_range(0..6) {
                0 => MINIMUM_SELL,
                1 => self.held,
                _ => random.random_range(MINIMUM_SELL..=self.held),
            };
            let (received, after) = self.curve.sell(self.position, tokens);
            self.position = after;
            self.held -= tokens;
            let request = match &self.curve {
                Curve::Launch(launched) => chain.sell(self.trader, launched.id, tokens),
                Curve::V1(token) => chain.sell_v1(self.trader, *token, tokens),
            };
            let expected = Expected { paid: 0, received, tokens_after: self.held };
            return (request, expected);
        }
        let gross = match random.random_range(0..40) {
            0..=3 => MINIMUM_BUY,
            4 => 6 * self.curve.target(),
            _ => random.random_range(MINIMUM_BUY..self.curve.target() / 4),
        };
        let (tokens, paid, after) = self.curve.buy(self.position, gross);
        self.position = after;
        self.held += tokens;
        let request = match &self.curve {
            Curve::Launch(launched) => chain.buy(self.trader, launched.id, gross),
            Curve::V1(token) => chain.buy_v1(self.trader, *token, gross),
        };
        let expected = Expected { paid, received: 0, tokens_after: self.held };
        (request, expected)
    }
}

/// Trades until this many trades have moved the amounts of the native model; `open` creates a new token once a curve is complete.
async fn trades_move_what_was_quoted(
    chain: &LocalChain,
    seed: u64,
    mut open: impl AsyncFnMut(&[Address]) -> Vec<Lane>,
) {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut lanes: Vec<Lane> = Vec::new();
    let (mut moved, mut completed) = (0, 0);
    while moved < TRADES {
        lanes.retain(|lane| !lane.complete());
        let trades = |trader: &Address| lanes.iter().any(|lane| lane.trader == *trader);
        let idle: Vec<Address> = chain.traders.iter().copied().filter(|trader| !trades(trader)).collect();
        if !idle.is_empty() {
            lanes.extend(open(&idle).await);
        }
        let traders: Vec<Address> = lanes.iter().map(|lane| lane.trader).collect();
        let before = chain.balances(&traders).await;
        let (transactions, expected): (Vec<_>, Vec<_>) =
            lanes.iter_mut().map(|lane| lane.next(chain, &mut random)).unzip();
        chain.send(transactions).await;
        let after = chain.balances(&traders).await;
        let questions = lanes.iter().map(|lane| {
            let call = IERC20::balanceOfCall { account: lane.trader };
            json!([{ "to": lane.curve.token(), "input": Bytes::from(call.abi_encode()) }, "latest"])
        });
        let held: Vec<U256> = chain.batch("eth_call", questions.collect()).await;
        for (place, expected) in expected.iter().enumerate() {
            let native = before[place] - U256::from(expected.paid) + U256::from(expected.received);
            assert_eq!(after[place], native, "wei of trade {moved}");
            assert_eq!(small(held[place]), expected.tokens_after, "tokens of trade {moved}");
            moved += 1;
        }
        completed += lanes.iter().filter(|lane| lane.complete()).count();
    }
    assert!(completed > 50, "only {completed} curves were completed");
}

#[tokio::test]
async fn trades_move_quoted_amounts() {
    let chain = LocalChain::start(SIDE_BY_SIDE).await;
    let mut shapes = Cases::new(0x7ade);
    trades_move_what_was_quoted(&chain, 0x7ade, async |idle| {
        let curves: Vec<_> = idle
            .iter()
            .zip(&mut shapes)
            .map(|(trader, case)| (*trader, case.curve, case.split_bps))
            .collect();
        let launched = chain.launch(&curves).await;
        let lanes = launched.into_iter().zip(idle);
        lanes.map(|(launched, trader)| Lane::new(Curve::Launch(Box::new(launched)), *trader)).collect()
    })
    .await;
}

#[tokio::test]
async fn v1_trades_move_quoted_amounts() {
    let chain = LocalChain::start(SIDE_BY_SIDE).await;
    trades_move_what_was_quoted(&chain, 0x1ade, async |idle| {
        let tokens = chain.create_v1(idle).await;
        let lanes = tokens.into_iter().zip(idle);
        lanes.map(|(token, trader)| Lane::new(Curve::V1(token), *trader)).collect()
    })
    .await;
}
