//! Decides which requests the control plane accepts: only to this machine's loopback, and from web pages only its own.
use std::sync::Arc;

use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use subtle::ConstantTimeEq;
use url::Host;

use crate::api::refusal::Refusal;

/// The rules for requests to a service: from web pages, only those of its own origin with a token. Programs send no `Origin`.
#[derive(Clone, Debug)]
pub(crate) struct Guard {
    /// The token that the service's own pages send.
    pub page_token: Arc<str>,
    /// Whether requests must be addressed to this machine's loopback, because nothing else authenticates them.
    pub is_loopback_only: bool,
}

/// Header in which the console sends its token, to prove that this process served the page.
pub(crate) const CONSOLE_TOKEN: HeaderName = HeaderName::from_static("x-console-token");

/// Cause of the refusal of a page of another origin.
pub(super) const FOREIGN_PAGE: &str = "control-origin";

impl Guard {
    /// The refusal of a request, if any: it is addressed to a name that does not belong to this machine, as after DNS rebinding, or comes
    /// from a page of another origin, or from a page without the token.
    pub(super) fn refusal(&self, headers: &HeaderMap) -> Option<Refusal> {
        if self.is_loopback_only && !is_to_loopback(headers) {
            let message = "the control plane takes requests to a loopback address or localhost only";
            return Some(Refusal::forbidden("control-host", message));
        }
        headers.get(header::ORIGIN)?;
        if !is_of_own_page(headers) {
            let message = "the control plane takes no requests from web pages of other origins, and --allow-origin admits them to the \
                           nodes only: call it from a program";
            return Some(Refusal::forbidden(FOREIGN_PAGE, message));
        }
        let proof = text(headers, &CONSOLE_TOKEN).unwrap_or_default();
        let is_proven = bool::from(proof.as_bytes().ct_eq(self.page_token.as_bytes()));
        (!is_proven)
            .then(|| Refusal::forbidden("console-token", "x-console-token is not the token of this console"))
    }
}

fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name).map(|value| value.to_str().unwrap_or_default())
}

/// Whether a request is addressed to this machine's loopback; one without a `Host` header cannot come from a browser.
pub(super) fn is_to_loopback(headers: &HeaderMap) -> bool {
    let host = text(headers, &header::HOST);
    host.is_none_or(|host| host_of(host).is_some_and(|(host, _)| is_loopback(&host)))
}

/// Whether a request comes from a page of the origin to which it is addressed.
pub(super) fn is_of_own_page(headers: &HeaderMap) -> bool {
    let origin = text(headers, &header::ORIGIN).unwrap_or_default();
    let is_one = headers.get_all(header::ORIGIN).iter().count() == 1;
    let page = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
    is_one && page.is_some() && page == text(headers, &header::HOST)
}

/// Parses host and port without a scheme, as in a `Host` header (RFC 9110, section 7.2: `uri-host [ ":" port ]`). Unlike in the address bar
/// of a browser, an IPv4 address has four decimal numbers, and no text comes before the host or after the port.
pub(crate) fn host_of(authority: &str) -> Option<(Host<String>, u16)> {
    let (host, rest) = match authority.strip_prefix('[') {
        Some(rest) => {
            let (address, rest) = rest.split_once(']')?;
            (Host::Ipv6(address.parse().ok()?), rest)
        }
        None => {
            let (name, rest) = authority.split_at(authority.find(':').unwrap_or(authority.len()));
            let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~%!$&'()*+,;=".contains(&byte);
            if name.is_empty() || !name.bytes().all(is_name) {
                return None;
            }
            let address = name.parse().map(Host::Ipv4);
            (address.unwrap_or_else(|_| Host::Domain(name.to_ascii_lowercase())), rest)
        }
    };
    let port = match rest.strip_prefix(':') {
        None if rest.is_empty() => HTTP_PORT,
        Some("") => HTTP_PORT,
        Some(port) if port.bytes().all(|byte| byte.is_ascii_digit()) => port.parse().ok()?,
        _ => return None,
    };
    Some((host, port))
}

/// Whether the value of a `Host` header names a host.
pub(crate) fn names_host(value: &HeaderValue) -> bool {
    value.to_str().is_ok_and(|host| host_of(host).is_some())
}

/// The default port of HTTP.
const HTTP_PORT: u16 = 80;

/// Whether a host is this machine's loopback.
pub(crate) fn is_loopback(host: &Host<String>) -> bool {
    match host {
        Host::Ipv4(address) => address.is_loopback(),
        Host::Ipv6(address) => address.is_loopback(),
        // RFC 6761, section 6.3: names below `localhost` are this machine's too.
        Host::Domain(name) => name == "localhost" || name.ends_with(".localhost"),
    }
}

/// Answers a browser that asks whether a page of a public address may call this machine; the call itself is judged later.
pub(crate) fn permit_private_network(asked: &HeaderMap, answer: &mut HeaderMap) {
    const ASKED: HeaderName = HeaderName::from_static("access-control-request-private-network");
    const PERMITTED: HeaderName = HeaderName::from_static("access-control-allow-private-network");
    if asked.contains_key(ASKED) {
        answer.insert(PERMITTED, HeaderValue::from_static("true"));
    }
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderMap, HeaderName, HeaderValue};

    use super::Guard;

    fn cause(is_loopback_only: bool, headers: &[(&'static str, &'static str)]) -> Option<&'static str> {
        let headers = headers
            .iter()
            .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)));
        let guard = Guard { page_token: "secret".into(), is_loopback_only };
        guard.refusal(&headers.collect::<HeaderMap>()).map(|refusal| refusal.cause)
    }

    #[test]
    fn control_takes_its_own_pages_and_programs_only() {
        for host in ["127.0.0.1:4702", "localhost:1", "[::1]:4702", "LOCALHOST", "app.localhost:4702"] {
            assert_eq!(cause(true, &[("host", host)]), None, "{host}");
        }
        for host in [
            "evil.example:4702",
            "127.0.0.1.evil.example",
            "localhost.evil.example",
            "10.0.0.1",
            "a b",
            "",
            "user@127.0.0.1",
            "127.0.0.1#.evil",
            "127.0.0.1/.evil",
            "127.0.0.1:4702/",
            "127.1",
            "2130706433",
            "0x7f000001",
            "0177.0.0.1",
            "[::1",
            "[::1]x",
            "127.0.0.1:99999",
            "127.0.0.1:+1",
        ] {
            assert_eq!(cause(true, &[("host", host)]), Some("control-host"), "{host}");
        }
        let own = ("host", "127.0.0.1:4702");
        for origin in ["http://evil.example", "null", "http://127.0.0.1:4700", "127.0.0.1:4702", ""] {
            let proven = [own, ("origin", origin), ("x-console-token", "secret")];
            assert_eq!(cause(true, &proven), Some("control-origin"), "{origin}");
        }
        let page = ("origin", "http://127.0.0.1:4702");
        assert_eq!(cause(true, &[own, page]), Some("console-token"));
        assert_eq!(cause(true, &[own, page, ("x-console-token", "other")]), Some("console-token"));
        assert_eq!(cause(true, &[own, page, ("x-console-token", "secret")]), None);
        assert_eq!(cause(true, &[page, ("x-console-token", "secret")]), Some("control-origin"));
    }

    #[test]
    fn request_with_two_origins_is_refused() {
        let page = ("origin", "http://127.0.0.1:4702");
        let headers = [("host", "127.0.0.1:4702"), page, ("x-console-token", "secret")];
        assert_eq!(cause(true, &headers), None);
        let guard = Guard { page_token: "secret".into(), is_loopback_only: true };
        let mut headers: HeaderMap = headers
            .iter()
            .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)))
            .collect();
        headers.append("origin", HeaderValue::from_static("http://evil.example"));
        assert_eq!(guard.refusal(&headers).map(|refusal| refusal.cause), Some("control-origin"));
    }

    #[test]
    fn other_names_are_taken_where_a_bearer_token_is_demanded() {
        let other = ("host", "launch.example:4702");
        assert_eq!(cause(false, &[other]), None);
        let page = ("origin", "https://launch.example:4702");
        assert_eq!(cause(false, &[other, page, ("x-console-token", "secret")]), None);
        assert_eq!(cause(false, &[other, page]), Some("console-token"));
        let foreign = ("origin", "http://evil.example");
        assert_eq!(cause(false, &[other, foreign, ("x-console-token", "secret")]), Some("control-origin"));
    }
}
