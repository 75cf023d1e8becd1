//! One anvil process for one chain: starts it, detects when it responds and when it exits, and never leaves it running. Leaves out the contracts.
//!
//! A shell watches the process: it waits on a pipe from this process and kills anvil when the pipe closes. The system closes
//! it when the handle is dropped and also when this process is killed, so anvil is never left behind.
//!
//! Facts about anvil 1.5.1 to 1.7.1 that the platform relies on, each checked by a test of this crate:
//! - A loaded state keeps its blocks, receipts and logs (but not the states of past blocks), and its clock starts at the wall clock's time.
//! - With a timestamp interval of 0 any number of blocks share one timestamp, and time does not pass by itself.
//! - `eth_call` on `latest` uses the timestamp of the latest block, on `pending` that of the next one: a view sees a
//!   changed time only after a block was mined.
//! - With automine a transaction is acknowledged before its block is mined: read your own write only after `eth_sendTransactionSync` or
//!   `eth_sendRawTransactionSync`, or mine on demand.
//! - A revert to a snapshot also rolls back the timestamp of the latest block, and consumes the snapshot.

mod control;
mod error;
mod process;

use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use alloy::primitives::{B256, Bytes, U256};
use alloy::providers::{Provider, RootProvider};
use alloy::rpc::client::RpcClient;
use alloy::signers::local::PrivateKeySigner;
use reqwest::Url;
use serde_json::json;
use tokio::sync::watch;

use crate::ChainId;
use process::WatchdogPipe;

pub use error::{NodeError, NodeExit};

/// How many past states a node keeps in memory by default; older ones are not written to disk.
pub const KEPT_STATES: u16 = 64;
/// A dump for `anvil_loadState` that changes nothing but the states of past blocks: as many empty ones as a node keeps by default, of no block.
pub static STATES_OF_NO_BLOCK: LazyLock<Bytes> = LazyLock::new(|| {
    let state = json!({ "accounts": {}, "storage": {}, "block_hashes": {} });
    let states = (0..KEPT_STATES).map(|block| json!([B256::from(U256::from(block)), state]));
    let states: Vec<_> = states.collect();
    let dump =
        json!({ "block": null, "accounts": {}, "best_block_number": null, "historical_states": states });
    dump.to_string().into_bytes().into()
});
/// The hardfork: the newest one under which the cost of a block does not grow with the length of the chain.
const RULES: &str = "cancun";

/// Options for starting a node.
#[derive(Clone, Debug)]
pub struct NodeOptions {
    /// The chain's number.
    pub chain: ChainId,
    /// Address on which the JSON-RPC service listens.
    pub host: IpAddr,
    /// Number of unlocked development accounts; each adds about a millisecond to the start.
    pub accounts: u16,
    /// Timestamp of the genesis block in Unix seconds; `None` for the wall clock's time.
    pub genesis_time: Option<u64>,
    /// Mine a block immediately for every transaction; otherwise only on demand.
    pub automine: bool,
    /// Let one block hold any number of transactions.
    pub unlimited_blocks: bool,
    /// How many past states stay in memory, each as a full copy; at least one.
    pub kept_states: u16,
    /// A file with the initial state, as `anvil_dumpState` returns it, decompressed.
    pub state: Option<PathBuf>,
}

impl NodeOptions {
    /// One account, automine, an empty chain, on a free port, reachable only from this machine.
    #[must_use]
    pub fn new(chain: ChainId) -> Self {
        Self {
            chain,
            host: Ipv4Addr::LOCALHOST.into(),
            accounts: 1,
            genesis_time: None,
            automine: true,
            unlimited_blocks: false,
            kept_states: KEPT_STATES,
            state: None,
        }
    }

    /// Like [`Self::new`], on a loopback address that is hard to guess if the system has enough of them: a page in a browser can try every
    /// port of the usual one, and browsers open WebSockets across origins without asking.
    #[must_use]
    pub fn hidden(chain: ChainId) -> Self {
        let mut options = Self::new(chain);
        if cfg!(target_os = "linux") {
            let [a, b, c, ..] = PrivateKeySigner::random().to_bytes().0;
            options.host = Ipv4Addr::new(127, a, b, c.clamp(1, 254)).into();
        }
        options
    }

    /// The command-line arguments.
    ///
    /// Clause: NODE-STATE
    fn arguments(&self) -> Vec<String> {
        // Pages call the filter in front of the node, never the node itself.
        let mut arguments: Vec<String> =
            ["--order", "fifo", "--no-cors", "--hardfork", RULES].map(str::to_owned).to_vec();
        let mut add = |flag: &str, value: String| arguments.extend([flag.to_owned(), value]);
        add("--prune-history", self.kept_states.max(1).to_string());
        // Only an order removes a block, so each is final at once: `safe` and `finalized` are `latest`, which always has its state.
        add("--slots-in-an-epoch", "0".to_owned());
        add("--host", self.host.to_string());
        add("--chain-id", self.chain.to_string());
        add("--port", "0".to_owned());
        add("--accounts", self.accounts.to_string());
        if let Some(time) = self.genesis_time {
            add("--timestamp", time.to_string());
        }
        if let Some(file) = &self.state {
            add("--load-state", file.to_string_lossy().into_owned());
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
    pid: u32,
    provider: RootProvider,
    exit: watch::Receiver<Option<NodeExit>>,
    watchdog: WatchdogPipe,
}

impl Node {
    /// Starts anvil and returns when it responds with the right chain id.
    ///
    /// # Errors
    /// If the process cannot be started, exits (with its last output), does not respond, or serves another chain.
    pub async fn start(anvil: &Path, options: &NodeOptions) -> Result<Self, NodeError> {
        let started = process::start(options.chain, anvil, &options.arguments()).await?;
        let rpc_url = format!("http://{}", started.address);
        let provider = connect(&rpc_url, options.chain)?;
        let node = Self {
            chain: options.chain,
            rpc_url,
            pid: started.pid,
            provider,
            exit: started.exit,
            watchdog: started.watchdog,
        };
        let answered = node.ask(node.provider.get_chain_id()).await?;
        if answered != options.chain.0 {
            return Err(NodeError::WrongChain { wanted: options.chain, answered });
        }
        // Nobody reads the log of calls.
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

    /// Waits until the process has exited, for whatever reason, and returns its exit. The future does not borrow the node.
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

fn connect(rpc_url: &str, chain: ChainId) -> Result<RootProvider, NodeError> {
    let url: Url =
        rpc_url.parse().map_err(|_| NodeError::InvalidAddress { chain, found: rpc_url.to_owned() })?;
    let client =
        crate::http_client(&url).build().map_err(|source| NodeError::HttpClient { chain, source })?;
    Ok(RootProvider::new(RpcClient::builder().http_with_client(client, url)))
}
