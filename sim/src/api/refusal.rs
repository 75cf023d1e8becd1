//! Reasons why a request is refused, independent of the protocol; each service maps them to its own status codes.
use alloy::transports::TransportError;
use slipway_contracts::decode::Named;

use crate::chain::ChainError;
use crate::engine::{EngineError, ExportFileError};
use crate::store::{RateLimitStatus, RateLimited, StoreError};

/// Message of the refusal while the store cannot be reached.
pub(crate) const STORE_OUT_OF_REACH: &str = "the store is out of reach";

/// Longest excerpt of a node's error, in characters.
const LONGEST_SAID: usize = 300;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    /// The input is malformed or out of its bounds.
    BadInput,
    /// A credential is missing or wrong.
    Unauthenticated,
    /// The caller may not do this.
    Forbidden,
    /// The requested item does not exist.
    NotFound,
    /// The method is not allowed for this target.
    WrongMethod,
    /// The input took too long to arrive.
    TooSlow,
    /// The request conflicts with the current state.
    Conflict,
    /// The item existed but is gone.
    Gone,
    TooLarge,
    TargetTooLong,
    UnsupportedMedia,
    RateLimited,
    /// The platform cannot answer, although the request is valid.
    Internal,
    /// A part of the platform that the answer needs is unavailable.
    Unavailable,
}

/// A refusal of a query or a command.
///
/// `cause` is the stable, kebab-case id of the rule that refused (`list-page`, `batch-max`); it goes to the journal of
/// the control plane, so that a negative check can tell the right reason from a coincidental status.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message} ({cause})")]
pub(crate) struct Refusal {
    pub reason: Reason,
    pub cause: &'static str,
    /// One sentence for the caller; never a secret, a path of the host, or a trace.
    pub message: String,
    /// Details, for instance the refused value.
    pub details: Option<String>,
    /// Seconds until the same request may succeed.
    pub retry_after: Option<u64>,
    pub rate_limit: Option<RateLimitStatus>,
    /// The error of the contract that refused.
    pub revert: Option<Box<Named>>,
}

impl Refusal {
    pub(crate) fn new(reason: Reason, cause: &'static str, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { reason, cause, message, details: None, retry_after: None, rate_limit: None, revert: None }
    }

    /// The input is malformed or out of its bounds.
    pub(crate) fn bad_input(cause: &'static str, message: impl Into<String>) -> Self {
        Self::new(Reason::BadInput, cause, message)
    }

    /// A credential is missing or wrong.
    pub(crate) fn unauthenticated(cause: &'static str, message: impl Into<String>) -> Self {
        Self::new(Reason::Unauthenticated, cause, message)
    }

    /// The caller may not do this.
    pub(crate) fn forbidden(cause: &'static str, message: impl Into<String>) -> Self {
        Self::new(Reason::Forbidden, cause, message)
    }

    /// The request conflicts with the current state.
    pub(crate) fn conflict(cause: &'static str, message: impl Into<String>) -> Self {
        Self::new(Reason::Conflict, cause, message)
    }

    /// The requested item does not exist.
    pub(crate) fn not_found(cause: &'static str, message: impl Into<String>) -> Self {
        Self::new(Reason::NotFound, cause, message)
    }

    pub(crate) fn too_large(cause: &'static str, message: impl Into<String>) -> Self {
        Self::new(Reason::TooLarge, cause, message)
    }

    pub(crate) fn unsupported_media(cause: &'static str, message: impl Into<String>) -> Self {
        Self::new(Reason::UnsupportedMedia, cause, message)
    }

    /// The platform cannot answer, although the request is valid.
    pub(crate) fn internal(cause: &'static str, message: impl Into<String>) -> Self {
        Self::new(Reason::Internal, cause, message)
    }

    /// A part of the platform that the answer needs is unavailable.
    pub(crate) fn unavailable(cause: &'static str, message: impl Into<String>) -> Self {
        Self::new(Reason::Unavailable, cause, message)
    }

    /// The node of a chain did not respond, or responded with an error.
    pub(crate) fn of_chain(error: &ChainError) -> Self {
        let refusal = Self::of_node(error.chain_id(), error.refusal());
        match error {
            ChainError::Silent { .. } => refusal.with_details(error.to_string()),
            _ => refusal,
        }
    }

    /// The same, of a call to the node of this chain.
    pub(crate) fn of_call(chain_id: u64, error: &TransportError) -> Self {
        Self::of_node(chain_id, error.as_error_resp().map(|answer| answer.message.to_string()))
    }

    /// With the error of the node, if it responded.
    pub(crate) fn of_node(chain_id: u64, said: Option<String>) -> Self {
        match said {
            Some(said) => Self::internal("node-error", format!("the node of chain {chain_id} fails"))
                .with_details(said.chars().take(LONGEST_SAID).collect::<String>()),
            None => Self::unavailable("chain-out-of-reach", format!("chain {chain_id} is out of reach")),
        }
    }

    #[must_use]
    pub(crate) fn with_details(mut self, details: impl Into<String>) -> Self {
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

/// The rule becomes the cause.
impl From<RateLimited> for Refusal {
    fn from(limited: RateLimited) -> Self {
        Self {
            retry_after: Some(limited.retry_after),
            rate_limit: Some(limited.status),
            ..Self::new(Reason::RateLimited, limited.rule, "too many requests")
        }
    }
}

impl From<EngineError> for Refusal {
    fn from(error: EngineError) -> Self {
        let message = error.to_string();
        match error {
            EngineError::BackwardTime { .. } => Self::bad_input("clock-backward", message),
            EngineError::BeyondTime(_) => Self::bad_input("clock-range", message),
            EngineError::UnknownCheckpoint(_) => Self::not_found("checkpoint-unknown", message),
            EngineError::DiscardedCheckpoint(_) => Self::not_found("checkpoint-discarded", message),
            EngineError::ImportedCheckpoint(_) => Self::new(Reason::Gone, "checkpoint-imported", message),
            EngineError::OvertakenCheckpoint(_) => Self::new(Reason::Gone, "checkpoint-overtaken", message),
            EngineError::Returned => Self::unavailable("returned", message),
            EngineError::Restless => Self::unavailable("chain-restless", message),
            EngineError::Unfinished(_) | EngineError::Slow { .. } => {
                Self::unavailable("order-unfinished", message)
            }
            EngineError::UnknownChain(_) => Self::bad_input("control-chain", message),
            EngineError::UnknownHook { .. } => Self::bad_input("control-hook", message),
            EngineError::Refused { error, .. } | EngineError::Reverted { error, .. } => {
                Self { revert: error, ..Self::conflict("contract-refuses", message) }
            }
            EngineError::Waits { .. } => Self::conflict("transaction-waits", message),
            EngineError::UnknownAccount(_) => Self::bad_input("control-account", message),
            EngineError::AmountTooLarge => Self::bad_input("amount-range", message),
            EngineError::NotLaunched(_) => Self::internal("not-launched", message),
            EngineError::Chain(error) => {
                tracing::warn!(%error, "a request failed at a node");
                Self::of_chain(&error)
            }
            EngineError::Store(error) => error.into(),
            EngineError::Unkept(_) | EngineError::Unusable(_) => {
                tracing::error!(%error, "the state of the chains is not kept");
                Self::unavailable("state", message)
            }
        }
    }
}

impl From<ExportFileError> for Refusal {
    fn from(error: ExportFileError) -> Self {
        match error {
            ExportFileError::Engine(error) => error.into(),
            ExportFileError::NoFile | ExportFileError::NoFolder | ExportFileError::NotRegular(_) => {
                Self::bad_input("export-file", error.to_string())
            }
            ExportFileError::File { .. } => Self::conflict("export-file", error.to_string()),
        }
    }
}
