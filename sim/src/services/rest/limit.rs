//! Limits of callers: who a caller is, what an answer tells of a limit, and the optional limit on all reads.
use std::convert::Infallible;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

use axum::extract::{ConnectInfo, FromRequestParts, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::api::Api;
use crate::api::refusal::Refusal;
use crate::services::http::insert_rate_limit_headers;
use crate::store::RateLimitStatus;

/// Appended to by each proxy on the way: the last address is the one that our own proxy has seen.
const FORWARDED: &str = "x-forwarded-for";

/// The address that a request comes from; one that came through no connection is the host's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Caller(pub(super) IpAddr);

impl Caller {
    fn of(api: &Api, headers: &HeaderMap, peer: Option<&ConnectInfo<SocketAddr>>) -> Self {
        let peer = peer.map_or(IpAddr::V4(Ipv4Addr::LOCALHOST), |peer| peer.0.ip());
        let forwarded = || {
            let last = headers.get_all(FORWARDED).iter().next_back()?.to_str().ok()?;
            last.rsplit(',').next()?.trim().parse().ok()
        };
        let client = api.trust_forwarded.then(forwarded).flatten();
        Self(client.unwrap_or(peer).to_canonical())
    }
}

impl FromRequestParts<Arc<Api>> for Caller {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, api: &Arc<Api>) -> Result<Self, Infallible> {
        Ok(Self::of(api, &parts.headers, parts.extensions.get()))
    }
}

/// The response with its rate-limit headers.
pub(super) fn with_rate_limit(mut response: Response, status: RateLimitStatus) -> Response {
    insert_rate_limit_headers(response.headers_mut(), status);
    response
}

pub(super) async fn standard(State(api): State<Arc<Api>>, request: Request, next: Next) -> Response {
    let counted = request.method() != Method::OPTIONS;
    let Some(window) = api.standard_limit.as_ref().filter(|_| counted) else {
        return next.run(request).await;
    };
    let Caller(address) = Caller::of(&api, request.headers(), request.extensions().get());
    match window.take(address, api.clock.now()) {
        Ok(status) => {
            let response = next.run(request).await;
            // The limit of the endpoint itself goes before the one of all.
            if response.headers().contains_key("x-ratelimit-limit") {
                response
            } else {
                with_rate_limit(response, status)
            }
        }
        Err(limited) => Refusal::from(limited).into_response(),
    }
}
