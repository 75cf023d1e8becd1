//! Folds the raw logs of one deployment into launches; pure, with no input but chain data.
use std::collections::{BTreeMap, BTreeSet};

use alloy::primitives::{Address, B256, U256};
use alloy::rpc::types::Log;
use alloy::sol_types::SolEvent;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

use super::launch::{Asset, Deployment, Launch, LaunchPool, LogPosition, Mark, Side, Trade};
use crate::client::wire::{
    Exchange, LaunchConfig, LaunchHook, Pools, Token, TokenFactory, TradeAmounts, V1State,
};
use crate::model::verdict::Inconclusive;
use crate::truth::reference::curve::{Curve, total_supply};
use crate::truth::reference::integer;
use crate::truth::reference::v1::Exponential;

/// Balances of one token by account, in token units.
type Balances = BTreeMap<Address, BigInt>;

/// The chain data of one deployment up to a named block.
#[derive(Debug, Default)]
pub(crate) struct ChainReading {
    /// Logs of the hook or the factory, in order.
    pub(crate) logs: Vec<Log>,
    /// Logs of its pools or pairs, in order.
    pub(crate) pool_logs: Vec<Log>,
    /// Transfers of every token, in order.
    pub(crate) transfers: Vec<Log>,
    /// Stored states by launch.
    pub(crate) states: BTreeMap<U256, LaunchConfig>,
    /// Stored V1 states by token.
    pub(crate) v1_states: BTreeMap<Address, V1State>,
    /// The price of each pool at the named block, as a square root with 96 fractional bits.
    pub(crate) pools: BTreeMap<B256, U256>,
    /// The first token of each pair.
    pub(crate) pair_firsts: BTreeMap<Address, Address>,
    /// Descriptions and prices of the quote assets.
    pub(crate) assets: BTreeMap<Address, Asset>,
    /// Unix times of the blocks of its logs.
    pub(crate) times: BTreeMap<u64, u64>,
}

/// Decodes a log as an event of this kind.
pub(crate) fn decode<E: SolEvent>(log: &Log) -> Result<E, Inconclusive> {
    E::decode_log_data(log.data()).map_err(|error| Inconclusive::NoMaterial {
        reason: format!("a log of {} is no {}: {error}", log.address(), E::SIGNATURE),
    })
}

/// Returns the price of a pool, in quote units per token unit, from the square root with 96 fractional bits.
pub(crate) fn pool_price(sqrt: &BigInt, token_first: bool) -> Option<BigRational> {
    if sqrt.is_zero() { None } else { pair_price(&[BigInt::one() << 192, sqrt * sqrt], token_first) }
}

/// Returns the price of a token in a pair, in quote units per token unit.
fn pair_price(reserves: &[BigInt; 2], token_first: bool) -> Option<BigRational> {
    let [token, quote] = if token_first { [0, 1] } else { [1, 0] }.map(|side| &reserves[side]);
    (!token.is_zero()).then(|| BigRational::new(quote.clone(), token.clone()))
}

impl ChainReading {
    fn position(&self, log: &Log) -> LogPosition {
        let block = log.block_number.unwrap_or_default();
        LogPosition {
            block,
            time: self.times.get(&block).copied().unwrap_or_default(),
            transaction: log.transaction_hash.unwrap_or_default(),
        }
    }

    /// Folds the transfers into balances of every token.
    fn balances(&self) -> Result<BTreeMap<Address, Balances>, Inconclusive> {
        let mut balances: BTreeMap<Address, Balances> = BTreeMap::new();
        for log in &self.transfers {
            let moved: Token::Transfer = decode(log)?;
            let of_token = balances.entry(log.address()).or_default();
            let amount = integer(moved.amount);
            if moved.from != Address::ZERO {
                *of_token.entry(moved.from).or_default() -= &amount;
            }
            if moved.to != Address::ZERO {
                *of_token.entry(moved.to).or_default() += &amount;
            }
        }
        Ok(balances)
    }

    /// Folds the launches of a V2 hook.
    pub(crate) fn fold_hook(&self, deployment: &Deployment) -> Result<Vec<Launch>, Inconclusive> {
        let mut launches: BTreeMap<U256, Launch> = BTreeMap::new();
        for log in &self.logs {
            let at = self.position(log);
            match log.topic0().copied().unwrap_or_default() {
                LaunchHook::LaunchCreated::SIGNATURE_HASH => {
                    let created: LaunchHook::LaunchCreated = decode(log)?;
                    let id = created.launchId;
                    let Some(state) = self.states.get(&id) else {
                        continue;
                    };
                    let curve = curve_of(state);
                    let opening = (curve.target.clone(), curve.price(&BigInt::zero()));
                    let launch = Launch::begun(deployment, (created.token, created.creator), at, opening);
                    let asset = self.assets.get(&state.quoteAsset).cloned();
                    launches.insert(id, Launch { v2: Some((id, state.clone())), asset, ..launch });
                }
                LaunchHook::LaunchMetadata::SIGNATURE_HASH => {
                    let texts: LaunchHook::LaunchMetadata = decode(log)?;
                    if let Some(launch) = launches.get_mut(&texts.launchId) {
                        launch.texts = texts;
                    }
                }
                LaunchHook::Trade::SIGNATURE_HASH => {
                    let trade: LaunchHook::Trade = decode(log)?;
                    if let Some(launch) = launches.get_mut(&trade.launchId) {
                        let TradeAmounts { ethAmount, tokenAmount, fee } = trade.amounts;
                        let amounts = [ethAmount, tokenAmount, fee, trade.price.marketCap];
                        curve_trade(launch, at, trade.trader, trade.tradeType, amounts);
                    }
                }
                LaunchHook::BuybackExecuted::SIGNATURE_HASH => {
                    let bought: LaunchHook::BuybackExecuted = decode(log)?;
                    let state = self.states.get(&bought.launchId);
                    if let (Some(launch), Some(state), false) =
                        (launches.get_mut(&bought.launchId), state, bought.fromPool)
                    {
                        launch.sold += integer(bought.tokensBurned);
                        let price = curve_of(state).price(&launch.sold);
                        launch.marks.push(Mark { at, price });
                    }
                }
                LaunchHook::LaunchFinalized::SIGNATURE_HASH => {
                    let finalized: LaunchHook::LaunchFinalized = decode(log)?;
                    if let Some(launch) = launches.get_mut(&finalized.launchId) {
                        launch.graduated = Some(at);
                        launch.pool = Some(LaunchPool::V4(finalized.poolId));
                    }
                }
                _ => {}
            }
        }
        self.fold_pools(deployment, &mut launches)?;
        let mut balances = self.balances()?;
        for (id, launch) in &mut launches {
            if let Some(state) = self.states.get(id) {
                launch.price = self.price_now(launch, state);
                (launch.sold, launch.contributions) = (state.sold.into(), state.netContributions.into());
            }
            launch.balances = balances.remove(&launch.token).unwrap_or_default();
            launch.keepers = [Some(deployment.hook), deployment.pool_manager].into_iter().flatten().collect();
            if launch.pool.is_some() && deployment.pool_manager.is_none() {
                launch.own_swaps = None;
            }
        }
        Ok(launches.into_values().collect())
    }

    /// Returns the price at the named block: of the pool if there is one, else of the curve at the stored sold amount.
    fn price_now(&self, launch: &Launch, state: &LaunchConfig) -> BigRational {
        if let Some(LaunchPool::V4(pool)) = launch.pool {
            let now = self.pools.get(&pool).map(|sqrt| integer(*sqrt));
            let priced = now.and_then(|sqrt| pool_price(&sqrt, self.is_first(pool, launch.token)));
            return priced.or_else(|| launch.marks.last().map(|mark| mark.price.clone())).unwrap_or_default();
        }
        curve_of(state).price(&BigInt::from(state.sold))
    }

    /// Whether the token is the first currency of its pool.
    fn is_first(&self, pool: B256, token: Address) -> bool {
        self.pool_logs.iter().any(|log| {
            decode::<Pools::Initialize>(log)
                .is_ok_and(|opened| opened.id == pool && opened.currency0 == token)
        })
    }

    /// Folds swaps in v4 pools, after the trades on the curve. Swaps by the hook itself are buybacks and only move the price.
    fn fold_pools(
        &self,
        deployment: &Deployment,
        launches: &mut BTreeMap<U256, Launch>,
    ) -> Result<(), Inconclusive> {
        let mut pools: BTreeMap<B256, (U256, bool)> = BTreeMap::new();
        for (id, launch) in launches.iter() {
            if let Some(LaunchPool::V4(pool)) = launch.pool {
                pools.insert(pool, (*id, self.is_first(pool, launch.token)));
            }
        }
        for log in &self.pool_logs {
            if log.topic0() != Some(&Pools::Swap::SIGNATURE_HASH) {
                continue;
            }
            let swap: Pools::Swap = decode(log)?;
            let Some((id, token_first)) = pools.get(&swap.id) else {
                continue;
            };
            let Some(launch) = launches.get_mut(id) else {
                continue;
            };
            let at = self.position(log);
            // Amounts are from the swapper's view: a paid amount is negative.
            let [amount0, amount1] = [swap.amount0, swap.amount1].map(BigInt::from);
            let (token, quote) = if *token_first { (amount0, amount1) } else { (amount1, amount0) };
            if swap.sender == deployment.hook {
                launch.own_swaps.get_or_insert_default().push(at.time);
            } else {
                launch.trades.push(Trade::outside(at, swap.sender, token.is_positive(), &quote));
            }
            if let Some(price) = pool_price(&integer(U256::from(swap.sqrtPriceX96)), *token_first) {
                launch.marks.push(Mark { at, price });
            }
        }
        Ok(())
    }

    /// Folds the tokens of the V1 factory.
    pub(crate) fn fold_factory(&self, deployment: &Deployment) -> Result<Vec<Launch>, Inconclusive> {
        let exponential = Exponential::default();
        let opening = exponential.price(&BigInt::zero());
        let mut launches: BTreeMap<Address, Launch> = BTreeMap::new();
        for log in &self.logs {
            let at = self.position(log);
            match log.topic0().copied().unwrap_or_default() {
                TokenFactory::TokenCreated::SIGNATURE_HASH => {
                    let created: TokenFactory::TokenCreated = decode(log)?;
                    let opening = (exponential.target.clone(), opening.clone());
                    let launch = Launch::begun(deployment, (created.token, created.creator), at, opening);
                    let texts = LaunchHook::LaunchMetadata {
                        name: created.name,
                        ticker: created.symbol,
                        description: created.description,
                        imageUrl: created.imageUrl,
                        ..Default::default()
                    };
                    let keepers = BTreeSet::from([deployment.hook, created.pair]);
                    launches.insert(created.token, Launch { texts, keepers, ..launch });
                }
                TokenFactory::TokenTraded::SIGNATURE_HASH => {
                    let trade: TokenFactory::TokenTraded = decode(log)?;
                    if let Some(launch) = launches.get_mut(&trade.token) {
                        let amounts = [trade.ethAmount, trade.tokenAmount, trade.fee, trade.marketCap];
                        curve_trade(launch, at, trade.trader, trade.tradeType, amounts);
                    }
                }
                TokenFactory::TokenGraduated::SIGNATURE_HASH => {
                    let graduated: TokenFactory::TokenGraduated = decode(log)?;
                    if let Some(launch) = launches.get_mut(&graduated.token) {
                        launch.graduated = Some(at);
                        launch.pool = Some(LaunchPool::Pair(graduated.pair));
                    }
                }
                _ => {}
            }
        }
        let mut balances = self.balances()?;
        for launch in launches.values_mut() {
            if let Some(state) = self.v1_states.get(&launch.token) {
                launch.price = exponential.price(&BigInt::from(state.sold));
                (launch.sold, launch.contributions) = (state.sold.into(), state.contributions.into());
            }
            if let Some(LaunchPool::Pair(pair)) = launch.pool {
                self.fold_pair(pair, launch)?;
            }
            launch.balances = balances.remove(&launch.token).unwrap_or_default();
        }
        Ok(launches.into_values().collect())
    }

    /// Folds swaps in a pair: each swap's event follows the event of the resulting reserves.
    fn fold_pair(&self, pair: Address, launch: &mut Launch) -> Result<(), Inconclusive> {
        let token_first = self.pair_firsts.get(&pair) == Some(&launch.token);
        for log in self.pool_logs.iter().filter(|log| log.address() == pair) {
            let at = self.position(log);
            if log.topic0() == Some(&Exchange::Sync::SIGNATURE_HASH) {
                let sync: Exchange::Sync = decode(log)?;
                let reserves = [sync.reserve0, sync.reserve1].map(|reserve| integer(U256::from(reserve)));
                if let Some(price) = pair_price(&reserves, token_first) {
                    launch.marks.push(Mark { at, price });
                }
            } else if log.topic0() == Some(&Exchange::Swap::SIGNATURE_HASH) {
                let swap: Exchange::Swap = decode(log)?;
                let moved0 = integer(swap.amount0In) - integer(swap.amount0Out);
                let moved1 = integer(swap.amount1In) - integer(swap.amount1Out);
                let quote = if token_first { moved1 } else { moved0 };
                launch.trades.push(Trade::outside(at, swap.sender, quote.is_positive(), &quote));
            }
        }
        if let Some(mark) = launch.marks.last() {
            launch.price = mark.price.clone();
        }
        Ok(())
    }
}

/// Returns the curve that a stored state describes.
fn curve_of(state: &LaunchConfig) -> Curve {
    Curve {
        target: integer(U256::from(state.targetRaise)),
        gain: BigInt::from(state.gainBps),
        sale: BigInt::from(state.saleSupply),
    }
}

/// Records a trade on a curve: a purchase raises contributions by its amount after the fee, a sale lowers them by its value.
fn curve_trade(launch: &mut Launch, at: LogPosition, trader: Address, kind: u8, amounts: [U256; 4]) {
    let [volume, tokens, fee, market_cap] = amounts.map(integer);
    let side = if kind == 0 { Side::Buy } else { Side::Sell };
    match side {
        Side::Buy => {
            launch.sold += tokens;
            launch.contributions += &volume - fee;
        }
        Side::Sell => {
            launch.sold -= tokens;
            launch.contributions -= &volume;
        }
    }
    let price = BigRational::new(market_cap, total_supply());
    launch.marks.push(Mark { at, price });
    launch.trades.push(Trade { at, trader, side, volume, on_curve: true });
}

#[cfg(test)]
mod tests {
    use alloy::primitives::LogData;

    use super::*;

    #[test]
    fn swaps_of_the_hook_move_the_price_and_are_no_trades() {
        let [hook, token, trader] = [1, 2, 3].map(Address::repeat_byte);
        let pool = B256::repeat_byte(9);
        let log = |data: LogData| Log {
            inner: alloy::primitives::Log { address: Address::ZERO, data },
            ..Log::default()
        };
        let price = alloy::primitives::aliases::U160::ONE << 96;
        let opened = Pools::Initialize { id: pool, currency0: token, ..Default::default() };
        let swaps =
            [(hook, 500, -5), (trader, 700, -7), (trader, -900, 9)].map(|(sender, amount0, amount1)| {
                Pools::Swap { id: pool, sender, amount0, amount1, sqrtPriceX96: price, ..Default::default() }
            });
        let mut pool_logs = vec![log(opened.encode_log_data())];
        pool_logs.extend(swaps.iter().map(|swap| log(swap.encode_log_data())));
        let deployment = Deployment { hook, ..Deployment::default() };
        let begun = Launch::begun(&deployment, (token, trader), LogPosition::default(), Default::default());
        let mut launches =
            BTreeMap::from([(U256::ONE, Launch { pool: Some(LaunchPool::V4(pool)), ..begun })]);
        let reading = ChainReading { pool_logs, ..ChainReading::default() };
        reading.fold_pools(&deployment, &mut launches).unwrap();
        let launch = &launches[&U256::ONE];
        let sides: Vec<_> = launch.trades.iter().map(|trade| (trade.side, trade.volume.clone())).collect();
        assert_eq!(sides, [(Side::Buy, 7.into()), (Side::Sell, 9.into())]);
        assert_eq!((launch.marks.len(), launch.own_swaps.as_ref().unwrap().len()), (3, 1));
    }
}
