//! Which tokens a filter keeps, how many they are, and any page of them in any order, by the indexes of the state.
use std::ops::RangeInclusive;

use super::filter::{Bounds, Filter};
use super::list::PAGE_SIZE;
use crate::state::figure::Figure;
use crate::state::ordered::{Classes, Entry, Ordered, Stretch};
use crate::state::search::Found;
use crate::state::token::Birth;
use crate::state::{Standing, State};

/// The tokens that a filter keeps.
pub(super) struct Chosen<'a> {
    state: &'a State,
    classes: Classes,
    bounds: Bounds,
    members: Members,
    total: u64,
}

/// What is known of the tokens before any is walked.
enum Members {
    /// Nothing is kept.
    None,
    /// All of the classes.
    Classes,
    /// Those of the classes within the one bound.
    Within(Bounded),
    /// These.
    Listed(Found),
}

/// The one bound, as a stretch of its order.
#[derive(Clone, Copy)]
enum Bounded {
    Birth(Stretch),
    MarketCap(Stretch),
    Progress(Stretch),
    Trades(Stretch),
}

impl<'a> Chosen<'a> {
    /// The tokens that a filter keeps.
    pub(super) fn by(state: &'a State, filter: &Filter) -> Self {
        let classes = filter.classes();
        let (bounds, members, total) = match filter.bounds() {
            None => (Bounds::default(), Members::None, 0),
            Some(bounds) => {
                let (members, total) = members(state, filter, classes, &bounds);
                (bounds, members, total)
            }
        };
        Self { state, classes, bounds, members, total }
    }

    /// How many they are.
    pub(super) fn total(&self) -> u64 {
        self.total
    }

    /// Whether a token is one of them.
    pub(super) fn keeps(&self, index: usize) -> bool {
        let standing = self.state.standing(index);
        match &self.members {
            Members::None => false,
            Members::Listed(found) => found.holds(index),
            Members::Classes | Members::Within(_) => {
                self.classes.hold(standing.class) && self.bounds.hold(standing)
            }
        }
    }

    /// All of them from the newest to the oldest.
    pub(super) fn newest(&self) -> impl Iterator<Item = usize> {
        let birth = &self.state.orders().birth;
        let all = birth.iter(birth.all()).rev().map(|entry| entry.index);
        all.filter(|index| self.keeps(*index))
    }

    /// A page by age; `first` tokens come before it.
    pub(super) fn by_age(&self, first: u64, backwards: bool) -> Vec<usize> {
        let own = match self.members {
            Members::Within(Bounded::Birth(stretch)) => Some(stretch),
            _ => None,
        };
        let order = &self.state.orders().birth;
        self.page(order, own, |token| token.birth, first, backwards)
    }

    /// A page by market capitalization; `first` tokens come before it.
    pub(super) fn by_market_cap(&self, first: u64, backwards: bool) -> Vec<usize> {
        let own = match self.members {
            Members::Within(Bounded::MarketCap(stretch)) => Some(stretch),
            _ => None,
        };
        let order = &self.state.orders().market_cap;
        let key = |token: &Standing| (token.market_cap, token.birth);
        self.page(order, own, key, first, backwards)
    }

    /// A page of an order; `own` is the one bound when it is on that order.
    fn page<K: Ord + Copy>(
        &self,
        order: &Ordered<K>,
        own: Option<Stretch>,
        key: impl Fn(&Standing) -> K,
        first: u64,
        backwards: bool,
    ) -> Vec<usize> {
        if first >= self.total {
            return Vec::new();
        }
        let straight = match &self.members {
            Members::None => return Vec::new(),
            Members::Classes => Some(order.all()),
            Members::Within(_) => own,
            Members::Listed(_) => None,
        };
        let (skipped, size) = (index_of(first), index_of(PAGE_SIZE));
        if let Some(stretch) = straight {
            let shown = order.after(stretch, self.classes, first, backwards);
            return shown.take(size).map(|entry| entry.index).collect();
        }
        // Walking meets one of them every so many tokens; when they are few, they are put in order by themselves.
        let walked = u128::from(first + PAGE_SIZE) * self.state.count() as u128;
        if u128::from(self.total).pow(2) < walked {
            let mut keyed: Vec<(K, usize)> =
                self.few().into_iter().map(|index| (key(self.state.standing(index)), index)).collect();
            keyed.sort_unstable_by_key(|(key, _)| *key);
            if backwards {
                keyed.reverse();
            }
            let shown = keyed.into_iter().skip(skipped).take(size);
            return shown.map(|(_, index)| index).collect();
        }
        let shown = order
            .after(order.all(), self.classes, 0, backwards)
            .map(|entry| entry.index)
            .filter(|index| self.keeps(*index));
        shown.skip(skipped).take(size).collect()
    }

    /// All of them, in no order.
    fn few(&self) -> Vec<usize> {
        let orders = self.state.orders();
        match &self.members {
            Members::None => Vec::new(),
            Members::Listed(found) => found.iter().collect(),
            Members::Classes => self.newest().collect(),
            Members::Within(bounded) => match *bounded {
                Bounded::Birth(stretch) => self.of(&orders.birth, stretch),
                Bounded::MarketCap(stretch) => self.of(&orders.market_cap, stretch),
                Bounded::Progress(stretch) => self.of(&orders.progress, stretch),
                Bounded::Trades(stretch) => self.of(&orders.trades, stretch),
            },
        }
    }

    fn of<K: Ord + Copy>(&self, order: &Ordered<K>, stretch: Stretch) -> Vec<usize> {
        let kept = |entry: &&Entry<K>| self.classes.hold(entry.class);
        order.iter(stretch).filter(kept).map(|entry| entry.index).collect()
    }
}

/// What the indexes say of a filter, with the number of tokens it keeps.
fn members(state: &State, filter: &Filter, classes: Classes, bounds: &Bounds) -> (Members, u64) {
    let orders = state.orders();
    let mut bounded = Vec::new();
    if let Some((least, most)) = bounds.created {
        let birth = |created_at, other: Birth| Birth { created_at, ..other };
        let stretch = orders.birth.stretch(birth(least, Birth::FIRST)..=birth(most, Birth::LAST));
        bounded.push((orders.birth.count(stretch, classes), Bounded::Birth(stretch)));
    }
    if let Some((least, most)) = bounds.market_cap {
        let stretch = orders.market_cap.stretch(figures(least, most));
        bounded.push((orders.market_cap.count(stretch, classes), Bounded::MarketCap(stretch)));
    }
    if let Some((least, most)) = bounds.progress {
        let stretch = orders.progress.stretch(figures(least, most));
        bounded.push((orders.progress.count(stretch, classes), Bounded::Progress(stretch)));
    }
    if let Some((least, most)) = bounds.trades {
        let stretch = orders.trades.stretch((least, Birth::FIRST)..=(most, Birth::LAST));
        bounded.push((orders.trades.count(stretch, classes), Bounded::Trades(stretch)));
    }
    let found = filter.search.as_deref().map(|text| state.search(text));
    let tightest = bounded.iter().copied().min_by_key(|(count, _)| *count);
    match (found, tightest) {
        (None, None) => (Members::Classes, orders.birth.count(orders.birth.all(), classes)),
        (None, Some((count, one))) if bounded.len() == 1 => (Members::Within(one), count),
        (Some(found), None) => listed(found.filtered(|index| classes.hold(state.class(index)))),
        (found, Some((_, tightest))) => {
            let sieve = Sieve { state, classes, bounds, found };
            listed(match tightest {
                Bounded::Birth(stretch) => sieve.pass(&orders.birth, stretch),
                Bounded::MarketCap(stretch) => sieve.pass(&orders.market_cap, stretch),
                Bounded::Progress(stretch) => sieve.pass(&orders.progress, stretch),
                Bounded::Trades(stretch) => sieve.pass(&orders.trades, stretch),
            })
        }
    }
}

fn listed(found: Found) -> (Members, u64) {
    let total = found.count();
    (Members::Listed(found), total)
}

/// Everything that a token must pass, where no index can say it.
struct Sieve<'a> {
    state: &'a State,
    classes: Classes,
    bounds: &'a Bounds,
    found: Option<Found>,
}

impl Sieve<'_> {
    fn pass<K: Ord + Copy>(&self, order: &Ordered<K>, stretch: Stretch) -> Found {
        let passed = order
            .iter(stretch)
            .filter(|entry| self.classes.hold(entry.class))
            .map(|entry| entry.index)
            .filter(|index| self.found.as_ref().is_none_or(|found| found.holds(*index)))
            .filter(|index| self.bounds.hold(self.state.standing(*index)));
        Found::of(passed, self.state.count())
    }
}

fn figures(least: Figure, most: Figure) -> RangeInclusive<(Figure, Birth)> {
    (least, Birth::FIRST)..=(most, Birth::LAST)
}

fn index_of(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
