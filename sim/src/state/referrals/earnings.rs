//! The earnings of one referrer, in time order and by wallet.
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

use alloy::primitives::Address;

use super::{EventPosition, PointSource, Points};

/// Points for one action of a referred wallet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Earning {
    /// The referral.
    pub wallet: Address,
    /// The action.
    pub source: PointSource,
    /// The referrer's points for it.
    pub points: Points,
}

/// A referral of a referrer: registered, or known from a trade or launch with the referrer's code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Member {
    registered_at: Option<u64>,
    sources: BTreeSet<EventPosition>,
}

impl Member {
    /// The time at which it first became known as a referral, Unix seconds.
    #[must_use]
    pub fn joined_at(&self) -> u64 {
        let first = self.sources.first().map(|place| place.at);
        self.registered_at.into_iter().chain(first).min().unwrap_or_default()
    }
}

/// The earnings of a wallet as a referrer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Referrer {
    earnings: BTreeMap<EventPosition, Earning>,
    members: BTreeMap<Address, Member>,
}

impl Referrer {
    /// Its referrals by address.
    #[must_use]
    pub fn members(&self) -> &BTreeMap<Address, Member> {
        &self.members
    }

    /// The earnings after a time, from the oldest to the newest; all of them if `None`.
    pub fn earned_after(
        &self,
        time: Option<u64>,
    ) -> impl DoubleEndedIterator<Item = (EventPosition, &Earning)> {
        let opening = time.map_or(Bound::Unbounded, |at| {
            Bound::Excluded(EventPosition { at, chain_id: u64::MAX, block: u64::MAX, log_index: u64::MAX })
        });
        self.earnings.range((opening, Bound::Unbounded)).map(|(place, earning)| (*place, earning))
    }

    pub(super) fn join(&mut self, wallet: Address, at: u64) {
        self.members.entry(wallet).or_default().registered_at = Some(at);
    }

    pub(super) fn earn(&mut self, place: EventPosition, earning: Earning) {
        self.members.entry(earning.wallet).or_default().sources.insert(place);
        self.earnings.insert(place, earning);
    }

    /// Removes an earning; a referral known only from it is removed too.
    pub(super) fn lose(&mut self, place: EventPosition) {
        let Some(earning) = self.earnings.remove(&place) else {
            return;
        };
        if let Some(member) = self.members.get_mut(&earning.wallet) {
            member.sources.remove(&place);
            if member.sources.is_empty() && member.registered_at.is_none() {
                self.members.remove(&earning.wallet);
            }
        }
    }
}
