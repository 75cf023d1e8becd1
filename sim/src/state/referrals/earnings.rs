//! What one referrer has earned, in order of time, and through which wallets.
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

use alloy::primitives::Address;

use super::{EventPosition, PointSource, Points};

/// Points for one action of a referred wallet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Earning {
    /// The referral.
    pub wallet: Address,
    /// What it did.
    pub source: PointSource,
    /// What the referrer earned by it.
    pub points: Points,
}

/// A referral of a referrer: registered, or known by a code it traded or launched with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Member {
    registered_at: Option<u64>,
    sources: BTreeSet<EventPosition>,
}

impl Member {
    /// When it was first known as a referral, Unix seconds.
    #[must_use]
    pub fn joined_at(&self) -> u64 {
        let first = self.sources.first().map(|place| place.at);
        self.registered_at.into_iter().chain(first).min().unwrap_or_default()
    }
}

/// What a wallet earned as a referrer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Referrer {
    earnings: BTreeMap<EventPosition, Earning>,
    members: BTreeMap<Address, Member>,
}

impl Referrer {
    /// Its referrals by their address.
    #[must_use]
    pub fn members(&self) -> &BTreeMap<Address, Member> {
        &self.members
    }

    /// What it earned later than a time, from the oldest to the newest; all of it when no time is given.
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

    /// Takes an earning back; a referral that was known by nothing else is none any more.
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
