//! One launch token: its fixed parameters, and its state from trading.
use std::sync::Arc;

use alloy::primitives::{Address, B256, U256};

use super::figure::{Change, Figure, saturated};
use super::search::SearchText;
use super::trades::{Trades, Window};
use crate::event::{Event, Metadata, Side};
use slipway_math::curve::Curve;
use slipway_math::exponential;

/// Units of every launch's supply.
pub const SUPPLY: u128 = 1_000_000_000_000_000_000_000_000_000;
/// Units of a whole token.
pub const WHOLE: u128 = 1_000_000_000_000_000_000;
/// Seconds of a day.
pub const DAY: u64 = 86_400;
/// Seconds of an hour.
pub const HOUR: u64 = 3_600;

/// Time and place of a launch's creation; a total order of launches, even across chains.
///
/// Ordered by creation time; launches of the same second by chain id, then by their position on the chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Birth {
    /// Block timestamp, Unix seconds.
    pub created_at: u64,
    /// Chain id.
    pub chain_id: u64,
    /// Block number.
    pub block: u64,
    /// Position of the log in its block.
    pub log_index: u64,
}

impl Birth {
    /// The position of a log.
    #[must_use]
    pub fn of(event: &Event) -> Self {
        Self {
            created_at: event.timestamp,
            chain_id: event.chain_id,
            block: event.block,
            log_index: event.log_index,
        }
    }
}

/// Version of the contracts that created a token.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Version {
    /// The token factory.
    V1,
    /// A launch hook.
    #[default]
    V2,
}

/// The market of a graduated token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pool {
    /// A pool of the pool manager, by its id.
    Managed(B256),
    /// A pair of the exchange, by its address.
    Pair(Address),
}

/// The fixed parameters of a launch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Launch {
    /// Version of the contracts.
    pub version: Version,
    /// Hook that runs the launch, or the token factory.
    pub hook: Address,
    /// Id on the hook, or index among the factory's tokens.
    pub launch_id: u64,
    /// Token contract.
    pub token: Address,
    /// Pair that a V1 token graduates into; zero for others.
    pub pair: Address,
    /// Wallet that created the launch.
    pub creator: Address,
    /// Transaction of the creation.
    pub transaction: B256,
    /// Texts and links; an empty link means none.
    pub metadata: Arc<Metadata>,
    /// Asset that is raised; zero for the native coin.
    pub quote_asset: Address,
    /// Target raise in quote units.
    pub target_raise: u128,
    /// Rise of the price over the curve, in basis points.
    pub gain_bps: u32,
    /// Seconds after the start during which trades need a captcha proof.
    pub anti_snipe_seconds: u32,
    /// Start of trading, Unix seconds.
    pub start_time: u64,
}

/// One launch token.
#[derive(Clone, Debug)]
pub struct Token {
    /// Creation time and place.
    pub birth: Birth,
    /// Its fixed parameters.
    pub launch: Arc<Launch>,
    /// The creator's share of the variable fee, in basis points.
    pub creator_fee_split_bps: u16,
    /// Price of a whole token in quote units, rounded down.
    pub price: u128,
    /// Price of the whole supply in quote units, rounded down.
    pub market_cap: u128,
    /// Pool of the token once it graduated.
    pub pool: Option<Pool>,
    /// Trades on the curve and in the pool.
    pub trades: Trades,
    /// The text for searches.
    pub search_text: SearchText,
    curve: Option<Curve>,
    /// Price of a whole unit of its quote asset, in wei.
    quote_price: u128,
    opening_price: u128,
    sold: u128,
    contributions: u128,
    /// The reserves of a V1 token's pair: the quote asset, then the token.
    in_pair: (u128, u128),
}

impl Token {
    /// Creates the token of a launch that was just announced.
    #[must_use]
    pub fn announced(event: &Event, launch: Launch) -> Self {
        Self {
            birth: Birth::of(event),
            search_text: SearchText::of(&launch),
            launch: Arc::new(launch),
            creator_fee_split_bps: 0,
            price: 0,
            market_cap: 0,
            pool: None,
            trades: Trades::default(),
            curve: None,
            quote_price: WHOLE,
            opening_price: 0,
            sold: 0,
            contributions: 0,
            in_pair: (0, 0),
        }
    }

    /// Records texts and links.
    pub(super) fn describe(&mut self, metadata: &Arc<Metadata>) {
        let launch = Arc::make_mut(&mut self.launch);
        launch.metadata = Arc::clone(metadata);
        self.search_text = SearchText::of(launch);
    }

    /// Sets the curve, and with it the token's opening price.
    pub(super) fn configure(
        &mut self,
        quote_asset: Address,
        gain_bps: u32,
        anti_snipe: u32,
        start_time: u64,
    ) {
        let launch = Arc::make_mut(&mut self.launch);
        launch.quote_asset = quote_asset;
        launch.gain_bps = gain_bps;
        launch.anti_snipe_seconds = anti_snipe;
        launch.start_time = start_time;
        self.curve = Curve::new(launch.target_raise, gain_bps).ok();
        self.price_from_curve();
        self.opening_price = self.price;
    }

    /// Puts a V1 token at the beginning of its curve, which is the same for all of them.
    pub(super) fn open_v1(&mut self) {
        self.price = saturated(exponential::price_down(0));
        self.market_cap = saturated(exponential::market_cap_down(0));
        self.opening_price = self.price;
    }

    /// Records a trade on the curve; `gross` includes `fee`.
    pub(super) fn trade(&mut self, trade: CurveTrade) {
        match trade.side {
            Side::Buy => {
                self.contributions = self.contributions.saturating_add(trade.gross.saturating_sub(trade.fee));
                self.sold = self.sold.saturating_add(trade.tokens);
            }
            Side::Sell => {
                self.contributions = self.contributions.saturating_sub(trade.gross);
                self.sold = self.sold.saturating_sub(trade.tokens);
            }
        }
        (self.price, self.market_cap) = (trade.price_after, trade.market_cap_after);
        self.trades.push(trade.at, trade.side, trade.gross, self.price);
    }

    /// Records a buyback on the curve, which pays no fee and does not count as a trade.
    pub(super) fn buy_back(&mut self, at: u64, spent: u128, burned: u128) {
        self.contributions = self.contributions.saturating_add(spent);
        self.sold = self.sold.saturating_add(burned);
        self.price_from_curve();
        self.trades.reprice(at, self.price);
    }

    pub(super) fn swap(&mut self, swap: PoolTrade) {
        (self.price, self.market_cap) = (swap.price_after, swap.market_cap_after);
        self.trades.push(swap.at, swap.side, swap.gross, self.price);
    }

    /// Records a buyback from the token's pool, which does not count as a trade.
    pub(super) fn buy_back_from_pool(&mut self, swap: PoolTrade) {
        (self.price, self.market_cap) = (swap.price_after, swap.market_cap_after);
        self.trades.reprice(swap.at, self.price);
    }

    /// Records new reserves of the token's pair; the event of the swap or the graduation comes after it.
    pub(super) fn hold(&mut self, at: u64, quote: u128, tokens: u128) {
        self.in_pair = (quote, tokens);
        if self.pool.is_some() {
            self.price_from_pair(at);
        }
    }

    fn price_from_pair(&mut self, at: u64) {
        let (quote, tokens) = self.in_pair;
        if tokens == 0 {
            return;
        }
        let worth = |units: u128| saturated(U256::from(quote) * U256::from(units) / U256::from(tokens));
        (self.price, self.market_cap) = (worth(WHOLE), worth(SUPPLY));
        self.trades.reprice(at, self.price);
    }

    /// Records a swap in the token's pair, whose price is already known from the pair's reserves.
    pub(super) fn swap_in_pair(&mut self, at: u64, side: Side, gross: u128) {
        self.trades.push(at, side, gross, self.price);
    }

    /// Records that the curve is full; if it moves to a pair, the pair was funded before this.
    pub(super) fn graduate(&mut self, at: u64, pool: Pool) {
        self.pool = Some(pool);
        self.contributions = self.launch.target_raise;
        if let Pool::Pair(_) = pool {
            self.price_from_pair(at);
        }
    }

    /// Clause: FIG-PRICE, FIG-RANGE
    fn price_from_curve(&mut self) {
        let Some(curve) = &self.curve else { return };
        let sold = self.sold.min(curve.sale_supply());
        self.price = saturated(curve.price_down(sold));
        self.market_cap = saturated(curve.market_cap_down(sold));
    }

    /// Whether the curve is full.
    ///
    /// Clause: CH-AFTER
    #[must_use]
    pub fn is_graduated(&self) -> bool {
        self.pool.is_some()
    }

    /// The raised part of the target; exactly one when graduated, never one before.
    ///
    /// Clause: FIG-PROGRESS
    #[must_use]
    pub fn progress(&self) -> Figure {
        Figure::of_ratio(self.contributions, self.launch.target_raise)
    }

    /// The curve of a launch of the second version.
    #[must_use]
    pub fn curve(&self) -> Option<&Curve> {
        self.curve.as_ref()
    }

    /// Price of a whole token before the first trade, in quote units, rounded down.
    #[must_use]
    pub fn opening_price(&self) -> u128 {
        self.opening_price
    }

    /// Quote units paid into the curve minus those paid out; the whole target once graduated.
    #[must_use]
    pub fn contributions(&self) -> u128 {
        self.contributions
    }

    /// Token units sold on the curve.
    #[must_use]
    pub fn sold(&self) -> u128 {
        self.sold
    }

    /// Reserves of a V1 token's pair: the quote asset, then the token.
    #[must_use]
    pub fn in_pair(&self) -> (u128, u128) {
        self.in_pair
    }

    /// Records the price of a whole unit of the quote asset, in wei.
    pub(super) fn price_quote(&mut self, wei: u128) {
        self.quote_price = wei;
    }

    /// Value of quote units in ether, rounded down to the wei; units of the native coin are wei.
    ///
    /// Clause: FIG-MCAP, FIG-PRICE, FIG-VOLUME
    #[must_use]
    pub fn in_ether(&self, units: u128) -> Figure {
        let wei = U256::from(units) * U256::from(self.quote_price) / U256::from(WHOLE);
        Figure::of_units(saturated(wei))
    }

    /// Market capitalization in ether, as shown in answers.
    ///
    /// Clause: FIG-MCAP
    #[must_use]
    pub fn market_cap_shown(&self) -> Figure {
        self.in_ether(self.market_cap)
    }

    /// Number of all trades on the curve and in the pool.
    #[must_use]
    pub fn trade_count(&self) -> u64 {
        self.trades.count()
    }

    /// Change of the price over a window, in percent; relative to the opening price if the window contains every trade.
    ///
    /// Clause: FIG-CHANGE
    #[must_use]
    pub fn change_over(&self, window: &Window) -> Change {
        Change::between(window.price_before.unwrap_or(self.opening_price), self.price)
    }
}

/// A trade on the curve, with amounts in the smallest units.
#[derive(Clone, Copy, Debug)]
pub(super) struct CurveTrade {
    pub(super) at: u64,
    pub(super) side: Side,
    pub(super) gross: u128,
    pub(super) fee: u128,
    pub(super) tokens: u128,
    pub(super) price_after: u128,
    pub(super) market_cap_after: u128,
}

/// A swap in the pool, with amounts in the smallest units.
#[derive(Clone, Copy, Debug)]
pub(super) struct PoolTrade {
    pub(super) at: u64,
    pub(super) side: Side,
    pub(super) gross: u128,
    pub(super) price_after: u128,
    pub(super) market_cap_after: u128,
}
