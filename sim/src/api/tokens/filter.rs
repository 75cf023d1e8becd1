//! The filters of a list: a token must pass all of them, and each compares the same numbers that answers contain.
use jiff::SignedDuration;

use crate::api::decimal::Decimal;
use crate::state::State;
use crate::state::figure::Figure;
use crate::state::search::Needle;
use crate::state::token::Token;

/// Bounds that may be open; both ends are inclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range<T> {
    least: Option<T>,
    most: Option<T>,
}

impl<T> Default for Range<T> {
    fn default() -> Self {
        Self { least: None, most: None }
    }
}

impl<T: PartialOrd> Range<T> {
    /// The range; none when its ends are reversed.
    pub fn new(least: Option<T>, most: Option<T>) -> Option<Self> {
        let upside_down = matches!((&least, &most), (Some(least), Some(most)) if least > most);
        (!upside_down).then_some(Self { least, most })
    }

    /// Both ends.
    pub fn ends(&self) -> (Option<&T>, Option<&T>) {
        (self.least.as_ref(), self.most.as_ref())
    }

    /// Whether both ends are open.
    pub fn is_open(&self) -> bool {
        self.least.is_none() && self.most.is_none()
    }

    /// Whether a value is in the range.
    pub fn holds(&self, value: &T) -> bool {
        self.least.as_ref().is_none_or(|least| value >= least)
            && self.most.as_ref().is_none_or(|most| value <= most)
    }
}

/// Funding states to keep; an empty selection keeps all.
///
/// Clause: LIST-STATUS
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statuses {
    /// Keep graduated tokens.
    pub live: bool,
    /// Keep tokens on their curve.
    pub funding: bool,
}

/// Required links; an empty selection keeps all, else a token needs any one of them.
///
/// Clause: LIST-SOCIALS
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
///
/// Clause: LIST-COMBINE
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Text to find in name, ticker, description, owner or address, ignoring letter case.
    pub search: Option<String>,
    /// Funding states.
    pub status: Statuses,
    /// Links.
    pub socials: Socials,
    /// Funding progress, 0 to 1.
    pub funding: Range<Decimal>,
    /// Market capitalization in whole quote units.
    pub market_cap: Range<Decimal>,
    /// Number of all trades.
    pub trades: Range<u64>,
    /// Creation time.
    pub created: Range<SignedDuration>,
}

impl Filter {
    /// The tokens that pass every filter; disabled ones never do.
    pub fn kept<'a>(&self, state: &'a State) -> impl Iterator<Item = &'a Token> {
        let needle = self.search.as_deref().map(Needle::new);
        let bounds = self.bounds();
        state.tokens().filter(move |token| {
            !state.is_disabled(token)
                && self.status.keep(token.is_graduated())
                && self.socials.keep(token)
                && bounds.as_ref().is_some_and(|bounds| bounds.hold(token))
                && needle.as_ref().is_none_or(|needle| needle.is_in(&token.search_text))
        })
    }

    /// The bounds in the units that tokens are ordered by; none when no token can be within them.
    fn bounds(&self) -> Option<Bounds> {
        let figures = |range: &Range<Decimal>| {
            let (least, most) = range.ends();
            let least = least.map_or(Some(0), |least| least.units_up())?;
            let most = most.map_or(u128::MAX, |most| most.units_down().unwrap_or(u128::MAX));
            Some((Figure::bound(least), Figure::bound(most)))
        };
        let seconds = || {
            let (least, most) = self.created.ends();
            let least = least.map_or(0, |at| at.as_secs() + i64::from(at.subsec_nanos() > 0));
            let most = most.map_or(i64::MAX, |at| at.as_secs() - i64::from(at.subsec_nanos() < 0));
            let most = u64::try_from(most).ok()?;
            Some((u64::try_from(least).unwrap_or(0), most))
        };
        let trades = || {
            let (least, most) = self.trades.ends();
            (least.copied().unwrap_or(0), most.copied().unwrap_or(u64::MAX))
        };
        fn bound<T, B>(range: &Range<T>, of: impl FnOnce() -> Option<B>) -> Option<Option<B>>
        where
            T: PartialOrd,
        {
            if range.is_open() { Some(None) } else { of().map(Some) }
        }
        Some(Bounds {
            progress: bound(&self.funding, || figures(&self.funding))?,
            market_cap: bound(&self.market_cap, || figures(&self.market_cap))?,
            trades: bound(&self.trades, || Some(trades()))?,
            created: bound(&self.created, seconds)?,
        })
    }
}

/// Bounds, both ends inclusive; an absent bound is open.
///
/// Clause: LIST-FUNDING, LIST-MCAP, LIST-TXCOUNT, LIST-CREATED, LIST-READING, LIST-TRADES
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Bounds {
    progress: Option<(Figure, Figure)>,
    market_cap: Option<(Figure, Figure)>,
    trades: Option<(u64, u64)>,
    /// Unix seconds.
    created: Option<(u64, u64)>,
}

impl Bounds {
    /// Whether a token is within every bound.
    fn hold(&self, token: &Token) -> bool {
        fn within<T: PartialOrd>(bound: Option<(T, T)>, value: impl FnOnce() -> T) -> bool {
            bound.is_none_or(|(least, most)| (least..=most).contains(&value()))
        }
        within(self.progress, || token.progress())
            && within(self.market_cap, || token.market_cap_shown())
            && within(self.trades, || token.trade_count())
            && within(self.created, || token.birth.created_at)
    }
}

impl Statuses {
    fn keep(self, is_graduated: bool) -> bool {
        self.live == self.funding || self.live == is_graduated
    }
}

impl Socials {
    fn keep(self, token: &Token) -> bool {
        let links = &token.launch.metadata;
        self == Self::default()
            || (self.messenger && !links.messenger.is_empty())
            || (self.microblog && !links.microblog.is_empty())
            || (self.website && !links.website.is_empty())
    }
}
