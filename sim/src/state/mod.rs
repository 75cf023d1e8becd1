//! The launches of both chains, folded from events: pure, deterministic, and independent of the order of the chains' blocks.
//!
//! The owner of a state decides which events to fold; this module accesses no chain, clock or store.
pub mod auction;
pub mod exchange;
pub mod figure;
pub mod holders;
pub mod referrals;
pub mod search;
pub(crate) mod shared_list;
pub mod token;
pub mod trades;
mod v1;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use alloy::primitives::map::{AddressSet, B256Map};
use alloy::primitives::{Address, B256};

use crate::event::{Event, EventKind, Side};
use crate::fact::Fact;
use auction::Auction;
use figure::{pool_value_down, saturated};
use holders::{AllHolders, Holders, Spread};
use referrals::Referrals;
use slipway_contracts::deploy::QuoteAsset;
use token::{CurveTrade, Launch, Pool, PoolTrade, SUPPLY, Token, WHOLE};

/// A launch of a hook or factory: chain id, contract, launch id.
type LaunchKey = (u64, Address, u64);

/// Addresses of contracts on one chain that the fold needs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ground {
    /// The wrapped native coin, the other side of the pools of native launches.
    pub wrapped_native: Address,
    /// The pool manager, which holds the liquidity of every pool.
    pub pool_manager: Address,
    /// The quote assets of launches other than the native coin.
    pub quote_assets: Vec<QuoteAsset>,
}

/// The index of each token in [`State::tokens`].
#[derive(Clone, Debug, Default)]
struct Places {
    by_address: BTreeMap<(Address, u64), usize>,
    by_launch: BTreeMap<LaunchKey, usize>,
    by_pool: BTreeMap<(u64, B256), usize>,
    by_pair: BTreeMap<(u64, Address), usize>,
}

/// Every launch token. A copy shares unchanged parts.
#[derive(Clone, Debug, Default)]
pub struct State {
    ground: BTreeMap<u64, Ground>,
    /// In the order in which they were folded.
    tokens: Vec<Arc<Token>>,
    places: Arc<Places>,
    disabled: AddressSet,
    paused_hooks: BTreeSet<(u64, Address)>,
    bearers: Arc<B256Map<Address>>,
    auction: Auction,
    holders: AllHolders,
    referrals: Arc<Referrals>,
}

impl State {
    /// An empty state for these chains.
    #[must_use]
    pub fn new(ground: BTreeMap<u64, Ground>) -> Self {
        Self { ground, ..Self::default() }
    }

    /// Folds one event; events of one chain must arrive in order.
    pub fn apply(&mut self, event: &Event) {
        self.apply_to_tokens(event);
        self.holders.apply(event);
        if Referrals::concerns(event) {
            Arc::make_mut(&mut self.referrals).apply(event);
        }
    }

    fn apply_to_tokens(&mut self, event: &Event) {
        let chain_id = event.chain_id;
        match &event.kind {
            EventKind::LaunchCreated { launch_id, creator, token, target_raise } => {
                let launch = Launch {
                    hook: event.emitter,
                    launch_id: *launch_id,
                    token: *token,
                    creator: *creator,
                    transaction: event.transaction,
                    target_raise: *target_raise,
                    ..Launch::default()
                };
                self.announce(event, launch);
            }
            EventKind::LaunchMetadata { launch_id, metadata } => {
                self.change(event, *launch_id, |token| token.describe(metadata));
            }
            EventKind::LaunchConfigured {
                launch_id,
                quote_asset,
                gain_bps,
                creator_fee_split_bps,
                anti_snipe_duration,
                launch_time,
                ..
            } => {
                let quote_price = self.quote_price(event.chain_id, *quote_asset);
                self.change(event, *launch_id, |token| {
                    token.configure(*quote_asset, *gain_bps, *anti_snipe_duration, *launch_time);
                    token.price_quote(quote_price);
                    token.creator_fee_split_bps = *creator_fee_split_bps;
                });
            }
            EventKind::Trade {
                launch_id,
                side,
                price_after,
                market_cap,
                quote_amount,
                token_amount,
                fee,
                ..
            } => {
                let trade = CurveTrade {
                    at: event.timestamp,
                    side: *side,
                    gross: saturated(*quote_amount),
                    fee: saturated(*fee),
                    tokens: saturated(*token_amount),
                    price_after: saturated(*price_after),
                    market_cap_after: saturated(*market_cap),
                };
                self.change(event, *launch_id, |token| token.trade(trade));
            }
            EventKind::LaunchFinalized { launch_id, pool_id, .. } => {
                if let Some(index) = self.launch(event, *launch_id) {
                    Arc::make_mut(&mut self.places).by_pool.insert((chain_id, *pool_id), index);
                }
                self.change(event, *launch_id, |token| {
                    token.graduate(event.timestamp, Pool::Managed(*pool_id));
                });
            }
            EventKind::TokenCreated { .. }
            | EventKind::TokenGraduated { .. }
            | EventKind::Sync { .. }
            | EventKind::PairSwap { .. } => self.apply_v1(event),
            EventKind::BidWon { .. } => self.auction.apply(event),
            EventKind::CreatorFeeSplitUpdated { launch_id, new_bps } => {
                self.change(event, *launch_id, |token| token.creator_fee_split_bps = *new_bps);
            }
            EventKind::BuybackExecuted { launch_id, quote_amount, tokens_burned, from_pool } => {
                // The swap of a buyback from the pool has already moved the price.
                if !from_pool {
                    let (spent, burned) = (saturated(*quote_amount), saturated(*tokens_burned));
                    self.change(event, *launch_id, |token| {
                        token.buy_back(event.timestamp, spent, burned);
                    });
                }
            }
            EventKind::CreationPaused { paused: true } => {
                self.paused_hooks.insert((chain_id, event.emitter));
            }
            EventKind::CreationPaused { paused: false } => {
                self.paused_hooks.remove(&(chain_id, event.emitter));
            }
            EventKind::PoolSwap { .. } => self.swap(event),
            // The exchange, holders and referrals are folded separately.
            EventKind::Transfer { .. }
            | EventKind::FeesWithdrawn { .. }
            | EventKind::Referral { .. }
            | EventKind::PairCreated { .. }
            | EventKind::FeeOnTransfer => {}
        }
    }

    /// Folds one off-chain fact; its token or wallet need not exist yet.
    pub fn apply_fact(&mut self, fact: &Fact) {
        match *fact {
            Fact::TokenDisabled { token, disabled: true } => _ = self.disabled.insert(token),
            Fact::TokenDisabled { token, disabled: false } => _ = self.disabled.remove(&token),
            Fact::ReferralCode { wallet, ref code, at } => {
                Arc::make_mut(&mut self.referrals).issue(wallet, code, at);
            }
            Fact::Referred { wallet, referrer, at } => {
                Arc::make_mut(&mut self.referrals).register(wallet, referrer, at);
            }
            Fact::Bearer { wallet, digest } => _ = Arc::make_mut(&mut self.bearers).insert(digest, wallet),
        }
    }

    /// Points and referrals.
    #[must_use]
    pub fn referrals(&self) -> &Referrals {
        &self.referrals
    }

    /// The wallet that owns the bearer token with this hash.
    #[must_use]
    pub fn bearer(&self, digest: &B256) -> Option<Address> {
        self.bearers.get(digest).copied()
    }

    /// Number of issued bearer tokens.
    #[must_use]
    pub fn bearer_count(&self) -> usize {
        self.bearers.len()
    }

    fn announce(&mut self, event: &Event, launch: Launch) {
        let index = self.tokens.len();
        let places = Arc::make_mut(&mut self.places);
        places.by_address.insert((launch.token, event.chain_id), index);
        places.by_launch.insert((event.chain_id, event.emitter, launch.launch_id), index);
        self.tokens.push(Arc::new(Token::announced(event, launch)));
    }

    /// Changes the token of a launch; an unknown launch is ignored.
    fn change(&mut self, event: &Event, launch_id: u64, apply: impl FnOnce(&mut Token)) {
        if let Some(index) = self.launch(event, launch_id) {
            apply(Arc::make_mut(&mut self.tokens[index]));
        }
    }

    /// The index of the token of a launch, by the event's emitter.
    fn launch(&self, event: &Event, launch_id: u64) -> Option<usize> {
        self.places.by_launch.get(&(event.chain_id, event.emitter, launch_id)).copied()
    }

    /// The token on the other side of a token's pool.
    #[must_use]
    pub fn quote_token(&self, token: &Token) -> Address {
        if !token.launch.quote_asset.is_zero() {
            return token.launch.quote_asset;
        }
        self.ground.get(&token.birth.chain_id).map_or(Address::ZERO, |ground| ground.wrapped_native)
    }

    /// Records a swap in a launch's pool; a swap by the hook itself is a buyback, which does not count as a trade.
    fn swap(&mut self, event: &Event) {
        let EventKind::PoolSwap { pool_id, sender, amount0, amount1, sqrt_price_x96 } = event.kind else {
            return;
        };
        let Some(&index) = self.places.by_pool.get(&(event.chain_id, pool_id)) else {
            return self.price_asset(event.chain_id, pool_id, pool_value_down(sqrt_price_x96, false, WHOLE));
        };
        let token_is_first = self.tokens[index].launch.token < self.quote_token(&self.tokens[index]);
        let (token_amount, quote_amount) = ordered(token_is_first, amount0, amount1);
        let swap = PoolTrade {
            at: event.timestamp,
            side: if token_amount >= 0 { Side::Buy } else { Side::Sell },
            gross: quote_amount.unsigned_abs(),
            price_after: pool_value_down(sqrt_price_x96, token_is_first, WHOLE),
            market_cap_after: pool_value_down(sqrt_price_x96, token_is_first, SUPPLY),
        };
        let token = Arc::make_mut(&mut self.tokens[index]);
        if sender == token.launch.hook {
            token.buy_back_from_pool(swap);
        } else {
            token.swap(swap);
        }
    }

    /// Records a quote asset's price in wei, as set by its pool; other pools are ignored.
    fn price_asset(&mut self, chain_id: u64, pool: B256, wei: u128) {
        let Some(ground) = self.ground.get_mut(&chain_id) else { return };
        let Some(asset) = ground.quote_assets.iter_mut().find(|asset| asset.price_pool == pool) else {
            return;
        };
        asset.price = wei;
        let address = asset.address;
        let sold_for =
            |token: &&mut Arc<Token>| token.birth.chain_id == chain_id && token.launch.quote_asset == address;
        for token in self.tokens.iter_mut().filter(sold_for) {
            Arc::make_mut(token).price_quote(wei);
        }
    }

    /// Price of a whole unit of an asset, in wei.
    fn quote_price(&self, chain_id: u64, asset: Address) -> u128 {
        let assets = self.ground.get(&chain_id).map_or(&[][..], |ground| &ground.quote_assets);
        assets.iter().find(|known| known.address == asset).map_or(WHOLE, |asset| asset.price)
    }

    /// Number of tokens.
    #[must_use]
    pub fn count(&self) -> usize {
        self.tokens.len()
    }

    /// The tokens in the order in which they were folded.
    pub fn tokens(&self) -> impl DoubleEndedIterator<Item = &Token> {
        self.tokens.iter().map(Arc::as_ref)
    }

    /// The token at an address; if both chains have one there, the token of the chain with the higher id, the primary one.
    #[must_use]
    pub fn token(&self, address: Address) -> Option<&Token> {
        let (_, index) = self.places.by_address.range((address, 0)..=(address, u64::MAX)).next_back()?;
        Some(&self.tokens[*index])
    }

    /// The token at an address on one chain; without a chain id, like [`Self::token`].
    #[must_use]
    pub fn token_on(&self, chain_id: impl Into<Option<u64>>, address: Address) -> Option<&Token> {
        let Some(chain_id) = chain_id.into() else { return self.token(address) };
        self.places.by_address.get(&(address, chain_id)).map(|index| &*self.tokens[*index])
    }

    /// The token of a launch of a hook or factory.
    #[must_use]
    pub fn token_of_launch(&self, chain_id: u64, contract: Address, launch_id: u64) -> Option<&Token> {
        self.places.by_launch.get(&(chain_id, contract, launch_id)).map(|index| &*self.tokens[*index])
    }

    /// Whether a token is disabled, and so missing from the usual lists.
    #[must_use]
    pub fn is_disabled(&self, token: &Token) -> bool {
        self.disabled.contains(&token.launch.token)
    }

    /// The token on its curve with the highest funding progress, among the enabled ones; the oldest in a tie.
    #[must_use]
    pub fn king(&self) -> Option<&Token> {
        let funding = self.tokens().filter(|token| !token.is_graduated() && !self.is_disabled(token));
        funding.min_by_key(|token| (Reverse(token.progress()), token.birth.created_at, token.launch.token))
    }

    /// The auction of the daily token.
    #[must_use]
    pub fn auction(&self) -> &Auction {
        &self.auction
    }

    /// The quote asset of a token; `None` for the native coin.
    #[must_use]
    pub fn quote_asset(&self, token: &Token) -> Option<&QuoteAsset> {
        let mut assets = self.ground.get(&token.birth.chain_id)?.quote_assets.iter();
        assets.find(|asset| asset.address == token.launch.quote_asset)
    }

    /// The distribution of a token; the hook or factory, the pool manager and the token's pair do not count as holders.
    #[must_use]
    pub fn spread(&self, token: &Token) -> Spread {
        self.holders
            .of(token.birth.chain_id, token.launch.token)
            .map(|holders| holders.spread_without(&self.custodians(token)))
            .unwrap_or_default()
    }

    /// The largest holders of a token, without the contracts that do not count as holders.
    pub fn largest_holders(&self, token: &Token) -> impl Iterator<Item = (Address, u128)> {
        let custodians = self.custodians(token);
        let largest =
            self.holders.of(token.birth.chain_id, token.launch.token).into_iter().flat_map(Holders::largest);
        largest.filter(move |(account, _)| !custodians.contains(account))
    }

    /// Contracts that hold a token for others.
    fn custodians(&self, token: &Token) -> [Address; 3] {
        let ground = self.ground.get(&token.birth.chain_id);
        let pool_manager = ground.map_or(Address::ZERO, |ground| ground.pool_manager);
        [token.launch.hook, pool_manager, token.launch.pair]
    }

    /// An account's balance of a token.
    #[must_use]
    pub fn balance(&self, token: &Token, account: Address) -> u128 {
        self.holders
            .of(token.birth.chain_id, token.launch.token)
            .map_or(0, |holders| holders.balance(account))
    }

    /// Whether a hook accepts no new launches.
    #[must_use]
    pub fn is_creation_paused(&self, chain_id: u64, hook: Address) -> bool {
        self.paused_hooks.contains(&(chain_id, hook))
    }
}

/// Orders the two amounts of a pool or pair: the token's first, then the quote asset's.
fn ordered<T>(token_is_first: bool, amount0: T, amount1: T) -> (T, T) {
    if token_is_first { (amount0, amount1) } else { (amount1, amount0) }
}

#[cfg(test)]
pub(crate) mod script;
#[cfg(test)]
#[path = "fold_tests.rs"]
mod tests;
