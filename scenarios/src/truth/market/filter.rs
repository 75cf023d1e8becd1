//! The tokens that each filter of the list keeps, computed from outside.
use std::cmp::Ordering;
use std::fmt;

use crate::answers::reads::param;
use crate::model::figure::Figure;
use crate::model::moment;
use crate::truth::market::Token;
use crate::truth::market::activity::Activity;

/// Names of the links, in the order of `Token::links`.
pub(crate) const LINKS: [&str; 3] = ["messenger", "microblog", "website"];

/// Seconds by which the clocks of another zone are ahead.
const ABROAD: i64 = 19_800;

/// Whether a filter keeps a token; `Either` if the interface leaves it open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kept {
    No,
    Either,
    Yes,
}

/// How a filter is interpreted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// As the interface says; both readings of a gap are accepted.
    Interface,
    /// As this project chose: bounds are inclusive, texts match anywhere in any letter case, any of several links is enough, and all trades
    /// ever count.
    Chosen,
}

#[derive(Clone, Debug)]
pub(crate) enum Filter {
    Search(String),
    Status(Vec<&'static str>),
    Socials(Vec<usize>),
    Least(Bound),
    Most(Bound),
}

/// A bound of a figure.
#[derive(Clone, Debug)]
pub(crate) enum Bound {
    Funding(Figure),
    MarketCap(Figure),
    Transactions(u64),
    /// Unix seconds.
    Created(i64),
    /// Unix seconds, sent with the offset of another zone.
    CreatedAbroad(i64),
    /// Unix seconds of a midnight, sent as a date alone.
    CreatedOn(i64),
}

impl Filter {
    pub(crate) fn param(&self) -> (&'static str, String) {
        match self {
            Self::Search(text) => param("search", text),
            Self::Status(states) => param("status", states.join(",")),
            Self::Socials(links) => {
                let names: Vec<&str> = links.iter().map(|link| LINKS[*link]).collect();
                param("socials", names.join(","))
            }
            Self::Least(bound) => param(bound.names()[0], bound.text()),
            Self::Most(bound) => param(bound.names()[1], bound.text()),
        }
    }

    /// Returns its subject: two bounds of one figure have the same one.
    pub(crate) fn subject(&self) -> &'static str {
        match self {
            Self::Most(bound) => bound.names()[0],
            other => other.param().0,
        }
    }

    pub(crate) fn keeps(&self, token: &Token, activity: &Activity, reading: Reading) -> Kept {
        match self {
            Self::Search(text) => search(text, token, reading),
            Self::Status(states) => {
                Kept::when(states.contains(&if token.graduated { "live" } else { "funding" }))
            }
            Self::Socials(links) => {
                let of_them = links.iter().filter(|link| token.links[**link]).count();
                match reading {
                    Reading::Interface => Kept::between(of_them == links.len(), of_them > 0),
                    Reading::Chosen => Kept::when(of_them > 0),
                }
            }
            Self::Least(bound) => {
                let [least, most] = bound.compared(token, activity, reading);
                Kept::between(least.is_ge(), most.is_ge())
            }
            Self::Most(bound) => {
                let [least, most] = bound.compared(token, activity, reading);
                Kept::between(most.is_le(), least.is_le())
            }
        }
    }
}

impl Bound {
    /// Returns the parameters for a lower and an upper bound.
    fn names(&self) -> [&'static str; 2] {
        match self {
            Self::Funding(_) => ["fundingMin", "fundingMax"],
            Self::MarketCap(_) => ["marketCapMin", "marketCapMax"],
            Self::Transactions(_) => ["txCountMin", "txCountMax"],
            Self::Created(_) | Self::CreatedAbroad(_) | Self::CreatedOn(_) => ["createdFrom", "createdTo"],
        }
    }

    fn text(&self) -> String {
        match self {
            Self::Funding(bound) | Self::MarketCap(bound) => bound.text().to_owned(),
            Self::Transactions(bound) => bound.to_string(),
            Self::Created(seconds) => moment::text(*seconds),
            Self::CreatedAbroad(seconds) => moment::text(seconds + ABROAD).replace('Z', "+05:30"),
            Self::CreatedOn(midnight) => moment::text(*midnight).chars().take(10).collect(),
        }
    }

    /// Returns how a token's figure compares, at the least and at the most: whether a bound itself is included is left open.
    fn compared(&self, token: &Token, activity: &Activity, reading: Reading) -> [Ordering; 2] {
        let either = [Ordering::Less, Ordering::Greater];
        let figure = |figure: &Figure, bound: &Figure| match figure.cmp(bound) {
            Ordering::Equal if reading == Reading::Interface => either,
            order => [order; 2],
        };
        let created = |first: i64, end: i128| {
            let first = i128::from(first) * 1_000_000_000;
            if (first..=first + end).contains(&token.created) {
                either
            } else {
                [token.created.cmp(&first); 2]
            }
        };
        match self {
            Self::Funding(bound) => figure(&token.funding_progress, bound),
            Self::MarketCap(bound) => figure(&token.market_cap, bound),
            Self::Transactions(bound) => {
                let (least, most) = match reading {
                    Reading::Interface => (0, u64::MAX),
                    Reading::Chosen => activity.transactions(token.address),
                };
                [least.cmp(bound), most.cmp(bound)]
            }
            // Whether the exact moment, or the whole day, counts as "after" or "before" is left open in both readings.
            Self::Created(seconds) | Self::CreatedAbroad(seconds) => created(*seconds, 0),
            Self::CreatedOn(midnight) => created(*midnight, 86_400 * 1_000_000_000 - 1),
        }
    }
}

impl Kept {
    fn when(kept: bool) -> Self {
        Self::between(kept, kept)
    }

    fn between(surely: bool, possibly: bool) -> Self {
        match (surely, possibly) {
            (true, _) => Self::Yes,
            (false, true) => Self::Either,
            (false, false) => Self::No,
        }
    }
}

impl fmt::Display for Filter {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, value) = self.param();
        write!(formatter, "{name}={value}")
    }
}

/// A token is found by any of its whole texts, and never without containing a searched word. Everything in between is a choice: text
/// anywhere in any letter case. Finding a part of an address is left open in both readings.
fn search(text: &str, token: &Token, reading: Reading) -> Kept {
    let wanted = text.to_lowercase();
    let texts = [&token.name, &token.ticker, &token.description];
    let addresses = [&token.owner_text, &token.address_text];
    let within = |word: &str| texts.iter().any(|text| text.to_lowercase().contains(word));
    let part = addresses.iter().any(|address| address.to_lowercase().contains(&wanted));
    match reading {
        Reading::Interface => {
            let whole = texts.iter().chain(&addresses).any(|shown| **shown == text);
            Kept::between(whole, part || wanted.split_whitespace().any(within))
        }
        Reading::Chosen => {
            let found = within(&wanted) || addresses.iter().any(|address| address.to_lowercase() == wanted);
            Kept::between(found, found || part)
        }
    }
}

pub(crate) fn all_keep(filters: &[Filter], token: &Token, activity: &Activity, reading: Reading) -> Kept {
    filters.iter().map(|filter| filter.keeps(token, activity, reading)).min().unwrap_or(Kept::Yes)
}

#[cfg(test)]
mod tests {
    use super::Filter::{Least, Most};
    use super::{Bound, Filter, Kept, Reading};
    use crate::model::figure::Figure;
    use crate::truth::market::Token;
    use crate::truth::market::activity::Activity;

    fn token() -> Token {
        Token {
            address: "0x00000000000000000000000000000000000000Fe".parse().unwrap(),
            address_text: "0x00000000000000000000000000000000000000Fe".to_owned(),
            owner: "0x00000000000000000000000000000000000000Ed".parse().unwrap(),
            owner_text: "0x00000000000000000000000000000000000000Ed".to_owned(),
            name: "Red Kite".to_owned(),
            ticker: "KITE".to_owned(),
            description: "flies 100% of the time".to_owned(),
            created: 86_400_000_000_000,
            market_cap: Figure::parse("1.5").unwrap(),
            funding_progress: Figure::parse("0.25").unwrap(),
            volume: Figure::whole(0),
            trades: Figure::whole(0),
            graduated: false,
            links: [false, true, false],
        }
    }

    #[test]
    fn a_moment_abroad_is_the_same_moment() {
        let filter = Least(Bound::CreatedAbroad(86_400));
        assert_eq!(filter.param(), ("createdFrom", "1970-01-02T05:30:00+05:30".to_owned()));
    }

    #[test]
    fn filters_match_tokens() {
        let figure = |text: &str| Figure::parse(text).unwrap();
        let (yes, either, no) = (Kept::Yes, Kept::Either, Kept::No);
        let cases = [
            (Filter::Search("Red Kite".into()), yes, yes),
            (Filter::Search("kite".into()), either, yes),
            (Filter::Search("0%".into()), either, yes),
            (Filter::Search("_".into()), no, no),
            (Filter::Search("0X00000000000000000000000000000000000000FE".into()), either, yes),
            (Filter::Search("0x00000000000000000000000000000000000000Fe".into()), yes, yes),
            (Filter::Search("0000fe".into()), either, either),
            (Filter::Status(vec!["live"]), no, no),
            (Filter::Status(vec!["live", "funding"]), yes, yes),
            (Filter::Socials(vec![1]), yes, yes),
            (Filter::Socials(vec![0, 1]), either, yes),
            (Filter::Socials(vec![0, 2]), no, no),
            (Least(Bound::Funding(figure("0.25"))), either, yes),
            (Most(Bound::Funding(figure("0.2499"))), no, no),
            (Most(Bound::MarketCap(figure("1.50"))), either, yes),
            (Least(Bound::MarketCap(figure("1.4"))), yes, yes),
            (Least(Bound::Transactions(3)), either, either),
            (Least(Bound::Created(86_399)), yes, yes),
            (Least(Bound::Created(86_400)), either, either),
            (Most(Bound::Created(86_399)), no, no),
            (Least(Bound::CreatedAbroad(86_399)), yes, yes),
            (Most(Bound::CreatedAbroad(86_399)), no, no),
            (Least(Bound::CreatedOn(0)), yes, yes),
            (Least(Bound::CreatedOn(86_400)), either, either),
            (Most(Bound::CreatedOn(86_400)), either, either),
            (Most(Bound::CreatedOn(0)), no, no),
        ];
        for (filter, interface, chosen) in cases {
            let keeps = |reading| filter.keeps(&token(), &Activity::default(), reading);
            assert_eq!(keeps(Reading::Interface), interface, "{filter}");
            assert_eq!(keeps(Reading::Chosen), chosen, "{filter}");
        }
    }
}
