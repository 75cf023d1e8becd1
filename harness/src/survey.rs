//! What the checks of a run exchange: every response of a service, with the check that received it, and every tool call.
use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use slipway_defects::Layer;
use slipway_scenarios::Target;
use slipway_scenarios::client::message::Response;
use slipway_scenarios::record::{Content, Recorder};
use url::{Origin, Position};

/// Largest body that is kept, bytes.
pub(crate) const LARGEST_BODY: usize = 1 << 20;

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
