//! Decides who may call a node: on this machine, programs, pages, extensions and pages that the user names; from other machines the token
//! decides.
use axum::http::header::{self, HeaderMap, HeaderValue};
use url::Host;

use crate::api::proof::is_secret;
use crate::services::control::shown_token;
use crate::services::guard::{host_of, is_loopback};

/// URL schemes of browser extensions, such as wallets. Only the user of the browser installs extensions, and no page gets such an origin.
const EXTENSIONS: [&str; 3] = ["chrome-extension://", "moz-extension://", "safari-web-extension://"];

/// The callers of a node, and their methods.
#[derive(Clone, Debug)]
pub(in crate::platform) struct Access {
    /// Origins whose pages may call, in the browser's spelling.
    pub(in crate::platform) origins: Vec<String>,
    /// Port of the platform's own pages, which are on the same host as the node.
    pub(in crate::platform) page_port: u16,
    /// Whether other machines can reach the node; then callers without the token have only the methods of a public node.
    pub(in crate::platform) is_public: bool,
    pub(in crate::platform) token: Option<String>,
}

impl Access {
    /// Whether the calling page or extension, if there is one, may call: a named origin, the platform's own pages, and while only this
    /// machine reaches the node, every page and extension of this machine.
    pub(super) fn admits(&self, headers: &HeaderMap) -> bool {
        let mut origins = headers.get_all(header::ORIGIN).iter();
        let (Some(origin), None) = (origins.next(), origins.next()) else {
            return !headers.contains_key(header::ORIGIN);
        };
        let Ok(origin) = origin.to_str() else {
            return false;
        };
        let host = headers.get(header::HOST);
        self.origins.iter().any(|named| named == origin)
            || self.is_own_page(origin, host).unwrap_or(false)
            || !self.is_public && is_local(origin) && is_addressed_here(host)
    }

    fn is_own_page(&self, origin: &str, host: Option<&HeaderValue>) -> Option<bool> {
        let page = origin.strip_prefix("http://")?;
        let (page, node) = (host_of(page)?, host_of(host?.to_str().ok()?)?);
        let is_same = page.0 == node.0 || (is_loopback(&page.0) && is_loopback(&node.0));
        // Others can point a domain name at this machine after the browser has loaded their page.
        let is_certain = self.is_public || !matches!(page.0, Host::Domain(_)) || is_loopback(&page.0);
        Some(page.1 == self.page_port && is_same && is_certain)
    }

    /// Whether a caller may use every method of the node.
    pub(super) fn trusts(&self, headers: &HeaderMap) -> bool {
        let shown = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        let shown = shown.and_then(shown_token);
        let is_shown = |token: &String| shown.as_ref().is_some_and(|shown| is_secret(shown, token));
        !self.is_public || self.token.as_ref().is_some_and(is_shown)
    }
}

/// Whether an origin belongs to an extension or to a page served by this machine.
fn is_local(origin: &str) -> bool {
    let page = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
    let is_page = page.and_then(host_of).is_some_and(|(host, _)| is_loopback(&host));
    is_page || EXTENSIONS.iter().any(|scheme| origin.strip_prefix(scheme).is_some_and(|id| !id.is_empty()))
}

/// Whether the `Host` header names this machine's loopback, as in every call that no other machine has forwarded.
fn is_addressed_here(host: Option<&HeaderValue>) -> bool {
    let host = host.and_then(|host| host_of(host.to_str().ok()?));
    host.is_some_and(|(host, _)| is_loopback(&host))
}

#[cfg(test)]
mod tests {
    use axum::http::header::{HOST, ORIGIN};
    use axum::http::{HeaderMap, HeaderValue};

    use super::Access;

    const NODE: &str = "127.0.0.1:4703";
    const EXTENSION: &str = "chrome-extension://nkbihfbeogaeaoehlefnkodbefgpgknn";

    fn admits(is_public: bool, origins: &[&'static str], host: &'static str) -> bool {
        let named = vec!["https://named.example".to_owned()];
        let access = Access { origins: named, page_port: 4700, is_public, token: None };
        let mut headers = HeaderMap::from_iter([(HOST, HeaderValue::from_static(host))]);
        for origin in origins {
            headers.append(ORIGIN, HeaderValue::from_static(origin));
        }
        access.admits(&headers)
    }

    #[test]
    fn programs_and_pages_of_this_machine_and_named_pages_are_admitted() {
        assert!(admits(false, &[], NODE));
        for (origin, host) in [
            ("http://127.0.0.1:4700", NODE),
            ("http://localhost:4700", NODE),
            ("http://127.0.0.1:4700", "[::1]:4703"),
            ("http://localhost:5173", NODE),
            ("https://localhost:5173", NODE),
            ("http://localhost", NODE),
            ("http://127.9.9.9:1", NODE),
            ("https://[::1]:3000", NODE),
            ("http://my-app.localhost:3000", "localhost:4703"),
            (EXTENSION, NODE),
            ("moz-extension://fb6f9b2d-51b4-4e2c-9d6c-8b6f5a7a7f3e", NODE),
            ("safari-web-extension://A1B2C3D4-0000-0000-0000-000000000000", NODE),
            ("https://named.example", "anything"),
        ] {
            assert!(admits(false, &[origin], host), "{origin}");
        }
    }

    #[test]
    fn other_pages_and_names_of_others_are_not_admitted() {
        for (origin, host) in [
            ("http://named.example", NODE),
            ("http://192.168.1.5:4700", NODE),
            ("http://localhost.evil.example", NODE),
            ("http://127.0.0.1.evil.example:5173", NODE),
            ("http://evillocalhost:5173", NODE),
            ("http://127.1:5173", NODE),
            ("http://evil.example#@localhost", NODE),
            ("http://localhost@evil.example", NODE),
            ("ftp://localhost:5173", NODE),
            ("chrome-extension://", NODE),
            ("web-extension://abc", NODE),
            // A domain name that was pointed at this machine.
            ("http://evil.example:4700", "evil.example:4703"),
            ("http://localhost:5173", "evil.example:4703"),
            (EXTENSION, "evil.example:4703"),
            ("null", NODE),
            ("", NODE),
        ] {
            assert!(!admits(false, &[origin], host), "{origin} {host}");
        }
        assert!(!admits(false, &["http://localhost:5173", "http://evil.example"], NODE));
    }

    #[test]
    fn beyond_this_machine_only_own_and_named_pages_are_admitted() {
        for (origin, host) in [
            ("http://192.168.1.5:4700", "192.168.1.5:4703"),
            ("http://build.example:4700", "build.example:4703"),
            ("https://named.example", "build.example:4703"),
        ] {
            assert!(admits(true, &[origin], host), "{origin}");
        }
        for origin in ["http://other.example:4700", "http://localhost:5173", EXTENSION] {
            assert!(!admits(true, &[origin], "build.example:4703"), "{origin}");
            assert!(!admits(true, &[origin], NODE), "{origin}");
        }
    }
}
