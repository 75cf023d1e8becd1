//! The faults configured through the control plane.
use std::collections::BTreeMap;

use super::Api;
use super::refusal::Refusal;

pub(crate) use crate::faults::{Effect, Fault, Ordered};

impl Api {
    /// The faults by their names, with their counters.
    pub(crate) fn all_faults(&self) -> BTreeMap<String, Ordered> {
        self.faults.all()
    }

    /// The names of faults that have affected no call.
    pub(crate) fn unused_faults(&self) -> Vec<String> {
        self.faults.unused()
    }

    /// Adds a fault, replacing one with the same name.
    pub(crate) async fn order_fault(&self, name: &str, fault: Fault) -> Result<Ordered, Refusal> {
        let ordered = self.faults.order(name, fault);
        self.engine.keep_counters().await?;
        Ok(ordered)
    }

    /// Removes a fault; returns it with its counters, or `None` if no fault has this name.
    pub(crate) async fn withdraw_fault(&self, name: &str) -> Result<Option<Ordered>, Refusal> {
        let withdrawn = self.faults.withdraw(name);
        if withdrawn.is_some() {
            self.engine.keep_counters().await?;
        }
        Ok(withdrawn)
    }

    /// The effect of the faults on a call; the call is counted.
    pub(crate) fn meet_fault(&self, service: &str, method: &str, path: &str) -> Option<Effect> {
        self.faults.meet(service, method, path)
    }
}
