//! The console at `/` of the control plane's origin: a page on which every button makes a call that `curl` can also make.
mod accounts;
mod faults;
mod form;
mod har;
mod links;
mod market;
mod opened;
mod page;
mod timeline;

use std::sync::Arc;

use alloy::hex;
use alloy::primitives::keccak256;
use alloy::signers::local::PrivateKeySigner;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Uri};
use axum::response::Response;
use axum::routing::get;
use axum::{Json, Router};
pub(crate) use links::PublicPages;
use maud::Markup;
use serde_json::{Value, json};

use crate::api::Api;
use crate::api::refusal::Refusal;
use crate::services::http::{GET, endpoint};
use crate::services::pages::{assets, hardened, live, refusal_page};

const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
                      form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

#[derive(Debug)]
pub(super) struct Console {
    api: Arc<Api>,
    page_token: Arc<str>,
    /// Whether callers need a bearer token.
    is_authorized: bool,
    /// Addresses of the services by their names.
    origins: [(&'static str, String); 3],
    pages: PublicPages,
    streams: live::Streams,
}

/// A random token, new for each process.
pub(super) fn token() -> String {
    hex::encode(&keccak256(PrivateKeySigner::random().to_bytes())[..16])
}

impl Console {
    pub(super) fn new(
        api: &Arc<Api>,
        page_token: Arc<str>,
        is_authorized: bool,
        line: &Value,
        pages: PublicPages,
    ) -> Self {
        let origins = [("rest", "baseUrl"), ("swap", "swapBaseUrl"), ("control", "controlUrl")]
            .map(|(service, member)| (service, line[member].as_str().unwrap_or_default().to_owned()));
        Self {
            pages,
            origins,
            api: Arc::clone(api),
            page_token,
            is_authorized,
            streams: live::Streams::default(),
        }
    }

    /// The address of a service.
    fn origin(&self, service: &str) -> &str {
        self.origins.iter().find(|(known, _)| *known == service).map_or("", |(_, origin)| origin)
    }
}

/// A refusal at the origin of the console, for a browser.
pub(super) fn refused(refusal: &Refusal) -> Response {
    refusal_page(refusal, &[("/", "Console")])
}

pub(super) fn paths(console: Console) -> Router {
    let paths = Router::new()
        .route("/", endpoint(get(index), GET))
        .route("/live", endpoint(get(changes), GET))
        .route("/timeline.har", endpoint(get(har::get), GET))
        .route("/favicon.ico", endpoint(get(assets::icon), GET))
        .route("/assets/{name}", endpoint(get(assets::get), GET))
        .route("/_sim/panels", endpoint(get(panels), GET))
        .with_state(Arc::new(console));
    hardened(paths, POLICY)
}

async fn index(State(console): State<Arc<Console>>, uri: Uri, headers: HeaderMap) -> Result<Markup, Refusal> {
    page::render(&console, &uri, &console.pages.seen_by(&headers)).await
}

/// Sends an event for every change of the page's content.
async fn changes(State(console): State<Arc<Console>>, request: Request) -> Response {
    let heights = console.api.follow_heights();
    let stream = match console.streams.open(&console.api, &request) {
        Ok(stream) => stream,
        Err(refusal) => return live::without_connection(refusal),
    };
    live::events(heights, true, stream, move |heights| {
        let console = Arc::clone(&console);
        async move {
            let api = &console.api;
            let checkpoints = api.checkpoints().await;
            (heights, api.last_rewind(), api.recorded(), api.now(), api.all_faults(), checkpoints)
        }
    })
}

/// Panels that a proxy in front of the platform adds to its console; the platform itself has none.
async fn panels() -> Json<Value> {
    Json(json!({ "panels": [] }))
}
