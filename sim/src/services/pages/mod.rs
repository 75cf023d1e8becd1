//! The public pages at the origin of the REST service: tokens, trading, transactions, the auction and the exchange.
//!
//! They show what any client may read and hold no key: a purchase or sale is sent by the node for one of the funded accounts,
//! at the browser's request. Markup is made by a macro that escapes every value. `docs/pages.md` describes them.
mod amount;
mod assets;
mod exchange;
mod featured;
mod history;
mod layout;
mod live;
mod order;
mod tokens;
mod trade;
mod trades;
mod transaction;

use std::sync::Arc;

use alloy::primitives::Address;
use axum::Router;
use axum::extract::Request;
use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use axum::http::{StatusCode, Uri};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use maud::{Markup, html};

use super::http::{Cause, endpoint};
use super::input::{AccountAddress, Input, KnownChain, Optional, Query};
use super::openapi::GET;
use crate::api::Api;
use crate::api::quote::SwapApi;
use crate::api::refusal::Refusal;
use crate::chain::Chain;
use crate::engine::Engine;
pub use assets::PlotFiles;

const SECURITY_POLICY: HeaderName = HeaderName::from_static("content-security-policy");

/// Chooses between tokens of one address on both chains.
const CHAIN: Input<KnownChain, Optional> = Input {
    name: "chainId",
    cause: "page-chain",
    meaning: "chooses between tokens of one address on both chains",
    kind: KnownChain,
    presence: Optional,
};
/// Who trades.
const ACCOUNT: Input<AccountAddress, Optional> = Input {
    name: "account",
    cause: "page-account",
    meaning: "one of the funded accounts",
    kind: AccountAddress,
    presence: Optional,
};

/// State of the handlers.
#[derive(Debug)]
pub(super) struct Pages {
    api: Arc<Api>,
    engine: Engine,
    swap_api: Arc<SwapApi>,
    plot: PlotFiles,
}

/// The pages of a platform, and what they are made of.
///
/// Clause: MCP-LINKS
pub fn router(api: &Arc<Api>, engine: Engine, swap_api: Arc<SwapApi>, plot: PlotFiles) -> Router {
    let policy = policy(engine.chains().map(|(chain, _)| chain.rpc_url()));
    let pages = Pages { api: Arc::clone(api), engine, swap_api, plot };
    Router::new()
        .route("/", endpoint(get(tokens::get), GET))
        .route("/trade/{token}", endpoint(get(trade::get), GET))
        .route("/tx/{hash}", endpoint(get(transaction::get), GET))
        .route("/auction", endpoint(get(featured::get), GET))
        .route("/exchange", endpoint(get(exchange::get), GET))
        .route("/live", endpoint(get(live::get), GET))
        .route("/assets/{name}", endpoint(get(assets::get), GET))
        .with_state(Arc::new(pages))
        .layer(middleware::from_fn(move |request: Request, next: Next| {
            let policy = policy.clone();
            async move { protected(next.run(request).await, policy) }
        }))
}

/// What a page may load and reach: this origin, and the nodes for sending transactions.
fn policy<'a>(nodes: impl Iterator<Item = &'a str>) -> HeaderValue {
    let mut text =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; form-action 'self'; \
                    base-uri 'none'; frame-ancestors 'none'; connect-src 'self'"
            .to_owned();
    for node in nodes {
        let origin = url::Url::parse(node).map(|url| url.origin().ascii_serialization());
        text.extend(origin.iter().flat_map(|origin| [" ", origin]));
    }
    HeaderValue::from_str(&text).unwrap_or(HeaderValue::from_static("default-src 'none'"))
}

fn protected(mut response: Response, policy: HeaderValue) -> Response {
    let headers = response.headers_mut();
    headers.insert(SECURITY_POLICY, policy);
    harden(headers);
    response
}

/// Headers of every page, whatever its policy.
pub(super) fn harden(headers: &mut HeaderMap) {
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
}

/// A refusal as a page.
struct Problem(Refusal);

impl<E: Into<Refusal>> From<E> for Problem {
    fn from(error: E) -> Self {
        Self(error.into())
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let Self(refusal) = self;
        let status = StatusCode::from_u16(refusal.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = (status, layout::problem(&refusal)).into_response();
        response.extensions_mut().insert(Cause(refusal.cause));
        response
    }
}

impl Pages {
    fn now(&self) -> u64 {
        self.api.clock.now()
    }

    fn chain(&self, chain_id: u64) -> Result<&Chain, Refusal> {
        Ok(self.engine.chain(chain_id)?.0)
    }

    /// What every page says of the platform: heads, time, and what was taken back last.
    fn standing(&self) -> Markup {
        let heights = self.engine.heights().borrow().clone();
        let rewind = self.engine.rewinds().last().copied();
        html! {
            p #standing role="status" data-live {
                @for (chain_id, height) in &heights {
                    span { "Chain " (chain_id) ": block " (height) } " "
                }
                span { "Clock: " (layout::moment(self.now())) }
                @if let Some(rewind) = rewind {
                    " " strong.rewind { (layout::rewind(&rewind)) }
                }
            }
        }
    }

    /// The account that a query names, or the first one; only funded accounts trade from a page.
    fn account(&self, query: &Query<'_>) -> Result<Option<Address>, Refusal> {
        let accounts = self.engine.accounts();
        let Some(named) = query.read(&ACCOUNT)? else {
            return Ok(accounts.first().map(|account| account.address));
        };
        let known = accounts.iter().any(|account| account.address == named);
        if known {
            return Ok(Some(named));
        }
        Err(Refusal::bad_input(ACCOUNT.cause, "account must be one of the platform's funded accounts"))
    }
}

/// The value of a parameter as it was sent, for a field that shows it again.
fn sent(uri: &Uri, name: &str) -> String {
    let pairs = url::form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes());
    pairs.into_iter().find(|(key, _)| key == name).map(|(_, value)| value.into_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::policy;

    #[test]
    fn policy_permits_this_origin_and_the_nodes() {
        let value = policy(["http://127.0.0.1:4703/", "nonsense"].into_iter());
        let text = value.to_str().unwrap();
        assert!(text.ends_with("connect-src 'self' http://127.0.0.1:4703"), "{text}");
        assert!(text.starts_with("default-src 'none'; script-src 'self'; style-src 'self'"));
        assert!(!text.contains("unsafe"));
    }
}
