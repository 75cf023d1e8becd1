//! Which tokens a list keeps: every filter must keep a token, and each compares the number that answers show.
use jiff::Timestamp;

use crate::api::decimal::Decimal;
use crate::state::State;
use crate::state::search;
use crate::state::token::Token;

/// Bounds that may be open; both ends belong to the range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range<T> {
    least: Option<T>,
    most: Option<T>,
}

impl<T> Default for Range<T> {
    fn default() -> Self {
        Self {
            least: None,
            most: None,
        }
    }
}

impl<T: PartialOrd> Range<T> {
    /// The range; none when it is upside down.
    pub fn new(least: Option<T>, most: Option<T>) -> Option<Self> {
        let upside_down = matches!((&least, &most), (Some(least), Some(most)) if least > most);
        (!upside_down).then_some(Self { least, most })
    }

    /// Whether neither end is bound.
    pub fn is_open(&self) -> bool {
        self.least.is_none() && self.most.is_none()
    }

    /// Whether a value lies in the range.
    pub fn holds(&self, value: &T) -> bool {
        self.least.as_ref().is_none_or(|least| value >= least)
            && self.most.as_ref().is_none_or(|most| value <= most)
    }
}

/// Funding states to keep; none named keeps all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statuses {
    /// Keep graduated tokens.
    pub live: bool,
    /// Keep tokens on their curve.
    pub funding: bool,
}

/// Links to look for; none named keeps all, else a token needs any of the named.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Socials {
    /// A messaging channel.
    pub messenger: bool,
    /// A microblog profile.
    pub microblog: bool,
    /// A website.
    pub website: bool,
}

/// The filters of the list; the default keeps every token that is not disabled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Text looked for in name, ticker, description, owner and address, without regard to letter case.
    pub search: Option<String>,
    /// Funding states.
    pub status: Statuses,
    /// Links.
    pub socials: Socials,
    /// Funding progress, 0 to 1.
    pub funding: Range<Decimal>,
    /// Market capitalization in whole quote units.
    pub market_cap: Range<Decimal>,
    /// Trades ever.
    pub trades: Range<u64>,
    /// Creation time.
    pub created: Range<Timestamp>,
}

impl Filter {
    /// The filter as a test, with the search text folded once.
    pub fn test<'a>(&'a self, state: &'a State) -> impl Fn(&Token) -> bool + 'a {
        let folded = self.search.as_deref().map(search::fold);
        move |token| {
            !state.is_disabled(token)
                && self.status.keep(token)
                && self.socials.keep(token)
                && (self.funding.is_open()
                    || self.funding.holds(&Decimal::from_units(token.progress().units())))
                && (self.market_cap.is_open()
                    || self
                        .market_cap
                        .holds(&Decimal::from_units(token.market_cap_shown().units())))
                && (self.trades.is_open() || self.trades.holds(&token.trade_count()))
                && (self.created.is_open() || created(token).is_some_and(|at| self.created.holds(&at)))
                && folded.as_deref().is_none_or(|folded| token.mentions(folded))
        }
    }
}

fn created(token: &Token) -> Option<Timestamp> {
    i64::try_from(token.birth.created_at)
        .ok()
        .and_then(|seconds| Timestamp::from_second(seconds).ok())
}

impl Statuses {
    fn keep(self, token: &Token) -> bool {
        self.live == self.funding || self.live == token.is_graduated()
    }
}

impl Socials {
    fn keep(self, token: &Token) -> bool {
        let none_named = !(self.messenger || self.microblog || self.website);
        let links = &token.launch.metadata;
        none_named
            || (self.messenger && !links.messenger.is_empty())
            || (self.microblog && !links.microblog.is_empty())
            || (self.website && !links.website.is_empty())
    }
}
