//! What is folded apart from the tokens and from one another, and therefore beside them.
use std::sync::Arc;

use super::holders::AllHolders;
use super::ledger::Ledger;
use super::referrals::Referrals;
use super::search::TextIndex;
use crate::event::Event;

/// Events that are worth a thread for each of the parts that are folded apart.
pub(super) const MANY: usize = 4_096;

/// Holders, what hooks owe, referrals and texts.
#[derive(Clone, Debug, Default)]
pub(super) struct Books {
    pub(super) holders: AllHolders,
    pub(super) ledger: Ledger,
    /// Shared with copies while they do not change.
    pub(super) referrals: Arc<Referrals>,
    pub(super) corpus: TextIndex,
}

impl Books {
    /// Folds events, on threads of their own when they are many, while the tokens are folded on this one.
    pub(super) fn fold<'a>(
        &mut self,
        events: impl Iterator<Item = &'a Event> + Clone + Send,
        mut take_in: impl FnMut(&'a Event),
    ) {
        let Self { holders, ledger, referrals, corpus } = self;
        if events.clone().nth(MANY).is_none() {
            for event in events {
                take_in(event);
                holders.apply(event);
                ledger.apply(event);
                if Referrals::concerns(event) {
                    Arc::make_mut(referrals).take_in(event);
                }
                corpus.apply(event);
            }
            if referrals.is_unsettled() {
                Arc::make_mut(referrals).settle();
            }
            return;
        }
        let referrals = Arc::make_mut(referrals);
        std::thread::scope(|scope| {
            let (of_accounts, of_wallets, of_texts) = (events.clone(), events.clone(), events.clone());
            scope.spawn(|| {
                for event in of_accounts {
                    holders.apply(event);
                    ledger.apply(event);
                }
            });
            scope.spawn(|| {
                of_wallets.for_each(|event| referrals.take_in(event));
                referrals.settle();
            });
            scope.spawn(|| of_texts.for_each(|event| corpus.apply(event)));
            events.for_each(take_in);
        });
    }
}
