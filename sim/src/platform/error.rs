//! Reasons why a platform did not start.
use std::io;
use std::net::IpAddr;
use std::path::Path;

use alloy::primitives::B256;
use slipway_contracts::ChainId;
use slipway_contracts::node::NodeError;
use slipway_contracts::toolchain::ToolchainError;

use super::import::ImportError;
use crate::cache::CacheError;
use crate::chain::ChainError;
use crate::engine::{EngineError, KeptReadError, StateError};
use crate::genesis::GenesisError;
use crate::store::StoreError;

/// The platform did not start; it leaves nothing behind.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// A credential cannot be sent in a header; it is not shown.
    #[error("{option} takes 1 to 256 visible ASCII characters: callers send it in a header")]
    Credential {
        /// The option that gives it.
        option: &'static str,
    },
    /// A port is in use.
    #[error("port {port} of {host}, for {part}, cannot be taken: {source}")]
    Port {
        /// The part that needs it.
        part: &'static str,
        /// The address.
        host: IpAddr,
        /// The port.
        port: u16,
        /// The system's error.
        source: io::Error,
    },
    /// The HTTP client for a node could not be built.
    #[error("no client for a node")]
    Filter(#[source] reqwest::Error),
    /// A listener does not know its address.
    #[error("a listener has no address")]
    Listener(#[source] io::Error),
    /// The chain tools are missing.
    #[error(transparent)]
    Toolchain(#[from] ToolchainError),
    /// A node did not start.
    #[error(transparent)]
    Node(#[from] NodeError),
    /// A chain did not respond.
    #[error(transparent)]
    Chain(#[from] ChainError),
    /// The chains could not be deployed and seeded.
    #[error(transparent)]
    Genesis(#[from] GenesisError),
    /// The cache could not be written.
    #[error(transparent)]
    Cache(#[from] CacheError),
    /// An export cannot be imported.
    #[error(transparent)]
    Import(#[from] ImportError),
    /// There is no cache folder for the user.
    #[error("there is no folder for the user's caches; give one")]
    NoCacheFolder,
    /// The state in a folder cannot be continued.
    #[error(transparent)]
    State(#[from] StateError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Time could not be set.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// A node loaded another state than the indexed one.
    #[error("chain {chain} begins at block {found} instead of {expected}")]
    Head {
        /// The chain.
        chain: ChainId,
        /// The indexed head.
        expected: B256,
        /// The node's head.
        found: B256,
    },
    /// The database contains no clock of a platform to attach to.
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
    /// A file of a new genesis is missing or cannot be read.
    #[error("the beginning of chain {0} cannot be read")]
    Unreadable(ChainId),
}

impl From<KeptReadError> for StartError {
    fn from(error: KeptReadError) -> Self {
        match error {
            KeptReadError::Store(error) => error.into(),
            KeptReadError::State(error) => error.into(),
        }
    }
}

impl StartError {
    /// A damage that the store reports, as one of the folder that it is in.
    pub(super) fn in_folder(self, folder: Option<&Path>) -> Self {
        let (Self::Store(store) | Self::Engine(EngineError::Store(store))) = &self else { return self };
        match (folder, store) {
            (Some(folder), StoreError::Damaged(_) | StoreError::Fact { .. }) => {
                StateError::Damaged { folder: folder.display().to_string(), reason: store.to_string() }.into()
            }
            _ => self,
        }
    }
}
