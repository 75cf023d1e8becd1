//! Mutation on the wire: one thing of one answer is changed on its way. It knows JSON, statuses and headers, and no platform.
mod change;
mod mutant;
mod place;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

pub use change::{is_word, kinds_for};
pub use mutant::{Kind, Mutant, Part, Scope};
pub use place::{concrete, general, places};

use serde_json::Value;

/// An answer on its way to the client.
#[derive(Debug)]
pub struct Answer<'a> {
    /// The status, where the protocol has one.
    pub status: Option<&'a mut u16>,
    /// Names of its headers; one that is taken out is dropped.
    pub headers: &'a mut Vec<String>,
    /// The body; null when it is not JSON.
    pub body: &'a mut Value,
}

/// The mutants in force, and how often each has changed an answer.
#[derive(Clone, Debug, Default)]
pub struct Wire(Arc<Mutex<Vec<InForce>>>);

/// A mutant, and how often it has changed an answer.
type InForce = (Mutant, Arc<AtomicU64>);

impl Wire {
    /// Puts these mutants in force, and no others.
    pub fn set(&self, mutants: &[Mutant]) {
        let fresh = mutants.iter().map(|mutant| (mutant.clone(), Arc::default())).collect();
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = fresh;
    }

    /// Whether none is in force.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    /// How often each mutant in force has changed an answer.
    #[must_use]
    pub fn applied(&self) -> Vec<u64> {
        let mutants = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        mutants.iter().map(|(_, count)| count.load(Ordering::Relaxed)).collect()
    }

    /// Changes an answer of a service to a request as the mutants in force say; whether it did.
    #[must_use]
    pub fn apply(&self, service: &str, request: &str, answer: &mut Answer<'_>) -> bool {
        let mutants = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut changed = false;
        for (mutant, count) in mutants {
            if mutant.concerns(service, request) && mutant.apply(answer) {
                count.fetch_add(1, Ordering::Relaxed);
                changed = true;
            }
        }
        changed
    }
}

/// The name of a request by which the same request is known again: what the client sent, without the numbers of JSON-RPC.
#[must_use]
pub fn request_name(method: &str, target: &str, body: &[u8]) -> String {
    match serde_json::from_slice::<Value>(body) {
        Ok(value) if value.get("jsonrpc").is_some() => rpc_name(&value),
        Ok(Value::Array(calls)) if calls.first().is_some_and(|call| call.get("jsonrpc").is_some()) => {
            calls.iter().map(rpc_name).collect::<Vec<_>>().join(" ")
        }
        // A write is known by its path: its body holds what is used once.
        _ if method != "GET" && method != "HEAD" => format!("{method} {}", path_of(target)),
        _ => format!("{method} {target}"),
    }
}

fn rpc_name(call: &Value) -> String {
    let params = call.get("params").map(Value::to_string).unwrap_or_default();
    format!("{} {params}", call["method"].as_str().unwrap_or_default())
}

/// The endpoint of a request: its method and path, or the method of its JSON-RPC call, without what names a single thing.
#[must_use]
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
