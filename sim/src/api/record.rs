//! The record of answers and activities: bounded and numbered; only the control plane reads it.
use std::sync::Arc;
use std::time::SystemTime;

use super::Api;
use super::activity::Activity;

pub(crate) use crate::journal::exchange::{Exchange, Message};
pub(crate) use crate::journal::{Entry, RequestId};

/// Number of entries of each kind ever recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Recorded {
    pub(crate) requests: u64,
    pub(crate) orders: u64,
    pub(crate) activities: u64,
}

impl Api {
    /// Records and announces an answered request to a service; `exchange` turns the numbered entry into the whole exchange.
    pub(crate) fn record_request(&self, entry: Entry, exchange: impl FnOnce(Entry) -> Exchange) {
        self.engine.activities().answered(&entry);
        self.requests.add(entry, exchange);
    }

    /// Records and announces a completed order of the control plane.
    pub(crate) fn record_order(&self, entry: Entry, exchange: impl FnOnce(Entry) -> Exchange) {
        self.engine.activities().answered(&entry);
        self.orders.add(entry, exchange);
    }

    pub(crate) fn recorded(&self) -> Recorded {
        Recorded {
            requests: self.requests.last(),
            orders: self.orders.last(),
            activities: self.engine.activities().count(),
        }
    }

    /// The kept requests with a number above `after`, those of one id if `id` is given, in order, and whether one above `after` was dropped.
    pub(crate) fn requests_after(&self, after: u64, id: Option<&str>) -> (Vec<Entry>, bool) {
        self.requests.after(after, id)
    }

    /// The latest requests with their answers, oldest first.
    pub(crate) fn latest_requests(&self) -> Vec<Arc<Exchange>> {
        self.requests.latest()
    }

    /// The latest orders with their answers, oldest first.
    pub(crate) fn latest_orders(&self) -> Vec<Arc<Exchange>> {
        self.orders.latest()
    }

    /// The latest other activities in the order in which they were announced, each with the host clock's time of its announcement.
    pub(crate) fn latest_activities(&self) -> Vec<(SystemTime, Activity)> {
        self.engine.activities().latest()
    }

    /// The number of this process among those that serve the platform.
    pub(crate) fn process(&self) -> u64 {
        self.store.process()
    }
}
