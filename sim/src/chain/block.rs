//! Blocks as the indexer wants them: what names a block, and its logs.
use alloy::primitives::{B256, Bloom, U64, logs_bloom};
use alloy::providers::Provider;
use alloy::rpc::client::BatchRequest;
use alloy::rpc::types::{Filter, Log};

use super::{Chain, ChainError};

/// What names a block and orders it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) number: u64,
    pub(crate) hash: B256,
    pub(crate) parent: B256,
    pub(crate) timestamp: u64,
}

/// A block with every log in it, in order.
#[derive(Clone, Debug)]
pub(crate) struct RawBlock {
    pub(crate) head: Head,
    pub(crate) logs: Vec<Log>,
}

/// How one transaction of a block ended.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MinedTransaction {
    pub(crate) transaction_hash: B256,
    pub(crate) block_number: U64,
    pub(crate) status: U64,
    pub(crate) logs: Vec<Log>,
}

/// The header as the node writes it; the many other fields are not read.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireHeader {
    number: U64,
    hash: B256,
    parent_hash: B256,
    timestamp: U64,
    logs_bloom: Bloom,
}

impl From<WireHeader> for Head {
    fn from(wire: WireHeader) -> Self {
        Self {
            number: wire.number.to(),
            hash: wire.hash,
            parent: wire.parent_hash,
            timestamp: wire.timestamp.to(),
        }
    }
}

impl Chain {
    /// The latest block.
    pub(crate) async fn head(&self) -> Result<Head, ChainError> {
        let wire: WireHeader = self.ask("eth_getBlockByNumber", ("latest", false)).await?;
        Ok(wire.into())
    }

    /// The block of this number.
    pub(crate) async fn head_at(&self, number: u64) -> Result<Head, ChainError> {
        let wire: Option<WireHeader> = self.ask("eth_getBlockByNumber", (U64::from(number), false)).await?;
        wire.map(Head::from).ok_or(ChainError::NoBlock { chain_id: self.id(), number })
    }

    /// The blocks from `first` to `last` with their logs, in one round trip.
    ///
    /// A reorganisation may happen while the node answers: then a block may come without its logs, which its header tells,
    /// and that is an error.
    pub(crate) async fn blocks(&self, first: u64, last: u64) -> Result<Vec<RawBlock>, ChainError> {
        const METHOD: &str = "eth_getLogs and eth_getBlockByNumber";
        let failed = |source| self.failed(METHOD, source);
        let mut batch = BatchRequest::new(self.inner.provider.client());
        let headers = (first..=last)
            .map(|number| {
                batch.add_call::<_, Option<WireHeader>>("eth_getBlockByNumber", &(U64::from(number), false))
            })
            .collect::<Result<Vec<_>, _>>()
            .map_err(failed)?;
        let filter = Filter::new().from_block(first).to_block(last);
        let logs = batch.add_call::<_, Vec<Log>>("eth_getLogs", &(filter,)).map_err(failed)?;
        batch.send().await.map_err(failed)?;
        let mut blocks = Vec::with_capacity(headers.len());
        let mut blooms = Vec::with_capacity(headers.len());
        for (number, header) in (first..).zip(headers) {
            let wire = header.await.map_err(failed)?;
            let wire = wire.ok_or(ChainError::NoBlock { chain_id: self.id(), number })?;
            blooms.push(wire.logs_bloom);
            blocks.push(RawBlock { head: wire.into(), logs: Vec::new() });
        }
        for log in logs.await.map_err(failed)? {
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

    /// The transactions of a block with how they ended, in order.
    pub(crate) async fn mined(&self, number: u64) -> Result<Vec<MinedTransaction>, ChainError> {
        self.ask("eth_getBlockReceipts", (U64::from(number),)).await
    }
}

fn place(blocks: &mut [RawBlock], first: u64, log: Log) {
    let place = log.block_number.and_then(|number| number.checked_sub(first));
    let block = place.and_then(|place| blocks.get_mut(usize::try_from(place).ok()?));
    if let Some(block) = block.filter(|block| log.block_hash == Some(block.head.hash)) {
        block.logs.push(log);
    }
}
