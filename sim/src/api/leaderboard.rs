//! The wallets with the most points: their own and those from their referrals.
use alloy::primitives::Address;

use crate::state::State;
use crate::state::referrals::Score;

/// Default rows.
pub(crate) const DEFAULT_LIMIT: u64 = 50;
/// Most rows.
pub(crate) const MAXIMUM_LIMIT: u64 = 100;

/// One row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LeaderboardRow {
    /// Rank from 1, without gaps.
    pub rank: u64,
    /// The wallet.
    pub address: Address,
    /// Its points.
    pub score: Score,
}

/// The first rows: points descending, ties by address.
///
/// Clause: LEAD-SHAPE, FIG-LEAD
#[must_use]
pub(crate) fn leaderboard(state: &State, limit: u64) -> Vec<LeaderboardRow> {
    let ranked = state.referrals().ranking().into_iter().zip(1..=limit);
    ranked.map(|((address, score), rank)| LeaderboardRow { rank, address, score }).collect()
}
