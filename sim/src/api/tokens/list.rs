//! The list of tokens: filtered, sorted, in pages.
use std::cmp::Reverse;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::filter::Filter;
use super::view::TokenView;
use crate::api::Api;
use crate::state::State;
use crate::state::figure::Change;
use crate::state::token::{Birth, DAY, HOUR, Token};

/// Tokens per page.
pub const PAGE_SIZE: u64 = 20;

/// Orders of the list. Each is total: ties are broken by age, and launches in the same second by their position on chain.
///
/// Clause: LIST-SORT-NEWEST, LIST-SORT-OLDEST, LIST-SORT-MCAP, LIST-SORT-TRENDING, LIST-TIMEFRAME
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Sort {
    /// Creation time descending.
    #[default]
    Newest,
    /// Creation time ascending, the reverse of `Newest`.
    Oldest,
    /// Trades in the timeframe, then volume in it, then newest first.
    Trending,
    /// Market capitalization descending, ties newest first.
    #[serde(rename = "mcap-high")]
    MarketCapHigh,
    /// The reverse of `MarketCapHigh`.
    #[serde(rename = "mcap-low")]
    MarketCapLow,
    /// A column of the pages, the highest first, ties newest first.
    #[serde(skip)]
    High(Column),
    /// The reverse of `High`.
    #[serde(skip)]
    Low(Column),
}

/// Further sort columns, for the pages only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    /// The name in lower case; its first 32 bytes decide.
    Name,
    /// Price in ether.
    Price,
    /// Change of the price since the creation.
    Gain,
    /// Change of the price in 24 hours.
    Change,
    /// Raised part of the target.
    Raised,
    /// Volume of 24 hours in ether.
    Volume,
    /// Trades in the timeframe, then volume in it, as in [`Sort::Trending`].
    Trades,
    /// Accounts with a balance.
    Holders,
}

/// The window for trending tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Timeframe {
    /// Five minutes.
    #[serde(rename = "5m")]
    FiveMinutes,
    /// An hour.
    #[serde(rename = "1h")]
    Hour,
    /// Six hours.
    #[serde(rename = "6h")]
    SixHours,
    /// A day.
    #[default]
    #[serde(rename = "24h")]
    Day,
}

impl Timeframe {
    /// Length in seconds.
    #[must_use]
    pub fn seconds(self) -> u64 {
        match self {
            Self::FiveMinutes => 300,
            Self::Hour => HOUR,
            Self::SixHours => 6 * HOUR,
            Self::Day => DAY,
        }
    }
}

/// A query of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListQuery {
    /// Page number from 1.
    pub page: u64,
    /// The filter.
    pub filter: Filter,
    /// The order.
    pub sort: Sort,
    /// The window of [`Sort::Trending`].
    pub timeframe: Timeframe,
}

/// A page of tokens, and the totals of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// The tokens of the page; empty past the end.
    pub tokens: Vec<TokenView>,
    /// Tokens over all pages.
    pub total: u64,
    /// Number of pages; 0 if there are no tokens.
    pub total_pages: u64,
}

impl Api {
    /// A page of the list.
    pub(crate) fn list(&self, query: &ListQuery) -> Page {
        list(&self.read(), self.now(), query)
    }
}

/// A page of the list at the time `now`.
///
/// Clause: LIST-PAGE, LIST-COUNT, LIST-NOTHING, FIG-LISTED
#[must_use]
pub fn list(state: &State, now: u64, query: &ListQuery) -> Page {
    let span = query.timeframe.seconds();
    let keyed = query.filter.kept(state).map(|token| (query.sort.key(state, token, now, span), token));
    let mut keyed: Vec<_> = keyed.collect();
    if query.sort.is_descending() {
        keyed.sort_by_key(|(key, _)| Reverse(*key));
    } else {
        keyed.sort_by_key(|(key, _)| *key);
    }
    page_of(state, now, query.page, PAGE_SIZE, keyed.iter().map(|(_, token)| *token))
}

impl Sort {
    /// Whether the largest comes first.
    #[must_use]
    pub fn is_descending(self) -> bool {
        match self {
            Self::Oldest | Self::MarketCapLow | Self::Low(_) => false,
            Self::Newest | Self::MarketCapHigh | Self::Trending | Self::High(_) => true,
        }
    }

    /// The sort key of a token; no two tokens have equal keys.
    fn key(self, state: &State, token: &Token, now: u64, span: u64) -> (u128, u128, Birth) {
        let (first, second) = match self {
            Self::Newest | Self::Oldest => (0, 0),
            Self::MarketCapHigh | Self::MarketCapLow => (token.market_cap_shown().units(), 0),
            Self::Trending => Column::Trades.key(state, token, now, span),
            Self::High(column) | Self::Low(column) => column.key(state, token, now, span),
        };
        (first, second, token.birth)
    }
}

impl Column {
    fn key(self, state: &State, token: &Token, now: u64, span: u64) -> (u128, u128) {
        match self {
            Self::Name => beginning(&token.launch.metadata.name),
            Self::Price => (token.in_ether(token.price).units(), 0),
            Self::Gain => (ranked(Change::between(token.opening_price(), token.price)), 0),
            Self::Change => (ranked(token.change_over(&token.trades.within(now, DAY))), 0),
            Self::Raised => (token.progress().units(), 0),
            Self::Volume => (token.in_ether(token.trades.within(now, DAY).volume).units(), 0),
            Self::Trades => {
                let window = token.trades.within(now, span);
                (window.count().into(), token.in_ether(window.volume).units())
            }
            Self::Holders => (state.spread(token).count.into(), 0),
        }
    }
}

/// The first 32 bytes of a text as numbers that sort alphabetically.
fn beginning(text: &str) -> (u128, u128) {
    let mut bytes = [0; 32];
    for (place, byte) in bytes.iter_mut().zip(text.to_lowercase().bytes()) {
        *place = byte;
    }
    let [first, second] = [0, 16].map(|at| bytes[at..at + 16].try_into().map(u128::from_be_bytes));
    (first.unwrap_or_default(), second.unwrap_or_default())
}

/// Maps a change to a number in ascending order, from the largest decrease to the largest increase.
fn ranked(change: Change) -> u128 {
    const STILL: u128 = 1 << 127;
    let (fell, percent) = change.parts();
    if fell { STILL.saturating_sub(percent.units()) } else { STILL.saturating_add(percent.units()) }
}

/// Cuts one page out of sorted tokens.
pub(super) fn page_of<'a>(
    state: &State,
    now: u64,
    page: u64,
    size: u64,
    tokens: impl ExactSizeIterator<Item = &'a Token>,
) -> Page {
    let total = tokens.len() as u64;
    let [first, size_here] = [page.saturating_sub(1).saturating_mul(size), size].map(saturated);
    let shown = tokens.skip(first).take(size_here);
    let tokens = shown.map(|token| TokenView::at(state, token, now)).collect();
    Page { tokens, total, total_pages: total.div_ceil(size) }
}

/// Converts a number of tokens, saturating at the largest `usize`.
pub(super) fn saturated(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

#[cfg(test)]
#[path = "list_tests.rs"]
mod tests;
