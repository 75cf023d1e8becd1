//! The REST service: token reads and capabilities, over the platform's vocabulary.
mod batch;
mod capabilities;
mod cdn;
mod chat;
pub(crate) mod defects;
mod emperor;
mod leaderboard;
mod limit;
mod list;
mod owner;
mod recent;
mod referral;
mod row;
mod stocks;
mod token;
mod upload;

use std::sync::Arc;

use axum::routing::{get, post};
use axum::{Router, middleware};

use super::http::{Origins, compressed, edge, endpoint};
use crate::api::Api;

const GET: &str = "GET, HEAD, OPTIONS";
const POST: &str = "POST, OPTIONS";
const GET_AND_POST: &str = "GET, HEAD, POST, OPTIONS";

/// The service with everything that belongs to it, ready to be bound to a listener.
pub fn router(api: &Arc<Api>) -> Router {
    let limited = middleware::from_fn_with_state(Arc::clone(api), limit::standard);
    let paths = Router::new()
        .route("/api/tokens", endpoint(get(list::get), GET))
        .route("/api/tokens/by-owner", endpoint(get(owner::get), GET))
        .route(
            "/api/tokens/batch",
            endpoint(get(batch::get).post(batch::post), GET_AND_POST),
        )
        .route("/api/tokens/recent-v2", endpoint(get(recent::get), GET))
        .route("/api/token", endpoint(get(token::get), GET))
        .route("/api/eoti", endpoint(get(emperor::eoti), GET))
        .route("/api/koti", endpoint(get(emperor::koti), GET))
        .route("/api/stocks/quote-assets", endpoint(get(stocks::get), GET))
        .route("/api/capabilities", endpoint(get(capabilities::get), GET))
        .route(
            "/api/chat",
            endpoint(get(chat::get).post(chat::post), GET_AND_POST),
        )
        .route("/api/leaderboard", endpoint(get(leaderboard::get), GET))
        .route("/api/referral/code", endpoint(get(referral::code), GET))
        .route("/api/referral/stats", endpoint(get(referral::stats), GET))
        .route(
            "/api/referral/leaderboard",
            endpoint(get(referral::leaderboard), GET),
        )
        .route("/api/referral/register", endpoint(post(referral::register), POST))
        .route("/api/upload", endpoint(post(upload::post), POST))
        .route("/cdn/{name}", endpoint(get(cdn::get), GET))
        .route_layer(limited)
        .with_state(Arc::clone(api));
    let seeded = middleware::from_fn_with_state(Arc::clone(api), defects::apply);
    compressed(edge(paths, Arc::clone(api), "rest", Origins::Any).layer(seeded))
}

#[cfg(test)]
mod tests;
