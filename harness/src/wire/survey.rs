//! Which check reads which answer of the HTTP services: every answer is kept with the checks that receive it.
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use serde_json::Value;
use slipway_defects::Layer;
use slipway_defects::wire::{endpoint, request_name};
use slipway_scenarios::Target;
use slipway_scenarios::client::http::Response;
use slipway_scenarios::record::{Content, Recorder};
use url::{Position, Url};

/// Answers of more bytes are not mutated.
const LARGEST: usize = 1 << 20;

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
#[derive(Debug)]
pub(super) struct Survey {
    services: Vec<(&'static str, Url)>,
    answers: Mutex<BTreeMap<(&'static str, String), Seen>>,
}

impl Survey {
    pub(super) fn of(target: &Target) -> Arc<Self> {
        let services = [(Layer::Rest.name(), &target.base_url), (Layer::Swap.name(), &target.swap_url)];
        let services = services.into_iter().filter_map(|(name, url)| Some((name, url.clone()?))).collect();
        Arc::new(Self { services, answers: Mutex::default() })
    }

    pub(super) fn recorder(self: &Arc<Self>, check: &'static str) -> Arc<dyn Recorder> {
        Arc::new(OfCheck { survey: Arc::clone(self), check })
    }

    /// The answers, in the order of their services and requests.
    pub(super) fn answers(&self) -> Vec<Seen> {
        self.answers.lock().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
    }

    fn add(&self, check: &'static str, response: &Response) {
        let request = &response.request;
        let origin = request.url.origin();
        let Some((service, _)) = self.services.iter().find(|(_, url)| url.origin() == origin) else { return };
        let (method, target) =
            (request.method.as_str(), &request.url[Position::BeforePath..Position::AfterQuery]);
        let name = request_name(method, target);
        let seen = || Seen {
            service,
            endpoint: endpoint(method, target, request.body.as_deref().unwrap_or_default()),
            request: name.clone(),
            response: Arc::new(response.clone()),
            body: response.json().unwrap_or_default(),
            checks: BTreeSet::new(),
        };
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        answers.entry((service, name.clone())).or_insert_with(seen).checks.insert(check);
    }
}

#[derive(Debug)]
struct OfCheck {
    survey: Arc<Survey>,
    check: &'static str,
}

impl Recorder for OfCheck {
    fn exchanged(&self, _started: Instant, content: &Content<'_>) -> u64 {
        if let Content::Http { response: Ok(response), .. } = content
            && response.body.len() <= LARGEST
        {
            self.survey.add(self.check, response);
        }
        0
    }

    fn last(&self) -> Option<u64> {
        None
    }

    fn conceal(&self, _secret: &str) {}
}
