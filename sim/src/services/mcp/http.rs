//! One bounded HTTP exchange: no redirects, no proxies, a limit on time and on size.
use std::time::Duration;

use reqwest::{Client, RequestBuilder, redirect};
use serde_json::Value;
use url::Url;

/// What an exchange may cost at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bounds {
    /// Longest it may take.
    pub(crate) wait: Duration,
    /// Largest body read, in bytes.
    pub(crate) largest_body: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { wait: Duration::from_secs(10), largest_body: 1024 * 1024 }
    }
}

/// Why an exchange gave no JSON.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ExchangeError {
    #[error("it cannot be reached")]
    Unreachable,
    #[error("it broke off in the middle of an answer")]
    Interrupted,
    #[error("it did not answer within {seconds} seconds")]
    TimedOut { seconds: u64 },
    #[error("it answered with status {status}")]
    Status { status: u16 },
    #[error("its answer is larger than {bytes} bytes")]
    TooLarge { bytes: usize },
    #[error("its answer is not JSON")]
    NotJson,
    #[error("this machine has no root certificates to check it by")]
    NoCertificates,
}

impl ExchangeError {
    /// Whether nothing can have reached the other side.
    pub(crate) fn was_never_sent(&self) -> bool {
        matches!(self, Self::Unreachable | Self::NoCertificates)
    }
}

/// A client for one address, with one connection that is kept between requests.
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

/// Sends a request and reads its JSON answer, whatever its status when `any_status` is set.
pub(crate) async fn exchange(
    request: RequestBuilder,
    any_status: bool,
    bounds: Bounds,
) -> Result<Value, ExchangeError> {
    let seconds = bounds.wait.as_secs();
    tokio::time::timeout(bounds.wait, unhurried(request, any_status, bounds.largest_body))
        .await
        .unwrap_or(Err(ExchangeError::TimedOut { seconds }))
}

async fn unhurried(
    request: RequestBuilder,
    any_status: bool,
    largest_body: usize,
) -> Result<Value, ExchangeError> {
    let mut response = request.send().await.map_err(|error| {
        if error.is_connect() { ExchangeError::Unreachable } else { ExchangeError::Interrupted }
    })?;
    let status = response.status();
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|_| ExchangeError::Interrupted)? {
        if body.len() + chunk.len() > largest_body {
            return Err(ExchangeError::TooLarge { bytes: largest_body });
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
