//! One anvil process for one chain: starts it, knows when it answers and when it ends, and never outlives its parent. Leaves out what is on the chain.
//!
//! The process is watched by a shell that waits on a pipe from this process and kills anvil when the pipe closes. The system closes
//! it when the handle is dropped and also when this process is killed, so there is no case in which anvil stays behind.
//!
//! Facts about anvil 1.5.1 to 1.7.1 on which the platform relies, each held by a test of this crate:
//! - A loaded state keeps its blocks, receipts and logs (but not the states of past blocks), and its clock starts at the wall clock's time.
//! - Under [`ChainTime::Fixed`] any number of blocks share one timestamp, and no time passes by itself.
//! - `eth_call` on `latest` sees the timestamp of the latest block, on `pending` that of the next one: a view sees a
//!   moved time only after a block was mined.
//! - With automine a transaction is answered before its block is mined: read your own write only after `eth_sendTransactionSync` or
//!   `eth_sendRawTransactionSync`, or mine on demand.
//! - Anvil's own `evm_setTime` goes backwards without complaint; [`Node::set_time`] refuses.
//! - A revert to a snapshot also takes back the timestamp of the latest block, and consumes the snapshot.

mod control;
mod error;
mod process;

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};

use alloy::providers::{Provider, RootProvider};
use alloy::rpc::client::RpcClient;
use alloy::signers::local::PrivateKeySigner;
use reqwest::Url;
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::ChainId;
use process::WatchdogPipe;

pub use control::{ChainTime, SnapshotId};
pub use error::{NodeError, NodeExit};

/// How many past states a node keeps in memory unless it is told otherwise; older ones are not written to disk.
const KEPT_STATES: u16 = 64;
/// The rules of the chain: the newest under which a block costs the same however long the chain is.
const RULES: &str = "cancun";

/// How a node is started.
#[derive(Clone, Debug)]
pub struct NodeOptions {
    /// The chain's number.
    pub chain: ChainId,
    /// Address on which the JSON-RPC service listens.
    pub host: IpAddr,
    /// Port of the JSON-RPC service; 0 for a free one.
    pub port: u16,
    /// How many unlocked development accounts exist; each costs about a millisecond at the start.
    pub accounts: u16,
    /// Timestamp of the genesis block in Unix seconds; the wall clock's when absent.
    pub genesis_time: Option<u64>,
    /// Mine a block for every transaction at once; otherwise only on demand.
    pub automine: bool,
    /// Let one block hold any number of transactions.
    pub unlimited_blocks: bool,
    /// How many past states stay in memory, each a whole copy; at least one.
    pub kept_states: u16,
    /// A file that [`Node::dump_state`] wrote.
    pub state: Option<PathBuf>,
    /// Offer a local socket beside HTTP, for subscriptions.
    pub ipc: bool,
}

impl NodeOptions {
    /// One account, automine, an empty chain, on a free port of this machine alone.
    #[must_use]
    pub fn new(chain: ChainId) -> Self {
        Self {
            chain,
            host: Ipv4Addr::LOCALHOST.into(),
            port: 0,
            accounts: 1,
            genesis_time: None,
            automine: true,
            unlimited_blocks: false,
            kept_states: KEPT_STATES,
            state: None,
            ipc: false,
        }
    }

    /// The same at an address of this machine that others do not guess, where the system has as many: a page in a browser may try every
    /// port of the usual one, and a WebSocket asks no page where it is from.
    #[must_use]
    pub fn hidden(chain: ChainId) -> Self {
        let mut options = Self::new(chain);
        if cfg!(target_os = "linux") {
            let [a, b, c, ..] = PrivateKeySigner::random().to_bytes().0;
            options.host = Ipv4Addr::new(127, a, b, c.clamp(1, 254)).into();
        }
        options
    }

    fn arguments(&self, socket: Option<&Path>) -> Vec<String> {
        // No page calls a node itself, but the filter before it.
        let mut arguments: Vec<String> =
            ["--order", "fifo", "--no-cors", "--hardfork", RULES].map(str::to_owned).to_vec();
        let mut add = |flag: &str, value: String| arguments.extend([flag.to_owned(), value]);
        add("--prune-history", self.kept_states.max(1).to_string());
        add("--host", self.host.to_string());
        add("--chain-id", self.chain.to_string());
        add("--port", self.port.to_string());
        add("--accounts", self.accounts.to_string());
        if let Some(time) = self.genesis_time {
            add("--timestamp", time.to_string());
        }
        if let Some(file) = &self.state {
            add("--load-state", file.to_string_lossy().into_owned());
        }
        if let Some(path) = socket {
            add("--ipc", path.to_string_lossy().into_owned());
        }
        let switches =
            [("--no-mining", !self.automine), ("--disable-block-gas-limit", self.unlimited_blocks)];
        arguments.extend(switches.into_iter().filter(|(_, on)| *on).map(|(flag, _)| flag.to_owned()));
        arguments
    }
}

/// A running node. Dropping it ends the process.
#[derive(Debug)]
pub struct Node {
    chain: ChainId,
    rpc_url: String,
    socket: Option<PathBuf>,
    pid: u32,
    provider: RootProvider,
    exit: watch::Receiver<Option<NodeExit>>,
    watchdog: WatchdogPipe,
}

impl Node {
    /// Starts anvil and returns when it answers for the right chain.
    ///
    /// # Errors
    /// When the process cannot be started, ends (with its last output), stays silent, or answers for another chain.
    pub async fn start(anvil: &Path, options: &NodeOptions) -> Result<Self, NodeError> {
        require_free_port(options).await?;
        let socket = options.ipc.then(process::socket_path);
        let arguments = options.arguments(socket.as_deref());
        let started = process::start(options.chain, anvil, socket.as_deref(), &arguments).await?;
        let rpc_url = format!("http://{}", reachable(&started.address));
        let provider = connect(&rpc_url, options.chain)?;
        let node = Self {
            chain: options.chain,
            rpc_url,
            socket,
            pid: started.pid,
            provider,
            exit: started.exit,
            watchdog: started.watchdog,
        };
        let answered = node.ask(node.provider.get_chain_id()).await?;
        if answered != options.chain.0 {
            return Err(NodeError::WrongChain { wanted: options.chain, answered });
        }
        // The log of calls is not read.
        node.command::<_, ()>("anvil_setLoggingEnabled", (false,)).await?;
        Ok(node)
    }

    /// The chain's number.
    #[must_use]
    pub fn chain(&self) -> ChainId {
        self.chain
    }

    /// Address of the JSON-RPC service over HTTP.
    #[must_use]
    pub fn rpc_url(&self) -> &str {
        &self.rpc_url
    }

    /// The local socket, if the options asked for one.
    #[must_use]
    pub fn ipc_path(&self) -> Option<&Path> {
        self.socket.as_deref()
    }

    /// Process number of anvil itself.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// A connection to the node; clones share it.
    #[must_use]
    pub fn provider(&self) -> &RootProvider {
        &self.provider
    }

    /// Waits until the process has ended, for whatever reason, and tells how. The future does not borrow the node.
    pub fn wait_exit(&self) -> impl Future<Output = NodeExit> + Send + use<> {
        let exit = self.exit.clone();
        let chain = self.chain;
        async move { process::exit(exit, chain).await }
    }

    /// Ends the process and waits until it is gone.
    pub async fn stop(self) {
        self.watchdog.release();
        self.wait_exit().await;
    }
}

/// Anvil reports a busy port only as text; binding it first gives a typed error. Should another process take the port in between, anvil
/// still exits with its text.
async fn require_free_port(options: &NodeOptions) -> Result<(), NodeError> {
    if options.port == 0 {
        return Ok(());
    }
    match TcpListener::bind((options.host, options.port)).await {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AddrInUse => {
            Err(NodeError::PortBusy { chain: options.chain, port: options.port })
        }
        Err(source) => Err(NodeError::NotStarted { chain: options.chain, source }),
    }
}

/// Where this machine reaches what listens on an address: one that stands for all addresses is not one to connect to.
fn reachable(listening: &str) -> String {
    match listening.parse::<SocketAddr>() {
        Ok(mut address) if address.ip().is_unspecified() => {
            address.set_ip(match address.ip() {
                IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
                IpAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
            });
            address.to_string()
        }
        _ => listening.to_owned(),
    }
}

fn connect(rpc_url: &str, chain: ChainId) -> Result<RootProvider, NodeError> {
    let url: Url =
        rpc_url.parse().map_err(|_| NodeError::InvalidAddress { chain, found: rpc_url.to_owned() })?;
    let client =
        crate::http_client(&url).build().map_err(|source| NodeError::HttpClient { chain, source })?;
    Ok(RootProvider::new(RpcClient::builder().http_with_client(client, url)))
}
