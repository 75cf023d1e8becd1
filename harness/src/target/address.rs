//! Parses the address of a service from options and files.
use url::Url;

/// `None` if it is not the address of a web server.
pub(crate) fn address(text: &str) -> Option<Url> {
    Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
}
