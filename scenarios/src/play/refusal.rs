//! Why a step did not do what it says.
use slipway_contracts::decode;

use super::file::FailsWith;
use super::player::Mismatch;
use crate::client::chain::RpcError;
use crate::client::message::Response;
use crate::model::verdict::{Inconclusive, Stop};

/// The end of a step that did not do what it says.
#[derive(Debug)]
pub(super) enum Halt {
    /// A contract, a service or a node refused it.
    Refused(Refusal),
    /// Something is not as it was expected.
    Differs(Mismatch),
    /// Nothing answers.
    Lost(Inconclusive),
}

/// A refusal, with everything by which a step can name it.
#[derive(Clone, Debug)]
pub(super) struct Refusal {
    /// The contract's error, or the cause in the journal.
    name: Option<String>,
    status: Option<u16>,
    /// In words.
    pub(super) text: String,
}

impl Refusal {
    /// That of a node, which tells what the contract reverted with.
    pub(super) fn of_node(error: &RpcError) -> Self {
        let revert = error.revert.as_deref().filter(|data| !data.is_empty());
        Self {
            name: revert.and_then(|data| decode::error(data)).map(|error| error.name),
            status: None,
            text: revert.map_or_else(|| error.to_string(), |data| decode::error_text(data)),
        }
    }

    /// A transaction that was mined and reverted.
    pub(super) fn mined(text: String) -> Self {
        Self { name: None, status: None, text }
    }

    /// An answer that broke off.
    pub(super) fn cut(reason: String) -> Self {
        Self { name: Some("cut".to_owned()), status: None, text: format!("cut: {reason}") }
    }

    /// That of a service or of the control plane, with the cause that a journal has.
    pub(super) fn of_answer(response: &Response, cause: Option<String>) -> Self {
        let told = response.json().and_then(|body| body["error"].as_str().map(str::to_owned));
        let words = [Some(response.code().to_string()), cause.clone(), told];
        Self {
            name: cause,
            status: Some(response.code()),
            text: words.into_iter().flatten().collect::<Vec<_>>().join(" "),
        }
    }

    /// Whether a step names it so.
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

/// What a target lacks ends a play, which cannot go on without it.
impl From<Stop> for Halt {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Inconclusive(error) => Self::Lost(error),
            Stop::Skipped(reason) => Self::Lost(Inconclusive::NoMaterial { reason }),
            Stop::Failed(failure) => Self::differs(failure.expected, failure.actual),
        }
    }
}
