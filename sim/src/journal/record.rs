//! The answered requests of one kind: all of them in brief, and the latest ones in full.
use std::sync::Arc;

use super::exchange::{Exchange, Exchanges};
use super::{Entry, Journal};

#[derive(Debug, Default)]
pub(crate) struct Record {
    journal: Journal,
    exchanges: Exchanges,
}

impl Record {
    /// Numbers an entry; unless a page loads the target, `exchange` turns it into the whole exchange, which is kept.
    pub(crate) fn add(&self, entry: Entry, exchange: impl FnOnce(Entry) -> Exchange) {
        let number = self.journal.record(entry.clone());
        if !entry.is_page {
            self.exchanges.keep(exchange(Entry { number, ..entry }));
        }
    }

    /// The number of the latest entry, 0 if there is none.
    pub(crate) fn last(&self) -> u64 {
        self.journal.last()
    }

    /// The kept entries with a number above `after`, of one request if `id` names it, in order, and whether an entry above `after` was dropped.
    pub(crate) fn after(&self, after: u64, id: Option<&str>) -> (Vec<Entry>, bool) {
        self.journal.after(after, id)
    }

    /// The exchanges kept in full, oldest first.
    pub(crate) fn latest(&self) -> Vec<Arc<Exchange>> {
        self.exchanges.all()
    }
}
