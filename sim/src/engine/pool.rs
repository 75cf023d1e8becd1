//! Reads the balances of a pool in the pool manager.
use alloy::primitives::{B256, U256, U512};
use slipway_contracts::bindings::IStateView;

use super::{Engine, EngineError};
use crate::chain::ChainError;

impl Engine {
    /// Units of the first and the second currency in a pool whose liquidity covers the full range, rounded down, without uncollected fees.
    pub(crate) async fn pool_amounts(&self, chain_id: u64, pool: B256) -> Result<(U256, U256), EngineError> {
        let (chain, deployment) = self.chain(chain_id)?;
        let view = IStateView::new(deployment.contract("StateView").unwrap_or_default(), chain.provider());
        let failed = |error: alloy::contract::Error| match error {
            alloy::contract::Error::TransportError(source) => {
                ChainError::Call { chain_id, method: "eth_call", source }.into()
            }
            other => EngineError::refused(None, || other.to_string()),
        };
        let slot = view.getSlot0(pool).call().await.map_err(failed)?;
        let liquidity = view.getLiquidity(pool).call().await.map_err(failed)?;
        Ok(amounts(U256::from(slot.sqrtPriceX96), liquidity))
    }
}

/// Amounts behind full-range liquidity, given the square root of the price with 96 fractional bits.
fn amounts(sqrt_price_x96: U256, liquidity: u128) -> (U256, U256) {
    let (liquidity, root) = (U512::from(liquidity), U512::from(sqrt_price_x96));
    let first = (liquidity << 96_usize).checked_div(root).unwrap_or_default();
    (U256::saturating_from(first), U256::saturating_from((liquidity * root) >> 96_usize))
}

#[cfg(test)]
mod tests {
    use alloy::primitives::U256;

    use super::amounts;

    #[test]
    fn amounts_follow_the_price() {
        let root = |root: u64| U256::from(root) << 96;
        assert_eq!(amounts(root(1), 1_000), (U256::from(1_000), U256::from(1_000)));
        assert_eq!(amounts(root(10), 1_000), (U256::from(100), U256::from(10_000)));
        assert_eq!(amounts(root(3), 100), (U256::from(33), U256::from(300)));
        assert_eq!(amounts(U256::ZERO, 5), (U256::ZERO, U256::ZERO));
    }
}
