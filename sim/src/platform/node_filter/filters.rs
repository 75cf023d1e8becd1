//! The filters of a node's callers, in the order of their latest use: the node keeps a bounded number of them.
use std::collections::VecDeque;

use parking_lot::Mutex;
use serde_json::Value;

use super::call::Call;

/// Maximum number of filters at a node; another one displaces the one whose latest use is the longest ago.
const MOST: usize = 128;

#[derive(Debug, Default)]
pub(super) struct Filters(Mutex<VecDeque<Value>>);

impl Filters {
    /// Adds a filter; returns the one that it displaces.
    pub(super) fn add(&self, filter: Value) -> Option<Value> {
        let mut filters = self.0.lock();
        filters.push_back(filter);
        if filters.len() > MOST { filters.pop_front() } else { None }
    }

    /// Notes that a call reads or removes a filter.
    pub(super) fn note(&self, call: &Call) {
        let is_read = match call.method.as_str() {
            "eth_getFilterChanges" | "eth_getFilterLogs" => true,
            "eth_uninstallFilter" => false,
            _ => return,
        };
        let (named, mut filters) = (call.parameter(0), self.0.lock());
        let found = filters.iter().position(|filter| *filter == named);
        if let Some(filter) = found.and_then(|at| filters.remove(at))
            && is_read
        {
            filters.push_back(filter);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::call::{Asked, read};
    use super::{Filters, MOST};

    fn note(filters: &Filters, method: &str, filter: &Value) {
        let text = json!({ "method": method, "params": [filter], "id": 1 }).to_string();
        let Ok(Asked::One(call)) = read(text.as_bytes(), 1) else { panic!("{text}") };
        filters.note(&call);
    }

    #[test]
    fn a_filter_in_use_is_not_displaced() {
        let filters = Filters::default();
        let ids: Vec<Value> = (0..MOST).map(|id| json!(format!("{id:#x}"))).collect();
        for id in &ids {
            assert_eq!(filters.add(id.clone()), None);
        }
        note(&filters, "eth_getFilterChanges", &ids[0]);
        note(&filters, "eth_getFilterLogs", &ids[1]);
        note(&filters, "eth_getFilterChanges", &json!("0xffff"));
        assert_eq!(filters.add(json!("0x80")), Some(ids[2].clone()));
        assert_eq!(filters.add(json!("0x81")), Some(ids[3].clone()));
        // A filter that was removed takes no place.
        note(&filters, "eth_uninstallFilter", &ids[4]);
        for id in 0..2 * MOST {
            let passing = json!(format!("{:#x}", 0x1_0000 + id));
            assert_eq!(filters.add(passing.clone()), None);
            note(&filters, "eth_uninstallFilter", &passing);
        }
    }
}
