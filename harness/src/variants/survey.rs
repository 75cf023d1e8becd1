//! Which variant concerns which check: the exchanges of each check are kept, and a variant concerns the checks with an exchange that
//! it changes.
use std::collections::{BTreeMap, BTreeSet};

use parking_lot::Mutex;
use slipway_defects::Layer;
use slipway_defects::variants::{Exchange, Request, Response, Variant, has_no_control_plane};
use slipway_scenarios::client::message;

use crate::survey::{Keep, endpoint, request_name};

/// Largest body that is kept, bytes.
const LARGEST_BODY: usize = 1 << 20;
/// Most exchanges that are kept for equal requests with equal statuses, and for one check's writes to one path.
const MOST: usize = 16;

/// Some equal exchanges, and the checks that had them.
type Alike = (Vec<Exchange>, BTreeSet<&'static str>);

#[derive(Default)]
pub(super) struct Exchanges(Mutex<Seen>);

#[derive(Default)]
struct Seen {
    /// By service, name of the request and status.
    exchanges: BTreeMap<(Layer, String, u16), Alike>,
    /// The checks that used a tool server.
    tool_server: BTreeSet<&'static str>,
}

impl Exchanges {
    /// The checks with an exchange that a variant changes.
    pub(super) fn concerned(&self, variant: &Variant) -> BTreeSet<&'static str> {
        let seen = self.0.lock();
        if variant.layers.contains(&Layer::ToolServer) {
            return seen.tool_server.clone();
        }
        let mut concerned = BTreeSet::new();
        for ((layer, ..), (exchanges, checks)) in &seen.exchanges {
            let is_new = !checks.is_subset(&concerned);
            // A delay alone changes no exchange.
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
}

impl Keep for Exchanges {
    fn response(&self, check: &'static str, layer: Layer, target: &str, response: &message::Response) {
        let request = &response.request;
        let method = request.method.as_str();
        let body = request.body.as_deref().unwrap_or_default();
        let name = match (layer, method) {
            (Layer::Node, _) => format!("{} of {check}", endpoint(method, target, body)),
            (_, "GET" | "HEAD") => request_name(method, target),
            _ => format!("{} of {check}", request_name(method, target)),
        };
        let mut seen = self.0.lock();
        let (exchanges, checks) = seen.exchanges.entry((layer, name, response.code())).or_default();
        checks.insert(check);
        if exchanges.len() < MOST
            && let Some(exchange) = exchange(target, response)
        {
            exchanges.push(exchange);
        }
    }

    fn tool_call(&self, check: &'static str) {
        self.0.lock().tool_server.insert(check);
    }
}

/// An exchange as a proxy sees it.
fn exchange(target: &str, response: &message::Response) -> Option<Exchange> {
    let sent = &response.request;
    let mut request = Request::builder().method(sent.method.clone()).uri(target);
    for (name, value) in &sent.headers {
        request = request.header(name, value);
    }
    let kept = |body: &[u8]| if body.len() > LARGEST_BODY { Vec::new() } else { body.to_vec() };
    let request = request.body(kept(sent.body.as_deref().unwrap_or_default())).ok()?;
    let mut answer = Response::new(kept(&response.body));
    *answer.status_mut() = response.status;
    *answer.headers_mut() = response.headers.clone();
    Some(Exchange::new(request, answer))
}
