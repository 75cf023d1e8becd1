//! Keeps every answer of the services and tool servers in a run for the check that judges them at the end.
use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use axum::body::Bytes;
use parking_lot::Mutex;
use url::Url;

use crate::client::message::Response;
use crate::model::target::Target;

/// Bytes of answers that are kept; beyond that, later answers are not judged.
const MOST_BYTES: usize = 64 << 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Service {
    Rest,
    Swap,
}

/// The distinct answers of a target's services and tool servers.
#[derive(Debug)]
pub(crate) struct Audit {
    /// The addresses of the services, longest first.
    services: Vec<(Service, Url)>,
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    known: BTreeSet<u64>,
    answers: Vec<Seen>,
    bytes: usize,
    /// Messages to tool servers with their answers.
    calls: Vec<(Vec<u8>, Vec<u8>)>,
}

/// An answer with the service that gave it.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) service: Service,
    /// Path of the request below the service's address.
    pub(crate) path: String,
    pub(crate) response: Arc<Response>,
}

impl Seen {
    /// Whether it is an answer in which a service lists tokens.
    pub(crate) fn lists_tokens(&self) -> bool {
        self.service == Service::Rest
            && self.response.code() == 200
            && (self.path.starts_with("/api/tokens")
                || ["/api/token", "/api/koti", "/api/eoti"].contains(&&*self.path))
    }
}

impl Audit {
    pub(crate) fn new(target: &Target) -> Self {
        let mut services: Vec<(Service, Url)> =
            [(Service::Rest, &target.base_url), (Service::Swap, &target.swap_url)]
                .into_iter()
                .filter_map(|(service, url)| Some((service, url.clone()?)))
                .collect();
        services.sort_by_key(|(_, url)| std::cmp::Reverse(url.as_str().len()));
        Self { services, kept: Mutex::default() }
    }

    /// Keeps an answer of a service; ignores any other.
    pub(crate) fn keep(&self, response: &Response) {
        let Some((service, path)) = self.place(&response.request.url) else { return };
        let (hash, size) = (hash(response), response.size());
        let mut kept = self.kept.lock();
        if kept.bytes + size > MOST_BYTES || !kept.known.insert(hash) {
            return;
        }
        kept.bytes += size;
        // Copied, so that kept answers do not count as answers in use.
        let body = Bytes::copy_from_slice(&response.body);
        let response = Arc::new(Response { body, ..response.clone() });
        kept.answers.push(Seen { service, path, response });
    }

    /// Keeps a tool server's answer to a message.
    pub(crate) fn keep_call(&self, request: &[u8], answer: &[u8]) {
        let mut kept = self.kept.lock();
        let size = request.len() + answer.len();
        if kept.bytes + size <= MOST_BYTES {
            kept.bytes += size;
            kept.calls.push((request.to_vec(), answer.to_vec()));
        }
    }

    pub(crate) fn calls(&self) -> Vec<(Vec<u8>, Vec<u8>)> {
        self.kept.lock().calls.clone()
    }

    /// Returns the kept answers in the order of arrival.
    pub(crate) fn answers(&self) -> Vec<Seen> {
        self.kept.lock().answers.clone()
    }

    /// Returns the service of a URL, and the path below the service.
    pub(crate) fn place(&self, url: &Url) -> Option<(Service, String)> {
        self.services.iter().find_map(|(service, origin)| {
            let below = url.path().strip_prefix(origin.path().trim_end_matches('/'))?;
            let same = url.origin() == origin.origin() && (below.is_empty() || below.starts_with('/'));
            same.then(|| (*service, below.to_owned()))
        })
    }
}

/// Hashes an answer; equal for answers that are judged alike: same request, status, header names and body.
fn hash(response: &Response) -> u64 {
    let mut hasher = DefaultHasher::new();
    let request = &response.request;
    (request.method.as_str(), request.url.as_str(), &request.body).hash(&mut hasher);
    response.code().hash(&mut hasher);
    for name in response.headers.keys() {
        name.as_str().hash(&mut hasher);
    }
    response.body.hash(&mut hasher);
    hasher.finish()
}
