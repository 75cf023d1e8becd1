//! Reasons why the engine refuses or fails a request.
use alloy::primitives::{Address, B256};
use slipway_contracts::decode::Named;

use crate::cache::CacheError;
use crate::chain::ChainError;
use crate::clock::LATEST_TIME;
use crate::indexer::IndexError;
use crate::store::StoreError;

/// The engine could not execute a request.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    #[error(transparent)]
    Chain(#[from] ChainError),
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The state of the chains could not be kept in the folder.
    #[error(transparent)]
    Unkept(#[from] CacheError),
    /// A node returned no valid state.
    #[error("a node returned an invalid state of its chain: {0}")]
    Unusable(String),
    /// Time cannot go backward.
    #[error("the clock shows {now} and cannot go back to {requested}")]
    BackwardTime {
        /// The clock's time, Unix seconds.
        now: u64,
        requested: u64,
    },
    #[error("the clock shows {0} and goes on to {LATEST_TIME} at most")]
    BeyondTime(u64),
    /// No checkpoint ever had this id.
    #[error("no checkpoint has the id {0}")]
    UnknownCheckpoint(u64),
    /// The checkpoint no longer exists.
    #[error(
        "checkpoint {0} was discarded: on request, by a revert to an earlier one, or as the oldest of more than 64 without a name"
    )]
    DiscardedCheckpoint(u64),
    /// The checkpoint belongs to the imported platform: only its id and time are known.
    #[error(
        "checkpoint {0} cannot be reverted to: it was made before an export, or before the state in the folder was last rewritten"
    )]
    ImportedCheckpoint(u64),
    /// A caller of a node has gone back behind a checkpoint.
    #[error("checkpoint {0} is gone: a caller of a node took the chain back behind it")]
    OvertakenCheckpoint(u64),
    /// Another process has gone back to a checkpoint during a write.
    #[error("the platform has gone back to a checkpoint meanwhile: try again")]
    Returned,
    /// A node mined a block at every attempt to capture the state of the chains.
    #[error("the state of the chains cannot be captured: a node mined a block during every attempt")]
    Restless,
    /// The order took longer than its caller waits.
    #[error(
        "{silent}the order is taking too long: GET /_sim/ready returns 200 once it is completed or undone"
    )]
    Slow {
        /// The chains whose nodes do not respond, in words.
        silent: String,
    },
    /// A previous order was completed on some parts only.
    #[error("{0}")]
    Unfinished(String),
    #[error("the platform has no chain {0}")]
    UnknownChain(u64),
    #[error("hook: chain {chain_id} has no launch hook at {hook}")]
    UnknownHook { chain_id: u64, hook: Address },
    #[error("the {} refuses: {reason}", if error.is_some() { "contract" } else { "node" })]
    Refused {
        /// The reason, in words.
        reason: String,
        /// The contract's error, if it is known.
        error: Option<Box<Named>>,
    },
    /// The node mines only when it is told to.
    #[error(
        "transaction {transaction} waits: the node of chain {chain_id} has not mined it in time, and mines when told to (evm_mine)"
    )]
    Waits { chain_id: u64, transaction: B256 },
    #[error("account: no funded account has the address {0}")]
    UnknownAccount(Address),
    #[error("the amount is larger than the contracts accept")]
    AmountTooLarge,
    /// A launch succeeded, but its logs contain no token.
    #[error("the hook of chain {0} answered a launch without a token")]
    NotLaunched(u64),
    /// A transaction was mined, and the contract reverted it.
    #[error("transaction {transaction} was mined on chain {chain_id} and reverted: {reason}")]
    Reverted {
        chain_id: u64,
        transaction: B256,
        /// The reason, in words.
        reason: String,
        /// The contract's error, if it is known.
        error: Option<Box<Named>>,
    },
}

impl From<IndexError> for EngineError {
    fn from(error: IndexError) -> Self {
        match error {
            IndexError::Chain(error) => error.into(),
            IndexError::Store(error) => error.into(),
            torn @ IndexError::Torn(_) => Self::Unfinished(torn.to_string()),
        }
    }
}

impl EngineError {
    /// The contract's error if it is known, otherwise the node's message.
    pub(super) fn refused(error: Option<Named>, message: impl FnOnce() -> String) -> Self {
        let reason = error.as_ref().map_or_else(message, Named::to_string);
        Self::Refused { reason, error: error.map(Box::new) }
    }
}

#[cfg(test)]
mod tests {
    use alloy::sol_types::{Revert, SolError as _};
    use slipway_contracts::decode;

    use super::EngineError;

    #[test]
    fn who_refuses_is_named() {
        let by_contract = decode::error(&Revert::from("closed").abi_encode());
        let said = || "Insufficient funds for gas * price + value".to_owned();
        for (error, told) in [
            (by_contract, "the contract refuses: Error(reason: closed)"),
            (None, "the node refuses: Insufficient funds for gas * price + value"),
        ] {
            assert_eq!(EngineError::refused(error, said).to_string(), told);
        }
    }
}
