//! The swap service: a quote, the pairs and the tokens of the exchange, as JSON.
mod query;

use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::Uri;
use axum::response::Response;
use axum::routing::get;
use serde_json::Value;

use super::elsewhere::Elsewhere;
use super::http::{self, Served, layers, with_compression};
use super::openapi::{self, Operation, Path};
use crate::api::quote::{NO_GAS, NO_ROUTE, OUT_OF_REACH, QuoteAnswer, SwapApi};
use crate::api::{Api, exchange};

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
    let path = |path, methods, operation| Path { path, methods, operations: vec![operation] };
    vec![
        path("/api/quote", get(quote), |schemas| {
            query::operation()
                .serves("the quote", schemas.of::<QuoteAnswer>())
                .fails(500, "no route, too little liquidity, or gas estimation fails", &[NO_ROUTE, NO_GAS])
                .fails(500, OUT_OF_REACH, &[OUT_OF_REACH])
        }),
        path("/api/pairs", get(pairs), |schemas| {
            Operation::get("listPairs", "The pairs of the exchange")
                .serves("every pair", schemas.of::<Vec<exchange::Pair>>())
        }),
        path("/api/tokens", get(tokens), |schemas| {
            Operation::get("listExchangeTokens", "The tokens of the exchange")
                .serves("every token", schemas.of::<Vec<exchange::Token>>())
        }),
        openapi::document_path(document, server),
    ]
}

/// The service, ready to be bound to a listener.
pub(crate) fn service(api: Arc<Api>, swap_api: Arc<SwapApi>, server: &str, elsewhere: Elsewhere) -> Router {
    let routes = openapi::routed(paths(server)).with_state(swap_api);
    with_compression(layers(routes, api, "swap", None, None, elsewhere))
}

async fn quote(State(swap_api): State<Arc<SwapApi>>, uri: Uri) -> Served {
    Ok(http::json(&swap_api.quote(&query::parse(&uri)?).await?))
}

async fn pairs(State(swap_api): State<Arc<SwapApi>>) -> Response {
    http::json(&swap_api.pairs())
}

async fn tokens(State(swap_api): State<Arc<SwapApi>>) -> Response {
    http::json(&swap_api.tokens())
}

#[cfg(test)]
mod tests;
