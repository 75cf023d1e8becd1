//! Decodes logs to events: which contracts are watched, and what their logs mean. Unknown logs of known contracts are skipped.
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use alloy::primitives::{Address, U256};
use alloy::rpc::types::Log;
use alloy::sol_types::{SolEvent, SolEventInterface};
use slipway_contracts::bindings::ILaunchHook::{self, ILaunchHookEvents};
use slipway_contracts::bindings::ITokenFactory::{self, ITokenFactoryEvents};
use slipway_contracts::bindings::{
    IEmperorAuction, ILaunchToken, IPoolManager, IUniswapV2Factory, IUniswapV2Pair,
};

use crate::chain::{Chain, ChainError, RawBlock};
use crate::event::{Event, EventKind, Metadata, Side};

#[derive(Clone, Debug, Default)]
pub(crate) struct Watched {
    pub(crate) hooks: BTreeSet<Address>,
    pub(crate) pool_manager: Address,
    pub(crate) pair_factory: Option<Address>,
    pub(crate) token_factory: Option<Address>,
    pub(crate) auction: Option<Address>,
    /// V1 tokens by their index among the factory's tokens, from 1.
    pub(crate) v1: BTreeMap<Address, u64>,
    pub(crate) tokens: BTreeSet<Address>,
    pub(crate) pairs: BTreeSet<Address>,
    /// Tokens of pairs that were never funded, by pair: no transfer of these was tried yet.
    pub(crate) unfilled: BTreeMap<Address, [Address; 2]>,
    /// Tokens of pairs that were funded.
    pub(crate) tried: BTreeSet<Address>,
}

impl Watched {
    /// Whether an event can contain anything that [`Self::learn`] records.
    pub(crate) fn learns_from(event: &Event) -> bool {
        matches!(
            event.kind,
            EventKind::LaunchCreated { .. }
                | EventKind::PairCreated { .. }
                | EventKind::Sync { .. }
                | EventKind::TokenCreated { .. }
        )
    }

    /// Records the tokens and pairs of these events.
    pub(crate) fn learn<'a>(&mut self, events: impl IntoIterator<Item = &'a Event>) {
        for event in events {
            match event.kind {
                EventKind::LaunchCreated { token, .. } => _ = self.tokens.insert(token),
                EventKind::PairCreated { pair, ref token0, ref token1 } => {
                    self.pairs.insert(pair);
                    self.unfilled.insert(pair, [token0.address, token1.address]);
                }
                EventKind::Sync { reserve0, reserve1 } => {
                    self.untried(event.emitter, [reserve0, reserve1]);
                }
                EventKind::TokenCreated { launch_id, token, .. } => {
                    self.tokens.insert(token);
                    self.v1.insert(token, launch_id);
                }
                _ => {}
            }
        }
    }

    /// Returns the same contracts with tokens and pairs learned elsewhere.
    pub(crate) fn with_learned(&self, learned: Self) -> Self {
        Self {
            hooks: self.hooks.clone(),
            pool_manager: self.pool_manager,
            pair_factory: self.pair_factory,
            token_factory: self.token_factory,
            auction: self.auction,
            ..learned
        }
    }

    /// Tokens that are in a funded pair for the first time, with the pair's reserves of them.
    fn untried(&mut self, pair: Address, reserves: [u128; 2]) -> Vec<(Address, u128)> {
        if reserves.contains(&0) {
            return Vec::new();
        }
        let tokens = self.unfilled.remove(&pair).into_iter().flatten();
        tokens.zip(reserves).filter(|(token, _)| self.tried.insert(*token)).collect()
    }

    /// A token's supply is minted before its launch is announced, so new contracts are detected first.
    fn learn_from_logs(&mut self, logs: &[Log]) {
        for log in logs {
            if self.hooks.contains(&log.address()) {
                if let Ok(created) = ILaunchHook::LaunchCreated::decode_log(&log.inner) {
                    self.tokens.insert(created.token);
                }
            } else if self.token_factory == Some(log.address()) {
                if let Ok(created) = ITokenFactory::TokenCreated::decode_log(&log.inner) {
                    self.tokens.insert(created.token);
                    let next = u64::try_from(self.v1.len()).unwrap_or(u64::MAX) + 1;
                    self.v1.entry(created.token).or_insert(next);
                }
            } else if self.pair_factory == Some(log.address())
                && let Ok(created) = IUniswapV2Factory::PairCreated::decode_log(&log.inner)
            {
                self.pairs.insert(created.pair);
            }
        }
    }
}

/// The events of a block, in order; the tokens of new pairs are asked for their descriptions. After an error the watched contracts must be
/// learned again, since they may include part of the block.
pub(crate) async fn events_of(
    chain: &Chain,
    watched: &mut Watched,
    block: &RawBlock,
) -> Result<Vec<Event>, ChainError> {
    watched.learn_from_logs(&block.logs);
    let mut events = Vec::new();
    for log in &block.logs {
        let kind = match decode(watched, log) {
            Some(Decoded::Event(kind)) => kind,
            Some(Decoded::NewPair { pair, tokens }) => {
                let [token0, token1] = chain.describe_tokens(tokens, block.head.number).await?;
                EventKind::PairCreated { pair, token0, token1 }
            }
            None => continue,
        };
        let mut event = Event {
            chain_id: chain.id(),
            block: block.head.number,
            timestamp: block.head.timestamp,
            transaction: log.transaction_hash.unwrap_or_default(),
            log_index: log.log_index.unwrap_or_default(),
            emitter: log.address(),
            kind,
        };
        let keeping = keeping_tokens(chain, watched, &event).await?;
        events.push(event.clone());
        for token in keeping {
            event.emitter = token;
            event.kind = EventKind::FeeOnTransfer;
            events.push(event.clone());
        }
    }
    Ok(events)
}

/// Units transferred to detect a fee: enough to show a fee of a ten thousandth.
const TRIED: u128 = 1_000_000;

/// Tokens that turn out to charge a transfer fee, now that a pair holds some of them.
async fn keeping_tokens(
    chain: &Chain,
    watched: &mut Watched,
    event: &Event,
) -> Result<Vec<Address>, ChainError> {
    if let EventKind::PairCreated { .. } = event.kind {
        watched.learn([event]);
    }
    let EventKind::Sync { reserve0, reserve1 } = event.kind else {
        return Ok(Vec::new());
    };
    let mut keeping = Vec::new();
    for (token, held) in watched.untried(event.emitter, [reserve0, reserve1]) {
        let units = U256::from(held.min(TRIED));
        if chain.keeps_of_transfers(token, event.emitter, units, event.block).await? {
            keeping.push(token);
        }
    }
    Ok(keeping)
}

enum Decoded {
    Event(EventKind),
    NewPair { pair: Address, tokens: [Address; 2] },
}

fn decode(watched: &Watched, log: &Log) -> Option<Decoded> {
    let emitter = log.address();
    if watched.hooks.contains(&emitter) {
        hook_event(log).map(Decoded::Event)
    } else if watched.token_factory == Some(emitter) {
        factory_event(&watched.v1, log).map(Decoded::Event)
    } else if watched.auction == Some(emitter) {
        bid_won(log).map(Decoded::Event)
    } else if emitter == watched.pool_manager {
        pool_swap(log).map(Decoded::Event)
    } else if watched.tokens.contains(&emitter) {
        transfer(log).map(Decoded::Event)
    } else if watched.pairs.contains(&emitter) {
        pair_event(log).map(Decoded::Event)
    } else if watched.pair_factory == Some(emitter) {
        let created = IUniswapV2Factory::PairCreated::decode_log(&log.inner).ok()?;
        Some(Decoded::NewPair { pair: created.pair, tokens: [created.token0, created.token1] })
    } else {
        None
    }
}

/// Clause: CH-LAUNCH, CH-REFERRAL
fn hook_event(log: &Log) -> Option<EventKind> {
    match ILaunchHookEvents::decode_log(&log.inner).ok()?.data {
        ILaunchHookEvents::LaunchCreated(event) => Some(EventKind::LaunchCreated {
            launch_id: launch_id(event.launchId)?,
            creator: event.creator,
            token: event.token,
            target_raise: event.targetRaise.to(),
        }),
        ILaunchHookEvents::LaunchMetadata(event) => Some(EventKind::LaunchMetadata {
            launch_id: launch_id(event.launchId)?,
            metadata: Arc::new(Metadata {
                name: event.name,
                ticker: event.ticker,
                description: event.description,
                image_url: event.imageUrl,
                messenger: event.messenger,
                microblog: event.microblog,
                website: event.website,
            }),
        }),
        ILaunchHookEvents::LaunchConfigured(event) => Some(EventKind::LaunchConfigured {
            launch_id: launch_id(event.launchId)?,
            quote_asset: event.quoteAsset,
            sale_supply: event.saleSupply,
            liquidity_supply: event.liquiditySupply,
            gain_bps: event.gainBps,
            creator_fee_split_bps: event.creatorFeeSplitBps,
            anti_snipe_duration: event.antiSnipeDuration,
            launch_time: event.launchTime,
        }),
        ILaunchHookEvents::Trade(event) => trade(&event),
        ILaunchHookEvents::Referral(event) => Some(EventKind::Referral {
            launch_id: launch_id(event.launchId)?,
            trader: event.trader,
            referral_code: event.referralCode,
        }),
        ILaunchHookEvents::LaunchFinalized(event) => Some(EventKind::LaunchFinalized {
            launch_id: launch_id(event.launchId)?,
            pool_id: event.poolId,
            quote_seeded: event.ethSeeded,
            tokens_seeded: event.tokensSeeded,
        }),
        ILaunchHookEvents::CreatorFeeSplitUpdated(event) => Some(EventKind::CreatorFeeSplitUpdated {
            launch_id: launch_id(event.launchId)?,
            new_bps: event.newBps,
        }),
        ILaunchHookEvents::BuybackExecuted(event) => Some(EventKind::BuybackExecuted {
            launch_id: launch_id(event.launchId)?,
            quote_amount: event.quoteAmount,
            tokens_burned: event.tokensBurned,
            from_pool: event.fromPool,
        }),
        ILaunchHookEvents::CreationPaused(event) => Some(EventKind::CreationPaused { paused: event.paused }),
        ILaunchHookEvents::FeesWithdrawn(event) => {
            Some(EventKind::FeesWithdrawn { account: event.account, amount: event.amount })
        }
        // No service reports what a hook owes.
        ILaunchHookEvents::FeesAccrued(_)
        | ILaunchHookEvents::BuybackAccrued(_)
        | ILaunchHookEvents::PoolFeesCollected(_) => None,
    }
}

fn factory_event(numbers: &BTreeMap<Address, u64>, log: &Log) -> Option<EventKind> {
    let number = |token: &Address| numbers.get(token).copied();
    match ITokenFactoryEvents::decode_log(&log.inner).ok()?.data {
        ITokenFactoryEvents::TokenCreated(event) => Some(EventKind::TokenCreated {
            launch_id: number(&event.token)?,
            creator: event.creator,
            token: event.token,
            pair: event.pair,
            metadata: Arc::new(Metadata {
                name: event.name,
                ticker: event.symbol,
                description: event.description,
                image_url: event.imageUrl,
                ..Metadata::default()
            }),
        }),
        ITokenFactoryEvents::TokenTraded(event) => Some(EventKind::Trade {
            launch_id: number(&event.token)?,
            trader: event.trader,
            side: side(event.tradeType)?,
            price_after: event.priceAfter,
            market_cap: event.marketCap,
            quote_amount: event.ethAmount,
            token_amount: event.tokenAmount,
            fee: event.fee,
            refund: event.refund,
        }),
        ITokenFactoryEvents::TokenGraduated(event) => Some(EventKind::TokenGraduated {
            launch_id: number(&event.token)?,
            pair: event.pair,
            quote_seeded: event.ethSeeded,
            tokens_seeded: event.tokensSeeded,
        }),
        // All V1 fees go to one account, and no token is created after creation is closed.
        ITokenFactoryEvents::FeesWithdrawn(_) | ITokenFactoryEvents::CreationClosedForGood(_) => None,
    }
}

fn bid_won(log: &Log) -> Option<EventKind> {
    let event = IEmperorAuction::BidWon::decode_log(&log.inner).ok()?;
    Some(EventKind::BidWon {
        epoch: u64::try_from(event.epoch).ok()?,
        token: event.token,
        bidder: event.bidder,
        amount: event.amount,
        start_bid: event.startBid,
    })
}

fn side(trade_type: u8) -> Option<Side> {
    match trade_type {
        0 => Some(Side::Buy),
        1 => Some(Side::Sell),
        _ => None,
    }
}

fn trade(event: &ILaunchHook::Trade) -> Option<EventKind> {
    Some(EventKind::Trade {
        launch_id: launch_id(event.launchId)?,
        trader: event.trader,
        side: side(event.tradeType)?,
        price_after: event.price.priceAfter,
        market_cap: event.price.marketCap,
        quote_amount: event.amounts.ethAmount,
        token_amount: event.amounts.tokenAmount,
        fee: event.amounts.fee,
        refund: event.refund,
    })
}

fn launch_id(id: U256) -> Option<u64> {
    u64::try_from(id).ok()
}

fn transfer(log: &Log) -> Option<EventKind> {
    let event = ILaunchToken::Transfer::decode_log(&log.inner).ok()?;
    Some(EventKind::Transfer { from: event.from, to: event.to, amount: event.amount })
}

fn pool_swap(log: &Log) -> Option<EventKind> {
    let event = IPoolManager::Swap::decode_log(&log.inner).ok()?;
    Some(EventKind::PoolSwap {
        pool_id: event.id,
        sender: event.sender,
        amount0: event.amount0,
        amount1: event.amount1,
        sqrt_price_x96: U256::from(event.sqrtPriceX96),
    })
}

fn pair_event(log: &Log) -> Option<EventKind> {
    match *log.topic0()? {
        IUniswapV2Pair::Sync::SIGNATURE_HASH => {
            let event = IUniswapV2Pair::Sync::decode_log(&log.inner).ok()?;
            Some(EventKind::Sync { reserve0: event.reserve0.to(), reserve1: event.reserve1.to() })
        }
        IUniswapV2Pair::Swap::SIGNATURE_HASH => {
            let event = IUniswapV2Pair::Swap::decode_log(&log.inner).ok()?;
            Some(EventKind::PairSwap {
                amount0_in: event.amount0In,
                amount1_in: event.amount1In,
                amount0_out: event.amount0Out,
                amount1_out: event.amount1Out,
            })
        }
        _ => None,
    }
}

#[cfg(test)]
#[path = "decode_tests.rs"]
mod tests;
