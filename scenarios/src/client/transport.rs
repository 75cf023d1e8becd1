//! Errors of the HTTP transport: their root cause, and whether the peer has closed the connection.
use std::error::Error;
use std::fmt::Write as _;
use std::io::{self, ErrorKind};

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
