//! Trading: previews of trades, launches and bids, and past trades.
use std::collections::HashSet;

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

/// A trade of a token.
#[derive(Clone, Debug)]
pub(crate) struct Traded {
    pub(crate) event: Event,
    /// `None` for a buyback.
    pub(crate) trader: Option<Address>,
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
        let price = chain.gas_price().await.map_err(|error| Refusal::of_chain(&error))?;
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
    pub(crate) fn trades_of(&self, token: &TokenView, most: usize) -> Vec<Traded> {
        let birth = token.birth;
        let latest = |oldest, most, keep: &dyn Fn(&Event) -> bool| {
            self.engine.latest_events(birth.chain_id, oldest, most, keep)
        };
        let trades = latest(birth.block, most, &|event| is_trade_of(token, event));
        let is_swap =
            |event: &&Event| matches!(event.kind, EventKind::PoolSwap { .. } | EventKind::PairSwap { .. });
        let swaps = trades.iter().filter(is_swap);
        let oldest = swaps.clone().map(|event| event.block).min().unwrap_or(u64::MAX);
        let swapped: HashSet<B256> = swaps.map(|event| event.transaction).collect();
        let mut transfers = latest(oldest, usize::MAX, &|event| {
            event.emitter == token.launch.token && swapped.contains(&event.transaction)
        });
        transfers.reverse();
        trades.into_iter().map(|event| Traded { trader: trader(&event, &transfers), event }).collect()
    }

    /// The latest swaps in a pair of the exchange, newest first.
    pub(crate) fn swaps_in(&self, chain_id: u64, pair: Address, most: usize) -> Vec<Event> {
        let is_swap =
            |event: &Event| event.emitter == pair && matches!(event.kind, EventKind::PairSwap { .. });
        self.engine.latest_events(chain_id, 0, most, is_swap)
    }
}

/// The account that traded. A curve's event names it; a swap names at most the router, so that it is the one which gave the tokens to the
/// pool or pair, or in the end got them from it.
fn trader(trade: &Event, transfers: &[Event]) -> Option<Address> {
    if let EventKind::Trade { trader, .. } = trade.kind {
        return Some(trader);
    }
    let mut moved = transfers.iter().filter_map(|event| match event.kind {
        EventKind::Transfer { from, to, .. } if event.transaction == trade.transaction => Some((from, to)),
        _ => None,
    });
    let (first, _) = moved.clone().next()?;
    let (_, last) = moved.next_back()?;
    Some(if last == trade.emitter { first } else { last })
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

#[cfg(test)]
mod tests {
    use alloy::primitives::{Address, B256, U256};

    use super::trader;
    use crate::event::{Event, EventKind};

    fn event(emitter: u8, transaction: u8, kind: EventKind) -> Event {
        Event {
            chain_id: 1,
            block: 1,
            timestamp: 0,
            transaction: B256::repeat_byte(transaction),
            log_index: 0,
            emitter: Address::repeat_byte(emitter),
            kind,
        }
    }

    #[test]
    fn behind_a_router_the_trader_is_who_gave_or_got_the_tokens() {
        let [pool, router, trading, other] = [1, 2, 3, 4];
        let moved = |transaction, from, to| {
            let [from, to] = [from, to].map(Address::repeat_byte);
            event(9, transaction, EventKind::Transfer { from, to, amount: U256::ONE })
        };
        let swap = EventKind::PoolSwap {
            pool_id: B256::ZERO,
            sender: Address::repeat_byte(router),
            amount0: 1,
            amount1: -1,
            sqrt_price_x96: U256::ONE,
        };
        let bought = [moved(8, other, pool), moved(7, pool, router), moved(7, router, trading)];
        let sold = [moved(7, trading, router), moved(7, router, pool), moved(8, pool, other)];
        for transfers in [bought, sold] {
            let found = trader(&event(pool, 7, swap.clone()), &transfers);
            assert_eq!(found, Some(Address::repeat_byte(trading)));
        }
        assert_eq!(trader(&event(pool, 7, swap), &[]), None);
        let bought = EventKind::BuybackExecuted {
            launch_id: 1,
            quote_amount: U256::ONE,
            tokens_burned: U256::ONE,
            from_pool: true,
        };
        assert_eq!(trader(&event(pool, 7, bought), &[]), None);
    }
}
