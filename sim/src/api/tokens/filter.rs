//! The filters of the list: a token must pass all of them; each compares the exact numbers shown in answers.
use jiff::SignedDuration;

use crate::api::decimal::Decimal;
use crate::state::State;
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
    /// Creates a range; `None` if its ends are reversed.
    pub fn new(least: Option<T>, most: Option<T>) -> Option<Self> {
        let upside_down = matches!((&least, &most), (Some(least), Some(most)) if least > most);
        (!upside_down).then_some(Self { least, most })
    }

    /// Whether a value is in the range; an open range does not evaluate it.
    fn holds(&self, value: impl FnOnce() -> T) -> bool {
        if self.least.is_none() && self.most.is_none() {
            return true;
        }
        let value = value();
        self.least.as_ref().is_none_or(|least| value >= *least)
            && self.most.as_ref().is_none_or(|most| value <= *most)
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
    /// The tokens that pass every filter; disabled ones never do. Bounds are compared exactly with the numbers in answers.
    ///
    /// Clause: LIST-FUNDING, LIST-MCAP, LIST-TXCOUNT, LIST-CREATED, LIST-READING, LIST-TRADES
    pub fn kept<'a>(&self, state: &'a State) -> impl Iterator<Item = &'a Token> {
        let needle = self.search.as_deref().map(Needle::new);
        let (funding, market_cap) = (units(self.funding), units(self.market_cap));
        state.tokens().filter(move |token| {
            !state.is_disabled(token)
                && self.status.keep(token.is_graduated())
                && self.socials.keep(token)
                && funding.holds(|| token.progress().units())
                && market_cap.holds(|| token.market_cap_shown().units())
                && self.trades.holds(|| token.trade_count())
                && self.created.holds(|| seconds(token.birth.created_at))
                && needle.as_ref().is_none_or(|needle| needle.is_in(&token.search_text))
        })
    }
}

/// The range of figures, in units of 10^-18.
fn units(Range { least, most }: Range<Decimal>) -> Range<u128> {
    Range { least: least.map(Decimal::units_up), most: most.map(Decimal::units_down) }
}

fn seconds(unix: u64) -> SignedDuration {
    SignedDuration::from_secs(i64::try_from(unix).unwrap_or(i64::MAX))
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
