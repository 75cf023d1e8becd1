//! The list of tokens: filtered, sorted, in pages.
use std::cmp::Reverse;

use super::filter::Filter;
use super::view::TokenView;
use crate::state::State;
use crate::state::token::{Birth, DAY, HOUR, Token};

/// Tokens per page.
pub const PAGE_SIZE: u64 = 20;

/// Orders of the list. Each is total: ties are broken by age, and launches in the same second by their position on chain.
///
/// Clause: LIST-SORT-NEWEST, LIST-SORT-OLDEST, LIST-SORT-MCAP, LIST-SORT-TRENDING, LIST-TIMEFRAME
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sort {
    /// Creation time descending.
    #[default]
    Newest,
    /// Creation time ascending, the reverse of `Newest`.
    Oldest,
    /// Trades in the timeframe, then volume in it, then newest first.
    Trending,
    /// Market capitalization descending, ties newest first.
    MarketCapHigh,
    /// The reverse of `MarketCapHigh`.
    MarketCapLow,
}

/// The window for trending tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Timeframe {
    /// Five minutes.
    FiveMinutes,
    /// An hour.
    Hour,
    /// Six hours.
    SixHours,
    /// A day.
    #[default]
    Day,
}

impl Timeframe {
    /// Its length in seconds.
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
    /// The tokens of the page; none when it is past the end.
    pub tokens: Vec<TokenView>,
    /// Tokens over all pages.
    pub total: u64,
    /// Number of pages, zero when there is no token.
    pub total_pages: u64,
}

/// A page of the list at the time `now`.
///
/// Clause: LIST-PAGE, LIST-COUNT, LIST-NOTHING, FIG-LISTED
#[must_use]
pub fn list(state: &State, now: u64, query: &ListQuery) -> Page {
    let span = query.timeframe.seconds();
    let keyed = query.filter.kept(state).map(|token| (query.sort.key(token, now, span), token));
    let mut keyed: Vec<_> = keyed.collect();
    match query.sort {
        Sort::Oldest | Sort::MarketCapLow => keyed.sort_by_key(|(key, _)| *key),
        Sort::Newest | Sort::MarketCapHigh | Sort::Trending => keyed.sort_by_key(|(key, _)| Reverse(*key)),
    }
    page_of(state, now, query.page, PAGE_SIZE, keyed.iter().map(|(_, token)| *token))
}

impl Sort {
    /// The sort key of a token; no two tokens have equal keys.
    fn key(self, token: &Token, now: u64, span: u64) -> (u128, u128, Birth) {
        let (first, second) = match self {
            Self::Newest | Self::Oldest => (0, 0),
            Self::MarketCapHigh | Self::MarketCapLow => (token.market_cap_shown().units(), 0),
            Self::Trending => {
                let window = token.trades.within(now, span);
                (window.count().into(), token.in_ether(window.volume).units())
            }
        };
        (first, second, token.birth)
    }
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
