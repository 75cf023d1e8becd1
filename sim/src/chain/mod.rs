//! The only module that talks to a node: it reads blocks and state, and sends transactions and commands; it decides nothing.
mod block;
mod gas;
mod heads;
mod order;
mod revert;
mod trail;
mod transfer;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use alloy::primitives::B256;
use alloy::providers::{DynProvider, Provider, ProviderBuilder};
use alloy::rpc::json_rpc::{RpcRecv, RpcSend};
use alloy::transports::TransportError;
use parking_lot::Mutex;
use trail::Trail;

pub(crate) use block::{Head, MinedTransaction, RawBlock};

/// The node did not execute a request.
#[derive(Debug, thiserror::Error)]
pub enum ChainError {
    #[error("{method} failed on chain {chain_id}: {source}")]
    Call { chain_id: u64, method: &'static str, source: TransportError },
    #[error("chain {chain_id} has no block {number}")]
    NoBlock { chain_id: u64, number: u64 },
    /// A block and its logs were read from two branches.
    #[error("the logs of block {number} of chain {chain_id} are not those that its header states")]
    TornBlock { chain_id: u64, number: u64 },
    #[error("chain {chain_id} has no snapshot {snapshot}")]
    NoSnapshot { chain_id: u64, snapshot: u64 },
    #[error("no client for the node of chain {chain_id}: {source}")]
    Client { chain_id: u64, source: reqwest::Error },
    #[error("the address {rpc_url:?} of chain {chain_id} is not a URL")]
    Address { chain_id: u64, rpc_url: String },
}

impl ChainError {
    /// The chain whose node failed.
    #[must_use]
    pub fn chain_id(&self) -> u64 {
        match self {
            Self::Call { chain_id, .. }
            | Self::NoBlock { chain_id, .. }
            | Self::TornBlock { chain_id, .. }
            | Self::NoSnapshot { chain_id, .. }
            | Self::Client { chain_id, .. }
            | Self::Address { chain_id, .. } => *chain_id,
        }
    }
}

/// One chain through its node; copies share the connection.
#[derive(Clone, Debug)]
pub struct Chain {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    id: u64,
    rpc_url: String,
    provider: DynProvider,
    miner: Mutex<Miner>,
    /// Whether the platform has stopped automatic mining and not yet resumed it.
    holds_mining: AtomicBool,
    /// The empty blocks that will follow the last one with transactions.
    trail: tokio::sync::Mutex<Option<Trail>>,
}

/// What is known about the miner without asking the node.
#[derive(Debug, Default)]
struct Miner {
    /// Whether a block mined on command has transactions, possibly some that the miner has scheduled a turn for.
    is_crossed: bool,
    /// A block at which the miner had no turn left: an empty one mined on command, or the target of a revert.
    rested: Option<B256>,
}

impl Chain {
    /// Connects to a chain; nothing is sent yet.
    pub(crate) fn connect(id: u64, rpc_url: &str) -> Result<Self, ChainError> {
        let address = || ChainError::Address { chain_id: id, rpc_url: rpc_url.to_owned() };
        let url = rpc_url.parse().map_err(|_| address())?;
        let client = slipway_contracts::http_client(&url)
            .build()
            .map_err(|source| ChainError::Client { chain_id: id, source })?;
        let provider = ProviderBuilder::default().connect_reqwest(client, url).erased();
        Ok(Self::over(id, rpc_url, provider))
    }

    pub(crate) fn over(id: u64, rpc_url: &str, provider: DynProvider) -> Self {
        let inner = Inner {
            id,
            rpc_url: rpc_url.to_owned(),
            provider,
            miner: Mutex::default(),
            holds_mining: AtomicBool::new(false),
            trail: Default::default(),
        };
        Self { inner: Arc::new(inner) }
    }

    #[must_use]
    pub fn id(&self) -> u64 {
        self.inner.id
    }

    /// A provider without any filler.
    #[must_use]
    pub fn provider(&self) -> &DynProvider {
        &self.inner.provider
    }

    async fn ask<P: RpcSend, R: RpcRecv>(&self, method: &'static str, params: P) -> Result<R, ChainError> {
        let answer = self.inner.provider.client().request(method, params).await;
        answer.map_err(|source| self.failed(method, source))
    }

    fn failed(&self, method: &'static str, source: TransportError) -> ChainError {
        ChainError::Call { chain_id: self.id(), method, source }
    }
}
