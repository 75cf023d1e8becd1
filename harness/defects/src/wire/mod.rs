//! Mutants: one thing in the answers to one request is changed on its way. Only JSON and statuses are known here, no platform.
mod change;

use std::sync::Arc;

pub use change::{ChangeKind, concrete, general, is_word, kinds_for, places};
use hyper::StatusCode;
use parking_lot::Mutex;
use serde_json::Value;

/// One change of one thing.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mutant {
    /// The service whose answers it changes.
    pub service: &'static str,
    /// The endpoint, for display.
    pub endpoint: String,
    /// The request whose answers it changes, as [`request_name`] names it.
    pub request: String,
    /// The JSON pointer (RFC 6901) of the value; empty where the status is changed.
    pub pointer: String,
    /// The change.
    pub kind: ChangeKind,
}

impl Mutant {
    /// Changes an answer, whose body is null when it is not JSON; whether it did.
    pub fn apply(&self, status: &mut StatusCode, body: &mut Value) -> bool {
        match &self.kind {
            ChangeKind::Moved => {
                let neighbour = StatusCode::from_u16(change::neighbour(status.as_u16()));
                neighbour.map(|neighbour| *status = neighbour).is_ok()
            }
            ChangeKind::Dropped => change::remove(body, &self.pointer),
            kind => {
                let value = body.pointer_mut(&self.pointer);
                value.is_some_and(|value| {
                    change::changed(value, kind).map(|changed| *value = changed).is_some()
                })
            }
        }
    }
}

/// The mutant in force at a proxy.
#[derive(Clone, Debug, Default)]
pub struct Wire(Arc<Mutex<InForce>>);

#[derive(Debug, Default)]
struct InForce {
    mutant: Option<Mutant>,
    has_changed: bool,
}

impl Wire {
    /// Puts this mutant in force, or none.
    pub fn set(&self, mutant: Option<Mutant>) {
        *self.0.lock() = InForce { mutant, has_changed: false };
    }

    /// Whether none is in force.
    pub fn is_empty(&self) -> bool {
        self.0.lock().mutant.is_none()
    }

    /// Whether the mutant in force has changed an answer.
    pub fn has_changed(&self) -> bool {
        self.0.lock().has_changed
    }

    /// Changes the answer of a service to a request, where the mutant in force is about it.
    pub fn apply(&self, service: &str, request: &str, status: &mut StatusCode, body: &mut Value) {
        let mut in_force = self.0.lock();
        let concerned = |mutant: &&Mutant| mutant.service == service && mutant.request == request;
        if in_force.mutant.as_ref().filter(concerned).is_some_and(|mutant| mutant.apply(status, body)) {
            in_force.has_changed = true;
        }
    }
}

/// The name that equal requests share. A write is known by its path, because its body holds what is used once.
pub fn request_name(method: &str, target: &str) -> String {
    let reads = method == "GET" || method == "HEAD";
    format!("{method} {}", if reads { target } else { path_of(target) })
}

/// The endpoint of a request: its method and path, or the method of its JSON-RPC call, without what names a single thing.
pub fn endpoint(method: &str, target: &str, body: &[u8]) -> String {
    match serde_json::from_slice::<Value>(body) {
        Ok(value) if value.get("jsonrpc").is_some() => match value["params"]["name"].as_str() {
            Some(tool) if value["method"] == "tools/call" => tool.to_owned(),
            _ => value["method"].as_str().unwrap_or_default().to_owned(),
        },
        Ok(Value::Array(calls)) if calls.first().is_some_and(|call| call.get("jsonrpc").is_some()) => {
            format!("{} (batch)", calls[0]["method"].as_str().unwrap_or_default())
        }
        _ => {
            let long = |segment: &str| segment.len() > 24 || segment.starts_with("0x");
            let named = |segment| if long(segment) { "{}" } else { segment };
            let path: Vec<&str> = path_of(target).split('/').map(named).collect();
            format!("{method} {}", path.join("/"))
        }
    }
}

fn path_of(target: &str) -> &str {
    target.split('?').next().unwrap_or_default()
}

#[cfg(test)]
mod tests;
