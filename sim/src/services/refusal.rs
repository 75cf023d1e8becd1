//! Refusals in HTTP: the status of each kind, and the body.
use axum::http::StatusCode;
use axum::http::header::{self, HeaderValue};
use axum::response::{IntoResponse, Response};
use slipway_contracts::decode::Named;

use super::http::{Cause, insert_rate_limit_headers, json_bytes};
use crate::api::refusal::{Reason, Refusal};

/// The body of a refusal on the wire.
#[derive(Debug, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Refusal")]
pub(crate) struct RefusalBody<'a> {
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
    /// The contract's error; only the control plane lets a contract refuse, and only its document describes this member.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    revert: Option<&'a Named>,
}

pub(crate) fn status(reason: Reason) -> u16 {
    match reason {
        Reason::BadInput => 400,
        Reason::Unauthenticated => 401,
        Reason::Forbidden => 403,
        Reason::NotFound => 404,
        Reason::WrongMethod => 405,
        Reason::TooSlow => 408,
        Reason::Conflict => 409,
        Reason::Gone => 410,
        Reason::TooLarge => 413,
        Reason::TargetTooLong => 414,
        Reason::UnsupportedMedia => 415,
        Reason::RateLimited => 429,
        Reason::Internal => 500,
        Reason::Unavailable => 503,
    }
}

/// The status of an answer with this number.
pub(crate) fn status_code(status: u16) -> StatusCode {
    StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

impl<'a> RefusalBody<'a> {
    pub(crate) fn new(refusal: &'a Refusal, status: u16) -> Self {
        Self {
            error: &refusal.message,
            details: refusal.details.as_deref(),
            status,
            retry_after: refusal.retry_after,
            revert: refusal.revert.as_deref(),
        }
    }
}

/// Builds the response of a refusal with this status.
///
/// Clause: SVC-ERR
pub(crate) fn refused(refusal: &Refusal, status: u16) -> Response {
    let body = serde_json::to_vec(&RefusalBody::new(refusal, status));
    let mut response = json_bytes(status_code(status), body.expect("texts and numbers are always written"));
    if let Some(seconds) = refusal.retry_after {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    if let Some(status) = refusal.rate_limit {
        insert_rate_limit_headers(response.headers_mut(), status);
    }
    response.extensions_mut().insert(Cause(refusal.cause));
    response
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        refused(&self, status(self.reason))
    }
}
