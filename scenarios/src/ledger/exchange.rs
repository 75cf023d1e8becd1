//! The exchange as its factory's and pairs' logs tell it: pairs, reserves at a named block, swaps, and what tokens cost along routes.
use std::collections::{BTreeMap, BTreeSet};

use alloy::primitives::{Address, U256};
use alloy::sol_types::SolEvent;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Zero};
use serde_json::json;

use super::fold::decode;
use crate::check::{Inconclusive, Stop};
use crate::client::chain::Chain;
use crate::reference::exchange::{self, Exchange};
use crate::reference::integer;
use crate::wire::{Exchange as Pair, Token};

/// Requests for logs at most.
const REQUESTS: u32 = 400;
/// Contracts named in one request for logs.
const ADDRESSES: usize = 200;
const MOST_PAIRS: usize = 400;

/// A swap in a pair: what came in and went out of each side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Swap {
    pub(crate) time: u64,
    pub(crate) came: [BigInt; 2],
    pub(crate) went: [BigInt; 2],
}

/// A pair at the named block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PairState {
    pub(crate) tokens: [Address; 2],
    pub(crate) reserves: [BigInt; 2],
    pub(crate) swaps: Vec<Swap>,
}

/// What a token says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Described {
    pub(crate) name: String,
    pub(crate) symbol: String,
    pub(crate) decimals: u8,
}

/// All pairs of one factory at a named block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ExchangeLedger {
    pub(crate) block: u64,
    pub(crate) router: Address,
    pub(crate) wrapped: Address,
    pub(crate) pairs: BTreeMap<Address, PairState>,
    /// The same pairs, to find routes and amounts by.
    pub(crate) exchange: Exchange,
    pub(crate) tokens: BTreeMap<Address, Described>,
}

impl ExchangeLedger {
    /// Reads the pairs of the factory behind a router, at the newest block.
    pub(crate) async fn behind(chain: &Chain, router: Address) -> Result<Self, Stop> {
        let block = chain.head().await?.header.number;
        let factory = asked(chain.calls_at(&[(router, Pair::factoryCall {})], block).await?, "factory")?;
        let wrapped = asked(chain.calls_at(&[(router, Pair::WETHCall {})], block).await?, "WETH")?;
        let mut requests = REQUESTS;
        let topics = json!([Pair::PairCreated::SIGNATURE_HASH]);
        let created = chain.logs_within(&[factory], &topics, (0, block), &mut requests).await?;
        let created = created.ok_or_else(too_much)?;
        if created.len() > MOST_PAIRS {
            return Err(Stop::Skipped(format!("{} pairs are more than {MOST_PAIRS}", created.len())));
        }
        let mut ledger = Self { block, router, wrapped, ..Self::default() };
        for log in &created {
            let pair: Pair::PairCreated = decode(log)?;
            let state =
                PairState { tokens: [pair.token0, pair.token1], reserves: Default::default(), swaps: vec![] };
            ledger.pairs.insert(pair.pair, state);
        }
        ledger.read_reserves(chain).await?;
        ledger.read_swaps(chain, &mut requests).await?;
        let tokens = ledger.pairs.values().flat_map(|pair| pair.tokens).collect();
        ledger.tokens = described(chain, &tokens, block).await?;
        Ok(ledger)
    }

    async fn read_reserves(&mut self, chain: &Chain) -> Result<(), Inconclusive> {
        let pairs: Vec<Address> = self.pairs.keys().copied().collect();
        let reserves = chain.each_at(pairs, |pair| (pair, Pair::getReservesCall {}), self.block).await?;
        for (pair, reserves) in reserves {
            let both = [reserves.reserve0, reserves.reserve1].map(|one| integer(U256::from(one)));
            self.pairs.entry(pair).and_modify(|pair| pair.reserves = both);
        }
        let pairs = self.pairs.iter().map(|(address, pair)| exchange::Pair {
            address: *address,
            tokens: pair.tokens,
            reserves: pair.reserves.clone(),
        });
        self.exchange = Exchange::new(pairs.collect());
        Ok(())
    }

    async fn read_swaps(&mut self, chain: &Chain, requests: &mut u32) -> Result<(), Stop> {
        let addresses: Vec<Address> = self.pairs.keys().copied().collect();
        let topics = json!([Pair::Swap::SIGNATURE_HASH]);
        let mut times = BTreeMap::new();
        for some in addresses.chunks(ADDRESSES) {
            let logs = chain.logs_within(some, &topics, (0, self.block), requests).await?;
            for log in logs.ok_or_else(too_much)? {
                let swap: Pair::Swap = decode(&log)?;
                let number = log.block_number.unwrap_or_default();
                let time = match (log.block_timestamp, times.get(&number)) {
                    (Some(time), _) => time,
                    (None, Some(time)) => *time,
                    (None, None) => {
                        let block = chain.block(number).await?;
                        block.map(|block| block.header.timestamp).unwrap_or_default()
                    }
                };
                times.insert(number, time);
                if let Some(pair) = self.pairs.get_mut(&log.address()) {
                    pair.swaps.push(Swap {
                        time,
                        came: [integer(swap.amount0In), integer(swap.amount1In)],
                        went: [integer(swap.amount0Out), integer(swap.amount1Out)],
                    });
                }
            }
        }
        Ok(())
    }

    /// Units of a whole token.
    pub(crate) fn unit(&self, token: &Address) -> BigInt {
        let decimals = self.tokens.get(token).map_or(0, |token| token.decimals);
        BigInt::from(10).pow(u32::from(decimals))
    }

    pub(crate) fn whole(&self, units: &BigInt, token: &Address) -> BigRational {
        BigRational::new(units.clone(), self.unit(token))
    }

    /// Whole tokens of `to` for one whole token of `from` in the pair of both, without fee; none where there is no liquidity.
    pub(crate) fn ratio(&self, from: &Address, to: &Address) -> Option<BigRational> {
        let (held, other) = self.exchange.reserves(*from, *to)?;
        if held.is_zero() || other.is_zero() {
            return None;
        }
        Some(self.whole(other, to) / self.whole(held, from))
    }

    /// Every price of a token in the wrapped native token, along each route without a token twice.
    pub(crate) fn prices(&self, token: Address) -> Vec<BigRational> {
        if token == self.wrapped {
            return vec![BigRational::one()];
        }
        let paths = self.exchange.paths(token, self.wrapped);
        paths.iter().filter_map(|path| self.rate(path)).collect()
    }

    /// Whole tokens of the last for one whole token of the first along a path, without fee.
    pub(crate) fn rate(&self, path: &[Address]) -> Option<BigRational> {
        path.windows(2).map(|hop| self.ratio(&hop[0], &hop[1])).product()
    }

    /// What went through a pair in a window, in ether at given prices of its tokens: each swap for at least the lesser and at most
    /// the greater of its sides.
    pub(crate) fn volume(
        &self,
        pair: &PairState,
        prices: &[BigRational; 2],
        now: u64,
        window: u64,
    ) -> (BigRational, BigRational) {
        let (mut least, mut most) = (BigRational::zero(), BigRational::zero());
        for swap in pair.swaps.iter().filter(|swap| swap.time + window > now) {
            let side = |index: usize| {
                let moved = (&swap.came[index]).max(&swap.went[index]);
                self.whole(moved, &pair.tokens[index]) * &prices[index]
            };
            let (one, other) = (side(0), side(1));
            least += (&one).min(&other);
            most += one.max(other);
        }
        (least, most)
    }
}

/// What tokens say of themselves after a block; those that do not are left out.
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

fn asked<T>(mut answers: Vec<Option<T>>, what: &str) -> Result<T, Inconclusive> {
    let reason = || Inconclusive::NoMaterial { reason: format!("the router tells no {what}") };
    answers.pop().flatten().ok_or_else(reason)
}

fn too_much() -> Stop {
    Stop::Skipped(format!("the logs of the exchange take more than {REQUESTS} requests"))
}
