//! Why a platform did not start.
use std::io;
use std::net::IpAddr;

use alloy::primitives::B256;
use slipway_contracts::ChainId;
use slipway_contracts::node::NodeError;
use slipway_contracts::toolchain::ToolchainError;

use super::import::ImportError;
use crate::cache::CacheError;
use crate::chain::ChainError;
use crate::engine::EngineError;
use crate::genesis::GenesisError;
use crate::store::StoreError;

/// The platform did not start; nothing of it is left behind.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// A port is taken.
    #[error("port {port} of {host}, for {part}, cannot be taken: {source}")]
    Port {
        /// What would listen there.
        part: &'static str,
        /// The address.
        host: IpAddr,
        /// The port.
        port: u16,
        /// The system's error.
        source: io::Error,
    },
    /// No HTTP client could be made for a node.
    #[error("no client for a node")]
    Filter(#[source] reqwest::Error),
    /// A listener does not know its address.
    #[error("a listener has no address")]
    Listener(#[source] io::Error),
    /// The chain tools are not there.
    #[error(transparent)]
    Toolchain(#[from] ToolchainError),
    /// A node did not start.
    #[error(transparent)]
    Node(#[from] NodeError),
    /// A chain did not answer.
    #[error(transparent)]
    Chain(#[from] ChainError),
    /// The chains could not be deployed and seeded.
    #[error(transparent)]
    Genesis(#[from] GenesisError),
    /// The cache could not be written.
    #[error(transparent)]
    Cache(#[from] CacheError),
    /// An export cannot be taken over.
    #[error(transparent)]
    Import(#[from] ImportError),
    /// There is no folder for the user's caches.
    #[error("there is no folder for the user's caches; give one")]
    NoCacheFolder,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Time could not be set.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// A node loaded another state than the one that was indexed.
    #[error("chain {chain} begins at block {found} instead of {expected}")]
    Head {
        /// The chain.
        chain: ChainId,
        /// The indexed head.
        expected: B256,
        /// The node's head.
        found: B256,
    },
    /// The platform to attach to has stored no time in the database.
    #[error("no running platform shares this database")]
    NoClock,
    /// A deployment lacks a contract that a service needs.
    #[error("the deployment of chain {chain} has no {name}")]
    NoContract {
        /// The chain.
        chain: ChainId,
        /// The contract.
        name: &'static str,
    },
    /// A file of a fresh beginning is missing or cannot be read.
    #[error("the beginning of chain {chain} cannot be read")]
    Unreadable {
        /// The chain.
        chain: ChainId,
    },
}
