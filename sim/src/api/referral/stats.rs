//! A referrer's earnings in a period, by wallet, and the top referrers.
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use alloy::primitives::Address;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::Api;
use crate::api::schema::{AddressText, Instant, instant};
use crate::state::figure::Figure;
use crate::state::referrals::{PointSource, Points, Referrals};
use crate::state::token::DAY;

pub(crate) const DEFAULT_LIMIT: u64 = 10;
/// Most rows of the leaderboard.
pub(crate) const MAXIMUM_LIMIT: u64 = 100;
/// Most entries of recent activity.
pub(crate) const RECENT: usize = 20;
/// Maximum number of referrals listed.
pub(crate) const TOP: usize = 10;

/// The counted window; an event exactly as old as the window is left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) enum Period {
    #[serde(rename = "24h")]
    Day,
    #[serde(rename = "7d")]
    Week,
    #[serde(rename = "30d")]
    Month,
    #[default]
    #[serde(rename = "all")]
    All,
}

impl Period {
    /// The time after which events count; `None` if all count.
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

// Sums over a period; the number of referrals is independent of the period.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "ReferralSums")]
pub(crate) struct Totals {
    pub total_referrals: u64,
    pub active_referrals: u64,
    pub total_points_earned: Figure,
    pub points_from_trading: Figure,
    pub points_from_token_creation: Figure,
    pub points_from_milestones: Figure,
}

// A referral and the points it earned for the referrer in the period.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct TopReferral {
    pub address: AddressText,
    pub points_generated: Figure,
    pub joined_at: Instant,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "ReferralActivity")]
pub(crate) struct Activity {
    #[schemars(extend("enum" = [TRADE, CREATION, MILESTONE]))]
    pub r#type: &'static str,
    pub referral_address: AddressText,
    pub points_earned: Figure,
    pub timestamp: Instant,
}

/// Kinds of activity.
const TRADE: &str = "trade";
const CREATION: &str = "token_creation";
const MILESTONE: &str = "milestone";

// The stats of a wallet. Its code is its address while it has none; the latest earnings are the newest first, and the
// top referrals those with the most points, ties by address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "ReferralStats")]
pub(crate) struct Stats {
    pub referral_code: String,
    pub stats: Totals,
    #[schemars(length(max = RECENT))]
    pub recent_activity: Vec<Activity>,
    #[schemars(length(max = TOP))]
    pub top_referrals: Vec<TopReferral>,
}

// A row of the leaderboard. Ranks begin at 1, without gaps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Referrer {
    #[schemars(range(min = 1))]
    pub rank: u64,
    pub address: AddressText,
    pub referral_code: String,
    pub total_referrals: u64,
    pub points_earned: Figure,
}

impl Api {
    /// The stats of a wallet; all zero for an unknown one.
    ///
    /// Clause: REF-STATS, FIG-REF, FIG-PERIODS
    #[must_use]
    pub(crate) fn referral_stats(&self, wallet: Address, period: Period) -> Stats {
        let state = self.read();
        let referrals = state.referrals();
        let opening = period.opening(self.now());
        let mut recent_activity = Vec::new();
        let mut top_referrals = Vec::new();
        if let Some(referrer) = referrals.referrer(wallet) {
            let earned = || referrer.earned_after(opening);
            recent_activity.extend(earned().rev().take(RECENT).map(|(place, earning)| Activity {
                r#type: match earning.source {
                    PointSource::Trade { .. } => TRADE,
                    PointSource::Creation => CREATION,
                    PointSource::Milestone => MILESTONE,
                },
                referral_address: AddressText(earning.wallet),
                points_earned: earning.points.shown(),
                timestamp: instant(place.at),
            }));
            let mut brought: BTreeMap<Address, Points> =
                referrer.members().keys().map(|one| (*one, Points::default())).collect();
            for (_, earning) in earned() {
                let points = brought.entry(earning.wallet).or_default();
                *points = points.plus(earning.points);
            }
            let mut ranked: Vec<_> = brought.into_iter().collect();
            ranked.sort_by_key(|(address, points)| (Reverse(*points), *address));
            top_referrals.extend(ranked.into_iter().take(TOP).map(|(address, points)| TopReferral {
                address: AddressText(address),
                points_generated: points.shown(),
                joined_at: instant(referrer.members()[&address].joined_at()),
            }));
        }
        let stats = totals(referrals, wallet, opening);
        Stats { referral_code: code_of(referrals, wallet), stats, recent_activity, top_referrals }
    }

    /// The referrers with the most points in the period, ties by address, and the second at which they were ranked; referrers without
    /// points are left out.
    ///
    /// Clause: REF-LEAD
    #[must_use]
    pub(crate) fn referrers(&self, period: Period, limit: u64) -> (Vec<Referrer>, u64) {
        let (state, now) = (self.read(), self.now());
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
        let shown =
            |((Reverse(points), address, total_referrals), rank): ((Reverse<Points>, _, _), _)| Referrer {
                rank,
                address: AddressText(address),
                referral_code: code_of(referrals, address),
                total_referrals,
                points_earned: points.shown(),
            };
        (ranked.into_iter().zip(1..=limit).map(shown).collect(), now)
    }
}

/// The earnings from a wallet's referrals after a time.
#[must_use]
pub(super) fn totals(referrals: &Referrals, wallet: Address, opening: Option<u64>) -> Totals {
    let Some(referrer) = referrals.referrer(wallet) else {
        return Totals::default();
    };
    let mut active = BTreeSet::new();
    let [mut trading, mut creation, mut milestones] = [Points::default(); 3];
    for (_, earning) in referrer.earned_after(opening) {
        active.insert(earning.wallet);
        let sum = match earning.source {
            PointSource::Trade { .. } => &mut trading,
            PointSource::Creation => &mut creation,
            PointSource::Milestone => &mut milestones,
        };
        *sum = sum.plus(earning.points);
    }
    Totals {
        total_referrals: referrer.members().len() as u64,
        active_referrals: active.len() as u64,
        total_points_earned: trading.plus(creation).plus(milestones).shown(),
        points_from_trading: trading.shown(),
        points_from_token_creation: creation.shown(),
        points_from_milestones: milestones.shown(),
    }
}

fn code_of(referrals: &Referrals, wallet: Address) -> String {
    let issued = referrals.code(wallet).map(|issued| issued.code.clone());
    issued.unwrap_or_else(|| wallet.to_string())
}
