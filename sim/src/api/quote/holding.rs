//! Reads an account's balance of a token, and how much of it the router may move.
use alloy::primitives::Address;

use super::SwapApi;
use crate::api::holding::Holding;
use crate::api::refusal::Refusal;

impl SwapApi {
    pub(crate) async fn holding(&self, token: Address, owner: Address) -> Result<Holding, Refusal> {
        Holding::read(&self.chain, token, owner, self.venue.router).await
    }

    pub(crate) fn chain_id(&self) -> u64 {
        self.chain.id()
    }
}
