//! Reads an account's balance of an asset, and how much of it a contract may move.
use alloy::primitives::{Address, U256};
use slipway_contracts::bindings::IERC20;

use super::Api;
use super::quote::NATIVE;
use super::refusal::Refusal;
use crate::chain::Chain;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Holding {
    pub(crate) balance: U256,
    /// The native coin needs no approval.
    pub(crate) allowance: U256,
}

impl Holding {
    /// Reads `owner`'s balance of an asset and `spender`'s allowance; the zero address is the native coin.
    pub(super) async fn read(
        chain: &Chain,
        asset: Address,
        owner: Address,
        spender: Address,
    ) -> Result<Self, Refusal> {
        if asset == NATIVE {
            let balance = chain.balance(owner).await;
            let balance = balance.map_err(|error| Refusal::of_chain(&error))?;
            return Ok(Self { balance, allowance: U256::MAX });
        }
        let contract = IERC20::new(asset, chain.provider());
        let (balance, allowance) = (contract.balanceOf(owner), contract.allowance(owner, spender));
        let (balance, allowance) =
            tokio::try_join!(balance.call(), allowance.call()).map_err(|error| unread(chain.id(), &error))?;
        Ok(Self { balance, allowance })
    }
}

/// The refusal of a read of a token that failed.
pub(super) fn unread(chain_id: u64, error: &alloy::contract::Error) -> Refusal {
    match error {
        alloy::contract::Error::TransportError(source) if source.as_error_resp().is_none() => {
            Refusal::of_call(chain_id, source)
        }
        _ => Refusal::internal("holding", "the token does not report the account's balance"),
    }
}

impl Api {
    /// Reads `owner`'s balance of an asset on a chain and `spender`'s allowance.
    pub(crate) async fn holding(
        &self,
        chain_id: u64,
        asset: Address,
        owner: Address,
        spender: Address,
    ) -> Result<Holding, Refusal> {
        let (chain, _) = self.engine.chain(chain_id)?;
        Holding::read(chain, asset, owner, spender).await
    }
}
