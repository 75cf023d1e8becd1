//! Trading: previews of trades, launches and bids, and past trades.
use alloy::primitives::{Address, B256, U256};
use alloy::sol_types::SolCall as _;
use slipway_contracts::bindings::{CaptchaAuth, IEmperorAuction};
use slipway_contracts::deploy::QuoteAsset;

use super::Api;
use super::refusal::Refusal;
use super::tokens::view::TokenView;
use crate::event::{Event, EventKind, Side};
use crate::state::token::Pool;

pub(crate) use crate::engine::{SLIPPAGE_BPS, TradeCall, TradeMarket, TradeOrder};

/// The gas of a call, and its price.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gas {
    pub(crate) gas: u64,
    /// Wei per unit of gas.
    pub(crate) price: u128,
}

impl Api {
    /// The market of a token; without a chain id, the primary chain's if both have the token.
    pub(crate) fn market(&self, chain_id: impl Into<Option<u64>>, token: Address) -> Option<TradeMarket> {
        self.read().token_on(chain_id, token).map(TradeMarket::of)
    }

    /// The markets of the newest tokens of all chains.
    pub(crate) fn newest_markets(&self, most: usize) -> Vec<TradeMarket> {
        let state = self.read();
        let mut newest: Vec<_> = state.tokens().collect();
        newest.sort_by_key(|token| std::cmp::Reverse((token.birth.created_at, token.birth.chain_id)));
        newest.into_iter().take(most).map(TradeMarket::of).collect()
    }

    /// Quotes a trade by the contract's own preview, with calls that tolerate `slippage` basis points less.
    pub(crate) async fn trade_order(
        &self,
        market: &TradeMarket,
        side: Side,
        units: U256,
        trader: Address,
        auth: CaptchaAuth,
        slippage: u16,
    ) -> Result<TradeOrder, Refusal> {
        Ok(self.engine.trade_order(market, side, units, trader, auth, slippage).await?)
    }

    /// The hook of launches for the native coin of a chain, and the other quote assets with theirs.
    pub(crate) fn launch_hooks(&self, chain_id: u64) -> Result<(Address, &[QuoteAsset]), Refusal> {
        let (_, deployment) = self.engine.chain(chain_id)?;
        Ok((deployment.hook, &deployment.quote_assets))
    }

    /// Simulates a call of an account on the chain.
    pub(crate) async fn try_call(
        &self,
        chain_id: u64,
        account: Address,
        call: &TradeCall,
    ) -> Result<Gas, Refusal> {
        let gas = self.engine.estimate(chain_id, account, call).await?;
        let (chain, _) = self.engine.chain(chain_id)?;
        let price = chain.gas_price().await.map_err(|_| Refusal::chain_out_of_reach(chain_id))?;
        Ok(Gas { gas, price })
    }

    /// Simulates a bid for a token at the current price, which falls until the bid is mined; `None` if the chain has no auction.
    pub(crate) async fn try_bid(
        &self,
        chain_id: u64,
        bidder: Address,
        token: Address,
    ) -> Result<Option<TradeCall>, Refusal> {
        let (_, deployment) = self.engine.chain(chain_id)?;
        let Some(to) = deployment.auction() else { return Ok(None) };
        let value = self.auction_standing().current_bid;
        let call = TradeCall { to, data: IEmperorAuction::bidCall { token }.abi_encode().into(), value };
        self.engine.estimate(chain_id, bidder, &call).await?;
        Ok(Some(call))
    }

    /// Units of the first and the second currency in a pool; `None` if the node does not respond.
    pub(crate) async fn pool_amounts(&self, chain_id: u64, pool: B256) -> Option<(U256, U256)> {
        self.engine.pool_amounts(chain_id, pool).await.ok()
    }

    /// The latest trades of a token, newest first: on its curve, in its pool or pair, and buybacks.
    pub(crate) fn trades_of(&self, token: &TokenView, most: usize) -> Vec<Event> {
        let birth = token.birth;
        self.engine.latest_events(birth.chain_id, birth.block, most, |event| is_trade_of(token, event))
    }

    /// The latest swaps in a pair of the exchange, newest first.
    pub(crate) fn swaps_in(&self, chain_id: u64, pair: Address, most: usize) -> Vec<Event> {
        let is_swap =
            |event: &Event| event.emitter == pair && matches!(event.kind, EventKind::PairSwap { .. });
        self.engine.latest_events(chain_id, 0, most, is_swap)
    }
}

fn is_trade_of(token: &TokenView, event: &Event) -> bool {
    let launch = &token.launch;
    match &event.kind {
        EventKind::Trade { launch_id, .. } | EventKind::BuybackExecuted { launch_id, .. } => {
            event.emitter == launch.hook && *launch_id == launch.launch_id
        }
        EventKind::PoolSwap { pool_id, sender, .. } => {
            token.pool == Some(Pool::Managed(*pool_id)) && *sender != launch.hook
        }
        EventKind::PairSwap { .. } => token.pool == Some(Pool::Pair(event.emitter)),
        _ => false,
    }
}
