//! Points as exact numbers: a hundred per ether traded, so that every wei counts.
use super::PointSource;
use crate::state::figure::{Figure, ONE};

/// Points per ether of volume, and per launch.
const TRADE: u128 = 100;
const CREATION: u128 = 100;
/// Points of the referrer when a referral's launch graduates.
const MILESTONE: u128 = 50;
/// Divisor of a referrer's share.
const TENTH: u128 = 10;

/// Points in units of 10^-18.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Points(u128);

impl Points {
    /// Points of the wallet itself for a source.
    #[must_use]
    pub fn of_wallet(source: PointSource) -> Self {
        match source {
            PointSource::Trade { volume } => Self(volume.saturating_mul(TRADE)),
            PointSource::Creation => Self(CREATION * ONE),
            PointSource::Milestone => Self(0),
        }
    }

    /// Points of the wallet's referrer for a source; a tenth is exact, because a wei is a hundred units.
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

    /// The difference, saturating at zero.
    #[must_use]
    pub fn less(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// The figure in answers.
    #[must_use]
    pub fn shown(self) -> Figure {
        Figure::of_units(self.0)
    }

    /// The points in units of 10^-18.
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
    /// Points for its own trades.
    pub trading: Points,
    /// Points for its own launches.
    pub creation: Points,
    /// Points for activities of its referrals.
    pub referral: Points,
    /// Volume of its trades in wei, gross of fees.
    pub volume: u128,
}

impl Score {
    /// The sum of all points.
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
