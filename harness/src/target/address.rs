//! The address of a service, as options and files give it.
use url::Url;

/// None where it is no address of a web server.
pub(crate) fn address(text: &str) -> Option<Url> {
    Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
}
