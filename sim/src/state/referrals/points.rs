//! Points as exact numbers: a hundred for an ether traded, so that every wei counts.
use super::PointSource;
use crate::state::figure::{Figure, ONE};

/// Points for an ether of volume, and for a launch.
const TRADE: u128 = 100;
const CREATION: u128 = 100;
/// Points of the referrer when a referral's launch graduates.
const MILESTONE: u128 = 50;
/// A referrer's part is one of so many.
const TENTH: u128 = 10;

/// Points in units of 10^-18.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Points(u128);

impl Points {
    /// What a wallet itself earns from a source.
    #[must_use]
    pub fn of_wallet(source: PointSource) -> Self {
        match source {
            PointSource::Trade { volume } => Self(volume.saturating_mul(TRADE)),
            PointSource::Creation => Self(CREATION * ONE),
            PointSource::Milestone => Self(0),
        }
    }

    /// What the referrer of the wallet earns by it; a tenth is exact, because a wei is a hundred units.
    ///
    /// Clause: REF-REWARD-BUY, REF-REWARD-SELL, REF-REWARD-CREATE, REF-REWARD-MILESTONE, REF-POINTS, FIG-CREDIT
    #[must_use]
    pub fn of_referral(source: PointSource) -> Self {
        match source {
            PointSource::Milestone => Self(MILESTONE * ONE),
            PointSource::Trade { .. } | PointSource::Creation => Self(Self::of_wallet(source).0 / TENTH),
        }
    }

    /// The sum.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// The difference, zero when it would be less.
    #[must_use]
    pub fn less(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// The number that answers show.
    #[must_use]
    pub fn shown(self) -> Figure {
        Figure::of_units(self.0)
    }

    /// In units of 10^-18.
    #[must_use]
    pub fn units(self) -> u128 {
        self.0
    }
}

impl std::iter::Sum for Points {
    fn sum<I: Iterator<Item = Self>>(points: I) -> Self {
        points.fold(Self::default(), Self::plus)
    }
}

/// All points of one wallet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Score {
    /// For its own trades.
    pub trading: Points,
    /// For its own launches.
    pub creation: Points,
    /// For what its referrals did.
    pub referral: Points,
    /// Wei that its trades moved, gross of fees.
    pub volume: u128,
}

impl Score {
    /// All points together.
    #[must_use]
    pub fn total(&self) -> Points {
        self.trading.plus(self.creation).plus(self.referral)
    }

    pub(super) fn earn(&mut self, source: PointSource) {
        let points = Points::of_wallet(source);
        match source {
            PointSource::Trade { volume } => {
                self.trading = self.trading.plus(points);
                self.volume = self.volume.saturating_add(volume);
            }
            PointSource::Creation => self.creation = self.creation.plus(points),
            PointSource::Milestone => {}
        }
    }
}
