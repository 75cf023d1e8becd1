//! Why a request is not served: the wire form's content plus a cause id that never reaches the wire.
use crate::store::{RateLimitStatus, RateLimited, StoreError};

/// Message of the refusal while the store cannot be reached.
pub const STORE_OUT_OF_REACH: &str = "the store is out of reach";

/// A refusal of a query or a command.
///
/// `cause` names the rule that refused, stable and kebab-case (`list-page`, `batch-max`); it goes to the journal of
/// the control plane, so that a negative check distinguishes the right reason from a lucky status.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message} ({cause})")]
pub struct Refusal {
    /// HTTP-like status, 400 to 599.
    pub status: u16,
    /// Which rule refused.
    pub cause: &'static str,
    /// One sentence for the caller; never a secret, a path of the host, or a trace.
    pub message: String,
    /// More words, for instance the value that was refused.
    pub details: Option<String>,
    /// Seconds until the same request may pass.
    pub retry_after: Option<u64>,
    /// State of the rate limit that refused.
    pub rate_limit: Option<RateLimitStatus>,
}

/// The body of a refusal on the wire.
#[derive(Debug, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Refusal")]
pub struct RefusalBody<'a> {
    /// One sentence for a person.
    error: &'a str,
    /// More words, for instance the value that was refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    details: Option<&'a str>,
    /// The status of the answer.
    #[schemars(range(min = 400, max = 599))]
    status: u16,
    /// Seconds until the same request may pass; with 429.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u64")]
    retry_after: Option<u64>,
}

impl Refusal {
    /// Its body on the wire.
    #[must_use]
    pub fn body(&self) -> RefusalBody<'_> {
        RefusalBody {
            error: &self.message,
            details: self.details.as_deref(),
            status: self.status,
            retry_after: self.retry_after,
        }
    }

    /// A refusal with this status.
    pub fn new(status: u16, cause: &'static str, message: impl Into<String>) -> Self {
        Self { status, cause, message: message.into(), details: None, retry_after: None, rate_limit: None }
    }

    /// 400: the input is malformed or out of its bounds.
    pub fn bad_input(cause: &'static str, message: impl Into<String>) -> Self {
        Self::new(400, cause, message)
    }

    /// 404: nothing of that name exists.
    pub fn not_found(cause: &'static str, message: impl Into<String>) -> Self {
        Self::new(404, cause, message)
    }

    /// 413: the body is over its limit.
    pub fn too_large(cause: &'static str, message: impl Into<String>) -> Self {
        Self::new(413, cause, message)
    }

    /// 415: the body has another media type than the one that is read here.
    pub fn unsupported_media(cause: &'static str, message: impl Into<String>) -> Self {
        Self::new(415, cause, message)
    }

    /// 500: the platform cannot answer although the request is well formed.
    pub fn internal(cause: &'static str, message: impl Into<String>) -> Self {
        Self::new(500, cause, message)
    }

    /// 503: a part that the answer needs is out of reach.
    pub fn unavailable(cause: &'static str, message: impl Into<String>) -> Self {
        Self::new(503, cause, message)
    }

    /// 503: a node failed or did not answer.
    pub fn chain_out_of_reach() -> Self {
        Self::unavailable("chain-out-of-reach", "a chain is out of reach")
    }

    /// The same refusal with more words.
    #[must_use]
    pub fn with_details(mut self, details: impl Into<String>) -> Self {
        self.details = Some(details.into());
        self
    }
}

impl From<StoreError> for Refusal {
    fn from(error: StoreError) -> Self {
        tracing::error!(error = %error, source = ?std::error::Error::source(&error), "the store failed");
        Self::unavailable("store-out-of-reach", STORE_OUT_OF_REACH)
    }
}

/// 429, with the rule as the cause.
impl From<RateLimited> for Refusal {
    fn from(limited: RateLimited) -> Self {
        Self {
            retry_after: Some(limited.retry_after),
            rate_limit: Some(limited.status),
            ..Self::new(429, limited.rule, "too many requests")
        }
    }
}
