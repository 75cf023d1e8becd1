//! What a transaction needs to know of the chain: whether it would pass, for how much gas, at which price.
use std::fmt;

use alloy::primitives::{Address, Bytes, U256};
use futures::future::BoxFuture;

/// A call as it would be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SwapCall {
    /// Who sends it.
    pub from: Address,
    /// The router.
    pub to: Address,
    /// Calldata.
    pub data: Bytes,
    /// Native coin sent along, in wei.
    pub value: U256,
}

/// Why the chain gave no figure.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GasError {
    /// The call would fail.
    #[error("the call would fail: {reason}")]
    WouldFail {
        /// In the node's words.
        reason: String,
    },
    /// The chain does not answer.
    #[error("the chain does not answer")]
    OutOfReach,
}

/// The chain's side of a transaction.
pub trait GasOracle: fmt::Debug + Send + Sync {
    /// Gas the call would use in the next block.
    fn estimate_gas(&self, call: SwapCall) -> BoxFuture<'_, Result<u64, GasError>>;

    /// Wei per gas that the chain asks for now.
    fn gas_price(&self) -> BoxFuture<'_, Result<u128, GasError>>;
}
