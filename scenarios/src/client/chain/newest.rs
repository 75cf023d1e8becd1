//! The newest blocks, also of several nodes behind one address that are a few blocks apart: what was shown once is read from a node that
//! has it.
use std::sync::atomic::Ordering;

use alloy::primitives::{B256, U64};
use alloy::rpc::types::{Block, TransactionReceipt};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::{Chain, RECEIPT_PACE, RpcError, unusable};
use crate::model::verdict::Inconclusive;

/// The most times that something is asked for which one node has shown.
pub(super) const ASKS: usize = 40;
/// How many answers in a row count as those of every node.
const NODES: usize = 10;
/// Phrases with which nodes say that they do not have a block.
const UNKNOWN_BLOCK: [&str; 5] =
    ["header not found", "unknown block", "block not found", "blockoutofrange", "beyond current head"];

impl RpcError {
    /// Whether the node that was asked does not have a block, which another one may have.
    pub(super) fn lacks_a_block(&self) -> bool {
        let message = self.message.to_lowercase();
        self.revert.is_none() && UNKNOWN_BLOCK.iter().any(|words| message.contains(words))
    }
}

impl Chain {
    /// Returns the newest block; not one that is older than a block which was shown before, as by a node that lags behind another.
    pub async fn head(&self) -> Result<Block, Inconclusive> {
        let mut pace = tokio::time::interval(RECEIPT_PACE);
        for _ in 0..ASKS {
            let block = self.must::<Option<Block>>("eth_getBlockByNumber", json!(["latest", false])).await?;
            if let Some(block) = block
                && self.seen.fetch_max(block.header.number, Ordering::Relaxed) <= block.header.number
            {
                return Ok(block);
            }
            pace.tick().await;
        }
        // The chain was rolled back.
        let block: Block = self.must("eth_getBlockByNumber", json!(["latest", false])).await?;
        self.seen.store(block.header.number, Ordering::Relaxed);
        Ok(block)
    }

    /// Returns the newest block as a parameter of calls that read its state.
    pub(super) async fn newest(&self) -> Result<U64, Inconclusive> {
        self.head().await.map(|block| U64::from(block.header.number))
    }

    /// Returns once every node that is asked in turn has what was shown once, so that another client of this address reads it too.
    pub(crate) async fn shown_by_all(&self) -> Result<(), Inconclusive> {
        let shown = self.seen.load(Ordering::Relaxed);
        if self.seen_by_all.load(Ordering::Relaxed) >= shown {
            return Ok(());
        }
        let (mut pace, mut in_a_row) = (tokio::time::interval(RECEIPT_PACE), 0);
        for _ in 0..ASKS {
            while in_a_row < NODES {
                let number: U64 = self.must("eth_blockNumber", json!([])).await?;
                if number.to::<u64>() < shown {
                    break;
                }
                in_a_row += 1;
            }
            if in_a_row == NODES {
                break;
            }
            in_a_row = 0;
            pace.tick().await;
        }
        self.seen_by_all.fetch_max(shown, Ordering::Relaxed);
        Ok(())
    }

    /// Forgets which blocks were shown, because the chain was rolled back.
    pub fn rolled_back(&self) {
        self.seen.store(0, Ordering::Relaxed);
        self.seen_by_all.store(0, Ordering::Relaxed);
    }

    /// Asks until there is an answer: of several nodes behind one address, one may not have it yet. `None` if no node has it.
    async fn found<T: DeserializeOwned>(
        &self,
        method: &str,
        params: Value,
    ) -> Result<Option<T>, Inconclusive> {
        let mut pace = tokio::time::interval(RECEIPT_PACE);
        for _ in 1..ASKS {
            let found = self.must::<Option<T>>(method, params.clone()).await?;
            if found.is_some() {
                return Ok(found);
            }
            pace.tick().await;
        }
        self.must(method, params).await
    }

    /// Returns a block by its number, without transactions; `None` if no node has it.
    pub async fn block(&self, number: u64) -> Result<Option<Block>, Inconclusive> {
        let (method, params) = ("eth_getBlockByNumber", json!([U64::from(number), false]));
        let is_shown = number <= self.seen.load(Ordering::Relaxed);
        if is_shown { self.found(method, params).await } else { self.must(method, params).await }
    }

    /// Returns the time of the block in which a transaction was mined, in Unix seconds.
    pub(crate) async fn time_of(&self, receipt: &TransactionReceipt) -> Result<u64, Inconclusive> {
        let method = "eth_getBlockByHash";
        let block: Option<Block> = self.found(method, json!([receipt.block_hash, false])).await?;
        let unknown = || unusable(method, format!("the block of {} is unknown", receipt.transaction_hash));
        Ok(block.ok_or_else(unknown)?.header.timestamp)
    }

    /// Returns the receipt of a transaction that is said to be mined; `None` if no node has it.
    pub(crate) async fn receipt_of_mined(
        &self,
        hash: B256,
    ) -> Result<Option<TransactionReceipt>, Inconclusive> {
        let receipt: Option<TransactionReceipt> =
            self.found("eth_getTransactionReceipt", json!([hash])).await?;
        self.saw(receipt.as_ref());
        Ok(receipt)
    }

    /// Notes the block of a receipt: what is read next is not older.
    pub(super) fn saw(&self, receipt: Option<&TransactionReceipt>) {
        let block = receipt.and_then(|receipt| receipt.block_number).unwrap_or_default();
        self.seen.fetch_max(block, Ordering::Relaxed);
    }
}
