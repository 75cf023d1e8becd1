//! A referrer's earnings in a period, by wallet, and the top referrers.
use std::cmp::Reverse;
use std::collections::BTreeMap;

use alloy::primitives::Address;

use crate::state::State;
use crate::state::referrals::{Earning, EventPosition, PointSource, Points, Referrals};
use crate::state::token::DAY;

/// Default rows of the leaderboard.
pub(crate) const DEFAULT_LIMIT: u64 = 10;
/// Most rows of the leaderboard.
pub(crate) const MAXIMUM_LIMIT: u64 = 100;
/// Most entries of recent activity.
pub(crate) const RECENT: usize = 20;
/// Most referrals that are listed.
pub(crate) const TOP: usize = 10;

/// The counted window; an event exactly as old as the window is left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Period {
    /// A day.
    Day,
    /// Seven days.
    Week,
    /// Thirty days.
    Month,
    /// All time.
    #[default]
    All,
}

impl Period {
    /// The values on the wire, each with its period.
    pub(crate) const NAMES: [(&'static str, Self); 4] =
        [("24h", Self::Day), ("7d", Self::Week), ("30d", Self::Month), ("all", Self::All)];

    /// Only later events count; all events when there is no opening.
    fn opening(self, now: u64) -> Option<u64> {
        let days = match self {
            Self::Day => 1,
            Self::Week => 7,
            Self::Month => 30,
            Self::All => return None,
        };
        now.checked_sub(days * DAY)
    }
}

/// Sums over a period; the number of referrals is independent of the period.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Totals {
    /// Referrals, all time.
    pub total_referrals: u64,
    /// Referrals that earned points in the period.
    pub active_referrals: u64,
    /// From trades.
    pub trading: Points,
    /// From launches.
    pub creation: Points,
    /// From milestones.
    pub milestones: Points,
}

impl Totals {
    /// All points.
    #[must_use]
    pub(crate) fn points(&self) -> Points {
        self.trading.plus(self.creation).plus(self.milestones)
    }
}

/// A referral and the points it earned for the referrer in the period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TopReferral {
    /// Its wallet.
    pub address: Address,
    /// Points in the period.
    pub points: Points,
    /// When it joined, Unix seconds.
    pub joined_at: u64,
}

/// The stats of a wallet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stats {
    /// Its code; its address while it has none.
    pub code: String,
    /// The sums.
    pub totals: Totals,
    /// The latest earnings, newest first.
    pub recent: Vec<(EventPosition, Earning)>,
    /// The referrals with the most points, in descending order, ties by address.
    pub top: Vec<TopReferral>,
}

/// A row of the leaderboard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ReferrerRow {
    /// Rank from 1, without gaps.
    pub rank: u64,
    /// The referrer.
    pub address: Address,
    /// Its code; its address while it has none.
    pub code: String,
    /// Referrals, all time.
    pub total_referrals: u64,
    /// Points in the period.
    pub points: Points,
}

/// The stats of a wallet at the time `now`; an unknown wallet has zeroes.
///
/// Clause: REF-STATS, FIG-REF, FIG-PERIODS
#[must_use]
pub(crate) fn stats(state: &State, now: u64, wallet: Address, period: Period) -> Stats {
    let referrals = state.referrals();
    let opening = period.opening(now);
    let mut recent = Vec::new();
    let mut top = Vec::new();
    if let Some(referrer) = referrals.referrer(wallet) {
        let earned = || referrer.earned_after(opening);
        recent.extend(earned().rev().take(RECENT).map(|(place, earning)| (place, *earning)));
        let mut brought: BTreeMap<Address, Points> =
            referrer.members().keys().map(|one| (*one, Points::default())).collect();
        for (_, earning) in earned() {
            let points = brought.entry(earning.wallet).or_default();
            *points = points.plus(earning.points);
        }
        let mut ranked: Vec<_> = brought.into_iter().collect();
        ranked.sort_by_key(|(address, points)| (Reverse(*points), *address));
        top.extend(ranked.into_iter().take(TOP).map(|(address, points)| TopReferral {
            address,
            points,
            joined_at: referrer.members()[&address].joined_at(),
        }));
    }
    Stats { code: code_of(referrals, wallet), totals: totals(referrals, wallet, opening), recent, top }
}

/// The earnings from a wallet's referrals after a time.
#[must_use]
pub(crate) fn totals(referrals: &Referrals, wallet: Address, opening: Option<u64>) -> Totals {
    let mut totals = Totals::default();
    let Some(referrer) = referrals.referrer(wallet) else {
        return totals;
    };
    let mut active = std::collections::BTreeSet::new();
    for (_, earning) in referrer.earned_after(opening) {
        active.insert(earning.wallet);
        let sum = match earning.source {
            PointSource::Trade { .. } => &mut totals.trading,
            PointSource::Creation => &mut totals.creation,
            PointSource::Milestone => &mut totals.milestones,
        };
        *sum = sum.plus(earning.points);
    }
    totals.total_referrals = referrer.members().len() as u64;
    totals.active_referrals = active.len() as u64;
    totals
}

/// The referrers with the most points in the period, ties by address; referrers without points are left out.
///
/// Clause: REF-LEAD
#[must_use]
pub(crate) fn leaderboard(state: &State, now: u64, period: Period, limit: u64) -> Vec<ReferrerRow> {
    let referrals = state.referrals();
    let opening = period.opening(now);
    let mut ranked: Vec<_> = referrals
        .referrers()
        .map(|(address, referrer)| {
            let points: Points = referrer.earned_after(opening).map(|(_, one)| one.points).sum();
            (Reverse(points), address, referrer.members().len() as u64)
        })
        .filter(|(points, ..)| points.0 > Points::default())
        .collect();
    ranked.sort_unstable();
    ranked
        .into_iter()
        .zip(1..=limit)
        .map(|((Reverse(points), address, total_referrals), rank)| ReferrerRow {
            rank,
            address,
            code: code_of(referrals, address),
            total_referrals,
            points,
        })
        .collect()
}

fn code_of(referrals: &Referrals, wallet: Address) -> String {
    let issued = referrals.code(wallet).map(|issued| issued.code.clone());
    issued.unwrap_or_else(|| wallet.to_string())
}
