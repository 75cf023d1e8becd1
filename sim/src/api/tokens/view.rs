//! A token at one moment, with every figure that any answer contains.
use std::sync::Arc;

use slipway_contracts::deploy::QuoteAsset;

use crate::state::State;
use crate::state::figure::{Change, Figure};
use crate::state::token::{Birth, DAY, HOUR, Launch, Pool, Token};

/// Activity in a window that ends now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Activity {
    /// Volume in ether, gross of fees.
    pub volume: Figure,
    /// The same in the asset that the token is sold for.
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
    /// What never changes.
    pub launch: Arc<Launch>,
    /// The creator's share of the variable fee, in basis points.
    pub creator_fee_split_bps: u16,
    /// Market capitalization in ether.
    pub market_cap: Figure,
    /// The same in the asset that it is sold for.
    pub market_cap_in_asset: Figure,
    /// Price of a whole token in ether.
    pub price: Figure,
    /// The same in the asset that it is sold for.
    pub price_in_asset: Figure,
    /// Part of the target that was raised, 0 to 1.
    pub progress: Figure,
    /// Pool of the token once it graduated.
    pub pool: Option<Pool>,
    /// What it is sold for; none for the native coin.
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
