//! What each filter of the list keeps, worked out from the outside.
use std::cmp::Ordering;
use std::fmt;

use crate::expect::figure::Figure;
use crate::expect::moment;
use crate::market::Token;
use crate::market::activity::Activity;
use crate::reads::param;

/// Names of the links, in the order of `Token::links`.
pub(crate) const LINKS: [&str; 3] = ["messenger", "microblog", "website"];

/// Whether a filter keeps a token; `Either` where the interface leaves it open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kept {
    No,
    Either,
    Yes,
}

/// How a filter is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// As the interface says; what it leaves open may go either way.
    Interface,
    /// As this project chose: bounds are included, texts are found in parts and in any letter case, any of several links is
    /// enough, and every trade ever counts.
    Chosen,
}

#[derive(Clone, Debug)]
pub(crate) enum Filter {
    Search(String),
    Status(Vec<&'static str>),
    Socials(Vec<usize>),
    FundingMin(Figure),
    FundingMax(Figure),
    MarketCapMin(Figure),
    MarketCapMax(Figure),
    TransactionsMin(u64),
    TransactionsMax(u64),
    /// Unix seconds.
    CreatedFrom(i64),
    /// Unix seconds.
    CreatedTo(i64),
    /// Unix seconds of a midnight, sent as a date alone.
    CreatedFromDay(i64),
    /// Unix seconds of a midnight, sent as a date alone.
    CreatedToDay(i64),
}

const DAY: i64 = 86_400;

impl Filter {
    pub(crate) fn param(&self) -> (&'static str, String) {
        match self {
            Self::Search(text) => param("search", text),
            Self::Status(states) => param("status", states.join(",")),
            Self::Socials(links) => {
                let names: Vec<&str> = links.iter().map(|link| LINKS[*link]).collect();
                param("socials", names.join(","))
            }
            Self::FundingMin(bound) => param("fundingMin", bound.text()),
            Self::FundingMax(bound) => param("fundingMax", bound.text()),
            Self::MarketCapMin(bound) => param("marketCapMin", bound.text()),
            Self::MarketCapMax(bound) => param("marketCapMax", bound.text()),
            Self::TransactionsMin(bound) => param("txCountMin", bound.to_string()),
            Self::TransactionsMax(bound) => param("txCountMax", bound.to_string()),
            Self::CreatedFrom(seconds) => param("createdFrom", moment::text(*seconds)),
            Self::CreatedTo(seconds) => param("createdTo", moment::text(*seconds)),
            Self::CreatedFromDay(midnight) => param("createdFrom", date(*midnight)),
            Self::CreatedToDay(midnight) => param("createdTo", date(*midnight)),
        }
    }

    /// What it is about: two bounds of one figure are about the same.
    pub(crate) fn subject(&self) -> &'static str {
        match self {
            Self::Search(_) => "search",
            Self::Status(_) => "status",
            Self::Socials(_) => "socials",
            Self::FundingMin(_) | Self::FundingMax(_) => "funding progress",
            Self::MarketCapMin(_) | Self::MarketCapMax(_) => "market cap",
            Self::TransactionsMin(_) | Self::TransactionsMax(_) => "transactions",
            Self::CreatedFrom(_) | Self::CreatedTo(_) | Self::CreatedFromDay(_) | Self::CreatedToDay(_) => {
                "creation"
            }
        }
    }

    pub(crate) fn keeps(&self, token: &Token, activity: &Activity, reading: Reading) -> Kept {
        let bounded = |beyond: Ordering, figure: &Figure, bound: &Figure| match figure.cmp(bound) {
            Ordering::Equal if reading == Reading::Interface => Kept::Either,
            order => Kept::when(order != beyond),
        };
        let (least, most) = match reading {
            Reading::Interface => (0, u64::MAX),
            Reading::Chosen => activity.transactions(&token.address),
        };
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
            Self::FundingMin(bound) => bounded(Ordering::Less, &token.funding_progress, bound),
            Self::FundingMax(bound) => bounded(Ordering::Greater, &token.funding_progress, bound),
            Self::MarketCapMin(bound) => bounded(Ordering::Less, &token.market_cap, bound),
            Self::MarketCapMax(bound) => bounded(Ordering::Greater, &token.market_cap, bound),
            Self::TransactionsMin(bound) => Kept::between(least >= *bound, most >= *bound),
            Self::TransactionsMax(bound) => Kept::between(most <= *bound, least <= *bound),
            // Whether the very moment belongs to what is "after" or "before" is left open.
            Self::CreatedFrom(seconds) => {
                Kept::between(token.created > nanoseconds(*seconds), token.created >= nanoseconds(*seconds))
            }
            Self::CreatedTo(seconds) => {
                Kept::between(token.created < nanoseconds(*seconds), token.created <= nanoseconds(*seconds))
            }
            // So is whether the day itself belongs.
            Self::CreatedFromDay(midnight) => Kept::between(
                token.created >= nanoseconds(midnight + DAY),
                token.created >= nanoseconds(*midnight),
            ),
            Self::CreatedToDay(midnight) => Kept::between(
                token.created < nanoseconds(*midnight),
                token.created < nanoseconds(midnight + DAY),
            ),
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

fn nanoseconds(seconds: i64) -> i128 {
    i128::from(seconds) * 1_000_000_000
}

fn date(midnight: i64) -> String {
    moment::text(midnight).chars().take(10).collect()
}

/// A whole text as it is shown is found, and nothing without a word of it is. What else is found is a choice: text
/// anywhere in any case. Whether a part of an address is found is left open by both.
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
    use super::{Filter, Kept, Reading};
    use crate::expect::figure::Figure;
    use crate::market::Token;
    use crate::market::activity::Activity;

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
            (Filter::FundingMin(figure("0.25")), either, yes),
            (Filter::FundingMax(figure("0.2499")), no, no),
            (Filter::MarketCapMax(figure("1.50")), either, yes),
            (Filter::MarketCapMin(figure("1.4")), yes, yes),
            (Filter::TransactionsMin(3), either, either),
            (Filter::CreatedFrom(86_399), yes, yes),
            (Filter::CreatedFrom(86_400), either, either),
            (Filter::CreatedTo(86_399), no, no),
            (Filter::CreatedFromDay(0), yes, yes),
            (Filter::CreatedFromDay(86_400), either, either),
            (Filter::CreatedToDay(86_400), either, either),
            (Filter::CreatedToDay(0), no, no),
        ];
        for (filter, interface, chosen) in cases {
            let keeps = |reading| filter.keeps(&token(), &Activity::default(), reading);
            assert_eq!(keeps(Reading::Interface), interface, "{filter}");
            assert_eq!(keeps(Reading::Chosen), chosen, "{filter}");
        }
    }
}
