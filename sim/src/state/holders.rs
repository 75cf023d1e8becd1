//! The balances of one token, folded from its transfers and ordered by size; and the balances of every token.
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use alloy::primitives::Address;
use alloy::primitives::map::AddressMap;

use super::figure::saturated;
use crate::event::{Event, EventKind};

/// Number of holders in the top group.
const TOP: usize = 10;

/// The holders of every token by its chain and contract, whether or not it is a known launch.
#[derive(Clone, Debug, Default)]
pub(super) struct AllHolders(BTreeMap<(u64, Address), Arc<Holders>>);

impl AllHolders {
    /// The holders of a token; `None` before its first transfer.
    pub(super) fn of(&self, chain_id: u64, token: Address) -> Option<&Holders> {
        self.0.get(&(chain_id, token)).map(Arc::as_ref)
    }

    /// Records a transfer; other events change nothing.
    pub(super) fn apply(&mut self, event: &Event) {
        let EventKind::Transfer { from, to, amount } = &event.kind else { return };
        let holders = self.0.entry((event.chain_id, event.emitter)).or_default();
        Arc::make_mut(holders).transfer(*from, *to, saturated(*amount));
    }
}

/// The balances of one token, by account and by size.
#[derive(Clone, Debug, Default)]
pub struct Holders {
    balances: AddressMap<u128>,
    ranking: BTreeSet<(u128, Address)>,
    supply: u128,
}

/// The distribution of a token over its holders.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spread {
    /// Accounts with a balance.
    pub count: u64,
    /// Units held by the ten largest.
    pub top_ten: u128,
    /// Total supply in units.
    pub supply: u128,
}

impl Holders {
    /// Transfers units; the zero address stands for mint and burn.
    pub fn transfer(&mut self, from: Address, to: Address, units: u128) {
        if from.is_zero() {
            self.supply = self.supply.saturating_add(units);
        } else {
            self.change(from, |held| held.saturating_sub(units));
        }
        if to.is_zero() {
            self.supply = self.supply.saturating_sub(units);
        } else {
            self.change(to, |held| held.saturating_add(units));
        }
    }

    /// Balance of one account.
    #[must_use]
    pub fn balance(&self, account: Address) -> u128 {
        self.balances.get(&account).copied().unwrap_or_default()
    }

    /// The largest holders in descending order, ties by descending address.
    pub fn largest(&self) -> impl Iterator<Item = (Address, u128)> + '_ {
        self.ranking.iter().rev().map(|(units, account)| (*account, *units))
    }

    /// The distribution over all accounts except those of the platform itself.
    ///
    /// Clause: FIG-HOLDERS
    #[must_use]
    pub fn spread_without(&self, platform: &[Address]) -> Spread {
        let theirs = platform.iter().filter(|account| self.balances.contains_key(*account)).count();
        let holders = self.largest().filter(|(account, _)| !platform.contains(account));
        let top_ten = holders.take(TOP).map(|(_, units)| units).sum();
        Spread { count: (self.balances.len() - theirs) as u64, top_ten, supply: self.supply }
    }

    /// Changes a balance; a balance that becomes zero is removed.
    fn change(&mut self, account: Address, change: impl FnOnce(u128) -> u128) {
        let before = self.balance(account);
        let after = change(before);
        if before > 0 {
            self.ranking.remove(&(before, account));
        }
        if after > 0 {
            self.balances.insert(account, after);
            self.ranking.insert((after, account));
        } else {
            self.balances.remove(&account);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use alloy::primitives::Address;
    use proptest::prelude::{prop_assert_eq, proptest};

    use super::Holders;

    fn account(byte: u8) -> Address {
        Address::repeat_byte(byte)
    }

    proptest! {
        /// The number of holders grows and shrinks again.
        #[test]
        fn holders_agree_with_a_sorted_walk(
            moves in proptest::collection::vec((0_u8..16, 0_u8..16, 0_u128..50), 0..120),
        ) {
            let (mut holders, mut balances) = (Holders::default(), BTreeMap::new());
            for (from, to, units) in moves {
                holders.transfer(account(from), account(to), units);
                if from != 0 {
                    let held: &mut u128 = balances.entry(account(from)).or_default();
                    *held = held.saturating_sub(units);
                }
                if to != 0 {
                    *balances.entry(account(to)).or_default() += units;
                }
                balances.retain(|_, units| *units > 0);
                let mut ranked: Vec<_> = balances.iter().map(|(account, units)| (*units, *account)).collect();
                ranked.sort_unstable_by(|one, other| other.cmp(one));
                let largest: Vec<_> = holders.largest().map(|(account, units)| (units, account)).collect();
                prop_assert_eq!(&largest, &ranked);
                ranked.retain(|(_, holder)| *holder != account(3));
                let spread = holders.spread_without(&[account(3), Address::ZERO]);
                prop_assert_eq!(spread.count, ranked.len() as u64);
                prop_assert_eq!(spread.top_ten, ranked.iter().take(10).map(|(units, _)| units).sum::<u128>());
                for number in 0..16 {
                    let held = balances.get(&account(number)).copied().unwrap_or_default();
                    prop_assert_eq!(holders.balance(account(number)), held);
                }
            }
        }
    }
}
