//! A node's answers and what trades really move, against the native quotes: ten thousand of each.
use alloy::primitives::{Address, Bytes, U256};
use alloy::sol_types::SolCall;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Map, Value, json};
use slipway_benches::evm::small;
use slipway_benches::states::{Case, Cases};
use slipway_contracts::bindings::{IERC20, ILaunchHook};
use slipway_sim::math::curve::{MINIMUM_BUY, MINIMUM_SELL, Position};

use crate::machine::{Launched, Machine};

const CALLS: usize = 10_000;
const TRADES: usize = 10_000;
/// Launches that trade at the same time, one trade of each in a block.
const SIDE_BY_SIDE: u16 = 50;

/// A question to the hook's preview, with launch 1 standing where the case says.
fn asked(hook: Address, case: &Case, call: &impl SolCall) -> Value {
    let words: Map<String, Value> = case
        .storage()
        .iter()
        .map(|(slot, word)| (format!("{slot:#066x}"), json!(format!("{word:#066x}"))))
        .collect();
    let state: Map<String, Value> = [(hook.to_string(), json!({ "stateDiff": words }))]
        .into_iter()
        .collect();
    json!([{ "to": hook, "input": Bytes::from(call.abi_encode()) }, "latest", state])
}

#[tokio::test]
async fn ten_thousand_calls_of_a_node_agree() {
    let machine = Machine::start(1).await;
    let hook = machine.deployment.hook;
    let cases: Vec<Case> = Cases::new(0xca11).take(CALLS).collect();
    for part in cases.chunks(1_000) {
        let buys = part.iter().map(|case| {
            let call = ILaunchHook::previewBuyCall {
                launchId: U256::ONE,
                ethIn: U256::from(case.gross),
            };
            asked(hook, case, &call)
        });
        let sells = part.iter().map(|case| {
            let call = ILaunchHook::previewSellCall {
                launchId: U256::ONE,
                tokenAmount: case.tokens,
            };
            asked(hook, case, &call)
        });
        let answers: Vec<Bytes> = machine.ask("eth_call", buys.chain(sells).collect()).await;
        let (buys, sells) = answers.split_at(part.len());
        for ((case, buy), sell) in part.iter().zip(buys).zip(sells) {
            let native = case.answers();
            let buy = ILaunchHook::previewBuyCall::abi_decode_returns(buy).unwrap();
            assert_eq!(
                [buy.tokensOut, buy.cost, buy.refund, buy.tokensRemaining].map(small),
                native.buy,
                "{case:?}"
            );
            let sell = ILaunchHook::previewSellCall::abi_decode_returns(sell).unwrap();
            assert_eq!(
                [sell.netPayout, sell.protocolFee, sell.creatorFee, sell.buybackFee].map(small),
                native.sell,
                "{case:?}"
            );
        }
    }
}

/// One trade as it must move: wei out of and into the trader's account, and its tokens afterwards.
struct Expected {
    paid: u128,
    received: u128,
    tokens_after: u128,
}

/// A launch with its trader, and where both stand.
struct Lane {
    launched: Launched,
    trader: Address,
    position: Position,
    held: u128,
}

impl Lane {
    fn complete(&self) -> bool {
        self.position.contributions == self.launched.curve.target_raise()
    }

    /// The next trade: the smallest amounts, everything at once, and the end of the curve among them.
    fn next(
        &mut self,
        machine: &Machine,
        random: &mut ChaCha8Rng,
    ) -> (alloy::rpc::types::TransactionRequest, Expected) {
        let Launched {
            id, curve, split_bps, ..
        } = &self.launched;
        if self.held >= MINIMUM_SELL && random.random_range(0..5) < 2 {
            let tokens = match random.random_range(0..6) {
                0 => MINIMUM_SELL,
                1 => self.held,
                _ => random.random_range(MINIMUM_SELL..=self.held),
            };
            let sold = curve.sell(self.position, tokens, *split_bps).unwrap();
            self.position = sold.position_after;
            self.held -= tokens;
            let expected = Expected {
                paid: 0,
                received: sold.payout,
                tokens_after: self.held,
            };
            return (machine.sell(self.trader, *id, tokens), expected);
        }
        let gross = match random.random_range(0..40) {
            0..=3 => MINIMUM_BUY,
            4 => 6 * curve.target_raise(),
            _ => random.random_range(MINIMUM_BUY..curve.target_raise() / 4),
        };
        let bought = curve.buy(self.position, gross, *split_bps);
        self.position = bought.position_after;
        self.held += bought.tokens_out;
        let expected = Expected {
            paid: bought.cost,
            received: 0,
            tokens_after: self.held,
        };
        (machine.buy(self.trader, *id, gross), expected)
    }
}

#[tokio::test]
async fn ten_thousand_trades_move_what_was_quoted() {
    let machine = Machine::start(SIDE_BY_SIDE).await;
    let mut random = ChaCha8Rng::seed_from_u64(0x7ade);
    let mut shapes = Cases::new(0x7ade);
    let mut lanes: Vec<Lane> = Vec::new();
    let (mut moved, mut completed) = (0, 0);
    while moved < TRADES {
        // A complete curve makes room for another.
        lanes.retain(|lane| !lane.complete());
        let idle: Vec<Address> = machine
            .traders
            .iter()
            .filter(|trader| lanes.iter().all(|lane| lane.trader != **trader))
            .copied()
            .collect();
        if !idle.is_empty() {
            let curves: Vec<_> = idle
                .iter()
                .zip(&mut shapes)
                .map(|(trader, case)| (*trader, case.curve, case.split_bps))
                .collect();
            let launched = machine.launch(&curves).await;
            lanes.extend(launched.into_iter().zip(&idle).map(|(launched, trader)| Lane {
                launched,
                trader: *trader,
                position: Position::default(),
                held: 0,
            }));
        }
        let traders: Vec<Address> = lanes.iter().map(|lane| lane.trader).collect();
        let before = machine.balances(&traders).await;
        let (transactions, expected): (Vec<_>, Vec<_>) = lanes
            .iter_mut()
            .map(|lane| lane.next(&machine, &mut random))
            .unzip();
        machine.send(transactions).await;
        let after = machine.balances(&traders).await;
        let questions = lanes.iter().map(|lane| {
            let call = IERC20::balanceOfCall { account: lane.trader };
            json!([{ "to": lane.launched.token, "input": Bytes::from(call.abi_encode()) }, "latest"])
        });
        let held: Vec<U256> = machine.ask("eth_call", questions.collect()).await;
        for (place, expected) in expected.iter().enumerate() {
            let native = before[place] - U256::from(expected.paid) + U256::from(expected.received);
            assert_eq!(after[place], native, "wei of trade {moved}");
            assert_eq!(
                small(held[place]),
                expected.tokens_after,
                "tokens of trade {moved}"
            );
            moved += 1;
        }
        completed += lanes.iter().filter(|lane| lane.complete()).count();
    }
    assert!(completed > 50, "only {completed} curves were completed");
}
