//! The exchanges of the checks with a sound target: a variant concerns the checks with an exchange that it changes.
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use parking_lot::Mutex;
use serde_json::Value;
use slipway_defects::Layer;
use slipway_defects::variants::{Exchange, Request, Response, Variant, has_no_control_plane};
use slipway_scenarios::Target;
use slipway_scenarios::client::message;
use slipway_scenarios::client::record::{Content, Recorder};
use url::{Origin, Position};

/// Largest body kept, in bytes.
const LARGEST_BODY: usize = 1 << 20;
/// Maximum exchanges kept for equal requests with equal statuses, and for one check's writes to one path.
const MOST: usize = 16;

/// Exchanges of equal requests, and the checks that made them.
type Alike = (Vec<Exchange>, BTreeSet<&'static str>);

/// The exchanges of all checks with a target.
pub(super) struct Exchanges {
    services: Vec<(Layer, Origin)>,
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    /// Exchanges by service, request name and status.
    exchanges: BTreeMap<(Layer, String, u16), Alike>,
    /// The checks that used a tool server.
    tool_server: BTreeSet<&'static str>,
}

impl Exchanges {
    pub(super) fn of(target: &Target) -> Arc<Self> {
        let services = target.base_url.iter().map(|url| (Layer::Rest, url.origin()));
        let services = services.chain(target.swap_url.iter().map(|url| (Layer::Swap, url.origin())));
        let services = services.chain(target.rpc_urls.values().map(|url| (Layer::Node, url.origin())));
        Arc::new(Self { services: services.collect(), seen: Mutex::default() })
    }

    pub(super) fn recorder(self: &Arc<Self>, check: &'static str) -> Arc<dyn Recorder> {
        Arc::new(OfCheck { exchanges: Arc::clone(self), check })
    }

    /// The checks with an exchange that a variant changes.
    pub(super) fn concerned(&self, variant: &Variant) -> BTreeSet<&'static str> {
        let seen = self.seen.lock();
        if variant.layers.contains(&Layer::ToolServer) {
            return seen.tool_server.clone();
        }
        let mut concerned = BTreeSet::new();
        for ((layer, ..), (exchanges, checks)) in &seen.exchanges {
            let is_new = !checks.is_subset(&concerned);
            // A delay changes no exchange.
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

    fn keep(&self, check: &'static str, response: &message::Response) {
        let (request, url) = (&response.request, &response.request.url);
        let service = self.services.iter().find(|(_, origin)| *origin == url.origin());
        let Some((layer, _)) = service else { return };
        let target = &url[Position::BeforePath..Position::AfterQuery];
        let name = name(check, *layer, target, request);
        let mut seen = self.seen.lock();
        let (exchanges, checks) = seen.exchanges.entry((*layer, name, response.code())).or_default();
        checks.insert(check);
        if exchanges.len() < MOST
            && let Some(exchange) = exchange(target, response)
        {
            exchanges.push(exchange);
        }
    }
}

/// The name shared by equal requests. Calls of a node and writes contain values that are used once, so they are equal only within a check.
fn name(check: &str, layer: Layer, target: &str, request: &message::Request) -> String {
    let method = request.method.as_str();
    let path = target.split('?').next().unwrap_or_default();
    match (layer, method) {
        (Layer::Node, _) => {
            let body = request.body.as_deref().unwrap_or_default();
            format!("{} of {check}", method_called(body).unwrap_or_else(|| format!("{method} {path}")))
        }
        (_, "GET" | "HEAD") => format!("{method} {target}"),
        _ => format!("{method} {path} of {check}"),
    }
}

/// The method of a JSON-RPC call, or of the first one of a batch.
fn method_called(body: &[u8]) -> Option<String> {
    let value: Value = serde_json::from_slice(body).ok()?;
    let (call, batch) = value.get(0).map_or((&value, ""), |first| (first, " (batch)"));
    call.get("jsonrpc")?;
    Some(format!("{}{batch}", call["method"].as_str().unwrap_or_default()))
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

struct OfCheck {
    exchanges: Arc<Exchanges>,
    check: &'static str,
}

impl fmt::Debug for OfCheck {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "exchanges of {}", self.check)
    }
}

impl Recorder for OfCheck {
    fn exchanged(&self, _started: Instant, content: &Content<'_>) -> u64 {
        match content {
            Content::Http { response: Ok(response), .. } => self.exchanges.keep(self.check, response),
            Content::Http { .. } => {}
            Content::Tool { .. } => _ = self.exchanges.seen.lock().tool_server.insert(self.check),
        }
        0
    }

    fn last(&self) -> Option<u64> {
        None
    }

    fn reveal(&self, _text: &str) {}

    fn conceal(&self, _secret: &str) {}
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn calls_are_named_by_their_method() {
        let called = |body: Value| method_called(body.to_string().as_bytes());
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": "eth_call", "params": [1]});
        assert_eq!(called(call.clone()).unwrap(), "eth_call");
        assert_eq!(called(json!([call, call])).unwrap(), "eth_call (batch)");
        assert_eq!(called(json!({"method": "eth_call"})), None);
    }
}
