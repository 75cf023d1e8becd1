//! The size of the seeded market: empty, the default, or many launches.
use std::fmt;
use std::str::FromStr;

use slipway_contracts::ChainId;

use super::plan::{LaunchOutcome, LaunchOutcomes};

/// Largest number of launches in a market.
pub const MOST_LAUNCHES: u32 = 10_000;
pub(super) const PRIMARY: LaunchOutcomes = [
    (LaunchOutcome::New, 7),
    (LaunchOutcome::Early, 9),
    (LaunchOutcome::Half, 11),
    (LaunchOutcome::Nearly, 7),
    (LaunchOutcome::Graduated, 8),
];
/// Launches of the second chain.
pub(super) const SECOND: LaunchOutcomes = [
    (LaunchOutcome::New, 5),
    (LaunchOutcome::Early, 6),
    (LaunchOutcome::Half, 7),
    (LaunchOutcome::Nearly, 4),
    (LaunchOutcome::Graduated, 5),
];
const NONE: LaunchOutcomes = [
    (LaunchOutcome::New, 0),
    (LaunchOutcome::Early, 0),
    (LaunchOutcome::Half, 0),
    (LaunchOutcome::Nearly, 0),
    (LaunchOutcome::Graduated, 0),
];
/// This many launches of a large market have the outcomes of the default one, in proportion; the others are new.
const SHARED_OUT: usize = 420;
/// Gas limit for the transactions of one block; the node's block gas limit is above it.
const GAS_A_BLOCK: u64 = 25_000_000;
/// The same for a market of a given size: the node hashes its whole state for each block, so there should be few blocks.
const GAS_A_LARGE_BLOCK: u64 = 15_000_000_000;

/// The size of the seeded market.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MarketSize {
    /// The contracts are deployed and the users funded; there is no launch, trade or bid.
    Empty,
    /// About eighty tokens of both versions on both chains, with an exchange and an auction.
    #[default]
    Usual,
    /// This many launches for the native coin on the primary chain, at most [`MOST_LAUNCHES`]; everything else as usual.
    Launches(u32),
}

impl MarketSize {
    pub(crate) fn is_empty(self) -> bool {
        self == Self::Empty
    }

    pub(crate) fn outcomes(self, chain: ChainId) -> LaunchOutcomes {
        match self {
            Self::Empty => NONE,
            Self::Launches(count) if chain == ChainId::PRIMARY => {
                let usual: usize = PRIMARY.iter().map(|(_, count)| count).sum();
                let count = usize::try_from(count).unwrap_or(usize::MAX);
                let mut outcomes =
                    PRIMARY.map(|(outcome, share)| (outcome, share * count.min(SHARED_OUT) / usual));
                let planned: usize = outcomes.iter().map(|(_, count)| count).sum();
                outcomes[0].1 += count - planned;
                outcomes
            }
            Self::Usual | Self::Launches(_) if chain == ChainId::PRIMARY => PRIMARY,
            Self::Usual | Self::Launches(_) => SECOND,
        }
    }

    /// Whether launches wait for the times at which trades share a block, so that thousands of them need few blocks.
    pub(crate) fn shares_blocks(self) -> bool {
        matches!(self, Self::Launches(_))
    }

    pub(crate) fn gas_a_block(self) -> u64 {
        if self.shares_blocks() { GAS_A_LARGE_BLOCK } else { GAS_A_BLOCK }
    }
}

impl fmt::Display for MarketSize {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => formatter.write_str("empty"),
            Self::Usual => formatter.write_str("default"),
            Self::Launches(count) => write!(formatter, "{count}"),
        }
    }
}

/// The text is not a market size.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected `empty`, `default` or a number of launches from 1 to {MOST_LAUNCHES}")]
pub struct ParseMarketSizeError;

impl FromStr for MarketSize {
    type Err = ParseMarketSizeError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "empty" => Ok(Self::Empty),
            "default" => Ok(Self::Usual),
            count => match count.parse() {
                Ok(count @ 1..=MOST_LAUNCHES) => Ok(Self::Launches(count)),
                _ => Err(ParseMarketSizeError),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{MarketSize, PRIMARY, SECOND};
    use slipway_contracts::ChainId;

    #[test]
    fn sizes_have_as_many_launches_as_they_say() {
        for count in [1, 5, 42, 43, 420, 421, 1_000, 10_000] {
            let size: MarketSize = count.to_string().parse().unwrap();
            let launches: usize = size.outcomes(ChainId::PRIMARY).iter().map(|(_, count)| count).sum();
            assert_eq!(launches, count);
            assert_eq!(size.outcomes(ChainId::SECOND), SECOND);
            assert_eq!(size.to_string(), count.to_string());
        }
        assert_eq!(MarketSize::Launches(42).outcomes(ChainId::PRIMARY), PRIMARY);
        for (text, size) in [("empty", MarketSize::Empty), ("default", MarketSize::Usual)] {
            assert_eq!(text.parse(), Ok(size));
            assert_eq!(size.to_string(), text);
        }
        for wrong in ["", "0", "10001", "-1", "many", "1.5"] {
            assert!(wrong.parse::<MarketSize>().is_err(), "{wrong}");
        }
    }
}
