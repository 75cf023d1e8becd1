//! Reasons why a step did not succeed.
use slipway_contracts::decode;

use super::file::FailsWith;
use super::player::Mismatch;
use crate::client::chain::RpcError;
use crate::client::message::Response;
use crate::model::verdict::{Inconclusive, Stop};

/// Why a step ended without success.
#[derive(Debug)]
pub(super) enum Halt {
    /// A contract, a service or a node refused it.
    Refused(Refusal),
    /// A value differs from the expected one.
    Differs(Mismatch),
    /// The platform does not answer.
    Lost(Inconclusive),
}

/// A refusal, with every name by which a step can expect it.
#[derive(Clone, Debug)]
pub(super) struct Refusal {
    /// The contract's error, or the cause in the journal.
    name: Option<String>,
    status: Option<u16>,
    /// The refusal in words.
    pub(super) text: String,
}

impl Refusal {
    /// Creates the refusal of a node, with the revert data of the contract.
    pub(super) fn of_node(error: &RpcError) -> Self {
        let revert = error.revert.as_deref().filter(|data| !data.is_empty());
        Self {
            name: revert.and_then(|data| decode::error(data)).map(|error| error.name),
            status: None,
            text: revert.map_or_else(|| error.to_string(), |data| decode::error_text(data)),
        }
    }

    /// Creates the refusal of a transaction that was mined and reverted.
    pub(super) fn mined(text: String) -> Self {
        Self { name: None, status: None, text }
    }

    /// Creates the refusal of an answer that broke off.
    pub(super) fn cut(reason: String) -> Self {
        Self { name: Some("cut".to_owned()), status: None, text: format!("cut: {reason}") }
    }

    /// Creates the refusal of a service or the control plane, with the cause from the journal.
    pub(super) fn of_answer(response: &Response, cause: Option<String>) -> Self {
        let told = response.json().and_then(|body| body["error"].as_str().map(str::to_owned));
        let words = [Some(response.code().to_string()), cause.clone(), told];
        Self {
            name: cause,
            status: Some(response.code()),
            text: words.into_iter().flatten().collect::<Vec<_>>().join(" "),
        }
    }

    /// Whether a step expects this refusal by name or status.
    pub(super) fn is(&self, named: &FailsWith) -> bool {
        match named {
            FailsWith::Status(status) => self.status == Some(*status),
            FailsWith::Name(name) => self.name.as_ref() == Some(name),
        }
    }
}

impl Halt {
    pub(super) fn differs(expected: impl Into<String>, actual: impl Into<String>) -> Self {
        Self::Differs(Mismatch { expected: expected.into(), actual: actual.into() })
    }
}

impl From<Inconclusive> for Halt {
    fn from(error: Inconclusive) -> Self {
        Self::Lost(error)
    }
}

/// A missing part of the target ends a play, which cannot continue without it.
impl From<Stop> for Halt {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Inconclusive(error) => Self::Lost(error),
            Stop::Skipped(reason) => Self::Lost(Inconclusive::NoMaterial { reason }),
            Stop::Failed(failure) => Self::differs(failure.expected, failure.actual),
        }
    }
}
