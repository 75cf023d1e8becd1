//! The states of the seeded market's blocks. A node that loads a chain knows its blocks but not their states, so an archive node, which
//! keeps all states, makes the market again when a caller first asks for one.
use std::sync::Arc;
use std::time::Duration;

use alloy::primitives::B256;
use serde_json::Value;
use slipway_contracts::ChainId;
use slipway_contracts::node::Node;
use slipway_contracts::toolchain::Toolchain;
use tokio::sync::OnceCell;
use tokio::time::timeout;

use super::call::{Call, LIMIT_EXCEEDED, Refused, SERVER_ERROR};
use super::rules::number;
use crate::chain::{Chain, ChainError};
use crate::genesis::{GenesisError, Recipe};
use crate::market::{MarketPlan, PROGRESS};

/// Maximum wait of a caller while the market is made again; the work goes on afterwards.
const WAIT: Duration = Duration::from_secs(120);

/// Everything needed to make a market again.
#[derive(Clone, Debug)]
pub(in crate::platform) struct Origin {
    pub(in crate::platform) seed: u64,
    pub(in crate::platform) market: MarketPlan,
    pub(in crate::platform) end: u64,
    pub(in crate::platform) toolchain: Toolchain,
}

/// The blocks of a chain up to the end of its market.
#[derive(Debug)]
pub(in crate::platform) struct Archive {
    origin: Origin,
    chain: ChainId,
    /// Number and hash of the last block of the market.
    height: u64,
    head: B256,
    node: OnceCell<Node>,
}

/// The block that a call is about.
#[derive(Clone, Debug, PartialEq, Eq)]
enum About {
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
    pub(in crate::platform) fn new(origin: Origin, chain: ChainId, height: u64, head: B256) -> Self {
        Self { origin, chain, height, head, node: OnceCell::new() }
    }

    /// Whether only the archive has the state that a call needs. The last block of the market may still be the latest one.
    pub(super) async fn has(&self, call: &Call, chain: &Chain) -> Result<bool, Refused> {
        let params = call.params.as_ref().and_then(|params| serde_json::from_str(params.get()).ok());
        let Some(Value::Array(params)) = params else { return Ok(false) };
        if call.method == "trace_filter" {
            return self.has_range(params.first());
        }
        let Some(about) = about(&call.method, &params) else { return Ok(false) };
        let block = match about {
            About::Number(number) => Some(number),
            About::Block(hash) => chain.number_of_block(hash).await.map_err(|error| silent(&error))?,
            About::Transaction(hash) => {
                // Only the archive has traces of the market's transactions.
                let block = chain.number_of_transaction(hash).await.map_err(|error| silent(&error))?;
                return Ok(block.is_some_and(|block| block <= self.height));
            }
        };
        let is_trace = call.method.starts_with("trace_") || call.method.starts_with("debug_traceBlock");
        Ok(match block {
            Some(block) if block == self.height && !is_trace => {
                chain.head().await.map_err(|error| silent(&error))?.number > self.height
            }
            Some(block) => block <= self.height,
            None => false,
        })
    }

    /// Whether a range of traces is in the market; a range across its end is refused.
    fn has_range(&self, filter: Option<&Value>) -> Result<bool, Refused> {
        // A tag refers to one of the latest blocks.
        let edge = |name| Some(numbered(filter?.get(name)?).unwrap_or(u64::MAX));
        let (from, to) = (edge("fromBlock").unwrap_or(0), edge("toBlock").unwrap_or(u64::MAX));
        if from <= self.height && to > self.height {
            let height = self.height;
            let message =
                format!("the traces up to block {height} and those after it are asked in two calls");
            return Err(Refused::new(LIMIT_EXCEEDED, message));
        }
        Ok(to <= self.height)
    }

    /// The address of the archive node; makes it on the first request.
    pub(super) async fn url(self: &Arc<Self>) -> Result<String, Refused> {
        let archive = Arc::clone(self);
        let made = tokio::spawn(async move {
            let node = archive.node.get_or_try_init(|| archive.make()).await;
            node.map(|node| node.rpc_url().to_owned())
        });
        match timeout(WAIT, made).await {
            Ok(Ok(Ok(url))) => Ok(url),
            Ok(Ok(Err(error))) => {
                tracing::warn!(%error, "the states of the seeded blocks cannot be made");
                Err(Refused::new(SERVER_ERROR, "the states of the seeded blocks cannot be made"))
            }
            _ => Err(Refused::new(SERVER_ERROR, "the states of the seeded blocks are being made; try again")),
        }
    }

    async fn make(&self) -> Result<Node, GenesisError> {
        let Origin { seed, ref market, end, ref toolchain } = self.origin;
        tracing::info!(target: PROGRESS, "chain {}: making the market again, for the states of its blocks", self.chain);
        let recipe = Recipe { seed, market, end, toolchain };
        // One more than there are blocks, so that none is dropped.
        let kept = u16::try_from(self.height + 2).unwrap_or(u16::MAX);
        let seeded = recipe.seeded(self.chain, kept).await;
        tracing::info!(target: PROGRESS, over = true);
        let seeded = seeded?;
        let found = seeded.chain.head().await?.hash;
        if found == self.head {
            Ok(seeded.node)
        } else {
            Err(GenesisError::OtherHead { chain: self.chain, found })
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
fn numbered(block: &Value) -> Option<u64> {
    if block.as_str() == Some("earliest") { Some(0) } else { number(block) }
}

fn silent(error: &ChainError) -> Refused {
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
