//! Describes a block in words: its header, and its transactions with the names of contracts and functions.
use std::ops::Range;

use alloy::eips::BlockId;
use alloy::primitives::{Address, B256};
use alloy::providers::Provider as _;
use alloy::transports::TransportError;

use super::Api;
use super::explain::{Call, Names, outermost};
use super::refusal::Refusal;

/// A mined block.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    pub(crate) chain_id: u64,
    pub(crate) number: u64,
    pub(crate) hash: B256,
    pub(crate) parent: B256,
    /// Unix seconds.
    pub(crate) timestamp: u64,
    pub(crate) gas_used: u64,
    pub(crate) gas_limit: u64,
    /// In wei.
    pub(crate) base_fee: Option<u64>,
    /// Number of its transactions.
    pub(crate) count: usize,
    /// The requested part of them, in block order.
    pub(crate) transactions: Vec<Included>,
}

/// A transaction of a block.
#[derive(Clone, Debug)]
pub(crate) struct Included {
    pub(crate) hash: B256,
    pub(crate) from: Address,
    pub(crate) call: Call,
    pub(crate) succeeded: bool,
}

impl Api {
    /// Reads a block of a chain with a part of its transactions; `None` if the chain does not have it.
    pub(crate) async fn block(
        &self,
        chain_id: u64,
        named: BlockId,
        part: Range<usize>,
    ) -> Result<Option<Block>, Refusal> {
        let (chain, deployment) = self.engine.chain(chain_id)?;
        let failed = |error: TransportError| Refusal::of_call(chain_id, &error);
        let provider = chain.provider();
        let Some(block) = provider.get_block(named).full().await.map_err(failed)? else { return Ok(None) };
        // If the chain reorganised between the two requests, the node has no receipts of this block.
        let receipts = provider.get_block_receipts(block.header.hash.into()).await.map_err(failed)?;
        let Some(receipts) = receipts else { return Ok(None) };
        let header = &block.header;
        let names = Names::on(self.read(), chain_id, deployment);
        let all = block.transactions.txns().zip(&receipts);
        let transactions = all.skip(part.start).take(part.len()).map(|(transaction, receipt)| Included {
            hash: receipt.transaction_hash,
            from: receipt.from,
            call: names.call(&outermost(transaction, receipt), 0),
            succeeded: receipt.status(),
        });
        Ok(Some(Block {
            chain_id,
            number: header.number,
            hash: header.hash,
            parent: header.parent_hash,
            timestamp: header.timestamp,
            gas_used: header.gas_used,
            gas_limit: header.gas_limit,
            base_fee: header.base_fee_per_gas,
            count: block.transactions.len(),
            transactions: transactions.collect(),
        }))
    }

    /// The ids of the chains that have a block with this number or hash.
    pub(crate) async fn chains_with(&self, named: BlockId) -> Result<Vec<u64>, Refusal> {
        let mut found = Vec::new();
        for (chain, _) in self.engine.chains() {
            let failed = |error| Refusal::of_call(chain.id(), &error);
            let block = chain.provider().get_block(named).await.map_err(failed)?;
            found.extend(block.map(|_| chain.id()));
        }
        Ok(found)
    }
}
