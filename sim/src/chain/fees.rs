//! What the blocks of a chain charged and their transactions paid, read from blocks and receipts: a node remembers it only of the blocks that
//! it has mined itself.
use std::ops::Range;

use alloy::primitives::{U64, U128, U256};
use alloy::providers::Provider as _;
use alloy::rpc::client::BatchRequest;
use serde::Deserialize;

use super::{Chain, ChainError};

/// Blocks that are read at a time.
const PART: usize = 64;

/// The fees of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BlockFees {
    /// Wei for a unit of gas.
    pub(crate) base_fee: U256,
    pub(crate) gas_used: u64,
    pub(crate) gas_limit: u64,
    /// Of each transaction, what it paid above the base fee, in wei for a unit of gas, and the gas that it used.
    pub(crate) tips: Vec<(U256, u64)>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireBlock {
    base_fee_per_gas: U256,
    gas_used: U64,
    gas_limit: U64,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireReceipt {
    effective_gas_price: U128,
    gas_used: U64,
}

impl Chain {
    /// The fees of the blocks with these numbers; an error if the chain lacks one. Without `tips`, no transaction is read.
    pub(crate) async fn fees(&self, numbers: Range<u64>, tips: bool) -> Result<Vec<BlockFees>, ChainError> {
        let mut fees = Vec::new();
        for first in numbers.clone().step_by(PART) {
            fees.extend(self.some_fees(first..numbers.end.min(first + PART as u64), tips).await?);
        }
        Ok(fees)
    }

    async fn some_fees(&self, numbers: Range<u64>, tips: bool) -> Result<Vec<BlockFees>, ChainError> {
        const BLOCK: &str = "eth_getBlockByNumber";
        const RECEIPTS: &str = "eth_getBlockReceipts";
        let mut batch = BatchRequest::new(self.inner.provider.client());
        let mut answers = Vec::new();
        for number in numbers.clone() {
            let block = batch.add_call::<_, Option<WireBlock>>(BLOCK, &(U64::from(number), false));
            let receipts =
                tips.then(|| batch.add_call::<_, Option<Vec<WireReceipt>>>(RECEIPTS, &(U64::from(number),)));
            answers.push((
                block.map_err(|source| self.failed(BLOCK, source))?,
                receipts.transpose().map_err(|source| self.failed(RECEIPTS, source))?,
            ));
        }
        batch.send().await.map_err(|source| self.failed(BLOCK, source))?;
        let mut fees = Vec::with_capacity(answers.len());
        for (number, (block, receipts)) in numbers.zip(answers) {
            let absent = || ChainError::NoBlock { chain_id: self.id(), number };
            let block = block.await.map_err(|source| self.failed(BLOCK, source))?.ok_or_else(absent)?;
            let receipts = match receipts {
                Some(answer) => {
                    answer.await.map_err(|source| self.failed(RECEIPTS, source))?.ok_or_else(absent)?
                }
                None => Vec::new(),
            };
            let base_fee = block.base_fee_per_gas;
            let tip = |paid: U128| U256::from(paid).saturating_sub(base_fee);
            fees.push(BlockFees {
                base_fee,
                gas_used: block.gas_used.to(),
                gas_limit: block.gas_limit.to(),
                tips: receipts
                    .iter()
                    .map(|paid| (tip(paid.effective_gas_price), paid.gas_used.to()))
                    .collect(),
            });
        }
        Ok(fees)
    }
}
