//! Errors of a node. Leaves out contract failures.

use std::io;

use alloy::transports::{RpcError, TransportErrorKind};

use crate::ChainId;

/// How a node's process exited.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the node of chain {chain} ended ({status}); its last output:\n{}", last_output.join("\n"))]
pub struct NodeExit {
    /// The chain it served.
    pub chain: ChainId,
    /// Exit code or signal.
    pub status: String,
    /// The last lines it wrote.
    pub last_output: Vec<String>,
}

/// Why a node cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum NodeError {
    /// The watchdog of anvil could not be started.
    #[error("the node of chain {chain} could not be started: {source}")]
    NotStarted {
        /// The chain of the node.
        chain: ChainId,
        /// The system's error.
        source: io::Error,
    },
    /// The process exited.
    #[error(transparent)]
    Exited(#[from] NodeExit),
    /// The process did not start to listen in time.
    #[error("the node of chain {chain} was not ready after {seconds} seconds; its last output:\n{}", last_output.join("\n"))]
    StartTimeout {
        /// The chain of the node.
        chain: ChainId,
        /// How long the start waited.
        seconds: u64,
        /// The last lines it wrote.
        last_output: Vec<String>,
    },
    /// The process announced an invalid address.
    #[error("the node of chain {chain} announced `{found}`, which is not a valid address")]
    InvalidAddress {
        /// The chain of the node.
        chain: ChainId,
        /// The announced text.
        found: String,
    },
    /// The HTTP client could not be built.
    #[error("no client for the node of chain {chain}: {source}")]
    HttpClient {
        /// The chain of the node.
        chain: ChainId,
        /// The client's error.
        source: reqwest::Error,
    },
    /// The node serves another chain.
    #[error("the node of chain {wanted} answers for chain {answered}")]
    WrongChain {
        /// The expected chain.
        wanted: ChainId,
        /// The chain id in the response.
        answered: u64,
    },
    /// A request failed.
    #[error("the node of chain {chain}: {source}")]
    Request {
        /// The chain of the node.
        chain: ChainId,
        /// The error of the transport or the node.
        source: RpcError<TransportErrorKind>,
    },
}
