//! The wallets with the most points: their own and those from their referrals.
use schemars::JsonSchema;
use serde::Serialize;

use super::Api;
use super::schema::AddressText;
use crate::state::figure::Figure;
use crate::state::referrals::Score;

pub(crate) const DEFAULT_LIMIT: u64 = 50;
pub(crate) const MAXIMUM_LIMIT: u64 = 100;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct LeaderboardEntry {
    #[schemars(range(min = 1))]
    pub rank: u64,
    pub address: AddressText,
    pub points: Figure,
    pub trading_points: Figure,
    pub creation_points: Figure,
    pub referral_points: Figure,
    pub volume_eth: Figure,
}

impl Api {
    /// The first rows: points descending, ties by address; ranks begin at 1, without gaps.
    ///
    /// Clause: LEAD-SHAPE, LEAD-LIMIT, FIG-LEAD
    #[must_use]
    pub(crate) fn leaderboard(&self, limit: u64) -> Vec<LeaderboardEntry> {
        let ranked = self.read().referrals().ranking().into_iter().zip(1..=limit);
        let entry = |((address, score), rank): ((_, Score), _)| LeaderboardEntry {
            rank,
            address: AddressText(address),
            points: score.total().shown(),
            trading_points: score.trading.shown(),
            creation_points: score.creation.shown(),
            referral_points: score.referral.shown(),
            volume_eth: Figure::of_units(score.volume),
        };
        ranked.map(entry).collect()
    }
}
