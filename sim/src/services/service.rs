//! A service as a listener serves it: its routes behind their layers, and past all of them the reads that wait for nothing.
use std::convert::Infallible;
use std::fmt;
use std::future::{Ready, ready};
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::Router;
use axum::extract::Request;
use axum::http::{Method, Uri};
use axum::response::Response;
use axum::routing::future::RouteFuture;
use futures::future::Either;

use super::http::{ServiceLayers, with_compression, with_layers};

/// A service. What needs neither a node nor the database is answered by a fast path, by the same functions and with the same headers
/// as behind the layers that all other requests go through.
#[derive(Clone)]
pub struct Service {
    layered: Router,
    /// Absent where every request has to go through a layer.
    fast_path: Option<FastPath>,
}

/// Answers a GET of a path and a query; none where it cannot.
type Answer = dyn Fn(&Uri) -> Option<Response> + Send + Sync;

#[derive(Clone)]
struct FastPath {
    layers: ServiceLayers,
    answer: Arc<Answer>,
}

impl fmt::Debug for Service {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Service")
            .field("has_fast_path", &self.fast_path.is_some())
            .finish_non_exhaustive()
    }
}

impl From<Router> for Service {
    fn from(layered: Router) -> Self {
        Self { layered, fast_path: None }
    }
}

impl Service {
    /// Routes behind layers, and what answers a GET past them: none where it cannot.
    pub(super) fn new(
        routes: Router,
        layers: ServiceLayers,
        answer: impl Fn(&Uri) -> Option<Response> + Send + Sync + 'static,
    ) -> Self {
        let layered = with_compression(with_layers(routes, layers.clone()));
        Self { layered, fast_path: Some(FastPath { layers, answer: Arc::new(answer) }) }
    }

    /// The service behind one more layer, which every request goes through.
    pub(crate) fn layered(self, layer: impl FnOnce(Router) -> Router) -> Self {
        layer(self.layered).into()
    }

    /// The answer that needs neither a body nor the peer's address; none of every other request.
    pub(crate) fn fast_path<B>(&self, request: &Request<B>) -> Option<Response> {
        let FastPath { layers, answer } = self.fast_path.as_ref()?;
        let is_get = request.method() == Method::GET;
        is_get.then(|| layers.fast_path(request, || answer(request.uri()))).flatten()
    }
}

impl tower::Service<Request> for Service {
    type Response = Response;
    type Error = Infallible;
    type Future = Either<Ready<Result<Response, Infallible>>, RouteFuture<Infallible>>;

    fn poll_ready(&mut self, _context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request) -> Self::Future {
        match self.fast_path(&request) {
            Some(response) => Either::Left(ready(Ok(response))),
            None => Either::Right(self.layered.call(request)),
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use axum::body::{Body, to_bytes};
    use axum::http::Request;
    use tower::ServiceExt as _;

    use super::Service;
    use crate::api::Api;
    use crate::api::faults::{Effect, Fault};

    /// The same GET both ways: at once, and behind the layers, which a fault that never hits is enough for.
    pub(crate) async fn fast_path_equals_layers(api: &Api, service: &Service, target: &str) {
        let mut seen = Vec::new();
        for ordered in [false, true] {
            if ordered {
                let path = "/elsewhere".into();
                let effect = Effect::Status(503);
                let elsewhere = Fault { service: None, method: None, path, nth: 1, times: 1, effect };
                api.faults.order("elsewhere", elsewhere);
            }
            let request = Request::get(target)
                .header("x-request-id", "mine")
                .body(Body::empty())
                .expect("a well-formed request");
            assert_eq!(service.fast_path(&request).is_some(), !ordered, "{target}");
            let response = service.clone().oneshot(request).await.expect("the service never fails");
            let (parts, body) = response.into_parts();
            let body = to_bytes(body, usize::MAX).await.expect("a body in memory");
            let mut headers: Vec<_> = parts
                .headers
                .iter()
                .filter(|(name, _)| *name != "content-length")
                .map(|(name, value)| (name.to_string(), value.clone()))
                .collect();
            headers.sort_by(|one, other| one.0.cmp(&other.0));
            let mut entries = api.journal.after(0).0;
            let last = entries.pop().expect("every answer is recorded");
            let recorded = (last.method, last.target, last.status, last.cause, last.request_id);
            seen.push((parts.status, headers, body, recorded));
        }
        assert_eq!(seen[0], seen[1], "{target}");
        api.faults.withdraw("elsewhere");
    }
}
