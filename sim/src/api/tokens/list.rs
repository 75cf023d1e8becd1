//! The list of tokens: filtered, sorted, in pages.
use std::cmp::Reverse;

use super::filter::Filter;
use super::view::TokenView;
use crate::state::State;
use crate::state::token::{DAY, HOUR, Token};

/// Tokens a page.
pub const PAGE_SIZE: u64 = 20;

/// Orders of the list. Each is total: what ties is ordered by age, and launches of one second by their place on chain.
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
pub struct Page {
    /// The tokens of the page; none when it lies past the end.
    pub tokens: Vec<TokenView>,
    /// Tokens over all pages.
    pub total: u64,
    /// Pages, none when there is no token.
    pub total_pages: u64,
}

/// A page of the list at the time `now`.
#[must_use]
pub fn list(state: &State, now: u64, query: &ListQuery) -> Page {
    let keep = query.filter.test(state);
    match query.sort {
        Sort::Newest => page_of(
            state,
            now,
            query.page,
            PAGE_SIZE,
            state.by_age().rev().filter(|token| keep(token)),
        ),
        Sort::Oldest => page_of(
            state,
            now,
            query.page,
            PAGE_SIZE,
            state.by_age().filter(|token| keep(token)),
        ),
        Sort::MarketCapHigh => page_of(
            state,
            now,
            query.page,
            PAGE_SIZE,
            state.by_market_cap().rev().filter(|token| keep(token)),
        ),
        Sort::MarketCapLow => page_of(
            state,
            now,
            query.page,
            PAGE_SIZE,
            state.by_market_cap().filter(|token| keep(token)),
        ),
        Sort::Trending => {
            let trending = trending(state, now, query.timeframe.seconds());
            page_of(
                state,
                now,
                query.page,
                PAGE_SIZE,
                trending.filter(|token| keep(token)),
            )
        }
    }
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
    Page {
        tokens: shown,
        total,
        total_pages: total.div_ceil(size),
    }
}

/// Only what was traded in the window has to be ranked; the rest follows newest first.
fn trending(state: &State, now: u64, span: u64) -> impl Iterator<Item = &Token> {
    let opening = now.saturating_sub(span);
    let is_hot = move |token: &Token| token.trades.last_at().is_some_and(|at| at > opening);
    let mut ranked: Vec<_> = state
        .traded_after(opening)
        .map(|token| {
            let window = token.trades.within(now, span);
            (Reverse((window.count(), window.volume, token.birth)), token)
        })
        .collect();
    ranked.sort_unstable_by_key(|(rank, _)| *rank);
    let cold = state.by_age().rev().filter(move |token| !is_hot(token));
    ranked.into_iter().map(|(_, token)| token).chain(cold)
}
