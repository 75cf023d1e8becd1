//! What can go wrong with a node. Leaves out failures of contracts.

use std::io;
use std::path::PathBuf;

use alloy::transports::{RpcError, TransportErrorKind};

use crate::ChainId;

/// How a node's process ended.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the node of chain {chain} ended ({status}); its last words:\n{}", last_words.join("\n"))]
pub struct NodeDeath {
    /// The chain it carried.
    pub chain: ChainId,
    /// Exit code or signal.
    pub status: String,
    /// The last lines it wrote.
    pub last_words: Vec<String>,
}

/// Why a node is not usable.
#[derive(Debug, thiserror::Error)]
pub enum NodeError {
    /// The process that watches anvil could not be started.
    #[error("the node of chain {chain} could not be started: {source}")]
    NotStarted {
        /// The chain it was for.
        chain: ChainId,
        /// What the system said.
        source: io::Error,
    },
    /// Somebody else listens on the port.
    #[error("port {port}, for the node of chain {chain}, is in use")]
    PortBusy {
        /// The chain it was for.
        chain: ChainId,
        /// The port.
        port: u16,
    },
    /// The process ended.
    #[error(transparent)]
    Died(#[from] NodeDeath),
    /// The process runs and says nothing.
    #[error("the node of chain {chain} was not ready after {seconds} seconds; its last words:\n{}", last_words.join("\n"))]
    Silent {
        /// The chain it was for.
        chain: ChainId,
        /// How long was waited.
        seconds: u64,
        /// The last lines it wrote.
        last_words: Vec<String>,
    },
    /// The process announced something that is no address.
    #[error("the node of chain {chain} announced `{found}`, which is no address")]
    NoAddress {
        /// The chain it was for.
        chain: ChainId,
        /// What it announced.
        found: String,
    },
    /// No HTTP client could be made.
    #[error("no client for the node of chain {chain}: {source}")]
    NoClient {
        /// The chain it was for.
        chain: ChainId,
        /// What the client said.
        source: reqwest::Error,
    },
    /// The node carries another chain.
    #[error("the node of chain {wanted} answers for chain {answered}")]
    WrongChain {
        /// The chain that was asked for.
        wanted: ChainId,
        /// The chain that answered.
        answered: u64,
    },
    /// A request failed.
    #[error("the node of chain {chain}: {source}")]
    Request {
        /// The chain.
        chain: ChainId,
        /// What the transport or the node said.
        source: RpcError<TransportErrorKind>,
    },
    /// The time was to be moved backwards.
    #[error("chain {chain} is at time {now} and cannot go back to {wanted}")]
    TimeBackwards {
        /// The chain.
        chain: ChainId,
        /// Timestamp of its latest block.
        now: u64,
        /// The time that was asked for.
        wanted: u64,
    },
    /// The node does not know the snapshot, because a revert has consumed it.
    #[error("chain {chain} has no snapshot {id}")]
    UnknownSnapshot {
        /// The chain.
        chain: ChainId,
        /// The snapshot.
        id: String,
    },
    /// The state that the node gave is not of the expected form.
    #[error("chain {chain} gave a state that cannot be unpacked: {source}")]
    UnreadableState {
        /// The chain.
        chain: ChainId,
        /// What the decoder said.
        source: io::Error,
    },
    /// The state could not be written to a file.
    #[error("the state of chain {chain} could not be written to {}: {source}", path.display())]
    UnwritableState {
        /// The chain.
        chain: ChainId,
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}
