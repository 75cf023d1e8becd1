//! The fold of the exchange: its pairs with their reserves, its tokens, and the volume of the last day.
//!
//! A copy shares everything with its original until either changes, so readers get a copy for every block.
use std::collections::VecDeque;
use std::sync::Arc;

use alloy::primitives::map::AddressMap;
use alloy::primitives::{Address, U256};

use crate::event::{Event, EventKind, ExchangeToken};
use slipway_math::exchange::{Graph, GraphError, PairView, Reserves, Unquotable};

/// Tokens with more decimals are listed but not quoted: their rates would overflow 512 bits.
const MAX_DECIMALS: u8 = 30;
const MINUTE: u64 = 60;
const MINUTES_A_DAY: u64 = 24 * 60;

/// A token in the list of the exchange.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedToken {
    /// The description from its contract.
    pub token: ExchangeToken,
    /// Its address in mixed case.
    pub checksummed: Arc<str>,
}

/// The volume of a pair, in units of each of its tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Volume {
    /// Units of the first token.
    pub amount0: u128,
    /// Units of the second token.
    pub amount1: u128,
}

/// Trades of one pair, summed by the minute: even a busy pair has at most one entry per minute of the day.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Trades(VecDeque<(u64, Volume)>);

/// The data for all quotes and lists.
#[derive(Clone, Debug, Default)]
pub struct ExchangeState {
    graph: Graph,
    tokens: Arc<AddressMap<ListedToken>>,
    trades: Arc<AddressMap<Arc<Trades>>>,
}

impl ExchangeState {
    /// Folds one event; events of other contracts change nothing.
    pub fn apply(&mut self, event: &Event) {
        let folded = match &event.kind {
            EventKind::PairCreated { pair, token0, token1 } => self.add_pair(*pair, token0, token1),
            EventKind::Sync { reserve0, reserve1 } => {
                self.graph.set_reserves(event.emitter, Reserves { reserve0: *reserve0, reserve1: *reserve1 })
            }
            EventKind::PairSwap { amount0_in, amount1_in, amount0_out, amount1_out } => {
                let volume = Volume {
                    amount0: units(amount0_in.saturating_add(*amount0_out)),
                    amount1: units(amount1_in.saturating_add(*amount1_out)),
                };
                self.add_volume(event.emitter, event.timestamp, volume);
                Ok(())
            }
            EventKind::FeeOnTransfer => {
                self.graph.refuse_token(event.emitter, Unquotable::FeeOnTransfer);
                Ok(())
            }
            _ => Ok(()),
        };
        if let Err(error) = folded {
            tracing::warn!(%error, block = event.block, "an event of the exchange was left out");
        }
    }

    /// The pairs and their reserves.
    #[must_use]
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// A token, if it has a pair.
    #[must_use]
    pub fn token(&self, address: Address) -> Option<&ListedToken> {
        self.tokens.get(&address)
    }

    /// Every token that has a pair, in the order of appearance.
    pub fn tokens(&self) -> impl Iterator<Item = &ListedToken> + '_ {
        self.graph.tokens().filter_map(|address| self.token(address))
    }

    /// Every pair of the factory, in the order of creation.
    pub fn pairs(&self) -> impl ExactSizeIterator<Item = PairView> + '_ {
        self.graph.pairs()
    }

    /// The volume of a pair in the 1440 minutes that end with the minute of `now` (Unix seconds).
    #[must_use]
    pub fn volume_of_day(&self, pair: Address, now: u64) -> Volume {
        self.trades.get(&pair).map(|trades| trades.since(day_before(now))).unwrap_or_default()
    }

    fn add_pair(
        &mut self,
        pair: Address,
        token0: &ExchangeToken,
        token1: &ExchangeToken,
    ) -> Result<(), GraphError> {
        self.graph.add_pair(pair, token0.address, token1.address)?;
        for token in [token0, token1] {
            if self.tokens.contains_key(&token.address) {
                continue;
            }
            let checksummed = token.address.to_checksum(None).into();
            let listed = ListedToken { token: token.clone(), checksummed };
            Arc::make_mut(&mut self.tokens).insert(token.address, listed);
            if token.decimals > MAX_DECIMALS {
                self.graph.refuse_token(token.address, Unquotable::Decimals);
            }
        }
        Ok(())
    }

    fn add_volume(&mut self, pair: Address, timestamp: u64, volume: Volume) {
        let trades = Arc::make_mut(&mut self.trades).entry(pair).or_default();
        Arc::make_mut(trades).add(timestamp, volume);
    }
}

impl Trades {
    fn add(&mut self, timestamp: u64, volume: Volume) {
        let minute = timestamp / MINUTE;
        while self.0.front().is_some_and(|(oldest, _)| *oldest <= day_before(timestamp)) {
            self.0.pop_front();
        }
        match self.0.back_mut() {
            Some((last, sum)) if *last == minute => *sum = sum.plus(volume),
            _ => self.0.push_back((minute, volume)),
        }
    }

    fn since(&self, minute: u64) -> Volume {
        self.0
            .iter()
            .filter(|(at, _)| *at > minute)
            .fold(Volume::default(), |sum, (_, volume)| sum.plus(*volume))
    }
}

impl Volume {
    fn plus(self, other: Self) -> Self {
        Self {
            amount0: self.amount0.saturating_add(other.amount0),
            amount1: self.amount1.saturating_add(other.amount1),
        }
    }
}

/// The last minute before the day that ends at `now`.
fn day_before(now: u64) -> u64 {
    (now / MINUTE).saturating_sub(MINUTES_A_DAY)
}

/// An amount of a pair, which fits 112 bits; larger ones do not come from a pair.
fn units(amount: U256) -> u128 {
    u128::try_from(amount).unwrap_or(u128::MAX)
}

#[cfg(test)]
mod tests {
    use alloy::primitives::B256;
    use slipway_contracts::ChainId;

    use super::*;
    use slipway_math::exchange::RouteError;

    fn token(byte: u8, decimals: u8) -> ExchangeToken {
        let name = format!("Token {byte}");
        ExchangeToken { address: Address::repeat_byte(byte), name, symbol: format!("T{byte}"), decimals }
    }

    fn event(emitter: Address, timestamp: u64, kind: EventKind) -> Event {
        Event {
            chain_id: ChainId::PRIMARY.0,
            block: 1,
            timestamp,
            transaction: B256::ZERO,
            log_index: 0,
            emitter,
            kind,
        }
    }

    fn pair_created(pair: u8, token0: ExchangeToken, token1: ExchangeToken) -> Event {
        let pair = Address::repeat_byte(pair);
        event(Address::ZERO, 0, EventKind::PairCreated { pair, token0, token1 })
    }

    fn swap(pair: u8, timestamp: u64, amount: u64) -> Event {
        let (amount0_in, amount1_out) = (U256::from(amount), U256::from(2 * amount));
        let kind =
            EventKind::PairSwap { amount0_in, amount1_in: U256::ZERO, amount0_out: U256::ZERO, amount1_out };
        event(Address::repeat_byte(pair), timestamp, kind)
    }

    #[test]
    fn volume_covers_the_last_day() {
        let mut state = ExchangeState::default();
        state.apply(&pair_created(9, token(1, 18), token(2, 6)));
        let day = MINUTES_A_DAY * MINUTE;
        for (timestamp, amount) in [(day, 1), (day + 59, 2), (day + 60, 4), (2 * day, 8)] {
            state.apply(&swap(9, timestamp, amount));
        }
        let pair = Address::repeat_byte(9);
        assert_eq!(state.volume_of_day(pair, 2 * day), Volume { amount0: 12, amount1: 24 });
        assert_eq!(state.volume_of_day(pair, 2 * day + 60).amount0, 8);
        assert_eq!(state.volume_of_day(pair, 4 * day), Volume::default());
        assert_eq!(state.volume_of_day(Address::ZERO, day), Volume::default());
    }

    #[test]
    fn out_of_range_decimals_are_listed_not_quoted() {
        let mut state = ExchangeState::default();
        state.apply(&pair_created(9, token(1, 18), token(2, MAX_DECIMALS + 1)));
        state.apply(&event(Address::repeat_byte(9), 0, EventKind::Sync { reserve0: 5_000, reserve1: 7_000 }));
        assert_eq!(state.tokens().count(), 2);
        let tokens = [1, 2].map(Address::repeat_byte);
        let quote = state.graph().best_exact_in(tokens[0], tokens[1], 1_000);
        assert_eq!(quote, Err(RouteError::Decimals { token: tokens[1] }));
    }
}
