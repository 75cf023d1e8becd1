//! The states of past blocks. A node keeps those of its latest blocks only, and knows none of the blocks that it has loaded. So an archive
//! node, which keeps all states, makes the market again when a caller first asks for an earlier state, and replays the later blocks as far as
//! callers ask.
use std::sync::Arc;
use std::time::Duration;

use alloy::primitives::B256;
use serde::Deserialize;
use serde_json::Value;
use slipway_contracts::ChainId;
use slipway_contracts::node::Node;
use slipway_contracts::toolchain::Toolchain;
use tokio::sync::Mutex;
use tokio::time::timeout;

use super::call::{Call, LIMIT_EXCEEDED, Refused, SERVER_ERROR};
use super::rules::number;
use crate::chain::{Chain, ChainError, Played, RepeatedCall, Snapshot};
use crate::genesis::{GenesisError, Recipe, Seeded};
use crate::market::{MarketPlan, PROGRESS};

/// Maximum wait of a caller while blocks are replayed; the work goes on afterwards.
const WAIT: Duration = Duration::from_secs(120);
/// Blocks that are read at a time.
const PART: u64 = 64;
/// The longest answer that says that a node lacks a state.
const LONGEST_ABSENCE: usize = 512;
/// The same of the traces of a block, which says it of each transaction.
const LONGEST_TRACELESS: usize = 64 << 10;
/// The error of a node that cannot execute a transaction again.
const NOT_FOUND: &str = "Resource not found";

/// Everything needed to make a market again, except the time of its end.
#[derive(Clone, Debug)]
pub(in crate::platform) struct Origin {
    pub(in crate::platform) seed: u64,
    pub(in crate::platform) market: MarketPlan,
    pub(in crate::platform) toolchain: Toolchain,
}

/// The end of a market: its time, Unix seconds, and the last block.
#[derive(Clone, Copy, Debug)]
pub(in crate::platform) struct End {
    pub(in crate::platform) time: u64,
    pub(in crate::platform) number: u64,
    pub(in crate::platform) hash: B256,
}

/// The blocks of a chain with their states.
#[derive(Debug)]
pub(in crate::platform) struct Archive {
    origin: Origin,
    chain: ChainId,
    market: End,
    /// The number of states that the node keeps, at most.
    states: u16,
    replay: Mutex<Replay>,
}

/// The replay of a chain, as far as callers have asked for it.
#[derive(Debug, Default)]
struct Replay {
    made: Option<Made>,
    /// Whether another market came out.
    is_other: bool,
    /// The block whose replay differs from the chain's, so that it and the later ones have no states.
    different: Option<Place>,
}

/// The node that has made the market again.
#[derive(Debug)]
struct Made {
    node: Node,
    chain: Chain,
    /// The state at the end of the market.
    end: Arc<Snapshot>,
    /// The last block.
    tip: Place,
    /// The number of blocks that were mined, those that were reverted included: the node keeps their states too.
    mined: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    number: u64,
    hash: B256,
}

/// A short answer of a node.
#[derive(Deserialize)]
struct ShortAnswer {
    result: Option<Value>,
    error: Option<ErrorMessage>,
}

#[derive(Deserialize)]
struct ErrorMessage {
    message: String,
}

/// The block that a call is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum About {
    Number(u64),
    Block(B256),
    Transaction(B256),
}

/// Methods with the position of the block parameter whose state they need.
const BLOCKS: [(&str, usize); 19] = [
    ("eth_getBalance", 1),
    ("eth_getTransactionCount", 1),
    ("eth_getCode", 1),
    ("eth_getAccount", 1),
    ("eth_getAccountInfo", 1),
    ("eth_getStorageAt", 2),
    ("eth_getStorageValues", 1),
    ("eth_getProof", 2),
    ("eth_call", 1),
    ("eth_estimateGas", 1),
    ("eth_createAccessList", 1),
    ("eth_simulateV1", 1),
    ("debug_traceCall", 1),
    ("debug_codeByHash", 1),
    ("debug_traceBlockByHash", 0),
    ("debug_traceBlockByNumber", 0),
    ("trace_block", 0),
    ("trace_replayBlockTransactions", 0),
    ("ots_hasCode", 1),
];
/// Methods that need the state before the transaction that is their first parameter.
const TRANSACTIONS: [&str; 5] = [
    "debug_traceTransaction",
    "trace_transaction",
    "ots_traceTransaction",
    "ots_getInternalOperations",
    "ots_getTransactionError",
];

impl Archive {
    pub(in crate::platform) fn new(origin: Origin, chain: ChainId, market: End, states: u16) -> Self {
        Self { origin, chain, market, states, replay: Mutex::default() }
    }

    /// Whether a call needs a state of the market, which only the archive has. The last block of the market may still be the latest one.
    pub(super) async fn has(&self, call: &Call, chain: &Chain) -> Result<bool, Refused> {
        let Some(params) = call.list() else { return Ok(false) };
        if call.method == "trace_filter" {
            return self.has_range(params.first());
        }
        let Some(about) = about(&call.method, &params) else { return Ok(false) };
        let block = about.number(chain).await.map_err(|error| silent(&error))?;
        if matches!(about, About::Transaction(_)) {
            // Only the archive has traces of the market's transactions.
            return Ok(block.is_some_and(|block| block <= self.market.number));
        }
        let is_trace = call.method.starts_with("trace_") || call.method.starts_with("debug_traceBlock");
        Ok(match block {
            Some(block) if block == self.market.number && !is_trace => {
                chain.head().await.map_err(|error| silent(&error))?.number > self.market.number
            }
            Some(block) => block <= self.market.number,
            None => false,
        })
    }

    /// Whether a range of traces is in the market; a range across its end is refused.
    fn has_range(&self, filter: Option<&Value>) -> Result<bool, Refused> {
        // A tag refers to one of the latest blocks.
        let edge = |name| Some(numbered(filter?.get(name)?).unwrap_or(u64::MAX));
        let (from, to) = (edge("fromBlock").unwrap_or(0), edge("toBlock").unwrap_or(u64::MAX));
        if from <= self.market.number && to > self.market.number {
            let height = self.market.number;
            let message = format!("the traces up to block {height} and those after it need separate calls");
            return Err(Refused::new(LIMIT_EXCEEDED, message));
        }
        Ok(to <= self.market.number)
    }

    /// The address of the archive node; makes it on the first request.
    pub(super) async fn url(self: &Arc<Self>, chain: &Chain) -> Result<String, Refused> {
        let url = self.url_up_to(self.market.number, chain).await?;
        url.ok_or_else(|| Refused::new(SERVER_ERROR, "the states of the seeded blocks cannot be made"))
    }

    /// The address of the archive node with the state at a block; `None` if the archive cannot replay the chain that far.
    pub(super) async fn url_of_later(
        self: &Arc<Self>,
        block: u64,
        chain: &Chain,
    ) -> Result<Option<String>, Refused> {
        let head = chain.head().await.map_err(|error| silent(&error))?.number;
        // The state at a block may be changed without a block, until the next one.
        self.url_up_to(head.min(block + 1), chain).await
    }

    /// The last block of the market.
    pub(super) fn market(&self) -> u64 {
        self.market.number
    }

    /// Ends the archive node, which is at work for too long; another one is made on the next request.
    pub(super) async fn end(&self) {
        self.replay.lock().await.made = None;
    }

    /// The address of the archive node with all blocks up to `last`; `None` if they cannot be replayed.
    pub(super) async fn url_up_to(
        self: &Arc<Self>,
        last: u64,
        chain: &Chain,
    ) -> Result<Option<String>, Refused> {
        let (archive, chain) = (Arc::clone(self), chain.clone());
        let reached = tokio::spawn(async move { archive.reach(last, &chain).await });
        match timeout(WAIT, reached).await {
            Ok(Ok(Ok(url))) => Ok(url),
            Ok(Ok(Err(error))) => {
                tracing::warn!(%error, "the states of past blocks cannot be made");
                Ok(None)
            }
            _ => Err(Refused::new(SERVER_ERROR, "the states of past blocks are being made; try again")),
        }
    }

    /// Replays the blocks of a chain up to `last`; returns the address of the archive node, or `None` if that is not possible.
    async fn reach(&self, last: u64, chain: &Chain) -> Result<Option<String>, GenesisError> {
        if last >= self.most() {
            return Ok(None);
        }
        let mut replay = self.replay.lock().await;
        if let Some(place) = replay.different
            && place.number <= last
            && place.is_in(chain).await?
        {
            return Ok(None);
        }
        if let Some(made) = &mut replay.made {
            if last > self.market.number && !made.tip.is_in(chain).await? {
                made.revert(self.market.place()).await?;
            }
            if made.mined + last.saturating_sub(made.tip.number) >= self.most() {
                // The node would drop the earliest states.
                replay.made = None;
            }
        }
        if replay.made.is_none() && !replay.is_other {
            replay.made = self.make().await?;
            replay.is_other = replay.made.is_none();
        }
        let Some(made) = &mut replay.made else { return Ok(None) };
        let different = made.follow(self.market.place(), last, chain).await?;
        let url = made.node.rpc_url().to_owned();
        replay.different = different.or(replay.different);
        Ok(if different.is_some() { None } else { Some(url) })
    }

    /// The number of blocks whose states the node keeps; it keeps one more.
    fn most(&self) -> u64 {
        u64::from(self.states) - 1
    }

    /// Makes the market again; `None` if another one comes out.
    async fn make(&self) -> Result<Option<Made>, GenesisError> {
        let Origin { seed, ref market, ref toolchain } = self.origin;
        tracing::info!(target: PROGRESS, "chain {}: making the market again, for the states of its blocks", self.chain);
        let recipe = Recipe { seed, market, end: self.market.time, toolchain };
        let seeded = recipe.seeded(self.chain, self.states).await;
        tracing::info!(target: PROGRESS, over = true);
        let Seeded { node, chain, .. } = seeded?;
        let found = chain.head().await?.hash;
        if found != self.market.hash {
            tracing::warn!(
                "chain {}: another market came out, which ends with block {found}: past blocks have no states",
                self.chain
            );
            return Ok(None);
        }
        chain.bound_gas().await?;
        // It is made again before its node drops any.
        chain.keeps_states(u16::MAX);
        chain.mine_each(false).await?;
        let end = chain.snapshot().await?;
        Ok(Some(Made { node, chain, end, tip: self.market.place(), mined: self.market.number + 1 }))
    }
}

impl Made {
    /// Replays the blocks of a chain up to `last`; returns the first one that comes out different, if one does.
    async fn follow(&mut self, market: Place, last: u64, chain: &Chain) -> Result<Option<Place>, ChainError> {
        let mut time = None;
        while self.tip.number < last {
            let first = self.tip.number + 1;
            for block in chain.played(first..(first + PART).min(last + 1)).await? {
                let played = self.play(&block, chain.calls_after(self.tip.hash), &mut time).await;
                self.mined += 1;
                let place = Place { number: block.number, hash: block.hash };
                if let Err(error) = played {
                    tracing::warn!(%error, "from this block on, past blocks have no states");
                    self.revert(market).await?;
                    return Ok(Some(place));
                }
                self.tip = place;
            }
        }
        Ok(None)
    }

    /// Makes the calls that changed the state before a block, and mines the block.
    async fn play(
        &self,
        block: &Played,
        calls: Vec<RepeatedCall>,
        time: &mut Option<u64>,
    ) -> Result<(), ChainError> {
        for call in calls {
            self.chain.call_again(&call).await?;
        }
        self.chain.play(block, time).await
    }

    async fn revert(&mut self, market: Place) -> Result<(), ChainError> {
        self.chain.revert(&self.end).await?;
        self.tip = market;
        Ok(())
    }
}

impl End {
    fn place(&self) -> Place {
        Place { number: self.number, hash: self.hash }
    }
}

impl Place {
    /// Whether a chain has this block.
    async fn is_in(self, chain: &Chain) -> Result<bool, ChainError> {
        Ok(chain.number_of_block(self.hash).await? == Some(self.number))
    }
}

/// The block of the chain whose state a call needs, if the node lacks it according to its answer.
pub(super) async fn lacking(call: &Call, answer: &[u8], chain: &Chain) -> Result<Option<u64>, Refused> {
    if !may_lack_state(call, answer) {
        return Ok(None);
    }
    let about = call.list().and_then(|params| about(&call.method, &params));
    let Some(about) = about else { return Ok(None) };
    let block = about.number(chain).await.map_err(|error| silent(&error))?;
    let head = chain.head().await.map_err(|error| silent(&error))?.number;
    let Some(block) = block.filter(|block| *block <= head) else { return Ok(None) };
    let is_traceless =
        is_of_traces(&call.method) && chain.head_at(block).await.map_err(|error| silent(&error))?.is_empty;
    Ok(if is_traceless { None } else { Some(block) })
}

/// Whether an answer says that the node lacks a state, or lists no traces, as a node without the state does.
fn may_lack_state(call: &Call, answer: &[u8]) -> bool {
    let is_of_traces = is_of_traces(&call.method);
    if answer.len() > if is_of_traces { LONGEST_TRACELESS } else { LONGEST_ABSENCE } {
        return false;
    }
    match serde_json::from_slice(answer) {
        Ok(ShortAnswer { error: Some(ErrorMessage { message }), .. }) => {
            message.starts_with("BlockOutOfRangeError") || message == NOT_FOUND
        }
        Ok(ShortAnswer { result: Some(Value::Array(traces)), .. }) => {
            is_of_traces && traces.iter().all(|trace| trace["error"] == NOT_FOUND)
        }
        _ => false,
    }
}

/// Whether a method returns the traces of all transactions of a block, which the node executes again.
fn is_of_traces(method: &str) -> bool {
    method.starts_with("debug_traceBlock") || method == "trace_replayBlockTransactions"
}

impl About {
    /// The number of the block, if the chain has it.
    pub(super) async fn number(&self, chain: &Chain) -> Result<Option<u64>, ChainError> {
        match *self {
            Self::Number(number) => Ok(Some(number)),
            Self::Block(hash) => chain.number_of_block(hash).await,
            Self::Transaction(hash) => chain.number_of_transaction(hash).await,
        }
    }
}

fn about(method: &str, params: &[Value]) -> Option<About> {
    if TRANSACTIONS.contains(&method) {
        return hash(params.first()?).map(About::Transaction);
    }
    let (_, place) = BLOCKS.iter().find(|(known, _)| *known == method)?;
    let block = params.get(*place)?;
    if let Some(hash) = hash(block).or_else(|| hash(block.get("blockHash")?)) {
        return Some(About::Block(hash));
    }
    numbered(block.get("blockNumber").unwrap_or(block)).map(About::Number)
}

fn hash(value: &Value) -> Option<B256> {
    value.as_str().filter(|text| text.len() == 66)?.parse().ok()
}

/// The number of a block; `None` for other tags, which refer to the latest blocks.
pub(super) fn numbered(block: &Value) -> Option<u64> {
    if block.as_str() == Some("earliest") { Some(0) } else { number(block) }
}

pub(super) fn silent(error: &ChainError) -> Refused {
    Refused::new(SERVER_ERROR, error.to_string())
}

#[cfg(test)]
mod tests {
    use alloy::primitives::B256;
    use serde_json::json;

    use super::{About, about};

    #[test]
    fn blocks_are_found_in_every_form() {
        let hash = B256::repeat_byte(7);
        for (method, params, expected) in [
            ("eth_getBalance", json!(["0x1", "0x10"]), Some(About::Number(16))),
            ("eth_getBalance", json!(["0x1", 16]), Some(About::Number(16))),
            ("eth_getBalance", json!(["0x1", "earliest"]), Some(About::Number(0))),
            ("eth_getBalance", json!(["0x1", { "blockNumber": "0x10" }]), Some(About::Number(16))),
            ("eth_getBalance", json!(["0x1", { "blockHash": hash }]), Some(About::Block(hash))),
            ("eth_call", json!([{}, hash]), Some(About::Block(hash))),
            ("eth_getStorageAt", json!(["0x1", "0x2", "0x10"]), Some(About::Number(16))),
            ("debug_traceTransaction", json!([hash, {}]), Some(About::Transaction(hash))),
            ("eth_getBalance", json!(["0x1", "latest"]), None),
            ("eth_getBalance", json!(["0x1"]), None),
            ("eth_getBlockByNumber", json!(["0x10", false]), None),
        ] {
            let params = params.as_array().unwrap().clone();
            assert_eq!(about(method, &params), expected, "{method} {params:?}");
        }
    }
}
