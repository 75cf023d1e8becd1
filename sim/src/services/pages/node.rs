//! The URL of a node for a browser, and the resulting content security policy of the pages.
use std::fmt::Write as _;

use axum::http::header::{HOST, HeaderMap, HeaderValue};
use url::{Host, Url};

const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; form-action 'self'; \
                      base-uri 'none'; frame-ancestors 'none'; connect-src 'self'";

/// The URL of a node or service for the browser that made a request: with the host name that the browser used, if the platform listens on
/// every address of its machine.
pub(in crate::services) fn seen_by(url: &str, is_everywhere: bool, headers: &HeaderMap) -> String {
    let named = || {
        let mut url = Url::parse(url).ok()?;
        let host = headers.get(HOST)?.to_str().ok()?;
        let addressed = Url::parse(&format!("http://{host}/")).ok()?;
        let is_plain =
            |name: &str| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-.".contains(&byte));
        if let Host::Domain(name) = addressed.host()?
            && !is_plain(name)
        {
            return None;
        }
        url.set_host(addressed.host_str()).ok()?;
        Some(url.to_string())
    };
    is_everywhere.then(named).flatten().unwrap_or_else(|| url.to_owned())
}

/// The policy for what a page may load and connect to: this origin, and the nodes for balances and transactions.
pub(super) fn policy(nodes: impl Iterator<Item = String>) -> HeaderValue {
    let mut text = POLICY.to_owned();
    for url in nodes.filter_map(|node| Url::parse(&node).ok()) {
        write!(text, " {}", url.origin().ascii_serialization()).expect("memory takes every text");
    }
    HeaderValue::from_str(&text).unwrap_or(HeaderValue::from_static(POLICY))
}

#[cfg(test)]
mod tests {
    use axum::http::header::{HOST, HeaderMap, HeaderValue};

    use super::{policy, seen_by};

    const NODE: &str = "http://127.0.0.1:4703/";

    #[test]
    fn policy_permits_this_origin_and_the_nodes() {
        let value = policy([NODE, "nonsense"].map(str::to_owned).into_iter());
        let text = value.to_str().unwrap();
        assert!(text.ends_with("connect-src 'self' http://127.0.0.1:4703"), "{text}");
        assert!(text.starts_with("default-src 'none'; script-src 'self'; style-src 'self'"));
        assert!(!text.contains("unsafe"));
    }

    #[test]
    fn a_node_on_every_address_is_reached_as_the_page_was() {
        let asked = |is_everywhere, host: &'static str| {
            let headers = HeaderMap::from_iter([(HOST, HeaderValue::from_static(host))]);
            seen_by(NODE, is_everywhere, &headers)
        };
        assert_eq!(asked(true, "192.168.1.5:4700"), "http://192.168.1.5:4703/");
        assert_eq!(asked(true, "[fe80::1]:4700"), "http://[fe80::1]:4703/");
        assert_eq!(asked(true, "launch.example"), "http://launch.example:4703/");
        assert_eq!(asked(false, "launch.example"), NODE);
        for host in ["a;script-src", "a b", "a'", "", "*"] {
            assert_eq!(asked(true, host), NODE, "{host}");
        }
    }
}
