//! Blocks for the indexer: their identity and their logs.
use std::ops::Range;

use alloy::primitives::{B256, Bloom, U64, logs_bloom};
use alloy::providers::Provider;
use alloy::rpc::client::BatchRequest;
use alloy::rpc::json_rpc::RpcRecv;
use alloy::rpc::types::{Filter, Log};

use super::{Chain, ChainError};

/// Gas limit of blocks whose logs are fetched together: every log costs gas, so this bounds the response.
const GAS_A_FETCH: u64 = 2_000_000_000;
/// Headers that are fetched together.
const HEADERS_A_FETCH: u64 = 256;

/// Identity and position of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) number: u64,
    pub(crate) hash: B256,
    pub(crate) parent: B256,
    pub(crate) timestamp: u64,
    pub(crate) is_empty: bool,
}

/// A block with every log in it, in order.
#[derive(Clone, Debug)]
pub(crate) struct RawBlock {
    pub(crate) head: Head,
    pub(crate) logs: Vec<Log>,
}

/// The outcome of one transaction in a block.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MinedTransaction {
    pub(crate) transaction_hash: B256,
    pub(crate) block_number: U64,
    pub(crate) status: U64,
    pub(crate) logs: Vec<Log>,
}

/// The header in the node's JSON; the many other fields are ignored.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireHeader {
    number: U64,
    hash: B256,
    parent_hash: B256,
    timestamp: U64,
    gas_used: U64,
    logs_bloom: Bloom,
}

/// The number of the block that contains an item, in the node's JSON.
#[derive(Clone, Debug, serde::Deserialize)]
struct Placed {
    #[serde(alias = "blockNumber")]
    number: Option<U64>,
}

/// The time and the transaction hashes in the node's JSON.
#[derive(Clone, Debug, serde::Deserialize)]
struct WireBody {
    timestamp: U64,
    transactions: Vec<B256>,
}

impl From<WireHeader> for Head {
    fn from(wire: WireHeader) -> Self {
        Self {
            number: wire.number.to(),
            hash: wire.hash,
            parent: wire.parent_hash,
            timestamp: wire.timestamp.to(),
            is_empty: wire.gas_used.is_zero(),
        }
    }
}

impl Chain {
    pub(crate) async fn head(&self) -> Result<Head, ChainError> {
        let wire: WireHeader = self.ask("eth_getBlockByNumber", ("latest", false)).await?;
        Ok(wire.into())
    }

    /// Whether the chain has a block.
    pub(super) async fn has_block(&self, hash: B256) -> Result<bool, ChainError> {
        let wire: Option<WireHeader> = self.ask("eth_getBlockByHash", (hash, false)).await?;
        Ok(wire.is_some())
    }

    pub(crate) async fn head_at(&self, number: u64) -> Result<Head, ChainError> {
        let wire: Option<WireHeader> = self.ask("eth_getBlockByNumber", (U64::from(number), false)).await?;
        wire.map(Head::from).ok_or(ChainError::NoBlock { chain_id: self.id(), number })
    }

    /// Whether one of the blocks from `first` to `last` used more than `most` gas.
    pub(crate) async fn has_heavy_block(
        &self,
        mut first: u64,
        last: u64,
        most: u64,
    ) -> Result<bool, ChainError> {
        while first <= last {
            let end = last.min(first + (HEADERS_A_FETCH - 1));
            if self.headers(first, end).await?.iter().any(|header| header.gas_used > U64::from(most)) {
                return Ok(true);
            }
            first = end + 1;
        }
        Ok(false)
    }

    /// The number of a block, if the chain has it.
    pub(crate) async fn number_of_block(&self, hash: B256) -> Result<Option<u64>, ChainError> {
        let block: Option<Placed> = self.ask("eth_getBlockByHash", (hash, false)).await?;
        Ok(block.and_then(|block| block.number).map(|number| number.to()))
    }

    /// The number of the block of a transaction, if it is mined.
    pub(crate) async fn number_of_transaction(&self, hash: B256) -> Result<Option<u64>, ChainError> {
        let transaction: Option<Placed> = self.ask("eth_getTransactionByHash", (hash,)).await?;
        Ok(transaction.and_then(|transaction| transaction.number).map(|number| number.to()))
    }

    /// The blocks from `first` on with their logs, up to `last` or the limit of one fetch.
    ///
    /// If the chain reorganises while the node responds, a block may arrive without its logs. Its header reveals that, and it is an error.
    pub(crate) async fn blocks(&self, first: u64, last: u64) -> Result<Vec<RawBlock>, ChainError> {
        let (headers, logs) = if first == last {
            tokio::try_join!(self.headers(first, last), self.logs(first, last))?
        } else {
            let mut headers = self.headers(first, last).await?;
            headers.truncate(read_at_once(&headers));
            let last = headers.last().map_or(last, |header| header.number.to());
            (headers, self.logs(first, last).await?)
        };
        let blooms: Vec<Bloom> = headers.iter().map(|header| header.logs_bloom).collect();
        let mut blocks: Vec<RawBlock> =
            headers.into_iter().map(|header| RawBlock { head: header.into(), logs: Vec::new() }).collect();
        for log in logs {
            place(&mut blocks, first, log);
        }
        let complete = |(block, bloom): &(&RawBlock, &Bloom)| {
            logs_bloom(block.logs.iter().map(|log| &log.inner)) == **bloom
        };
        if let Some((torn, _)) = blocks.iter().zip(&blooms).find(|pair| !complete(pair)) {
            return Err(ChainError::TornBlock { chain_id: self.id(), number: torn.head.number });
        }
        Ok(blocks)
    }

    async fn headers(&self, first: u64, last: u64) -> Result<Vec<WireHeader>, ChainError> {
        self.numbered(first..last + 1, false).await
    }

    /// The blocks with these numbers, read together, with their transactions or their hashes; an error if the chain lacks one.
    pub(super) async fn numbered<B: RpcRecv>(
        &self,
        numbers: Range<u64>,
        transactions: bool,
    ) -> Result<Vec<B>, ChainError> {
        const METHOD: &str = "eth_getBlockByNumber";
        let failed = |source| self.failed(METHOD, source);
        let mut batch = BatchRequest::new(self.inner.provider.client());
        let answers = numbers
            .clone()
            .map(|number| batch.add_call::<_, Option<B>>(METHOD, &(U64::from(number), transactions)))
            .collect::<Result<Vec<_>, _>>()
            .map_err(failed)?;
        batch.send().await.map_err(failed)?;
        let mut blocks = Vec::with_capacity(answers.len());
        for (number, answer) in numbers.zip(answers) {
            let block = answer.await.map_err(failed)?;
            blocks.push(block.ok_or(ChainError::NoBlock { chain_id: self.id(), number })?);
        }
        Ok(blocks)
    }

    /// Every log of the blocks from `first` to `last`, in order.
    pub(crate) async fn logs(&self, first: u64, last: u64) -> Result<Vec<Log>, ChainError> {
        self.ask("eth_getLogs", (Filter::new().from_block(first).to_block(last),)).await
    }

    /// The time of a block, Unix seconds, and the hashes of its transactions.
    pub(crate) async fn transactions(&self, number: u64) -> Result<(u64, Vec<B256>), ChainError> {
        let body: Option<WireBody> = self.ask("eth_getBlockByNumber", (U64::from(number), false)).await?;
        let body = body.ok_or(ChainError::NoBlock { chain_id: self.id(), number })?;
        Ok((body.timestamp.to(), body.transactions))
    }

    pub(crate) async fn is_reverted(&self, transaction: B256) -> Result<bool, ChainError> {
        let mined: MinedTransaction = self.ask("eth_getTransactionReceipt", (transaction,)).await?;
        Ok(mined.status.is_zero())
    }
}

/// The number of leading blocks whose logs are fetched together; at least one.
fn read_at_once(headers: &[WireHeader]) -> usize {
    let mut gas = 0_u64;
    let fitting = headers.iter().take_while(|header| {
        gas = gas.saturating_add(header.gas_used.to());
        gas <= GAS_A_FETCH
    });
    fitting.count().max(1)
}

fn place(blocks: &mut [RawBlock], first: u64, log: Log) {
    let place = log.block_number.and_then(|number| number.checked_sub(first));
    let block = place.and_then(|place| blocks.get_mut(usize::try_from(place).ok()?));
    if let Some(block) = block.filter(|block| log.block_hash == Some(block.head.hash)) {
        block.logs.push(log);
    }
}
