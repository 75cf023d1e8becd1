//! The swap service: a quote, the pairs and the tokens of the exchange, as JSON.
mod body;
mod query;

use std::convert::Infallible;
use std::future::{Ready, ready};
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{Method, Uri};
use axum::response::{IntoResponse, Response};
use axum::routing::future::RouteFuture;
use axum::routing::get;
use futures::future::Either;
use serde_json::Value;

use super::http::{self, ServiceLayers};
use super::openapi::{self, GET, Operation, Path};
use crate::api::Api;
use crate::api::quote::{NO_GAS, NO_ROUTE, OUT_OF_REACH, QuoteAnswer, SwapApi};
use crate::api::refusal::Refusal;

const QUOTE: &str = "/api/quote";

const SERVICE: openapi::Service = openapi::Service {
    title: "Swap service",
    description: "Quotes and transactions over an exchange. Each GET also answers HEAD, and each path OPTIONS.",
    limited: false,
    cross_origin: true,
    security: || serde_json::json!({}),
};

/// The OpenAPI document of the service at an address.
#[must_use]
pub fn document(server: &str) -> Value {
    openapi::document(&SERVICE, server, &paths(server))
}

fn paths(server: &str) -> Vec<Path<Arc<SwapApi>>> {
    let path = |path, methods, operation| Path { path, allow: GET, methods, operations: vec![operation] };
    vec![
        path(QUOTE, get(quote), |schemas| {
            query::operation()
                .serves("the quote", schemas.of::<body::Quote<'_>>())
                .fails(500, "no route, too little liquidity, or gas estimation fails", &[NO_ROUTE, NO_GAS])
                .fails(503, OUT_OF_REACH, &[OUT_OF_REACH])
        }),
        path("/api/pairs", get(pairs), |schemas| {
            Operation::get("listPairs", "The pairs of the exchange")
                .serves("every pair", schemas.of::<Vec<body::Pair<'_>>>())
        }),
        path("/api/tokens", get(tokens), |schemas| {
            Operation::get("listExchangeTokens", "The tokens of the exchange")
                .serves("every token", schemas.of::<Vec<body::Token<'_>>>())
        }),
        openapi::document_path(document, server),
    ]
}

/// The whole service. A quote without a transaction needs no node, so a fast path answers it, by the same functions and with the same
/// headers as behind the layers that all other requests go through.
#[derive(Clone)]
pub struct Service {
    layers: ServiceLayers,
    swap_api: Arc<SwapApi>,
    layered: Router,
    /// Whether a plain quote goes past the layers.
    has_fast_path: bool,
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

impl Service {
    /// The service behind one more layer, which every request goes through.
    pub(crate) fn layered(self, layer: impl FnOnce(Router) -> Router) -> Self {
        Self { layered: layer(self.layered), has_fast_path: false, ..self }
    }

    /// The answer of a plain quote; none of every other request.
    pub(crate) fn fast_path<B>(&self, request: &Request<B>) -> Option<Response> {
        if !self.has_fast_path || request.method() != Method::GET || request.uri().path() != QUOTE {
            return None;
        }
        self.layers.fast_path(request, || match query::parse(request.uri()) {
            Ok(asked) if asked.build_for.is_some() => None,
            Ok(asked) => Some(match self.swap_api.quote_now(&asked) {
                Ok((_, answer)) => quoted(&self.swap_api, &answer),
                Err(refusal) => refusal.into_response(),
            }),
            Err(refusal) => Some(refusal.into_response()),
        })
    }
}

/// The whole service over a desk.
pub fn service(api: Arc<Api>, swap_api: Arc<SwapApi>, server: &str) -> Service {
    let routes = openapi::routed(paths(server)).with_state(Arc::clone(&swap_api));
    let layers = ServiceLayers::new(api, "swap", None);
    let layered = http::with_compression(http::with_layers(routes, layers.clone()));
    Service { layers, swap_api, layered, has_fast_path: true }
}

async fn quote(State(swap_api): State<Arc<SwapApi>>, uri: Uri) -> Response {
    match answer(&swap_api, &uri).await {
        Ok(response) => response,
        Err(refusal) => refusal.into_response(),
    }
}

async fn answer(swap_api: &SwapApi, uri: &Uri) -> Result<Response, Refusal> {
    let request = query::parse(uri)?;
    let answer = swap_api.quote(&request).await?;
    Ok(quoted(swap_api, &answer))
}

fn quoted(swap_api: &SwapApi, answer: &QuoteAnswer) -> Response {
    http::json(&body::Quote::new(answer, swap_api.router_name()))
}

async fn pairs(State(swap_api): State<Arc<SwapApi>>) -> Response {
    http::json(&swap_api.pairs().iter().map(body::Pair::new).collect::<Vec<_>>())
}

async fn tokens(State(swap_api): State<Arc<SwapApi>>) -> Response {
    http::json(&swap_api.tokens().iter().map(body::Token::new).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests;
