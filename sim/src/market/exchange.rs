//! The exchange of the seeded market: its tokens, its pairs and its swaps, planned before the first transaction.
use alloy::primitives::U256;

use super::accounts::Account;
use super::file::{AssetKind, AssetRow, MarketFile};
use super::plan::{Action, DURATION, Step, any_trader};
use super::rng::SeededRng;

/// Decimals of the wrapped coin, and of a token whose row does not give any.
const DECIMALS: u8 = 18;
/// Symbol of the wrapped coin.
pub(super) const WRAPPED: &str = "WETH";

/// A token created for the exchange.
#[derive(Clone, Debug)]
pub(crate) struct Asset {
    pub(crate) name: String,
    pub(crate) symbol: String,
    pub(crate) decimals: u8,
    pub(crate) kind: AssetKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// The wrapped native coin.
    Wrapped,
    /// An index in the exchange's assets.
    Asset(usize),
}

/// A pair and its first deposit, in the smallest units; without a deposit it is empty.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair {
    pub(crate) sides: [Side; 2],
    pub(crate) reserves: [u128; 2],
}

/// The exchange at the opening.
#[derive(Clone, Debug, Default)]
pub(crate) struct PlannedExchange {
    pub(crate) assets: Vec<Asset>,
    pub(crate) pairs: Vec<Pair>,
    pub(crate) swaps: Vec<PlannedSwap>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PlannedSwap {
    pub(crate) pair: usize,
    /// Whether the second side is the input.
    pub(crate) reverse: bool,
    /// Input, in the smallest unit.
    pub(crate) amount: U256,
    /// The account that swaps if the input is the native coin; otherwise the maker does.
    pub(crate) trader: Account,
}

impl PlannedExchange {
    /// The tokens and pairs of a file whose rows have been checked.
    pub(super) fn of(file: &MarketFile) -> Self {
        let assets: Vec<Asset> = file.asset.iter().map(asset).collect();
        let mut exchange = Self { assets, ..Self::default() };
        for row in &file.pair {
            let sides = [0, 1].map(|side| exchange.side(&row.tokens[side]).unwrap_or(Side::Wrapped));
            let reserves = [0, 1]
                .map(|side| row.reserves[side].units(exchange.decimals(sides[side])).unwrap_or_default());
            exchange.pairs.push(Pair { sides, reserves });
        }
        exchange
    }

    pub(super) fn is_empty(&self) -> bool {
        self.assets.is_empty() && self.pairs.is_empty()
    }

    /// The token with a symbol.
    pub(super) fn side(&self, symbol: &str) -> Option<Side> {
        if symbol == WRAPPED {
            return Some(Side::Wrapped);
        }
        self.assets.iter().position(|asset| asset.symbol == symbol).map(Side::Asset)
    }

    pub(crate) fn decimals(&self, side: Side) -> u8 {
        match side {
            Side::Wrapped => DECIMALS,
            Side::Asset(index) => self.assets[index].decimals,
        }
    }

    /// Wei of the wrapped coin in all deposits.
    pub(super) fn wrapped_total(&self) -> u128 {
        let sides = self.pairs.iter().flat_map(|pair| pair.sides.into_iter().zip(pair.reserves));
        sides.filter(|(side, _)| *side == Side::Wrapped).map(|(_, reserve)| reserve).sum()
    }

    fn is(&self, side: Side, kind: AssetKind) -> bool {
        matches!(side, Side::Asset(index) if self.assets[index].kind == kind)
    }

    /// Draws the swaps of the two days, and returns the steps that execute them.
    pub(super) fn draw_swaps(&mut self, seed: u64, end: u64, count: u64) -> Vec<Step> {
        const PURPOSE: u64 = 4_701;
        let mut rng = SeededRng::new(seed, PURPOSE);
        let is_usable = |pair: &Pair| {
            pair.reserves[0] > 0 && !pair.sides.iter().any(|&side| self.is(side, AssetKind::Deflating))
        };
        let filled: Vec<usize> =
            (0..).zip(&self.pairs).filter(|(_, pair)| is_usable(pair)).map(|(index, _)| index).collect();
        let mut steps = Vec::new();
        for number in 0..if filled.is_empty() { 0 } else { count } {
            let at = end - DURATION + DURATION / count * number + rng.between(60, DURATION / count);
            let (pair, reverse) = (*rng.one_of(&filled), rng.happens(50));
            let reserve = U256::from(self.pairs[pair].reserves[usize::from(reverse)]);
            let amount = reserve * U256::from(rng.between(1, 250)) / U256::from(10_000);
            steps.push(Step { at: at.min(end), action: Action::Swap { swap: self.swaps.len() } });
            self.swaps.push(PlannedSwap { pair, reverse, amount, trader: any_trader(&mut rng) });
        }
        steps
    }
}

fn asset(row: &AssetRow) -> Asset {
    Asset {
        name: row.name.clone().unwrap_or_else(|| row.symbol.clone()),
        symbol: row.symbol.clone(),
        decimals: row.decimals.unwrap_or(DECIMALS),
        kind: row.kind,
    }
}

/// Converts whole units to the smallest unit.
pub(crate) fn units(whole: u64, decimals: u8) -> U256 {
    U256::from(whole) * U256::from(10).pow(U256::from(decimals))
}

#[cfg(test)]
mod tests {
    use super::super::file::{AssetKind, MarketFile};
    use super::PlannedExchange;

    #[test]
    fn swaps_are_ordered_and_avoid_unusable_pairs() {
        let file = MarketFile::usual();
        let mut exchange = PlannedExchange::of(&file);
        let steps = exchange.draw_swaps(3, 1_772_625_600, u64::from(file.swaps));
        assert_eq!(steps.len(), 48);
        assert!(steps.is_sorted_by_key(|step| step.at));
        for swap in &exchange.swaps {
            let pair = exchange.pairs[swap.pair];
            assert!(pair.reserves[0] > 0 && !swap.amount.is_zero());
            assert!(!pair.sides.iter().any(|&side| exchange.is(side, AssetKind::Deflating)));
        }
        assert_eq!(exchange.pairs.iter().filter(|pair| pair.reserves == [0, 0]).count(), 2);
    }
}
