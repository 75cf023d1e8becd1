//! Gas: estimates and prices from the node, and the block gas limit, which bounds the node's work on a block.
use std::ops::Range;

use alloy::eips::eip1559::{BaseFeeParams, calc_next_block_base_fee};
use alloy::primitives::{Address, Bytes, U64, U128, U256};
use alloy::rpc::types::TransactionRequest;
use serde::Deserialize;
use serde_json::Value;
use slipway_contracts::decode::{self, Named};

use super::{Chain, ChainError, NO_PARAMS};

/// Block gas limit once the market is made.
pub(crate) const BLOCK_GAS: u64 = 30_000_000;
/// The largest block gas limit that a user of the node may set: a node may work on such a block for some seconds.
pub(crate) const MOST_BLOCK_GAS: u64 = 300_000_000;
/// Gas of a block above which the node is not asked for traces: listing the calls takes it a second at this limit, and time grows with the
/// square of their number.
pub(crate) const TRACED_GAS: u64 = 4_000_000;

/// Blocks whose gas is read together.
const PRICES_A_FETCH: usize = 64;

/// Sets the base fee of the next block.
pub(super) const SET_NEXT_FEE: &str = "anvil_setNextBlockBaseFeePerGas";

/// Gas in the node's JSON of a block.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Priced {
    pub(crate) gas_limit: U256,
    pub(crate) gas_used: U256,
    pub(crate) base_fee_per_gas: U256,
}

/// What a node gives its next block beside number and time, in the node's JSON of the pending block. No snapshot has it.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct NextBlock {
    gas_limit: U64,
    base_fee_per_gas: U256,
    miner: Address,
}

impl Priced {
    /// The base fee of the block after it (EIP-1559).
    fn next_fee(&self) -> U256 {
        let (used, limit) = (self.gas_used.saturating_to(), self.gas_limit.saturating_to());
        let fee = self.base_fee_per_gas.saturating_to();
        U256::from(calc_next_block_base_fee(used, limit, fee, BaseFeeParams::ethereum()))
    }
}

impl Chain {
    /// Sets the gas limit of blocks from the next one on.
    pub(crate) async fn limit_gas(&self, limit: u64) -> Result<(), ChainError> {
        let _: Value = self.ask("evm_setBlockGasLimit", (U64::from(limit),)).await?;
        Ok(())
    }

    /// Limits the gas of the next blocks on a chain whose latest block has no limit: a node adopts the limit of the block that it loads or
    /// reverts to.
    pub(crate) async fn bound_gas(&self) -> Result<(), ChainError> {
        let latest: Priced = self.ask("eth_getBlockByNumber", ("latest", false)).await?;
        if latest.gas_limit > U256::from(MOST_BLOCK_GAS) { self.limit_gas(BLOCK_GAS).await } else { Ok(()) }
    }

    pub(super) async fn next_block(&self) -> Result<NextBlock, ChainError> {
        self.ask("eth_getBlockByNumber", ("pending", false)).await
    }

    pub(super) async fn set_next_block(&self, next: &NextBlock) -> Result<(), ChainError> {
        self.limit_gas(next.gas_limit.to()).await?;
        let _: Value = self.ask("anvil_setCoinbase", (next.miner,)).await?;
        self.set_next_fee(next.base_fee_per_gas).await
    }

    /// The gas of the blocks with these numbers; an error if the chain lacks one.
    pub(crate) async fn prices(&self, numbers: Range<u64>) -> Result<Vec<Priced>, ChainError> {
        let mut prices = Vec::new();
        for first in numbers.clone().step_by(PRICES_A_FETCH) {
            let end = numbers.end.min(first + PRICES_A_FETCH as u64);
            prices.extend(self.numbered::<Priced>(first..end, false).await?);
        }
        Ok(prices)
    }

    /// The base fee of the next block, as the node will set it.
    pub(crate) async fn next_fee(&self) -> Result<U256, ChainError> {
        Ok(self.next_block().await?.base_fee_per_gas)
    }

    pub(super) async fn set_next_fee(&self, fee: U256) -> Result<(), ChainError> {
        let _: Value = self.ask(SET_NEXT_FEE, (fee,)).await?;
        Ok(())
    }

    /// Lets the base fee of the next block follow from the latest block: a node that goes back keeps the one from before.
    pub(crate) async fn restore_fee(&self) -> Result<(), ChainError> {
        let latest: Priced = self.ask("eth_getBlockByNumber", ("latest", false)).await?;
        self.set_next_fee(latest.next_fee()).await
    }

    /// Gas that a call would use in the next block; an error if it is more than `most`.
    pub(crate) async fn estimate_gas(
        &self,
        from: Address,
        to: Address,
        data: Bytes,
        value: U256,
        most: u64,
    ) -> Result<u64, ChainError> {
        let request = TransactionRequest::default().from(from).to(to).input(data.into()).value(value);
        let request = request.gas_limit(most);
        let gas: U64 = self.ask("eth_estimateGas", (request, "pending")).await?;
        Ok(gas.to())
    }

    /// The node's current gas price in wei.
    pub(crate) async fn gas_price(&self) -> Result<u128, ChainError> {
        let price: U128 = self.ask("eth_gasPrice", NO_PARAMS).await?;
        Ok(price.to())
    }

    pub(crate) async fn code(&self, address: Address) -> Result<Bytes, ChainError> {
        self.ask("eth_getCode", (address, "latest")).await
    }
}

impl ChainError {
    /// The contract's error, if a call failed with a known one.
    pub(crate) fn reverted(&self) -> Option<Named> {
        match self {
            Self::Call { source, .. } => decode::error(&source.as_error_resp()?.as_revert_data()?),
            _ => None,
        }
    }

    /// The node's message, if it responded with an error.
    pub(crate) fn refusal(&self) -> Option<String> {
        match self {
            Self::Call { source, .. } => source.as_error_resp().map(|answer| answer.message.to_string()),
            Self::NoBlock { .. }
            | Self::TornBlock { .. }
            | Self::OtherBlock { .. }
            | Self::Silent { .. }
            | Self::NoSnapshot { .. }
            | Self::Client { .. }
            | Self::Address { .. } => None,
        }
    }
}
