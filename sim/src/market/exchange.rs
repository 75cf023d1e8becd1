//! The exchange of the seeded market: its tokens, its pairs and its swaps, planned before the first transaction.
use alloy::primitives::U256;

use super::plan::{Action, DURATION, Step, TRADERS};
use super::rng::SeededRng;

/// A token created for the exchange.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asset {
    pub(crate) name: &'static str,
    pub(crate) symbol: &'static str,
    pub(crate) decimals: u8,
    pub(crate) kind: AssetKind,
}

/// The contract of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AssetKind {
    /// The maker can mint more at any time.
    Mintable,
    /// A published token that burns a part of every transfer, with its own name.
    Deflating,
    /// A contract whose calls never end by themselves: anybody can list one.
    Endless,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// The wrapped native coin.
    Wrapped,
    /// An index in [`ASSETS`].
    Asset(usize),
}

/// A pair and its first deposit, in whole units; none leaves it empty.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair {
    pub(crate) sides: [Side; 2],
    pub(crate) whole: [u64; 2],
}

/// Tokens of several precisions; the islets are only connected with each other, the deflating one charges a transfer fee, and the last one
/// answers nothing.
pub(crate) const ASSETS: &[Asset] = &[
    Asset { name: "Harbor Note", symbol: "HNOTE", decimals: 6, kind: AssetKind::Mintable },
    Asset { name: "Granite", symbol: "GRAN", decimals: 8, kind: AssetKind::Mintable },
    Asset { name: "Meadow", symbol: "MEAD", decimals: 18, kind: AssetKind::Mintable },
    Asset { name: "Lumen Jar", symbol: "LUMN", decimals: 18, kind: AssetKind::Mintable },
    Asset { name: "Tide Pool", symbol: "TIDE", decimals: 18, kind: AssetKind::Mintable },
    Asset { name: "Islet One", symbol: "ISL1", decimals: 18, kind: AssetKind::Mintable },
    Asset { name: "Islet Two", symbol: "ISL2", decimals: 6, kind: AssetKind::Mintable },
    Asset { name: "Deflating Test Token", symbol: "DTT", decimals: 18, kind: AssetKind::Deflating },
    Asset { name: "", symbol: "", decimals: 18, kind: AssetKind::Endless },
];

const STABLE: Side = Side::Asset(0);
const GRANITE: Side = Side::Asset(1);
const MEADOW: Side = Side::Asset(2);
const LUMEN: Side = Side::Asset(3);
const TIDE: Side = Side::Asset(4);
const DEFLATING: Side = Side::Asset(7);
const ENDLESS: Side = Side::Asset(8);

/// Two routes lead to the meadow token; by one of them the lumen token is three hops away and the tide token four. A router that
/// ignores the fee of the deflating token finds its best route from the wrapped coin to the stable token through it.
pub(crate) const PAIRS: &[Pair] = &[
    Pair { sides: [Side::Wrapped, STABLE], whole: [400, 1_200_000] },
    Pair { sides: [Side::Wrapped, GRANITE], whole: [300, 15] },
    Pair { sides: [STABLE, MEADOW], whole: [500_000, 250_000] },
    Pair { sides: [Side::Wrapped, MEADOW], whole: [50, 75_100] },
    Pair { sides: [MEADOW, LUMEN], whole: [100_000, 4_000_000] },
    Pair { sides: [LUMEN, TIDE], whole: [2_000_000, 8_333] },
    Pair { sides: [Side::Asset(5), Side::Asset(6)], whole: [10_000, 5_000] },
    Pair { sides: [GRANITE, TIDE], whole: [0, 0] },
    Pair { sides: [Side::Wrapped, DEFLATING], whole: [20, 50_000] },
    Pair { sides: [STABLE, DEFLATING], whole: [70_000, 50_000] },
    Pair { sides: [Side::Wrapped, ENDLESS], whole: [0, 0] },
];

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PlannedSwap {
    pub(crate) pair: usize,
    /// Whether the second side is the input.
    pub(crate) reverse: bool,
    /// Input, in the smallest unit.
    pub(crate) amount: U256,
    /// Who swaps when the input is the native coin; tokens are swapped by their maker.
    pub(crate) trader: usize,
}

pub(crate) fn decimals(side: Side) -> u8 {
    match side {
        Side::Wrapped => 18,
        Side::Asset(index) => ASSETS[index].decimals,
    }
}

/// Converts whole units to the smallest unit.
pub(crate) fn units(whole: u64, decimals: u8) -> U256 {
    U256::from(whole) * U256::from(10).pow(U256::from(decimals))
}

/// The swaps of the two days, with the steps that execute them.
pub(crate) fn swaps(seed: u64, end: u64) -> (Vec<PlannedSwap>, Vec<Step>) {
    const SWAPS: u64 = 48;
    const PURPOSE: u64 = 4_701;
    let mut rng = SeededRng::new(seed, PURPOSE);
    let filled: Vec<usize> = (0..PAIRS.len())
        .filter(|&pair| PAIRS[pair].whole[0] > 0 && !PAIRS[pair].sides.contains(&DEFLATING))
        .collect();
    let (mut swaps, mut steps) = (Vec::new(), Vec::new());
    for number in 0..SWAPS {
        let at = end - DURATION + DURATION / SWAPS * number + rng.between(60, DURATION / SWAPS);
        let (pair, reverse) = (*rng.one_of(&filled), rng.happens(50));
        let paid = usize::from(reverse);
        let reserve = units(PAIRS[pair].whole[paid], decimals(PAIRS[pair].sides[paid]));
        let amount = reserve * U256::from(rng.between(1, 250)) / U256::from(10_000);
        steps.push(Step { at: at.min(end), action: Action::Swap { swap: swaps.len() } });
        swaps.push(PlannedSwap { pair, reverse, amount, trader: rng.index(TRADERS) });
    }
    (swaps, steps)
}

#[cfg(test)]
mod tests {
    use super::{ASSETS, AssetKind, DEFLATING, PAIRS, Side, swaps};

    #[test]
    fn swaps_are_ordered_and_avoid_unusable_pairs() {
        let (swaps, steps) = swaps(3, 1_772_625_600);
        assert!(steps.is_sorted_by_key(|step| step.at));
        let takes = |pair: usize| PAIRS[pair].whole[0] > 0 && !PAIRS[pair].sides.contains(&DEFLATING);
        assert!(swaps.iter().all(|swap| takes(swap.pair) && !swap.amount.is_zero()));
        let kind = |side| matches!(side, Side::Asset(index) if ASSETS[index].kind == AssetKind::Deflating);
        assert!(kind(DEFLATING));
        assert_eq!(PAIRS.iter().filter(|pair| pair.whole == [0, 0]).count(), 2);
    }
}
