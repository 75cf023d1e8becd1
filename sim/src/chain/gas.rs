//! Gas estimates and prices from the node.
use alloy::primitives::{Address, Bytes, U64, U128, U256};
use alloy::rpc::types::TransactionRequest;

use super::{Chain, ChainError};

impl Chain {
    /// Gas that a call would use in the next block.
    pub(crate) async fn estimate_gas(
        &self,
        from: Address,
        to: Address,
        data: Bytes,
        value: U256,
    ) -> Result<u64, ChainError> {
        let request = TransactionRequest::default().from(from).to(to).input(data.into()).value(value);
        let gas: U64 = self.ask("eth_estimateGas", (request, "pending")).await?;
        Ok(gas.to())
    }

    /// The node's current gas price in wei.
    pub(crate) async fn gas_price(&self) -> Result<u128, ChainError> {
        let price: U128 = self.ask("eth_gasPrice", ()).await?;
        Ok(price.to())
    }

    pub(crate) async fn code(&self, address: Address) -> Result<Bytes, ChainError> {
        self.ask("eth_getCode", (address, "latest")).await
    }
}

impl ChainError {
    /// The node's message, when it responded with an error.
    pub(crate) fn refusal(&self) -> Option<String> {
        match self {
            Self::Call { source, .. } => source.as_error_resp().map(|answer| answer.message.to_string()),
            Self::NoBlock { .. }
            | Self::TornBlock { .. }
            | Self::NoSnapshot { .. }
            | Self::Client { .. }
            | Self::Address { .. } => None,
        }
    }
}
