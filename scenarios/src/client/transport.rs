//! The HTTP transport: its clients, the root causes of its errors, and whether the peer has closed the connection.
use std::error::Error;
use std::fmt::Write as _;
use std::io::{self, ErrorKind};
use std::time::Duration;

use reqwest::header::{ACCEPT_ENCODING, HeaderMap, HeaderValue};
use url::Url;

use crate::model::verdict::Inconclusive;

/// The longest that a target may take for one request, from the connection to the last byte.
pub(super) const PATIENCE: Duration = Duration::from_secs(30);
/// Most redirects of one request.
const REDIRECTS: usize = 5;

/// Builds a client that takes bodies as they are: one that names no coding could get any (RFC 9110 §12.5.3).
pub(super) fn client(
    kept: impl FnOnce(reqwest::ClientBuilder) -> reqwest::ClientBuilder,
) -> Result<reqwest::Client, Inconclusive> {
    let identity = (ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    kept(reqwest::Client::builder())
        .redirect(reqwest::redirect::Policy::custom(follow_within_origin))
        .timeout(PATIENCE)
        .no_proxy()
        .default_headers(HeaderMap::from_iter([identity]))
        .build()
        .map_err(|error| Inconclusive::Harness { reason: format!("no HTTP client: {error}") })
}

/// Follows redirects only within the original origin, so that no credential leaves it.
fn follow_within_origin(attempt: reqwest::redirect::Attempt<'_>) -> reqwest::redirect::Action {
    let asked = attempt.previous().first().map(Url::origin);
    if attempt.previous().len() <= REDIRECTS && asked == Some(attempt.url().origin()) {
        attempt.follow()
    } else {
        attempt.stop()
    }
}

fn root(error: &reqwest::Error) -> &(dyn Error + 'static) {
    let mut cause: &(dyn Error + 'static) = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause
}

/// Returns the root cause of an error that prevented a connection.
pub(super) fn innermost(error: &reqwest::Error) -> String {
    let cause = root(error).to_string();
    if cause.contains(NO_TLS) {
        "it answers without TLS; give http:// in place of https://".to_owned()
    } else {
        cause
    }
}

/// What the TLS library says of an answer that is none of TLS.
const NO_TLS: &str = "InvalidContentType";

/// Whether the peer closed the connection instead of an answer.
pub(super) fn is_dropped(error: &reqwest::Error) -> bool {
    let cause = root(error);
    let is_reset = cause
        .downcast_ref::<io::Error>()
        .is_some_and(|error| matches!(error.kind(), ErrorKind::ConnectionReset | ErrorKind::BrokenPipe));
    error.is_request() && (is_reset || cause.to_string() == "connection closed before message completed")
}

/// Returns an error with its causes.
pub(super) fn describe(error: &reqwest::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let _ = write!(text, ": {cause}");
        source = cause.source();
    }
    text
}
