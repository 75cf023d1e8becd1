//! What an account has of a token, and how much of it the router may move.
use alloy::primitives::{Address, U256};
use slipway_contracts::bindings::IERC20;

use super::{NATIVE, SwapApi};
use crate::api::refusal::Refusal;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Holding {
    pub(crate) balance: U256,
    /// The native coin needs no approval.
    pub(crate) allowance: U256,
}

impl SwapApi {
    pub(crate) async fn holding(&self, token: Address, owner: Address) -> Result<Holding, Refusal> {
        let chain_id = self.chain.id();
        if token == NATIVE {
            let balance = self.chain.balance(owner).await;
            let balance = balance.map_err(|_| Refusal::chain_out_of_reach(chain_id))?;
            return Ok(Holding { balance, allowance: U256::MAX });
        }
        let contract = IERC20::new(token, self.chain.provider());
        let (balance, allowance) = (contract.balanceOf(owner), contract.allowance(owner, self.venue.router));
        let (balance, allowance) =
            tokio::try_join!(balance.call(), allowance.call()).map_err(|error| match error {
                alloy::contract::Error::TransportError(source) if source.as_error_resp().is_none() => {
                    Refusal::chain_out_of_reach(chain_id)
                }
                _ => Refusal::internal("quote-holding", "the token does not tell what the account has of it"),
            })?;
        Ok(Holding { balance, allowance })
    }

    pub(crate) fn chain_id(&self) -> u64 {
        self.chain.id()
    }
}
