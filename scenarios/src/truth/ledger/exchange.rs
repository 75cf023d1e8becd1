//! The exchange read from its factory and the logs of its pairs: pairs, reserves at a named block, swaps, and token prices along routes.
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicU32;

use alloy::primitives::{Address, U256};
use alloy::sol_types::{SolCall, SolEvent};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Zero};
use serde_json::json;

use super::fold::decode;
use super::launch::Described;
use crate::client::chain::Chain;
use crate::client::wire::{Exchange as Contract, Token};
use crate::model::verdict::{Inconclusive, Stop, Verdict, no_material};
use crate::truth::reference::exchange::{Exchange, Pair};
use crate::truth::reference::integer;

/// Most requests for logs.
const REQUESTS: u32 = 400;
/// Most contracts in one request for logs.
const ADDRESSES: usize = 200;
/// Most pairs that are read; with more, trying every route would take too long.
const MOST_PAIRS: u64 = 400;

/// A swap in a pair: for each side, the larger of its input and output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Swap {
    pub(crate) time: u64,
    pub(crate) moved: [BigInt; 2],
}

/// Prices of whole tokens in ether.
pub(crate) type Prices = BTreeMap<Address, BigRational>;

/// All pairs of one factory at a named block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ExchangeLedger {
    pub(crate) block: u64,
    pub(crate) router: Address,
    pub(crate) wrapped: Address,
    pub(crate) exchange: Exchange,
    /// Swaps by the address of their pair.
    pub(crate) swaps: BTreeMap<Address, Vec<Swap>>,
    pub(crate) tokens: BTreeMap<Address, Described>,
}

impl ExchangeLedger {
    /// Reads the pairs of a router's factory at the newest block.
    pub(crate) async fn behind(chain: &Chain, router: Address) -> Verdict<Self> {
        let block = chain.head().await?.header.number;
        let factory = contract(chain, router, &Contract::factoryCall {}).await?;
        let wrapped = contract(chain, router, &Contract::WETHCall {}).await?;
        let exchange = Exchange { pairs: pairs(chain, factory, block, &[]).await?, ..Exchange::default() };
        let swaps = swaps(chain, &exchange.pairs, block).await?;
        let tokens = described(chain, &exchange.tokens(), block).await?;
        Ok(Self { block, router, wrapped, exchange, swaps, tokens })
    }

    pub(crate) fn whole(&self, units: &BigInt, token: &Address) -> BigRational {
        let decimals = self.tokens.get(token).map_or(0, |token| token.decimals);
        BigRational::new(units.clone(), BigInt::from(10).pow(u32::from(decimals)))
    }

    /// Returns the prices of a token in the wrapped native coin along every route that visits no token twice.
    pub(crate) fn prices(&self, token: Address) -> Vec<BigRational> {
        if token == self.wrapped {
            return vec![BigRational::one()];
        }
        let paths = self.exchange.paths(token, self.wrapped);
        paths.iter().filter_map(|path| self.rate(path)).collect()
    }

    /// Returns whole tokens of the last per whole token of the first along a path, without fees; `None` without liquidity.
    pub(crate) fn rate(&self, path: &[Address]) -> Option<BigRational> {
        let ratio = |hop: &[Address]| {
            let (held, other) = self.exchange.filled(hop[0], hop[1])?;
            Some(self.whole(other, &hop[1]) / self.whole(held, &hop[0]))
        };
        path.windows(2).map(ratio).product()
    }

    /// Returns the value of units of both tokens of a pair at given prices of whole tokens.
    pub(crate) fn worth(&self, pair: &Pair, units: &[BigInt; 2], prices: &Prices) -> [BigRational; 2] {
        [0, 1].map(|side| {
            let token = &pair.tokens[side];
            prices.get(token).map(|price| self.whole(&units[side], token) * price).unwrap_or_default()
        })
    }

    /// Returns bounds of a pair's volume in a window at given prices: each swap counts at least its smaller and at most its larger side.
    pub(crate) fn volume(
        &self,
        pair: &Pair,
        prices: &Prices,
        now: u64,
        window: u64,
    ) -> (BigRational, BigRational) {
        let (mut least, mut most) = (BigRational::zero(), BigRational::zero());
        for swap in self.swaps.get(&pair.address).into_iter().flatten() {
            if swap.time + window > now {
                let [one, other] = self.worth(pair, &swap.moved, prices);
                least += (&one).min(&other);
                most += one.max(other);
            }
        }
        (least, most)
    }
}

/// Reads the pairs of a factory after a block, in its order. Known pairs only need their reserves, because a factory never removes pairs
/// and a pair keeps its tokens.
pub(crate) async fn pairs(chain: &Chain, factory: Address, block: u64, known: &[Pair]) -> Verdict<Vec<Pair>> {
    let count = [(factory, Contract::allPairsLengthCall {})].into_iter();
    let count = all_at(chain, block, count).await?[0].saturating_to();
    if count > MOST_PAIRS {
        return Err(Stop::Skipped(format!("{count} pairs are more than {MOST_PAIRS}")));
    }
    let indices = (known.len() as u64..count).map(U256::from);
    let calls = indices.map(|index| (factory, Contract::allPairsCall { index }));
    let added = all_at(chain, block, calls).await?;
    let firsts = all_at(chain, block, added.iter().map(|pair| (*pair, Contract::token0Call {}))).await?;
    let seconds = all_at(chain, block, added.iter().map(|pair| (*pair, Contract::token1Call {}))).await?;
    let added = added.into_iter().zip(firsts.into_iter().zip(seconds).map(Into::into));
    let all: Vec<_> = known.iter().map(|pair| (pair.address, pair.tokens)).chain(added).collect();
    let calls = all.iter().map(|(pair, _)| (*pair, Contract::getReservesCall {}));
    let reserves = all_at(chain, block, calls).await?.into_iter();
    let reserves = reserves.map(|held| [held.reserve0, held.reserve1].map(|one| integer(one.to())));
    Ok(all
        .into_iter()
        .zip(reserves)
        .map(|((address, tokens), reserves)| Pair { address, tokens, reserves })
        .collect())
}

async fn swaps(chain: &Chain, pairs: &[Pair], block: u64) -> Verdict<BTreeMap<Address, Vec<Swap>>> {
    let addresses: Vec<Address> = pairs.iter().map(|pair| pair.address).collect();
    let topics = json!([Contract::Swap::SIGNATURE_HASH]);
    let (requests, mut swaps) = (AtomicU32::new(REQUESTS), BTreeMap::<Address, Vec<Swap>>::new());
    for some in addresses.chunks(ADDRESSES) {
        let logs = chain.logs_within(some, &topics, (0, block), &requests).await?;
        let logs = logs.ok_or_else(|| {
            Stop::Skipped(format!("the logs of the exchange take more than {REQUESTS} requests"))
        })?;
        let times = chain.times(&logs).await?;
        for log in &logs {
            let swap: Contract::Swap = decode(log)?;
            let time = times.get(&log.block_number.unwrap_or_default()).copied().unwrap_or_default();
            let moved = [swap.amount0In.max(swap.amount0Out), swap.amount1In.max(swap.amount1Out)];
            swaps.entry(log.address()).or_default().push(Swap { time, moved: moved.map(integer) });
        }
    }
    Ok(swaps)
}

/// Reads names, symbols and decimals of tokens after a block; tokens without them are left out.
pub(super) async fn described(
    chain: &Chain,
    tokens: &BTreeSet<Address>,
    block: u64,
) -> Result<BTreeMap<Address, Described>, Inconclusive> {
    let all = || tokens.iter().copied();
    let mut names = chain.each_at(all(), |token| (token, Token::nameCall {}), block).await?;
    let mut symbols = chain.each_at(all(), |token| (token, Token::symbolCall {}), block).await?;
    let decimals = chain.each_at(all(), |token| (token, Token::decimalsCall {}), block).await?;
    let described = decimals.into_iter().filter_map(|(token, decimals)| {
        let (name, symbol) = names.remove(&token).zip(symbols.remove(&token))?;
        Some((token, Described { name, symbol, decimals }))
    });
    Ok(described.collect())
}

/// Reads a contract as a prerequisite: an error is no verdict.
pub(crate) async fn contract<C: SolCall>(chain: &Chain, address: Address, call: &C) -> Verdict<C::Return> {
    let answer = chain.call(address, call).await?;
    answer.map_err(|error| no_material(format!("{address} does not answer {}: {error}", C::SIGNATURE)))
}

/// Makes such reads after a block; each must be answered.
pub(crate) async fn all_at<C: SolCall>(
    chain: &Chain,
    block: u64,
    calls: impl Iterator<Item = (Address, C)>,
) -> Verdict<Vec<C::Return>> {
    let answers = chain.calls_at(&calls.collect::<Vec<_>>(), block).await?;
    let whole: Option<Vec<_>> = answers.into_iter().collect();
    whole.ok_or_else(|| no_material(format!("a contract does not answer {} after {block}", C::SIGNATURE)))
}
