//! The only module that talks to a node: it reads blocks and state, and sends transactions and commands; it decides nothing.
mod block;
mod changes;
mod gas;
mod heads;
mod order;
mod pace;
mod recorded;
mod replay;
mod revert;
mod snapshot;
mod trace;
mod trail;
mod transfer;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU16, AtomicU64};
use std::time::Duration;

use alloy::primitives::B256;
use alloy::providers::{DynProvider, Provider, ProviderBuilder};
use alloy::rpc::client::ClientBuilder;
use alloy::transports::TransportError;
use parking_lot::Mutex;
use recorded::Recording;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::{RawValue, to_raw_value};
use slipway_contracts::node::KEPT_STATES;
use tokio::time::timeout;
use trail::Trail;

pub(crate) use block::{Head, MinedTransaction, RawBlock};
pub(crate) use gas::{BLOCK_GAS, MOST_BLOCK_GAS, Priced, TRACED_GAS};
pub(crate) use pace::PaceChange;
pub(crate) use replay::{Played, RepeatedCall};
pub(crate) use snapshot::Snapshot;
pub(crate) use trace::Frame;

/// Time limit of one call to the node of a running platform. An order makes a few, one after another, and its caller waits for
/// [`crate::engine`]'s limit at most.
const CALL_LIMIT: Duration = Duration::from_secs(10);
/// Time limit of calls whose length depends on the size of the chain, such as a dump of its state.
const LONG_CALL_LIMIT: Duration = Duration::from_secs(20);

/// Parameters of a method that takes none.
const NO_PARAMS: [(); 0] = [];

/// The node did not execute a request.
#[derive(Debug, thiserror::Error)]
pub enum ChainError {
    #[error("{method} failed on chain {chain_id}: {source}")]
    Call { chain_id: u64, method: &'static str, source: TransportError },
    #[error("{method} was not answered in time on chain {chain_id}")]
    Silent { chain_id: u64, method: &'static str },
    #[error("chain {chain_id} has no block {number}")]
    NoBlock { chain_id: u64, number: u64 },
    /// A block and its logs were read from two branches.
    #[error("the logs of block {number} of chain {chain_id} are not those that its header states")]
    TornBlock { chain_id: u64, number: u64 },
    /// The replay of a journal gave another block.
    #[error("block {number} of chain {chain_id} gave another hash when it was replayed: {found}")]
    OtherBlock { chain_id: u64, number: u64, found: B256 },
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
            | Self::Silent { chain_id, .. }
            | Self::NoBlock { chain_id, .. }
            | Self::TornBlock { chain_id, .. }
            | Self::OtherBlock { chain_id, .. }
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
    /// Time limit of one call, if any.
    limit: Option<Duration>,
    miner: Mutex<Miner>,
    /// Whether the platform has stopped automatic mining and not yet resumed it.
    holds_mining: AtomicBool,
    /// Held while a transaction depends on how the node mines.
    mining: tokio::sync::Mutex<()>,
    /// Held while a transaction of our accounts is signed and sent, one at a time.
    nonces: tokio::sync::Mutex<()>,
    /// Held while the node takes a snapshot, reverts to one, or mines a block that a caller orders.
    snapshotting: tokio::sync::Mutex<()>,
    /// The blocks that the platform orders at an interval.
    pace: Mutex<Option<pace::Pace>>,
    /// Number of works during which none of these is mined.
    pauses: AtomicU64,
    /// Held while a trace is read.
    tracing: tokio::sync::Mutex<()>,
    /// The empty blocks that will follow the last one with transactions.
    trail: tokio::sync::Mutex<Option<Trail>>,
    /// Number of actual or possible state changes without a block.
    changes: AtomicU64,
    latest: Mutex<Option<snapshot::Latest>>,
    state_calls: Mutex<changes::StateCalls>,
    /// Number of past states that the node keeps.
    kept_states: AtomicU16,
}

/// Knowledge about the miner without asking the node.
#[derive(Debug, Default)]
struct Miner {
    /// Whether a block mined on command has transactions, possibly some for which the miner has scheduled a turn.
    is_crossed: bool,
    /// A block at which the miner had no turn left: an empty one mined on command, or the target of a revert.
    rested: Option<B256>,
}

impl Chain {
    /// Connects to a chain that is being created, whose calls may take any time; sends nothing yet.
    pub(crate) fn connect(id: u64, rpc_url: &str) -> Result<Self, ChainError> {
        Self::dial(id, rpc_url, None)
    }

    /// Connects to a chain of a running platform: each call has a time limit. Sends nothing yet.
    pub(crate) fn attend(id: u64, rpc_url: &str) -> Result<Self, ChainError> {
        Self::dial(id, rpc_url, Some(CALL_LIMIT))
    }

    fn dial(id: u64, rpc_url: &str, limit: Option<Duration>) -> Result<Self, ChainError> {
        let address = || ChainError::Address { chain_id: id, rpc_url: rpc_url.to_owned() };
        let url = rpc_url.parse().map_err(|_| address())?;
        let mut client = slipway_contracts::http_client(&url);
        if limit.is_some() {
            client = client.timeout(LONG_CALL_LIMIT);
        }
        let client = client.build().map_err(|source| ChainError::Client { chain_id: id, source })?;
        let client = ClientBuilder::default().layer(Recording(id)).http_with_client(client, url);
        let provider = ProviderBuilder::default().connect_client(client).erased();
        Ok(Self::over(id, rpc_url, provider, limit))
    }

    pub(crate) fn over(id: u64, rpc_url: &str, provider: DynProvider, limit: Option<Duration>) -> Self {
        let inner = Inner {
            id,
            rpc_url: rpc_url.to_owned(),
            provider,
            limit,
            miner: Mutex::default(),
            holds_mining: AtomicBool::new(false),
            mining: Default::default(),
            nonces: Default::default(),
            snapshotting: Default::default(),
            pace: Mutex::default(),
            pauses: AtomicU64::new(0),
            tracing: Default::default(),
            trail: Default::default(),
            changes: AtomicU64::new(0),
            latest: Mutex::default(),
            state_calls: Mutex::default(),
            kept_states: AtomicU16::new(KEPT_STATES),
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

    async fn ask<P: Serialize, R: DeserializeOwned>(
        &self,
        method: &'static str,
        params: P,
    ) -> Result<R, ChainError> {
        let answer = self.ask_raw(method, to_raw_value(&params), self.inner.limit).await?;
        self.read(method, &answer)
    }

    /// Sends a call whose length depends on the size of the chain.
    async fn ask_at_length<P: Serialize, R: DeserializeOwned>(
        &self,
        method: &'static str,
        params: P,
    ) -> Result<R, ChainError> {
        let answer = self.ask_raw(method, to_raw_value(&params), None).await?;
        self.read(method, &answer)
    }

    /// Sends a call as JSON. Not generic: the client's code for a call is compiled once, not for each pair of parameters and result.
    async fn ask_raw(
        &self,
        method: &'static str,
        params: Result<Box<RawValue>, serde_json::Error>,
        limit: Option<Duration>,
    ) -> Result<Box<RawValue>, ChainError> {
        let params = params.map_err(|error| self.failed(method, TransportError::ser_err(error)))?;
        let answer = self.inner.provider.client().request(method, params);
        let answer = match limit {
            Some(limit) => timeout(limit, answer)
                .await
                .map_err(|_| ChainError::Silent { chain_id: self.id(), method })?,
            None => answer.await,
        };
        answer.map_err(|source| self.failed(method, source))
    }

    fn read<R: DeserializeOwned>(&self, method: &'static str, answer: &RawValue) -> Result<R, ChainError> {
        serde_json::from_str(answer.get())
            .map_err(|error| self.failed(method, TransportError::deser_err(error, answer.get())))
    }

    fn failed(&self, method: &'static str, source: TransportError) -> ChainError {
        ChainError::Call { chain_id: self.id(), method, source }
    }
}
