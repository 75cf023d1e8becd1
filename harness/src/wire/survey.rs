//! Which check reads which answer: each check is run alone against a sound target, and every answer it gets is kept.
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use serde_json::Value;
use slipway_defects::wire::{endpoint, request_name};
use slipway_scenarios::Target;
use slipway_scenarios::client::http::{Request, Response};
use slipway_scenarios::record::{Content, Recorder};
use url::Url;

/// Answers of more bytes are not mutated.
const LARGEST: usize = 1 << 20;

/// An answer to a request that checks make.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    pub(super) service: &'static str,
    pub(super) endpoint: String,
    /// The name of the request.
    pub(super) request: String,
    /// Whether there is a status to change.
    pub(super) has_status: bool,
    pub(super) headers: Vec<String>,
    pub(super) body: Value,
    /// As it came.
    pub(super) whole: Whole,
    /// The checks that get it.
    pub(super) checks: BTreeSet<&'static str>,
}

/// An answer as it came.
#[derive(Clone, Debug)]
pub(super) enum Whole {
    Http(Arc<Response>),
    /// A message to the tool server; its answer is the body.
    Tool(Arc<[u8]>),
}

/// Every answer that some check gets, by service and name of the request.
#[derive(Debug, Default)]
pub(super) struct Survey {
    answers: Mutex<BTreeMap<(&'static str, String), Seen>>,
    services: Vec<(String, &'static str)>,
}

impl Survey {
    /// A survey of this target, as the checks see it.
    pub(super) fn of(target: &Target) -> Arc<Self> {
        let origin = |url: &Url, service| (url.as_str().trim_end_matches('/').to_owned(), service);
        let mut services: Vec<_> = target.rpc_urls.values().map(|url| origin(url, "node")).collect();
        services.extend(target.base_url.iter().map(|url| origin(url, "rest")));
        services.extend(target.swap_url.iter().map(|url| origin(url, "swap")));
        Arc::new(Self { answers: Mutex::default(), services })
    }

    /// The recorder of one check.
    pub(super) fn recorder(self: &Arc<Self>, check: &'static str) -> Arc<dyn Recorder> {
        Arc::new(OfCheck { survey: Arc::clone(self), check })
    }

    /// The answers, in the order of their services and requests.
    pub(super) fn answers(&self) -> Vec<Seen> {
        let answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        answers.values().cloned().collect()
    }

    fn service(&self, url: &Url) -> Option<&'static str> {
        let found = self.services.iter().find(|(origin, _)| {
            url.as_str()
                .strip_prefix(origin.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '?']))
        });
        found.map(|(_, service)| *service)
    }

    fn add(&self, check: &'static str, seen: Seen) {
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = answers.entry((seen.service, seen.request.clone())).or_insert(seen);
        kept.checks.insert(check);
    }
}

#[derive(Debug)]
struct OfCheck {
    survey: Arc<Survey>,
    check: &'static str,
}

impl Recorder for OfCheck {
    fn exchanged(&self, _started: Instant, content: &Content<'_>) -> u64 {
        if let Some(seen) = seen(&self.survey, content) {
            self.survey.add(self.check, seen);
        }
        0
    }

    fn last(&self) -> Option<u64> {
        None
    }

    fn conceal(&self, _secret: &str) {}
}

/// The headers of an answer that say something to this request: those of other origins only to one that names its own.
fn own_headers(request: &Request, response: &Response) -> Vec<String> {
    let names_origin = request.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("origin"));
    let names = response.headers.keys().map(ToString::to_string);
    names.filter(|name| names_origin || !name.starts_with("access-control-")).collect()
}

fn seen(survey: &Survey, content: &Content<'_>) -> Option<Seen> {
    let json = |bytes: &[u8]| serde_json::from_slice(bytes).unwrap_or_default();
    match content {
        Content::Http { request, response: Ok(response) } if response.body.len() <= LARGEST => {
            let target = &request.url[url::Position::BeforePath..url::Position::AfterQuery];
            let body = request.body.as_deref().unwrap_or_default();
            Some(Seen {
                service: survey.service(&request.url)?,
                endpoint: endpoint(request.method.as_str(), target, body),
                request: request_name(request.method.as_str(), target, body),
                has_status: true,
                headers: own_headers(request, response),
                body: json(&response.body),
                whole: Whole::Http(Arc::new((*response).clone())),
                checks: BTreeSet::new(),
            })
        }
        Content::Tool { request, answer: Some(answer) } if answer.len() <= LARGEST => {
            let body: Value = json(answer);
            // What is no answer, or answers no request, is left alone.
            body.get("result")?;
            json(request).get("jsonrpc")?;
            Some(Seen {
                service: "tool-server",
                endpoint: endpoint("", "", request),
                request: request_name("", "", request),
                has_status: false,
                headers: Vec::new(),
                body,
                whole: Whole::Tool(Arc::from(*request)),
                checks: BTreeSet::new(),
            })
        }
        _ => None,
    }
}
