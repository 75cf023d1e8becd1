//! The REST service: token reads and capabilities, over the platform's vocabulary.
mod batch;
mod capabilities;
mod cdn;
mod chat;
mod emperor;
mod leaderboard;
mod limit;
pub(super) mod list;
mod owner;
mod recent;
mod referral;
pub(super) mod row;
mod stocks;
mod token;
mod upload;

use std::sync::Arc;

use axum::routing::{get, post};
use axum::{Router, middleware};
pub(in crate::services) use limit::Caller;
use serde_json::{Value, json};

use super::http::{layers, with_compression};
use super::openapi::{self, GET, GET_AND_POST, POST, Path};
use crate::api::Api;

const SERVICE: openapi::Service = openapi::Service {
    title: "Launch platform",
    description: "Tokens that are funded on a bonding curve. Each GET also answers HEAD, and each path OPTIONS.",
    limited: true,
    cross_origin: true,
    security: || {
        json!({
            "bearer": { "type": "http", "scheme": "bearer" },
            "wallet": {
                "type": "apiKey", "in": "header", "name": "Authorization",
                "description": "Wallet <address>:<unix seconds>:<signature>",
            },
            "operatorKey": { "type": "apiKey", "in": "header", "name": chat::OPERATOR_HEADER },
        })
    },
};

/// The OpenAPI document of the service at an address.
#[must_use]
pub fn document(server: &str) -> Value {
    openapi::document(&SERVICE, server, &paths(server))
}

fn paths(server: &str) -> Vec<Path<Arc<Api>>> {
    let path = |path, allow, methods, operations| Path { path, allow, methods, operations };
    let batch_methods = get(batch::get).post(batch::post);
    let chat_methods = get(chat::get).post(chat::post);
    vec![
        path("/api/tokens", GET, get(list::get), vec![list::operation]),
        path("/api/tokens/by-owner", GET, get(owner::get), vec![owner::operation]),
        path(
            "/api/tokens/batch",
            GET_AND_POST,
            batch_methods,
            vec![batch::get_operation, batch::post_operation],
        ),
        path("/api/tokens/recent-v2", GET, get(recent::get), vec![recent::operation]),
        path("/api/token", GET, get(token::get), vec![token::operation]),
        path("/api/eoti", GET, get(emperor::eoti), vec![emperor::eoti_operation]),
        path("/api/koti", GET, get(emperor::koti), vec![emperor::koti_operation]),
        path("/api/stocks/quote-assets", GET, get(stocks::get), vec![stocks::operation]),
        path("/api/capabilities", GET, get(capabilities::get), vec![capabilities::operation]),
        path("/api/chat", GET_AND_POST, chat_methods, vec![chat::get_operation, chat::post_operation]),
        path("/api/leaderboard", GET, get(leaderboard::get), vec![leaderboard::operation]),
        path("/api/referral/code", GET, get(referral::code), vec![referral::code_operation]),
        path("/api/referral/stats", GET, get(referral::stats), vec![referral::stats_operation]),
        path(
            "/api/referral/leaderboard",
            GET,
            get(referral::leaderboard),
            vec![referral::leaderboard_operation],
        ),
        path("/api/referral/register", POST, post(referral::register), vec![referral::register_operation]),
        path("/api/upload", POST, post(upload::post), vec![upload::operation]),
        path("/cdn/{name}", GET, get(cdn::get), vec![cdn::operation]),
        openapi::document_path(document, server),
    ]
}

/// The service and the pages at its origin, ready to be bound to a listener.
///
/// Clause: SVC-NOAUTH, SVC-JUNK-AUTH
pub fn service(api: &Arc<Api>, server: &str, pages: Router) -> Router {
    let limited = middleware::from_fn_with_state(Arc::clone(api), limit::standard);
    let routes = openapi::routed(paths(server)).route_layer(limited).with_state(Arc::clone(api)).merge(pages);
    with_compression(layers(routes, Arc::clone(api), "rest", None))
}

#[cfg(test)]
mod tests;
