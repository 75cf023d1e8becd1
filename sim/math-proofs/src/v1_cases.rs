//! Seeded positions on the V1 curve, including edges, each with a trade and the native answer.
use alloy::primitives::{Address, B256, U256, keccak256};
use alloy::sol_types::SolValue;
use rand::RngExt;
use slipway_math::curve::{MINIMUM_BUY, Position};
use slipway_math::exponential::{self, SALE_SUPPLY, TARGET};

use crate::cases::Cases;

/// Slot of the factory's mapping from tokens to their states in its storage layout.
const STATES_SLOT: u64 = 3;

/// A V1 token somewhere on its curve, and the trades to quote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct V1Case {
    /// Its position on the curve.
    pub position: Position,
    /// Wei of a purchase, the fee included.
    pub gross: u128,
    /// Token units of a sale; at most the units sold.
    pub tokens: u128,
}

/// The answers of the factory's previews for a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct V1Answers {
    /// Token units, cost and refund.
    pub buy: [u128; 3],
    /// Payout and fee, in wei.
    pub sell: [u128; 2],
}

impl V1Case {
    /// The native answer.
    #[must_use]
    #[inline]
    pub fn answers(&self) -> V1Answers {
        let buy = exponential::buy(self.position, self.gross);
        let sell = exponential::sell(self.position, self.tokens).expect("a case sells at most what is sold");
        V1Answers { buy: [buy.tokens_out, buy.cost, buy.refund], sell: [sell.payout, sell.fee] }
    }

    /// The storage words that give a token of a factory the state of this case: slot and content, in the factory's storage layout.
    #[must_use]
    pub fn storage(&self, token: Address) -> [(U256, U256); 3] {
        let key: B256 = keccak256((token, U256::from(STATES_SLOT)).abi_encode());
        let first = U256::from_be_bytes(key.0);
        let pair = U256::ONE;
        let Position { sold, contributions } = self.position;
        [
            (first, U256::ONE),
            (first + U256::ONE, pair),
            (first + U256::from(2), U256::from(sold) | (U256::from(contributions) << 128)),
        ]
    }
}

/// The least gross that leaves `net` wei, found among the few candidates.
fn least_gross(net: u128) -> u128 {
    let first = (net + net / 19).saturating_sub(2);
    (first..).find(|gross| gross - gross / 20 >= net).expect("a gross a nineteenth above leaves the net")
}

/// An endless sequence of cases: equal seeds yield equal cases.
#[derive(Debug)]
pub struct V1Cases {
    draw: Cases,
    last: u128,
}

impl V1Cases {
    /// The sequence of a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { draw: Cases::new(seed), last: exponential::sold_down(0, TARGET - 1) }
    }

    /// Any position of an open token, including the first and the last unit.
    fn position(&mut self) -> Position {
        let sold = match self.draw.random().random_range(0..16) {
            0 => 0,
            1 => 1,
            2 => self.last,
            3 => self.last - self.draw.any_size(SALE_SUPPLY).min(self.last),
            4 => self.draw.any_size(SALE_SUPPLY).min(self.last),
            _ => self.draw.random().random_range(0..=self.last),
        };
        Position { sold, contributions: exponential::cost_up(sold) }
    }

    fn gross(&mut self, missing: u128) -> u128 {
        let least = least_gross(missing);
        match self.draw.random().random_range(0..8) {
            0 => MINIMUM_BUY,
            1 => least.saturating_sub(1),
            2 => least,
            3 => least + 1,
            4 => least + self.draw.any_size(100 * TARGET),
            5 => self.draw.any_size(2 * TARGET),
            _ => self.draw.random().random_range(MINIMUM_BUY..least.max(MINIMUM_BUY + 1)),
        }
    }
}

impl Iterator for V1Cases {
    type Item = V1Case;

    fn next(&mut self) -> Option<V1Case> {
        let position = self.position();
        Some(V1Case {
            gross: self.gross(TARGET - position.contributions),
            tokens: self.draw.tokens(position.sold),
            position,
        })
    }
}
