//! A token at one moment, with every figure that any answer contains.
use std::sync::Arc;

use alloy::primitives::Address;
use slipway_contracts::deploy::QuoteAsset;

use crate::api::Api;
use crate::state::State;
use crate::state::figure::{Change, Figure};
use crate::state::token::{Birth, DAY, HOUR, Launch, Pool, Token};

/// Activity in a window that ends now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Activity {
    /// Volume in ether, gross of fees.
    pub volume: Figure,
    /// Volume in the token's quote asset, gross of fees.
    pub volume_in_asset: Figure,
    /// Change of the price in percent.
    pub price_change: Change,
    /// Purchases.
    pub buys: u64,
    /// Sales.
    pub sells: u64,
}

/// A token at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenView {
    /// Creation time and place.
    pub birth: Birth,
    /// The immutable part of the launch.
    pub launch: Arc<Launch>,
    /// The creator's share of the variable fee, in basis points.
    pub creator_fee_split_bps: u16,
    /// Market capitalization in ether.
    pub market_cap: Figure,
    /// Market capitalization in the token's quote asset.
    pub market_cap_in_asset: Figure,
    /// Price of a whole token in ether.
    pub price: Figure,
    /// Price of a whole token in its quote asset.
    pub price_in_asset: Figure,
    /// Raised part of the target, 0 to 1.
    pub progress: Figure,
    /// Pool of the token once it graduated.
    pub pool: Option<Pool>,
    /// The quote asset; `None` for the native coin.
    pub quote_asset: Option<QuoteAsset>,
    /// The last 24 hours.
    pub day: Activity,
    /// The last hour.
    pub hour: Activity,
    /// Number of all trades.
    pub trade_count: u64,
    /// Accounts with a balance.
    pub holders: u64,
    /// Percent of the supply held by the ten largest holders.
    pub top_ten: Figure,
    /// Percent of the supply held by the creator.
    pub developer: Figure,
}

/// A token with everything that its page shows, at one moment.
#[derive(Clone, Debug)]
pub(crate) struct TokenDetail {
    pub(crate) view: TokenView,
    pub(crate) folded: Token,
    /// The largest holders with their units.
    pub(crate) holders: Vec<(Address, u128)>,
    /// The token on the other side of its pool or pair.
    pub(crate) quote_token: Address,
}

/// The price of a token since its creation, in quote units.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PriceLine {
    pub(crate) opening: u128,
    /// The price at the end of each of equal intervals.
    pub(crate) prices: Vec<u128>,
}

impl Api {
    /// Finds a token; without a chain id, the primary chain's if both have it.
    pub(crate) fn token(&self, chain_id: Option<u64>, token: Address) -> Option<TokenView> {
        let state = self.read();
        state.token_on(chain_id, token).map(|token| TokenView::at(&state, token, self.now()))
    }

    /// Finds a token with its `holders` largest holders, largest first.
    pub(crate) fn token_detail(
        &self,
        chain_id: Option<u64>,
        token: Address,
        holders: usize,
    ) -> Option<TokenDetail> {
        let state = self.read();
        let token = state.token_on(chain_id, token)?;
        Some(TokenDetail {
            view: TokenView::at(&state, token, self.now()),
            folded: token.clone(),
            holders: state.largest_holders(token).take(holders).collect(),
            quote_token: state.quote_token(token),
        })
    }

    /// The price of a token at the end of each of `count` equal intervals since its creation; `None` if the token is gone.
    pub(crate) fn price_line(&self, token: &TokenView, count: u64) -> Option<PriceLine> {
        let state = self.read();
        let token = state.token_on(token.birth.chain_id, token.launch.token)?;
        let created = token.birth.created_at;
        let span = self.now().saturating_sub(created).max(count);
        let at = |step| token.trades.at(created + span * step / count);
        let opening = token.opening_price();
        Some(PriceLine {
            opening,
            prices: (1..=count).map(|step| at(step).map_or(opening, |(price, _)| price)).collect(),
        })
    }
}

impl TokenView {
    /// The token at the time `now`.
    ///
    /// Clause: FIG-SAME, FIG-ALIKE
    #[must_use]
    pub fn at(state: &State, token: &Token, now: u64) -> Self {
        let spread = state.spread(token);
        Self {
            birth: token.birth,
            launch: Arc::clone(&token.launch),
            creator_fee_split_bps: token.creator_fee_split_bps,
            market_cap: token.market_cap_shown(),
            market_cap_in_asset: Figure::of_units(token.market_cap),
            price: token.in_ether(token.price),
            price_in_asset: Figure::of_units(token.price),
            progress: token.progress(),
            pool: token.pool,
            quote_asset: state.quote_asset(token).cloned(),
            day: activity(token, now, DAY),
            hour: activity(token, now, HOUR),
            trade_count: token.trade_count(),
            holders: spread.count,
            top_ten: Figure::of_percentage(spread.top_ten, spread.supply),
            developer: Figure::of_percentage(state.balance(token, token.launch.creator), spread.supply),
        }
    }

    /// Whether the curve is full.
    #[must_use]
    pub fn is_graduated(&self) -> bool {
        self.pool.is_some()
    }
}

fn activity(token: &Token, now: u64, span: u64) -> Activity {
    let window = token.trades.within(now, span);
    Activity {
        volume: token.in_ether(window.volume),
        volume_in_asset: Figure::of_units(window.volume),
        price_change: token.change_over(&window),
        buys: window.buys,
        sells: window.sells,
    }
}
