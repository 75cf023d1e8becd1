//! Which check reads which answer of the HTTP services: every answer is kept with the checks that receive it.
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::Value;
use slipway_defects::Layer;
use slipway_defects::wire::{endpoint, request_name};
use slipway_scenarios::client::message::Response;

use crate::survey::{Keep, LARGEST_BODY};

/// An answer to a request of a check.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    pub(super) service: &'static str,
    pub(super) endpoint: String,
    /// The name of the request.
    pub(super) request: String,
    pub(super) response: Arc<Response>,
    /// Null when the body is not JSON.
    pub(super) body: Value,
    /// The checks that receive it.
    pub(super) checks: BTreeSet<&'static str>,
}

/// The first answer to each request, by service and name of the request.
#[derive(Debug, Default)]
pub(super) struct Answers(Mutex<BTreeMap<(&'static str, String), Seen>>);

impl Answers {
    /// The answers, in the order of their services and requests.
    pub(super) fn all(&self) -> Vec<Seen> {
        self.0.lock().values().cloned().collect()
    }
}

impl Keep for Answers {
    fn response(&self, check: &'static str, layer: Layer, target: &str, response: &Response) {
        if layer == Layer::Node || response.body.len() > LARGEST_BODY {
            return;
        }
        let (service, request) = (layer.name(), &response.request);
        let method = request.method.as_str();
        let name = request_name(method, target);
        let seen = || Seen {
            service,
            endpoint: endpoint(method, target, request.body.as_deref().unwrap_or_default()),
            request: name.clone(),
            response: Arc::new(response.clone()),
            body: response.json().unwrap_or_default(),
            checks: BTreeSet::new(),
        };
        let mut answers = self.0.lock();
        answers.entry((service, name.clone())).or_insert_with(seen).checks.insert(check);
    }
}
