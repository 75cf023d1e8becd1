//! Which variant concerns which check: what each check exchanges is kept, and a variant concerns the checks of which it changes an
//! exchange.
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use slipway_defects::Layer;
use slipway_defects::variants::{Exchange, Request, Response, Variant, has_no_control_plane};
use slipway_defects::wire::{endpoint, request_name};
use slipway_scenarios::Target;
use slipway_scenarios::client::http;
use slipway_scenarios::record::{Content, Recorder};
use url::{Origin, Position};

/// Most exchanges that are kept of equal requests with equal statuses, and of one check's writes to one path.
const MOST: usize = 16;
/// Bodies of more bytes are forgotten.
const LARGEST: usize = 1 << 20;

/// The exchanges of all checks.
#[derive(Default)]
pub(super) struct Survey {
    services: Vec<(Layer, Origin)>,
    seen: Mutex<Seen>,
}

/// Some of the exchanges that are alike, and the checks that had such ones.
type Alike = (Vec<Exchange>, BTreeSet<&'static str>);

#[derive(Default)]
struct Seen {
    /// By service, name of the request and status.
    exchanges: BTreeMap<(Layer, String, u16), Alike>,
    /// The checks that spoke to a tool server.
    tool_server: BTreeSet<&'static str>,
}

impl Survey {
    pub(super) fn of(target: &Target) -> Arc<Self> {
        let services = target.base_url.iter().map(|url| (Layer::Rest, url.origin()));
        let services = services.chain(target.swap_url.iter().map(|url| (Layer::Swap, url.origin())));
        let services = services.chain(target.rpc_urls.values().map(|url| (Layer::Node, url.origin())));
        Arc::new(Self { services: services.collect(), ..Self::default() })
    }

    pub(super) fn recorder(self: &Arc<Self>, check: &'static str) -> Arc<dyn Recorder> {
        Arc::new(OfCheck { survey: Arc::clone(self), check })
    }

    /// The checks of which a variant changes an exchange.
    pub(super) fn concerned(&self, variant: &Variant) -> BTreeSet<&'static str> {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if variant.layers.contains(&Layer::ToolServer) {
            return seen.tool_server.clone();
        }
        let mut concerned = BTreeSet::new();
        for ((layer, ..), (exchanges, checks)) in &seen.exchanges {
            let is_new = !checks.is_subset(&concerned);
            // Being late changes no exchange by itself.
            let is_changed = || {
                has_no_control_plane(variant)
                    || exchanges.iter().any(|exchange| exchange.is_changed_by(variant))
            };
            if is_new && variant.layers.contains(layer) && is_changed() {
                concerned.extend(checks);
            }
        }
        concerned
    }

    fn add(&self, check: &'static str, response: &http::Response) {
        let request = &response.request;
        let origin = request.url.origin();
        let Some((layer, _)) = self.services.iter().find(|(_, of)| *of == origin) else { return };
        let (method, target) =
            (request.method.as_str(), &request.url[Position::BeforePath..Position::AfterQuery]);
        let body = request.body.as_deref().unwrap_or_default();
        let name = match (layer, method) {
            (Layer::Node, _) => format!("{} of {check}", endpoint(method, target, body)),
            (_, "GET" | "HEAD") => request_name(method, target),
            _ => format!("{} of {check}", request_name(method, target)),
        };
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let (exchanges, checks) = seen.exchanges.entry((*layer, name, response.code())).or_default();
        checks.insert(check);
        if exchanges.len() < MOST
            && let Some(exchange) = exchange(target, response)
        {
            exchanges.push(exchange);
        }
    }
}

/// An exchange as a proxy sees it.
fn exchange(target: &str, response: &http::Response) -> Option<Exchange> {
    let sent = &response.request;
    let mut request = Request::builder().method(sent.method.clone()).uri(target);
    for (name, value) in &sent.headers {
        request = request.header(name, value);
    }
    let kept = |body: &[u8]| if body.len() > LARGEST { Vec::new() } else { body.to_vec() };
    let request = request.body(kept(sent.body.as_deref().unwrap_or_default())).ok()?;
    let mut answer = Response::new(kept(&response.body));
    *answer.status_mut() = response.status;
    *answer.headers_mut() = response.headers.clone();
    Some(Exchange::new(request, answer))
}

struct OfCheck {
    survey: Arc<Survey>,
    check: &'static str,
}

impl std::fmt::Debug for OfCheck {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "exchanges of {}", self.check)
    }
}

impl Recorder for OfCheck {
    fn exchanged(&self, _started: Instant, content: &Content<'_>) -> u64 {
        match content {
            Content::Http { response: Ok(response), .. } => self.survey.add(self.check, response),
            Content::Http { .. } => {}
            Content::Tool { .. } => {
                let mut seen = self.survey.seen.lock().unwrap_or_else(PoisonError::into_inner);
                seen.tool_server.insert(self.check);
            }
        }
        0
    }

    fn last(&self) -> Option<u64> {
        None
    }

    fn conceal(&self, _secret: &str) {}
}
