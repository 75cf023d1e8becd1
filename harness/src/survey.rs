//! What the checks of a run exchange: every response of a service, with the check that received it, and every tool call.
use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use serde_json::Value;
use slipway_defects::Layer;
use slipway_scenarios::Target;
use slipway_scenarios::client::message::Response;
use slipway_scenarios::record::{Content, Recorder};
use url::{Origin, Position};

/// Keeps what a survey needs of each exchange.
pub(crate) trait Keep: Send + Sync + 'static {
    /// A check has received a response from a service of this layer, to a request of this path and query.
    fn response(&self, check: &'static str, layer: Layer, target: &str, response: &Response);

    fn tool_call(&self, _check: &'static str) {}
}

/// The exchanges of all checks with the services of a target.
pub(crate) struct Survey<K> {
    services: Vec<(Layer, Origin)>,
    pub(crate) kept: K,
}

impl<K: Keep> Survey<K> {
    pub(crate) fn new(target: &Target, kept: K) -> Arc<Self> {
        let services = target.base_url.iter().map(|url| (Layer::Rest, url.origin()));
        let services = services.chain(target.swap_url.iter().map(|url| (Layer::Swap, url.origin())));
        let services = services.chain(target.rpc_urls.values().map(|url| (Layer::Node, url.origin())));
        Arc::new(Self { services: services.collect(), kept })
    }

    pub(crate) fn recorder(self: &Arc<Self>, check: &'static str) -> Arc<dyn Recorder> {
        Arc::new(OfCheck { survey: Arc::clone(self), check })
    }
}

struct OfCheck<K> {
    survey: Arc<Survey<K>>,
    check: &'static str,
}

impl<K> fmt::Debug for OfCheck<K> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "exchanges of {}", self.check)
    }
}

impl<K: Keep> Recorder for OfCheck<K> {
    fn exchanged(&self, _started: Instant, content: &Content<'_>) -> u64 {
        match content {
            Content::Http { response: Ok(response), .. } => {
                let url = &response.request.url;
                let service = self.survey.services.iter().find(|(_, origin)| *origin == url.origin());
                if let Some((layer, _)) = service {
                    let target = &url[Position::BeforePath..Position::AfterQuery];
                    self.survey.kept.response(self.check, *layer, target, response);
                }
            }
            Content::Http { .. } => {}
            Content::Tool { .. } => self.survey.kept.tool_call(self.check),
        }
        0
    }

    fn last(&self) -> Option<u64> {
        None
    }

    fn conceal(&self, _secret: &str) {}
}

/// The name that equal requests share. A write is known by its path, because its body contains values that are used once.
pub(crate) fn request_name(method: &str, target: &str) -> String {
    let reads = method == "GET" || method == "HEAD";
    format!("{method} {}", if reads { target } else { path_of(target) })
}

/// The endpoint of a request: its method and path, or the method of its JSON-RPC call, without ids of single items.
pub(crate) fn endpoint(method: &str, target: &str, body: &[u8]) -> String {
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
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn requests_and_endpoints_are_named() {
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": "eth_call", "params": [1]});
        assert_eq!(endpoint("POST", "/", call.to_string().as_bytes()), "eth_call");
        let call =
            json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "wallet_info"}});
        assert_eq!(endpoint("", "", call.to_string().as_bytes()), "wallet_info");
        assert_eq!(endpoint("GET", "/cdn/0123456789abcdef0123456789abcdef?x", b""), "GET /cdn/{}");
        assert_eq!(request_name("GET", "/api/tokens?page=2"), "GET /api/tokens?page=2");
        assert_eq!(request_name("POST", "/api/chat?x=1"), "POST /api/chat");
    }
}
