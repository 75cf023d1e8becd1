//! The optional limit on all reads: so many a minute for each caller's address, told in headers on every answer.
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

use axum::extract::{ConnectInfo, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::api::Api;
use crate::api::limits::Standing;
use crate::api::refusal::Refusal;

const LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit");
const REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining");
const RESET: HeaderName = HeaderName::from_static("x-ratelimit-reset");

pub(super) async fn standard(State(api): State<Arc<Api>>, request: Request, next: Next) -> Response {
    let counted = request.method() != Method::OPTIONS;
    let Some(window) = api.standard_limit.as_ref().filter(|_| counted) else {
        return next.run(request).await;
    };
    let (standing, mut response) = match window.take(caller(&request), api.clock.now()) {
        Ok(standing) => (standing, next.run(request).await),
        Err(used_up) => {
            let refusal = Refusal::too_many("standard-limit", "too many requests", used_up.retry_after);
            (used_up.standing, refusal.into_response())
        }
    };
    tell(response.headers_mut(), standing);
    response
}

/// The address a request comes from; a request that came through no connection is the host's own.
fn caller(request: &Request) -> IpAddr {
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>();
    peer.map_or(IpAddr::V4(Ipv4Addr::LOCALHOST), |peer| peer.0.ip())
}

fn tell(headers: &mut HeaderMap, standing: Standing) {
    headers.insert(LIMIT, HeaderValue::from(standing.limit));
    headers.insert(REMAINING, HeaderValue::from(standing.remaining));
    headers.insert(RESET, HeaderValue::from(standing.reset));
}
