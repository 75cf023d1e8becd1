//! What the blocks of a chain charge for gas, read from the blocks: a node remembers it only of those that it has mined itself.
use std::ops::Range;

use alloy::primitives::{U64, U256};
use alloy::providers::Provider as _;
use alloy::rpc::client::BatchRequest;
use serde::Deserialize;

use super::{Chain, ChainError};

/// Blocks that are read at a time.
const PART: usize = 64;

/// The gas of a block and its price.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BlockFees {
    /// Wei for a unit of gas.
    #[serde(rename = "baseFeePerGas")]
    pub(crate) base_fee: U256,
    pub(crate) gas_used: U64,
    pub(crate) gas_limit: U64,
}

impl Chain {
    /// The fees of the blocks with these numbers; an error if the chain lacks one.
    pub(crate) async fn fees(&self, numbers: Range<u64>) -> Result<Vec<BlockFees>, ChainError> {
        const METHOD: &str = "eth_getBlockByNumber";
        let failed = |source| self.failed(METHOD, source);
        let mut fees = Vec::new();
        for first in numbers.clone().step_by(PART) {
            let part = first..numbers.end.min(first + PART as u64);
            let mut batch = BatchRequest::new(self.inner.provider.client());
            let answers = part
                .clone()
                .map(|number| batch.add_call::<_, Option<BlockFees>>(METHOD, &(U64::from(number), false)))
                .collect::<Result<Vec<_>, _>>()
                .map_err(failed)?;
            batch.send().await.map_err(failed)?;
            for (number, answer) in part.zip(answers) {
                let block = answer.await.map_err(failed)?;
                fees.push(block.ok_or(ChainError::NoBlock { chain_id: self.id(), number })?);
            }
        }
        Ok(fees)
    }
}
