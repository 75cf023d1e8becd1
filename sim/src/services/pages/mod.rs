//! The public pages at the origin of the REST service: tokens, trading, the exchange, the auction, accounts, blocks and transactions.
//!
//! They show what any client may read and hold no key: at the browser's request a node signs a trade for one of the funded accounts, or a
//! wallet signs it for its own. Markup is made by a macro that escapes every value. `docs/reference/pages.md` describes the pages.
mod account;
pub(in crate::services) mod amount;
pub(in crate::services) mod assets;
mod bid;
mod block;
mod candles;
mod chat;
mod create;
mod curve;
mod draft;
mod exchange;
mod featured;
mod history;
mod icon;
mod launch;
pub(in crate::services) mod layout;
mod leaders;
pub(in crate::services) mod live;
mod node;
pub(in crate::services) mod number;
mod order;
mod pair;
mod pool;
mod reference;
mod referral;
mod search;
mod sender;
mod slippage;
mod swap;
mod tokens;
mod trade;
mod trades;
mod transaction;

use std::collections::BTreeMap;
use std::future::ready;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::Uri;
use axum::http::header::{self, HeaderMap, HeaderValue};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use layout::LINKS;
use maud::Markup;
pub(in crate::services) use node::seen_by;
pub(in crate::services) use reference::PATH as REFERENCE;
use schemars::JsonSchema;
use serde::Deserialize;

use super::http::{Cause, GET, OfPages, endpoint};
use super::input::kinds::KnownChain;
use super::input::query;
use super::refusal::{status, status_code};
use crate::api::Api;
use crate::api::quote::SwapApi;
use crate::api::refusal::Refusal;

/// Maximum wait of a page for a node, which responds to nothing while it makes a block.
const PATIENCE: Duration = Duration::from_secs(1);

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ChosenChain {
    /// chooses between what both chains have: tokens of one address, blocks of one number
    #[schemars(extend("x-cause" = "page-chain"))]
    chain_id: Option<KnownChain>,
}

fn chosen_chain(uri: &Uri) -> Result<Option<u64>, Refusal> {
    Ok(query::<ChosenChain>(uri)?.chain_id.map(|chain| chain.0))
}

#[derive(Debug)]
pub(super) struct Pages {
    api: Arc<Api>,
    swap_api: Arc<SwapApi>,
    nodes: Nodes,
    streams: live::Streams,
}

/// Addresses for browsers: nodes and console.
#[derive(Debug)]
pub(crate) struct Nodes {
    /// The public address of each chain's node.
    pub urls: BTreeMap<u64, String>,
    /// The address of the console; `None` without the control plane.
    pub console: Option<String>,
    /// Whether the platform serves on every address of its machine.
    pub is_everywhere: bool,
    /// Whether only this machine can reach the platform, and its control plane, which allows as much, is served.
    pub is_writable: bool,
}

/// The `Allow` header of the paths that accept messages.
const POST: &str = "POST, OPTIONS";

/// Builds the pages of a platform, and their assets.
///
/// Clause: MCP-LINKS
pub(crate) fn router(api: &Arc<Api>, swap_api: Arc<SwapApi>, nodes: Nodes) -> Router {
    let pages = Arc::new(Pages { api: Arc::clone(api), swap_api, nodes, streams: live::Streams::default() });
    Router::new()
        .route("/", endpoint(get(tokens::get), GET))
        .route("/trade/{token}", endpoint(get(trade::get), GET))
        .route("/tx/{hash}", endpoint(get(transaction::get), GET))
        .route("/account/{address}", endpoint(get(account::get), GET))
        .route("/block/{named}", endpoint(get(block::get), GET))
        .route("/auction", endpoint(get(featured::get), GET))
        .route("/create", endpoint(get(create::get), GET))
        .route("/exchange", endpoint(get(exchange::get), GET))
        .route("/leaderboard", endpoint(get(leaders::get), GET))
        .route("/referral", endpoint(get(referral::get), GET))
        .route("/pair/{address}", endpoint(get(pair::get), GET))
        .route("/search", endpoint(get(search::get), GET))
        .route("/chat/captchas", endpoint(post(chat::captcha), POST))
        .route("/chat/messages", endpoint(post(chat::post), POST))
        .route("/live", endpoint(get(live::get), GET))
        .route("/console", endpoint(get(console), GET))
        .route(reference::PATH, endpoint(get(reference::get), GET))
        .route("/favicon.ico", endpoint(get(assets::icon), GET))
        .route("/assets/{name}", endpoint(get(assets::get), GET))
        .with_state(Arc::clone(&pages))
        .layer(middleware::from_fn_with_state(pages, protected))
}

async fn protected(State(pages): State<Arc<Pages>>, request: Request, next: Next) -> Response {
    let policy = node::policy(pages.nodes.urls.keys().map(|&id| pages.node_url(id, request.headers())));
    let mut response = next.run(request).await;
    harden(response.headers_mut(), policy);
    response.extensions_mut().insert(OfPages);
    response
}

/// Redirects to the console, which has its own origin.
async fn console(State(pages): State<Arc<Pages>>, headers: HeaderMap) -> Result<Redirect, Problem> {
    let Some(console) = &pages.nodes.console else {
        return Err(Refusal::not_found(
            "page-console",
            "this platform has no control plane, and so no console",
        )
        .into());
    };
    Ok(Redirect::temporary(&seen_by(console, pages.nodes.is_everywhere, &headers)))
}

/// A refusal at the origin of the public pages, for a browser.
pub(crate) fn refused(refusal: &Refusal) -> Response {
    refusal_page(refusal, LINKS)
}

/// A refusal as a page for a browser; the first link is the way out.
pub(super) fn refusal_page(refusal: &Refusal, links: &[(&str, &str)]) -> Response {
    const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; \
                          form-action 'none'; frame-ancestors 'none'";
    let status = status_code(status(refusal.reason));
    let mut response = (status, layout::problem(refusal, links)).into_response();
    harden(response.headers_mut(), HeaderValue::from_static(POLICY));
    response.extensions_mut().insert(Cause(refusal.cause));
    response
}

/// Gives all of these pages the same policy.
pub(super) fn hardened(pages: Router, policy: &'static str) -> Router {
    pages.layer(middleware::map_response(move |mut response: Response| {
        harden(response.headers_mut(), HeaderValue::from_static(policy));
        ready(response)
    }))
}

/// Sets the headers of every page.
fn harden(headers: &mut HeaderMap, policy: HeaderValue) {
    headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
}

struct Problem(Refusal);

impl<E: Into<Refusal>> From<E> for Problem {
    fn from(error: E) -> Self {
        Self(error.into())
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let Self(refusal) = self;
        let status = status_code(status(refusal.reason));
        let mut response = (status, layout::problem(&refusal, LINKS)).into_response();
        response.extensions_mut().insert(Cause(refusal.cause));
        response
    }
}

impl Pages {
    fn now(&self) -> u64 {
        self.api.now()
    }

    fn node_url(&self, chain_id: u64, headers: &HeaderMap) -> String {
        let url = self.nodes.urls.get(&chain_id).map_or("", String::as_str);
        seen_by(url, self.nodes.is_everywhere, headers)
    }

    /// The platform's state on every page.
    fn standing(&self) -> Markup {
        layout::standing(&self.api.status(), layout::block_link)
    }
}

/// The value of a parameter as it was sent, for a field that displays it again.
pub(in crate::services) fn sent(uri: &Uri, name: &str) -> String {
    let pairs = url::form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes());
    pairs.into_iter().find(|(key, _)| key == name).map(|(_, value)| value.into_owned()).unwrap_or_default()
}
