//! Who holds how much of one token, folded from its transfers and ordered by balance.
use std::collections::BTreeSet;

use alloy::primitives::Address;
use alloy::primitives::map::AddressMap;

/// Holders of which each is one of the largest.
const FEW: usize = 10;

/// The balances of one token.
#[derive(Clone, Debug, Default)]
pub struct Holders {
    balances: AddressMap<u128>,
    /// Empty while the holders are few.
    ranking: BTreeSet<(u128, Address)>,
    supply: u128,
}

/// How a token is spread over its holders.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spread {
    /// Accounts with a balance.
    pub count: u64,
    /// Units of the ten largest.
    pub top_ten: u128,
    /// Units that exist.
    pub supply: u128,
}

impl Holders {
    /// Moves units; the zero address stands for mint and burn.
    pub fn transfer(&mut self, from: Address, to: Address, units: u128) {
        if from.is_zero() {
            self.supply = self.supply.saturating_add(units);
        } else {
            self.set(from, self.balance(from).saturating_sub(units));
        }
        if to.is_zero() {
            self.supply = self.supply.saturating_sub(units);
        } else {
            self.set(to, self.balance(to).saturating_add(units));
        }
    }

    /// Units of one account.
    #[must_use]
    pub fn balance(&self, account: Address) -> u128 {
        self.balances.get(&account).copied().unwrap_or_default()
    }

    /// The largest holders, the largest first, equal ones by descending address.
    pub fn largest(&self) -> impl Iterator<Item = (Address, u128)> + '_ {
        let mut few = if self.ranking.is_empty() { self.ranked().collect() } else { Vec::new() };
        few.sort_unstable();
        let ranked = few.into_iter().rev().chain(self.ranking.iter().rev().copied());
        ranked.map(|(units, account)| (account, units))
    }

    /// The spread over everybody but the accounts of the platform itself.
    ///
    /// Clause: FIG-HOLDERS
    #[must_use]
    pub fn spread_without(&self, platform: &[Address]) -> Spread {
        let theirs = platform.iter().filter(|account| self.balances.contains_key(*account)).count();
        let is_holder = |(_, account): &(u128, Address)| !platform.contains(account);
        let units = |(units, _)| units;
        let top_ten = if self.ranking.is_empty() {
            self.ranked().filter(is_holder).map(units).sum()
        } else {
            self.ranking.iter().rev().copied().filter(is_holder).take(FEW).map(units).sum()
        };
        Spread { count: (self.balances.len() - theirs) as u64, top_ten, supply: self.supply }
    }

    /// Every balance with its account, in no order.
    fn ranked(&self) -> impl Iterator<Item = (u128, Address)> {
        self.balances.iter().map(|(account, units)| (*units, *account))
    }

    fn set(&mut self, account: Address, units: u128) {
        let before =
            if units == 0 { self.balances.remove(&account) } else { self.balances.insert(account, units) };
        if self.balances.len() <= FEW {
            self.ranking.clear();
        } else if self.ranking.is_empty() {
            self.ranking = self.ranked().collect();
        } else {
            if let Some(before) = before {
                self.ranking.remove(&(before, account));
            }
            if units > 0 {
                self.ranking.insert((units, account));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Holders, Spread};
    use alloy::primitives::Address;

    fn account(byte: u8) -> Address {
        Address::repeat_byte(byte)
    }

    #[test]
    fn transfers_keep_holder_count_and_supply() {
        let mut holders = Holders::default();
        holders.transfer(Address::ZERO, account(1), 1_000);
        for byte in 2..=13 {
            holders.transfer(account(1), account(byte), u128::from(byte));
        }
        holders.transfer(account(2), account(3), 2);
        holders.transfer(account(13), Address::ZERO, 3);
        let spread = holders.spread_without(&[account(1)]);
        // 3 has 5; 4 to 12 have their number; 13 has 10.
        assert_eq!(spread, Spread { count: 11, top_ten: 5 + 5 + (6..=12).sum::<u128>() + 10, supply: 997 });
        assert_eq!(holders.balance(account(2)), 0);
        assert_eq!(holders.spread_without(&[]).count, 12);
        let largest: Vec<_> = holders.largest().take(3).collect();
        assert_eq!(largest[1..], [(account(12), 12), (account(11), 11)]);
    }

    #[test]
    fn a_transfer_to_oneself_changes_nothing() {
        let mut holders = Holders::default();
        holders.transfer(Address::ZERO, account(1), 10);
        holders.transfer(account(1), account(1), 4);
        assert_eq!(holders.spread_without(&[]), Spread { count: 1, top_ten: 10, supply: 10 });
    }
}
