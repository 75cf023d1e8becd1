//! The REST service, over the platform's API.
mod batch;
mod capabilities;
mod cdn;
pub(super) mod chat;
mod emperor;
mod form;
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

use super::elsewhere::Elsewhere;
use super::http::{RefusalPage, layers, with_compression};
use super::openapi::{self, Path};
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
            "operatorKey": { "type": "apiKey", "in": "header", "name": crate::api::chat::OPERATOR_HEADER },
        })
    },
};

/// The OpenAPI document of the service at an address.
#[must_use]
pub fn document(server: &str) -> Value {
    openapi::document(&SERVICE, server, &paths(server))
}

fn paths(server: &str) -> Vec<Path<Arc<Api>>> {
    let path = |path, methods, operations| Path { path, methods, operations };
    let batch_methods = get(batch::get).post(batch::post);
    let chat_methods = get(chat::get).post(chat::post);
    vec![
        path("/api/tokens", get(list::get), vec![list::operation]),
        path("/api/tokens/by-owner", get(owner::get), vec![owner::operation]),
        path("/api/tokens/batch", batch_methods, vec![batch::get_operation, batch::post_operation]),
        path("/api/tokens/recent-v2", get(recent::get), vec![recent::operation]),
        path("/api/token", get(token::get), vec![token::operation]),
        path("/api/eoti", get(emperor::eoti), vec![emperor::eoti_operation]),
        path("/api/koti", get(emperor::koti), vec![emperor::koti_operation]),
        path("/api/stocks/quote-assets", get(stocks::get), vec![stocks::operation]),
        path("/api/capabilities", get(capabilities::get), vec![capabilities::operation]),
        path("/api/chat", chat_methods, vec![chat::get_operation, chat::post_operation]),
        path("/api/leaderboard", get(leaderboard::get), vec![leaderboard::operation]),
        path("/api/referral/code", get(referral::code), vec![referral::code_operation]),
        path("/api/referral/stats", get(referral::stats), vec![referral::stats_operation]),
        path("/api/referral/leaderboard", get(referral::leaderboard), vec![referral::leaderboard_operation]),
        path("/api/referral/register", post(referral::register), vec![referral::register_operation]),
        path("/api/upload", post(upload::post), vec![upload::operation]),
        path("/cdn/{name}", get(cdn::get), vec![cdn::operation]),
        openapi::document_path(document, server),
    ]
}

/// The service and the pages at its origin, ready to be bound to a listener; `page` shows refusals to browsers.
///
/// Clause: SVC-NOAUTH, SVC-JUNK-AUTH
pub(crate) fn service(
    api: &Arc<Api>,
    server: &str,
    pages: Router,
    page: RefusalPage,
    elsewhere: Elsewhere,
) -> Router {
    let limited = middleware::from_fn_with_state(Arc::clone(api), limit::standard);
    let routes = openapi::routed(paths(server)).route_layer(limited).with_state(Arc::clone(api)).merge(pages);
    with_compression(layers(routes, Arc::clone(api), "rest", None, Some(page), elsewhere))
}

#[cfg(test)]
mod tests;
