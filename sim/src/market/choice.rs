//! The market that a platform begins with: the default one, an empty one, one with many launches, or one from a file.
use std::str::FromStr;
use std::sync::Arc;

use slipway_contracts::ChainId;

use super::check::MOST_LAUNCHES;
use super::file::{DrawRow, MarketFile};
use super::{LARGE, PlanError, Schedule, schedule};

/// A market to be made: a file, and a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarketPlan {
    file: Arc<MarketFile>,
    /// Equal for equal markets.
    key: String,
    /// Whether launches happen at the times at which trades share a block, so that thousands of them need few blocks.
    shares_blocks: bool,
}

impl Default for MarketPlan {
    /// About eighty tokens of both versions on both chains, with an exchange and an auction.
    fn default() -> Self {
        Self { file: Arc::new(MarketFile::usual()), key: "default".to_owned(), shares_blocks: false }
    }
}

impl From<MarketFile> for MarketPlan {
    fn from(file: MarketFile) -> Self {
        if file == MarketFile::default() {
            return Self::empty();
        }
        let key = format!("{file:?}");
        Self { file: Arc::new(file), key, shares_blocks: false }
    }
}

impl MarketPlan {
    /// An empty market: the contracts are deployed and the users funded, without launches, trades and bids.
    #[must_use]
    pub fn empty() -> Self {
        Self { file: Arc::default(), key: "empty".to_owned(), shares_blocks: false }
    }

    /// This many launches for the native coin on the primary chain, at most [`MOST_LAUNCHES`]; everything else as in the default market. Up
    /// to [`LARGE`] of them have the outcomes of the default market, in proportion; the others are new.
    #[must_use]
    pub fn of_launches(count: u32) -> Self {
        let mut file = MarketFile::usual();
        let drawn = |row: &&mut DrawRow| row.chain() == ChainId::PRIMARY.0 && row.quote.is_none();
        if let Some(row) = file.draw.iter_mut().find(drawn) {
            let usual = u32::try_from(row.total()).unwrap_or(u32::MAX);
            let shared = count.min(u32::try_from(LARGE).unwrap_or(u32::MAX));
            for part in [&mut row.new, &mut row.early, &mut row.half, &mut row.nearly, &mut row.graduated] {
                *part = *part * shared / usual;
            }
            row.new += count - u32::try_from(row.total()).unwrap_or(u32::MAX);
        }
        Self { file: Arc::new(file), key: count.to_string(), shares_blocks: true }
    }

    /// Checks that the market can be made with a seed and this end, Unix seconds.
    ///
    /// # Errors
    /// With the first place in the file that the contracts would refuse.
    pub fn check(&self, seed: u64, end: u64) -> Result<(), PlanError> {
        ChainId::ALL.iter().try_for_each(|chain| self.schedule(seed, *chain, end).map(drop))
    }

    pub(crate) fn schedule(&self, seed: u64, chain: ChainId, end: u64) -> Result<Schedule, PlanError> {
        schedule(&self.file, self.shares_blocks, seed, chain, end)
    }

    /// Text that is equal exactly if the market is equal, for one seed and end.
    pub(crate) fn key(&self) -> &str {
        &self.key
    }
}

/// The text does not describe a market.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected `empty`, `default`, a number of launches from 1 to {MOST_LAUNCHES} or a file")]
pub struct ParseMarketError;

impl FromStr for MarketPlan {
    type Err = ParseMarketError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "empty" => Ok(Self::empty()),
            "default" => Ok(Self::default()),
            count => match count.parse() {
                Ok(count @ 1..=MOST_LAUNCHES) => Ok(Self::of_launches(count)),
                _ => Err(ParseMarketError),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::outcomes;
    use super::{ChainId, MarketFile, MarketPlan};

    #[test]
    fn markets_have_as_many_launches_as_they_say() {
        let usual = MarketFile::usual();
        for count in [1, 5, 42, 43, 420, 421, 1_000, 10_000] {
            let market: MarketPlan = count.to_string().parse().unwrap();
            assert_eq!(outcomes(&market.file, ChainId::PRIMARY.0).len(), count);
            assert_eq!(outcomes(&market.file, ChainId::SECOND.0), outcomes(&usual, ChainId::SECOND.0));
            assert_eq!(market.key(), count.to_string());
        }
        assert_eq!(*MarketPlan::of_launches(42).file, usual);
        for (text, market) in [("empty", MarketPlan::empty()), ("default", MarketPlan::default())] {
            assert_eq!(text.parse(), Ok(market));
        }
        assert_eq!(MarketPlan::from(MarketFile::default()), MarketPlan::empty());
        for wrong in ["", "0", "10001", "-1", "many", "1.5"] {
            assert!(wrong.parse::<MarketPlan>().is_err(), "{wrong}");
        }
    }
}
