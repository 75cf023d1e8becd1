//! The swap service's dialect: a quote, the pairs and the tokens of the exchange, as JSON.
mod body;
pub(crate) mod defects;
mod query;

use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::Uri;
use axum::middleware;
use axum::response::{IntoResponse, Response};
use axum::routing::get;

use super::http::{self, Origins};
use crate::api::Api;
use crate::api::quote::SwapDesk;
use crate::api::refusal::Refusal;

const ALLOW: &str = "GET, HEAD, OPTIONS";

/// The whole service over a desk.
pub fn service(api: Arc<Api>, desk: Arc<SwapDesk>) -> Router {
    let seeds = defects::Seeds {
        api: Arc::clone(&api),
        wrapped: format!("{:#x}", desk.venue().wrapped).into(),
    };
    let routes = Router::new()
        .route("/api/quote", http::endpoint(get(quote), ALLOW))
        .route("/api/pairs", http::endpoint(get(pairs), ALLOW))
        .route("/api/tokens", http::endpoint(get(tokens), ALLOW))
        .with_state(desk)
        .layer(middleware::from_fn_with_state(seeds, defects::apply));
    http::compressed(http::edge(routes, api, "swap", Origins::Any))
}

async fn quote(State(desk): State<Arc<SwapDesk>>, uri: Uri) -> Response {
    match answer(&desk, &uri).await {
        Ok(response) => response,
        Err(refusal) => refusal.into_response(),
    }
}

async fn answer(desk: &SwapDesk, uri: &Uri) -> Result<Response, Refusal> {
    let request = query::parse(uri)?;
    let answer = desk.quote(&request).await?;
    Ok(http::json(&body::Quote::new(&answer, desk.venue().router)))
}

async fn pairs(State(desk): State<Arc<SwapDesk>>) -> Response {
    http::json(&desk.pairs().iter().map(body::Pair::new).collect::<Vec<_>>())
}

async fn tokens(State(desk): State<Arc<SwapDesk>>) -> Response {
    http::json(&desk.tokens().iter().map(body::Token::new).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests;
