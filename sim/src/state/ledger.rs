//! What each hook owes, folded from its accruals: to accounts, and to the buybacks of its launches. It is the hook's own book a
//! second time; nothing here decides a payment.
use std::collections::BTreeMap;

use alloy::primitives::map::AddressMap;
use alloy::primitives::{Address, U256};

use super::LaunchKey;
use crate::event::{Event, EventKind};

/// The books of every hook.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    /// By chain id and hook.
    withdrawable: BTreeMap<(u64, Address), AddressMap<U256>>,
    buybacks: BTreeMap<LaunchKey, U256>,
}

impl Ledger {
    /// Quote units that an account may withdraw from a hook.
    #[must_use]
    pub fn withdrawable(&self, chain_id: u64, hook: Address, account: Address) -> U256 {
        let held = self.withdrawable.get(&(chain_id, hook)).and_then(|accounts| accounts.get(&account));
        held.copied().unwrap_or_default()
    }

    /// Quote units that are set aside for buying a launch's token back.
    #[must_use]
    pub fn buyback(&self, chain_id: u64, hook: Address, launch_id: u64) -> U256 {
        self.buybacks.get(&(chain_id, hook, launch_id)).copied().unwrap_or_default()
    }

    /// Every account a hook owes anything, with the amount, in no promised order.
    pub fn owed(&self, chain_id: u64, hook: Address) -> impl Iterator<Item = (Address, U256)> + '_ {
        let own = self.withdrawable.get(&(chain_id, hook)).into_iter().flatten();
        own.map(|(account, amount)| (*account, *amount)).filter(|(_, amount)| !amount.is_zero())
    }

    /// Takes in an accrual, a withdrawal or a buyback; other events change nothing.
    pub(super) fn apply(&mut self, event: &Event) {
        match &event.kind {
            EventKind::FeesAccrued { account, amount, .. } => {
                let held = self.account(event, *account);
                *held = held.saturating_add(*amount);
            }
            EventKind::FeesWithdrawn { account, amount } => {
                let held = self.account(event, *account);
                *held = held.saturating_sub(*amount);
            }
            EventKind::BuybackAccrued { launch_id, amount } => {
                let held = self.buyback_of(event, *launch_id);
                *held = held.saturating_add(*amount);
            }
            EventKind::BuybackExecuted { launch_id, quote_amount, .. } => {
                let held = self.buyback_of(event, *launch_id);
                *held = held.saturating_sub(*quote_amount);
            }
            _ => {}
        }
    }

    fn buyback_of(&mut self, event: &Event, launch_id: u64) -> &mut U256 {
        self.buybacks.entry((event.chain_id, event.emitter, launch_id)).or_default()
    }

    /// What the hook of an event owes an account.
    fn account(&mut self, event: &Event, account: Address) -> &mut U256 {
        self.withdrawable.entry((event.chain_id, event.emitter)).or_default().entry(account).or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::Ledger;
    use crate::event::{Event, EventKind};
    use alloy::primitives::{Address, B256, U256};
    use slipway_contracts::ChainId;

    const HOOK: Address = Address::repeat_byte(1);
    const CREATOR: Address = Address::repeat_byte(2);

    fn book(events: impl IntoIterator<Item = (Address, EventKind)>) -> Ledger {
        let mut ledger = Ledger::default();
        for (emitter, kind) in events {
            ledger.apply(&Event {
                chain_id: ChainId::PRIMARY.0,
                block: 1,
                timestamp: 1,
                transaction: B256::ZERO,
                log_index: 0,
                emitter,
                kind,
            });
        }
        ledger
    }

    fn accrued(amount: u64) -> EventKind {
        EventKind::FeesAccrued { launch_id: 1, account: CREATOR, amount: U256::from(amount) }
    }

    #[test]
    fn fee_accruals_are_per_hook_until_withdrawn() {
        let withdrawn = EventKind::FeesWithdrawn { account: CREATOR, amount: U256::from(12) };
        let other = Address::repeat_byte(9);
        let ledger = book([
            (HOOK, accrued(5)),
            (HOOK, accrued(7)),
            (other, accrued(3)),
            (HOOK, withdrawn),
            (HOOK, accrued(4)),
        ]);
        assert_eq!(ledger.withdrawable(ChainId::PRIMARY.0, HOOK, CREATOR), U256::from(4));
        assert_eq!(ledger.withdrawable(ChainId::PRIMARY.0, other, CREATOR), U256::from(3));
        assert_eq!(ledger.withdrawable(ChainId::SECOND.0, HOOK, CREATOR), U256::ZERO);
        assert_eq!(ledger.owed(ChainId::PRIMARY.0, HOOK).collect::<Vec<_>>(), [(CREATOR, U256::from(4))]);
    }

    #[test]
    fn buyback_returns_the_unspent_amount() {
        for from_pool in [false, true] {
            let executed = EventKind::BuybackExecuted {
                launch_id: 1,
                quote_amount: U256::from(6),
                tokens_burned: U256::from(100),
                from_pool,
            };
            let set_aside = EventKind::BuybackAccrued { launch_id: 1, amount: U256::from(10) };
            let ledger = book([(HOOK, set_aside), (HOOK, executed)]);
            assert_eq!(ledger.buyback(ChainId::PRIMARY.0, HOOK, 1), U256::from(4));
            assert_eq!(ledger.buyback(ChainId::PRIMARY.0, HOOK, 2), U256::ZERO);
        }
    }
}
