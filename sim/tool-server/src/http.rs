//! One HTTP exchange with a limit on time and size, without redirects and proxies.
use std::time::Duration;

use reqwest::{Client, RequestBuilder, redirect};
use serde_json::Value;
use url::Url;

/// Limits on one exchange.
///
/// Clause: MCP-RECENT-BOUNDS
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Time limit from the request to the end of the response.
    pub(crate) timeout: Duration,
    /// Largest response body, in bytes.
    pub(crate) max_body: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { timeout: Duration::from_secs(10), max_body: 1024 * 1024 }
    }
}

/// The reason why an exchange returned no JSON.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ExchangeError {
    #[error("no connection")]
    Unreachable,
    #[error("the connection broke before the end of the response")]
    Interrupted,
    #[error("no response within {limit:?}")]
    TimedOut { limit: Duration },
    #[error("the response has status {status}")]
    Status { status: u16 },
    #[error("the response is larger than {bytes} bytes")]
    TooLarge { bytes: usize },
    #[error("the response is not JSON")]
    NotJson,
    #[error("this machine has no root certificates to verify it with")]
    NoCertificates,
}

impl ExchangeError {
    /// Whether the request certainly never reached the other side.
    pub(crate) fn was_never_sent(&self) -> bool {
        matches!(self, Self::Unreachable | Self::NoCertificates)
    }
}

/// A client for one host that keeps one connection open between requests.
pub(crate) fn client(url: &Url) -> Result<Client, ExchangeError> {
    slipway_contracts::http_client(url)
        .redirect(redirect::Policy::none())
        .http1_only()
        .pool_max_idle_per_host(1)
        .connect_timeout(Duration::from_secs(5))
        .user_agent(concat!("slipway/", env!("CARGO_PKG_VERSION")))
        .build()
        .map_err(|_| ExchangeError::NoCertificates)
}

/// Sends a request and reads its JSON response; with `any_status`, even of an error status.
pub(crate) async fn exchange(
    request: RequestBuilder,
    any_status: bool,
    limits: Limits,
) -> Result<Value, ExchangeError> {
    let limit = limits.timeout;
    let exchange = tokio::time::timeout(limit, send(request, any_status, limits.max_body));
    exchange.await.unwrap_or(Err(ExchangeError::TimedOut { limit }))
}

async fn send(request: RequestBuilder, any_status: bool, max_body: usize) -> Result<Value, ExchangeError> {
    let mut response = request.send().await.map_err(|error| {
        if error.is_connect() { ExchangeError::Unreachable } else { ExchangeError::Interrupted }
    })?;
    let status = response.status();
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|_| ExchangeError::Interrupted)? {
        if body.len() + chunk.len() > max_body {
            return Err(ExchangeError::TooLarge { bytes: max_body });
        }
        body.extend_from_slice(&chunk);
    }
    let failed = ExchangeError::Status { status: status.as_u16() };
    if !status.is_success() && !any_status {
        return Err(failed);
    }
    serde_json::from_slice(&body).map_err(
        |_| {
            if status.is_success() { ExchangeError::NotJson } else { failed }
        },
    )
}
