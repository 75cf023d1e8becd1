//! The list of tokens: filtered, sorted, in pages.
use std::cmp::Reverse;

use super::choice::Chosen;
use super::filter::Filter;
use super::view::TokenView;
use crate::state::State;
use crate::state::token::{DAY, HOUR, Token};

/// Tokens a page.
pub const PAGE_SIZE: u64 = 20;

/// Orders of the list. Each is total: what ties is ordered by age, and launches of one second by their place on chain.
///
/// Clause: LIST-SORT-NEWEST, LIST-SORT-OLDEST, LIST-SORT-MCAP
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sort {
    /// Creation time descending.
    #[default]
    Newest,
    /// Creation time ascending, the reverse of `Newest`.
    Oldest,
    /// Trades in the timeframe, then volume in it, then the newest first.
    Trending,
    /// Market capitalization descending, equal ones newest first.
    MarketCapHigh,
    /// The reverse of `MarketCapHigh`.
    MarketCapLow,
}

/// The window that counts as trending.
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

/// What is asked of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListQuery {
    /// Page number from 1.
    pub page: u64,
    /// What is kept.
    pub filter: Filter,
    /// In which order.
    pub sort: Sort,
    /// The window of [`Sort::Trending`].
    pub timeframe: Timeframe,
}

/// A page of tokens and what the whole has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page<T = TokenView> {
    /// The tokens of the page; none when it lies past the end.
    pub tokens: Vec<T>,
    /// Tokens over all pages.
    pub total: u64,
    /// Pages, none when there is no token.
    pub total_pages: u64,
}

/// A page of the list at the time `now`.
///
/// What an index can count is not walked: states and links always, and one bound. Several bounds walk the tokens of the
/// tightest one, a search reads the texts that may hold it.
///
/// Clause: LIST-PAGE, LIST-COUNT
#[must_use]
pub fn list(state: &State, now: u64, query: &ListQuery) -> Page {
    let Page { tokens, total, total_pages } = places(state, now, query);
    let view = |index| TokenView::at(state, state.at(index), now);
    Page { tokens: tokens.into_iter().map(view).collect(), total, total_pages }
}

/// The same page with the places of its tokens in the state.
pub(crate) fn places(state: &State, now: u64, query: &ListQuery) -> Page<usize> {
    let chosen = Chosen::by(state, &query.filter);
    let first = query.page.saturating_sub(1).saturating_mul(PAGE_SIZE);
    let shown = match query.sort {
        Sort::Newest => chosen.by_age(first, true),
        Sort::Oldest => chosen.by_age(first, false),
        Sort::MarketCapHigh => chosen.by_market_cap(first, true),
        Sort::MarketCapLow => chosen.by_market_cap(first, false),
        Sort::Trending => trending(state, now, query.timeframe.seconds(), &chosen, first),
    };
    let total = chosen.total();
    Page { tokens: shown, total, total_pages: total.div_ceil(PAGE_SIZE) }
}

/// Cuts one page out of tokens that are in order; runs through all of them, because the total is part of the answer.
pub(super) fn page_of<'a>(
    state: &State,
    now: u64,
    page: u64,
    size: u64,
    tokens: impl Iterator<Item = &'a Token>,
) -> Page {
    let first = page.saturating_sub(1).saturating_mul(size);
    let mut total = 0;
    let mut shown = Vec::new();
    for token in tokens {
        if (first..first.saturating_add(size)).contains(&total) {
            shown.push(TokenView::at(state, token, now));
        }
        total += 1;
    }
    Page { tokens: shown, total, total_pages: total.div_ceil(size) }
}

/// Only what was traded in the window has to be ranked; the rest follows newest first.
///
/// Clause: LIST-SORT-TRENDING
fn trending(state: &State, now: u64, span: u64, chosen: &Chosen<'_>, first: u64) -> Vec<usize> {
    let opening = now.saturating_sub(span);
    let mut ranked: Vec<_> = state
        .traded_after(opening)
        .filter(|index| chosen.keeps(*index))
        .map(|index| {
            let token = state.at(index);
            let window = token.trades.within(now, span);
            (Reverse((window.count(), window.volume, token.birth)), index)
        })
        .collect();
    ranked.sort_unstable_by_key(|(rank, _)| *rank);
    let hot = ranked.len() as u64;
    let is_cold = |index: &usize| state.at(*index).trades.last_at().is_none_or(|at| at <= opening);
    let ranked = ranked.into_iter().map(|(_, index)| index);
    let size = usize::try_from(PAGE_SIZE).unwrap_or(usize::MAX);
    let skipped = usize::try_from(first).unwrap_or(usize::MAX);
    if first.saturating_add(PAGE_SIZE) <= hot {
        return ranked.skip(skipped).take(size).collect();
    }
    let cold = chosen.newest().filter(is_cold);
    ranked.chain(cold).skip(skipped).take(size).collect()
}
