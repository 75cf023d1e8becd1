//! The launches of both chains, folded from events: pure, deterministic, and the same whichever chain's blocks come first.
//!
//! Whoever owns a state decides what is folded; this module reads no chain, no clock and no store.
pub mod auction;
mod books;
pub mod exchange;
pub mod figure;
pub mod holders;
mod key;
pub mod ledger;
mod numbered;
pub mod ordered;
mod orders;
pub mod referrals;
pub mod search;
pub mod token;
pub mod trades;
mod v1;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use alloy::primitives::map::{AddressMap, AddressSet, B256Map, FbHashMap};
use alloy::primitives::{Address, B256};

use crate::event::{Event, EventKind, Side};
use crate::math::curve::Curve;
use crate::store::Fact;
use auction::Auction;
use books::Books;
use figure::{pool_value_down, saturated};
use holders::{Holders, Spread};
use key::{contract_key, pool_key};
use ledger::Ledger;
use numbered::ByLaunch;
use ordered::{Class, Classes};
pub use orders::{Orders, Standing};
use referrals::Referrals;
use search::Found;
use slipway_contracts::deploy::QuoteAsset;
use token::{Birth, CurveTrade, Launch, Pool, PoolTrade, SUPPLY, Token, WHOLE};

/// Contracts of one chain that the fold must know by address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ground {
    /// The wrapped native coin, the other side of the pools of native launches.
    pub wrapped_native: Address,
    /// The pool manager, which holds the liquidity of every pool.
    pub pool_manager: Address,
    /// What launches are sold for beside the native coin.
    pub quote_assets: Vec<QuoteAsset>,
}

/// A number that no state of this process has had.
fn fresh_version() -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(0);
    LAST.fetch_add(1, Ordering::Relaxed) + 1
}

/// Every launch token, indexed for the sorts and look-ups that exist.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// See [`State::version`].
    version: u64,
    ground: BTreeMap<u64, Ground>,
    tokens: Vec<Token>,
    by_address: FbHashMap<28, u32>,
    /// The chains that have tokens.
    chains: BTreeSet<u64>,
    by_launch: ByLaunch<Option<u32>>,
    by_pool: FbHashMap<40, usize>,
    by_pair: FbHashMap<28, usize>,
    by_owner: AddressMap<Vec<usize>>,
    standings: Vec<Standing>,
    /// The class of each standing, close together.
    classes: Vec<Class>,
    /// The tokens that stand elsewhere than the orders have them.
    moved: Vec<usize>,
    orders: Orders,
    by_last_trade: BTreeMap<(u64, Birth), usize>,
    latest_curve: Option<Arc<Curve>>,
    disabled: AddressSet,
    paused_hooks: BTreeSet<(u64, Address)>,
    bearers: B256Map<Address>,
    auction: Auction,
    books: Books,
}

impl State {
    /// An empty state over these chains.
    #[must_use]
    pub fn new(ground: BTreeMap<u64, Ground>) -> Self {
        Self { version: fresh_version(), ground, ..Self::default() }
    }

    /// Folds one event; events of one chain must come in their order.
    pub fn apply(&mut self, event: &Event) {
        self.apply_all([event]);
    }

    /// Folds events; those of one chain must come in their order. What they move is put in order once, after the last.
    pub fn apply_all<'a>(&mut self, events: impl IntoIterator<Item = &'a Event, IntoIter: Clone + Send>) {
        let mut books = std::mem::take(&mut self.books);
        books.fold(events.into_iter(), |event| self.take_in(event));
        self.books = books;
        self.settle();
        self.version = fresh_version();
    }

    /// Says which state this is: equal numbers are of equal states, and every change gives another number, never given before.
    #[must_use]
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Takes in an event; the orders are wrong from here until they are settled.
    fn take_in(&mut self, event: &Event) {
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
                let mut latest = self.latest_curve.take();
                self.change(event, *launch_id, |token| {
                    token.configure(&mut latest, *quote_asset, *gain_bps, *anti_snipe_duration, *launch_time);
                    token.creator_fee_split_bps = *creator_fee_split_bps;
                });
                self.latest_curve = latest;
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
                    self.by_pool.insert(pool_key(chain_id, *pool_id), index);
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
                // The swap of a buyback from the pool has moved the price already.
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
            // The exchange and the books are folded apart.
            EventKind::Transfer { .. }
            | EventKind::FeesAccrued { .. }
            | EventKind::FeesWithdrawn { .. }
            | EventKind::BuybackAccrued { .. }
            | EventKind::Referral { .. }
            | EventKind::PairCreated { .. }
            | EventKind::FeeOnTransfer => {}
        }
    }

    /// Folds one fact that is on no chain; what it tells of need not exist yet.
    pub fn apply_fact(&mut self, fact: &Fact) {
        self.version = fresh_version();
        match *fact {
            Fact::TokenDisabled { token, disabled } => self.disable(token, disabled),
            Fact::ReferralCode { wallet, ref code, at } => {
                Arc::make_mut(&mut self.books.referrals).issue(wallet, code, at);
            }
            Fact::Referred { wallet, referrer, at } => {
                Arc::make_mut(&mut self.books.referrals).register(wallet, referrer, at);
            }
            Fact::Bearer { wallet, digest } => _ = self.bearers.insert(digest, wallet),
        }
    }

    /// Points and referrals.
    #[must_use]
    pub fn referrals(&self) -> &Referrals {
        &self.books.referrals
    }

    /// The wallet that a bearer token of this hash was issued to.
    #[must_use]
    pub fn bearer(&self, digest: &B256) -> Option<Address> {
        self.bearers.get(digest).copied()
    }

    /// How many bearer tokens were issued.
    #[must_use]
    pub fn bearer_count(&self) -> usize {
        self.bearers.len()
    }

    fn announce(&mut self, event: &Event, launch: Launch) {
        let index = self.tokens.len();
        let chain_id = event.chain_id;
        let number = u32::try_from(index).expect("tokens are fewer");
        self.by_address.insert(contract_key(chain_id, launch.token), number);
        self.chains.insert(chain_id);
        *self.by_launch.entry(chain_id, event.emitter, launch.launch_id) = Some(number);
        self.by_owner.entry(launch.creator).or_default().push(index);
        self.tokens.push(Token::announced(event, launch));
        self.change_at(index, |_| {});
    }

    fn disable(&mut self, address: Address, disabled: bool) {
        let places: Vec<usize> = self.places(address).collect();
        if disabled {
            self.disabled.insert(address);
        } else {
            self.disabled.remove(&address);
        }
        for index in places {
            self.reorder(index);
        }
    }

    /// Changes the token of a launch and keeps the indexes true; an unknown launch is none of ours.
    fn change(&mut self, event: &Event, launch_id: u64, apply: impl FnOnce(&mut Token)) {
        if let Some(index) = self.launch(event, launch_id) {
            self.change_at(index, apply);
        }
    }

    /// The index of the token of a launch of the emitter of an event.
    fn launch(&self, event: &Event, launch_id: u64) -> Option<usize> {
        let number = *self.by_launch.get(event.chain_id, event.emitter, launch_id)?;
        number.map(|number| number as usize)
    }

    fn change_at(&mut self, index: usize, apply: impl FnOnce(&mut Token)) {
        let token = &mut self.tokens[index];
        apply(token);
        if !token.has_moved {
            token.has_moved = true;
            self.moved.push(index);
        }
    }

    /// The token on the other side of a token's pool.
    #[must_use]
    pub fn quote_token(&self, token: &Token) -> Address {
        if !token.launch.quote_asset.is_zero() {
            return token.launch.quote_asset;
        }
        self.ground.get(&token.birth.chain_id).map_or(Address::ZERO, |ground| ground.wrapped_native)
    }

    /// Takes in a swap in a launch's pool; that of the hook itself is a buyback, which is nobody's trade.
    fn swap(&mut self, event: &Event) {
        let EventKind::PoolSwap { pool_id, sender, amount0, amount1, sqrt_price_x96 } = event.kind else {
            return;
        };
        let Some(&index) = self.by_pool.get(&pool_key(event.chain_id, pool_id)) else {
            return;
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
        self.change_at(index, |token| {
            if sender == token.launch.hook {
                token.buy_back_from_pool(swap);
            } else {
                token.swap(swap);
            }
        });
    }

    /// How many tokens there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.tokens.len()
    }

    /// The orders of the list.
    #[must_use]
    pub fn orders(&self) -> &Orders {
        &self.orders
    }

    /// The token of an entry of an order.
    #[must_use]
    pub fn at(&self, index: usize) -> &Token {
        &self.tokens[index]
    }

    /// Where the token of an entry stands.
    #[must_use]
    pub fn standing(&self, index: usize) -> &Standing {
        &self.standings[index]
    }

    /// The class of the token of an entry.
    #[must_use]
    pub fn class(&self, index: usize) -> Class {
        self.classes[index]
    }

    /// The tokens in whose name, ticker, description, owner or address a text occurs, without regard to letter case.
    #[must_use]
    pub fn search(&self, text: &str) -> Found {
        self.books.corpus.find(text, self.count())
    }

    /// The tokens from the oldest to the newest; the reverse is the order `newest`.
    pub fn by_age(&self) -> impl DoubleEndedIterator<Item = &Token> {
        let birth = &self.orders.birth;
        birth.iter(birth.all()).map(|entry| &self.tokens[entry.index])
    }

    /// The tokens by the market capitalization shown, the lowest first, equal ones from the oldest to the newest.
    pub fn by_market_cap(&self) -> impl DoubleEndedIterator<Item = &Token> {
        let market_cap = &self.orders.market_cap;
        market_cap.iter(market_cap.all()).map(|entry| &self.tokens[entry.index])
    }

    /// The tokens that were traded later than a time, by their index, in no promised order.
    pub fn traded_after(&self, time: u64) -> impl Iterator<Item = usize> {
        let later = (Bound::Excluded((time, Birth::LAST)), Bound::Unbounded);
        self.by_last_trade.range(later).map(|(_, &index)| index)
    }

    /// The tokens that a wallet created, in no promised order.
    pub fn of_owner(&self, owner: Address) -> impl Iterator<Item = &Token> {
        self.by_owner.get(&owner).into_iter().flatten().map(|&index| &self.tokens[index])
    }

    /// The token at an address; should two chains have one there, that of the chain with the higher id, the primary one.
    #[must_use]
    pub fn token(&self, address: Address) -> Option<&Token> {
        self.places(address).next_back().map(|index| &self.tokens[index])
    }

    /// The tokens at an address by their chain, the primary one last.
    fn places(&self, address: Address) -> impl DoubleEndedIterator<Item = usize> {
        self.chains
            .iter()
            .filter_map(move |chain| self.by_address.get(&contract_key(*chain, address)))
            .map(|number| *number as usize)
    }

    /// The token at an address of one chain.
    #[must_use]
    pub fn token_on(&self, chain_id: u64, address: Address) -> Option<&Token> {
        self.by_address.get(&contract_key(chain_id, address)).map(|number| &self.tokens[*number as usize])
    }

    /// Whether a token was taken out of the usual lists.
    #[must_use]
    pub fn is_disabled(&self, token: &Token) -> bool {
        self.disabled.contains(&token.launch.token)
    }

    /// The token on its curve that has come furthest, of those that are not disabled.
    #[must_use]
    pub fn king(&self) -> Option<&Token> {
        let funding = Classes::kept_by(|class| !class.is_graduated() && !class.is_disabled());
        let progress = &self.orders.progress;
        let (furthest, _) = progress.after(progress.all(), funding, 0, true).next()?.key;
        let equals = progress.stretch((furthest, Birth::FIRST)..=(furthest, Birth::LAST));
        progress
            .after(equals, funding, 0, false)
            .map(|entry| &self.tokens[entry.index])
            .min_by_key(|token| (token.birth.created_at, token.launch.token))
    }

    /// The auction of the daily token.
    #[must_use]
    pub fn auction(&self) -> &Auction {
        &self.auction
    }

    /// What the hooks owe.
    #[must_use]
    pub fn ledger(&self) -> &Ledger {
        &self.books.ledger
    }

    /// What a token is sold for; none for the native coin.
    #[must_use]
    pub fn quote_asset(&self, token: &Token) -> Option<&QuoteAsset> {
        let mut assets = self.ground.get(&token.birth.chain_id)?.quote_assets.iter();
        assets.find(|asset| asset.address == token.launch.quote_asset)
    }

    /// How a token is spread; the hook or factory, the pool manager and the token's pair are no holders.
    #[must_use]
    pub fn spread(&self, token: &Token) -> Spread {
        self.holders_of(token)
            .map(|holders| holders.spread_without(&self.custodians(token)))
            .unwrap_or_default()
    }

    /// The largest holders of a token, without those that are no holders.
    pub fn largest_holders(&self, token: &Token) -> impl Iterator<Item = (Address, u128)> {
        let custodians = self.custodians(token);
        let largest = self.holders_of(token).into_iter().flat_map(Holders::largest);
        largest.filter(move |(account, _)| !custodians.contains(account))
    }

    /// Contracts that keep a token for others.
    fn custodians(&self, token: &Token) -> [Address; 3] {
        let ground = self.ground.get(&token.birth.chain_id);
        let pool_manager = ground.map_or(Address::ZERO, |ground| ground.pool_manager);
        [token.launch.hook, pool_manager, token.launch.pair]
    }

    fn holders_of(&self, token: &Token) -> Option<&Holders> {
        self.books.holders.of(token.birth.chain_id, token.launch.token)
    }

    /// Units of a token that an account holds.
    #[must_use]
    pub fn balance(&self, token: &Token, account: Address) -> u128 {
        self.holders_of(token).map_or(0, |holders| holders.balance(account))
    }

    /// Whether a hook takes no new launches.
    #[must_use]
    pub fn is_creation_paused(&self, chain_id: u64, hook: Address) -> bool {
        self.paused_hooks.contains(&(chain_id, hook))
    }
}

/// Two amounts of a pool or pair, that of the token before that of its quote asset.
fn ordered<T>(token_is_first: bool, amount0: T, amount1: T) -> (T, T) {
    if token_is_first { (amount0, amount1) } else { (amount1, amount0) }
}

#[cfg(test)]
pub(crate) mod script;
#[cfg(test)]
#[path = "fold_tests.rs"]
mod tests;
