//! Limits of callers: the identity of a caller, the rate-limit headers of an answer, and the optional limit on all reads.
use std::collections::BTreeSet;
use std::convert::Infallible;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::{Arc, LazyLock};

use axum::extract::{ConnectInfo, FromRequestParts, MatchedPath, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::api::Api;
use crate::api::limits::{RateLimit, RateLimitStatus};
use crate::services::http::{Served, insert_rate_limit_headers};
use crate::services::openapi;

/// Each proxy on the way appends to it: the last address is the one that our own proxy saw.
const FORWARDED: &str = "x-forwarded-for";

/// The address of a request; a request without a connection comes from the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::services) struct Caller(pub(in crate::services) IpAddr);

impl Caller {
    pub(in crate::services) fn of(
        api: &Api,
        headers: &HeaderMap,
        peer: Option<&ConnectInfo<SocketAddr>>,
    ) -> Self {
        let peer = peer.map_or(IpAddr::V4(Ipv4Addr::LOCALHOST), |peer| peer.0.ip());
        let forwarded = || {
            let last = headers.get_all(FORWARDED).iter().next_back()?.to_str().ok()?;
            forwarded_address(last.rsplit(',').next()?.trim())
        };
        let client = api.trusts_forwarded().then(forwarded).flatten();
        Self(client.unwrap_or(peer).to_canonical())
    }
}

/// The address that a proxy has written, in the forms of RFC 7239, section 6: some proxies append the caller's port, and IPv6 addresses may
/// stand in brackets.
fn forwarded_address(text: &str) -> Option<IpAddr> {
    let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    let with_port = || text.parse::<SocketAddr>().ok().map(|address| address.ip());
    bare.parse().ok().or_else(with_port)
}

impl FromRequestParts<Arc<Api>> for Caller {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, api: &Arc<Api>) -> Result<Self, Infallible> {
        Ok(Self::of(api, &parts.headers, parts.extensions.get()))
    }
}

pub(super) fn with_rate_limit(mut response: Response, status: RateLimitStatus) -> Response {
    insert_rate_limit_headers(response.headers_mut(), status);
    response
}

/// Counts a read under the standard limit, if any; operations with their own limit are exempt.
pub(super) async fn standard(
    State(api): State<Arc<Api>>,
    method: Method,
    path: MatchedPath,
    request: Request,
    next: Next,
) -> Response {
    if method == Method::OPTIONS || has_own_limit(&method, path.as_str()) {
        return next.run(request).await;
    }
    let Caller(address) = Caller::of(&api, request.headers(), request.extensions().get());
    match api.count_read(address).await {
        Ok(Some(status)) => with_rate_limit(next.run(request).await, status),
        Ok(None) => next.run(request).await,
        Err(refusal) => refusal.into_response(),
    }
}

/// Counts a request under a rate limit and answers it with the rate-limit headers.
pub(super) async fn with_limit(
    api: &Api,
    rule: &RateLimit,
    key: &str,
    answer: impl Future<Output = Served>,
) -> Response {
    match api.count(rule, key).await {
        Ok(status) => with_rate_limit(answer.await.into_response(), status),
        Err(refusal) => refusal.into_response(),
    }
}

/// Whether the document declares a separate limit for the operation.
fn has_own_limit(method: &Method, path: &str) -> bool {
    static OWN: LazyLock<BTreeSet<(&str, &str)>> =
        LazyLock::new(|| openapi::limited_operations(&super::paths("")));
    let method = if *method == Method::HEAD { "get" } else { &method.as_str().to_ascii_lowercase() };
    OWN.contains(&(method, path))
}

#[cfg(test)]
mod tests {
    /// RFC 7239, section 6: `node = nodename [ ":" node-port ]`, where an IPv6 address stands in brackets.
    #[test]
    fn addresses_of_proxies_may_have_ports() {
        for (text, expected) in [
            ("203.0.113.7", Some("203.0.113.7")),
            ("203.0.113.7:47011", Some("203.0.113.7")),
            ("2001:db8::7", Some("2001:db8::7")),
            ("[2001:db8::7]", Some("2001:db8::7")),
            ("[2001:db8::7]:47011", Some("2001:db8::7")),
            ("unknown", None),
            ("_hidden", None),
            ("203.0.113.7:", None),
            ("203.0.113.7:99999", None),
            ("", None),
        ] {
            let expected = expected.map(|text| text.parse().unwrap());
            assert_eq!(super::forwarded_address(text), expected, "{text}");
        }
    }
}
