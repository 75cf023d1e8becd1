//! Faults configured through the control plane: on chosen calls the answer of a service fails, is delayed or is cut off.
use std::collections::BTreeMap;

use parking_lot::Mutex;

#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Effect {
    /// The call is refused with this status, 400 to 599.
    Status(u16),
    /// The answer is delayed by this many milliseconds of the host's clock.
    DelayMilliseconds(u64),
    /// The answer is cut off after the headers.
    Cut(bool),
}

/// The calls that a fault affects, and its effect on them.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Fault {
    /// `rest` or `swap`; `None` for either.
    pub service: Option<String>,
    /// HTTP method; `None` for any.
    pub method: Option<String>,
    pub path: String,
    /// The first matching call that is affected, from 1.
    pub nth: u64,
    /// Number of matching calls affected from there on.
    pub times: u64,
    pub effect: Effect,
}

/// A fault with its counters; 0 hits mean that it has affected no call yet.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Ordered {
    #[serde(flatten)]
    pub(crate) fault: Fault,
    /// Calls that matched.
    matched: u64,
    /// Calls that were affected.
    pub(crate) hits: u64,
}

#[derive(Debug, Default)]
pub(crate) struct Faults {
    ordered: Mutex<BTreeMap<String, Ordered>>,
}

impl Faults {
    /// Adds a fault, replacing one with the same name.
    pub(crate) fn order(&self, name: &str, fault: Fault) -> Ordered {
        let ordered = Ordered { fault, matched: 0, hits: 0 };
        self.ordered.lock().insert(name.to_owned(), ordered.clone());
        ordered
    }

    /// Removes a fault; returns it with its counters.
    pub(crate) fn withdraw(&self, name: &str) -> Option<Ordered> {
        self.ordered.lock().remove(name)
    }

    pub(crate) fn all(&self) -> BTreeMap<String, Ordered> {
        self.ordered.lock().clone()
    }

    /// The names of faults that have affected no call.
    pub(crate) fn unused(&self) -> Vec<String> {
        let all = self.ordered.lock();
        let unused = all.iter().filter(|(_, ordered)| ordered.hits == 0);
        unused.map(|(name, _)| name.clone()).collect()
    }

    /// Replaces the configured faults and their counters by the result of [`Faults::all`].
    pub(crate) fn restore(&self, saved: BTreeMap<String, Ordered>) {
        *self.ordered.lock() = saved;
    }

    /// The effect on a call: the first fault by name that hits it decides. Every fault that matches counts the call.
    pub(crate) fn meet(&self, service: &str, method: &str, path: &str) -> Option<Effect> {
        let mut effect = None;
        for ordered in
            self.ordered.lock().values_mut().filter(|ordered| ordered.fault.matches(service, method, path))
        {
            ordered.matched += 1;
            let last = ordered.fault.nth.saturating_add(ordered.fault.times);
            if (ordered.fault.nth..last).contains(&ordered.matched) && effect.is_none() {
                ordered.hits += 1;
                effect = Some(ordered.fault.effect);
            }
        }
        effect
    }
}

impl Fault {
    fn matches(&self, service: &str, method: &str, path: &str) -> bool {
        self.path == path
            && self.service.as_deref().is_none_or(|named| named == service)
            && self.method.as_deref().is_none_or(|named| named.eq_ignore_ascii_case(method))
    }
}

#[cfg(test)]
mod tests {
    use super::{Effect, Fault, Faults};

    #[test]
    fn faults_match_selected_calls_and_report_unused() {
        let faults = Faults::default();
        let fault = Fault {
            service: Some("rest".into()),
            method: None,
            path: "/api/tokens".into(),
            nth: 2,
            times: 1,
            effect: Effect::Status(503),
        };
        faults.order("one", fault.clone());
        faults.order("two", Fault { path: "/api/token".into(), ..fault });
        let met = |service, path| faults.meet(service, "GET", path);
        assert_eq!(met("rest", "/api/tokens"), None);
        assert_eq!(met("swap", "/api/tokens"), None);
        assert_eq!(met("rest", "/api/tokens"), Some(Effect::Status(503)));
        assert_eq!(met("rest", "/api/tokens"), None);
        let one = faults.withdraw("one").unwrap();
        assert_eq!((one.matched, one.hits), (3, 1));
        assert_eq!(faults.all()["two"].hits, 0);
        assert_eq!(faults.unused(), ["two"]);
        let saved = faults.all();
        faults.withdraw("two").unwrap();
        assert!(faults.all().is_empty());
        faults.restore(saved);
        assert_eq!(faults.meet("rest", "GET", "/api/token"), None);
        assert_eq!(faults.meet("rest", "GET", "/api/token"), Some(Effect::Status(503)));
        assert!(faults.unused().is_empty());
    }
}
