//! Faults that the control plane orders: answers of a service that fail, come late or break off, on chosen calls.
use std::collections::BTreeMap;

use parking_lot::Mutex;

/// What happens to a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Effect {
    /// It is refused with this status, 400 to 599.
    Status(u16),
    /// It is answered this many milliseconds later, by the host's clock.
    DelayMilliseconds(u64),
    /// Its answer breaks off after the headers.
    Cut(bool),
}

/// Which calls a fault hits, and how.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Fault {
    /// `rest` or `swap`; either when absent.
    pub service: Option<String>,
    /// Method; any when absent.
    pub method: Option<String>,
    /// Path of the calls.
    pub path: String,
    /// The first matching call that is hit, from 1.
    pub nth: u64,
    /// How many matching calls are hit from there on.
    pub times: u64,
    /// What happens.
    pub effect: Effect,
}

/// A fault with its counters; one without a hit has not matched a request yet.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Ordered {
    #[serde(flatten)]
    pub(crate) fault: Fault,
    /// Calls that matched.
    matched: u64,
    /// Calls that were hit.
    pub(crate) hits: u64,
}

/// The faults that are ordered, by name.
#[derive(Debug, Default)]
pub struct Faults {
    ordered: Mutex<BTreeMap<String, Ordered>>,
}

impl Faults {
    /// Orders a fault, in place of one of the same name.
    pub fn order(&self, name: &str, fault: Fault) -> Ordered {
        let ordered = Ordered { fault, matched: 0, hits: 0 };
        self.ordered.lock().insert(name.to_owned(), ordered.clone());
        ordered
    }

    /// Takes a fault back; answers what came of it.
    pub fn withdraw(&self, name: &str) -> Option<Ordered> {
        self.ordered.lock().remove(name)
    }

    /// Every fault with what came of it.
    pub fn all(&self) -> BTreeMap<String, Ordered> {
        self.ordered.lock().clone()
    }

    /// The names of those that have hit no call.
    pub fn unused(&self) -> Vec<String> {
        let all = self.ordered.lock();
        let unused = all.iter().filter(|(_, ordered)| ordered.hits == 0);
        unused.map(|(name, _)| name.clone()).collect()
    }

    /// Puts what [`Faults::all`] gave in the place of what is ordered, with what came of it until then.
    pub fn restore(&self, saved: BTreeMap<String, Ordered>) {
        *self.ordered.lock() = saved;
    }

    /// What happens to a call; the first fault by name that hits decides, and each that matches counts.
    pub fn meet(&self, service: &str, method: &str, path: &str) -> Option<Effect> {
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
