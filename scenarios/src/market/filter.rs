//! What each filter of the list keeps, worked out from the outside.
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

/// One filter of the list.
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
    /// The query parameter.
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

    /// Whether it keeps a token.
    pub(crate) fn keeps(&self, token: &Token, activity: &Activity) -> Kept {
        match self {
            Self::Search(text) => search(text, token),
            Self::Status(states) => {
                Kept::when(states.contains(&if token.graduated { "live" } else { "funding" }))
            }
            Self::Socials(links) => Kept::when(links.iter().any(|link| token.links[*link])),
            Self::FundingMin(bound) => Kept::when(token.funding_progress >= *bound),
            Self::FundingMax(bound) => Kept::when(token.funding_progress <= *bound),
            Self::MarketCapMin(bound) => Kept::when(token.market_cap >= *bound),
            Self::MarketCapMax(bound) => Kept::when(token.market_cap <= *bound),
            Self::TransactionsMin(bound) => {
                let (least, most) = activity.transactions(&token.address);
                Kept::between(least >= *bound, most >= *bound)
            }
            Self::TransactionsMax(bound) => {
                let (least, most) = activity.transactions(&token.address);
                Kept::between(most <= *bound, least <= *bound)
            }
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

/// The date of a midnight.
fn date(midnight: i64) -> String {
    moment::text(midnight).chars().take(10).collect()
}

/// Text is found anywhere in any case; a whole address is found; whether a part of one is, is left open.
fn search(text: &str, token: &Token) -> Kept {
    let wanted = text.to_lowercase();
    let result = [&token.name, &token.ticker, &token.description];
    let addresses = [token.owner, token.address].map(|address| format!("{address:#x}"));
    let found =
        result.iter().any(|text| text.to_lowercase().contains(&wanted)) || addresses.contains(&wanted);
    Kept::between(found, found || addresses.iter().any(|address| address.contains(&wanted)))
}

/// Whether all of some filters keep a token.
pub(crate) fn all_keep(filters: &[Filter], token: &Token, activity: &Activity) -> Kept {
    filters.iter().map(|filter| filter.keeps(token, activity)).min().unwrap_or(Kept::Yes)
}

#[cfg(test)]
mod tests {
    use super::{Filter, Kept, all_keep};
    use crate::expect::figure::Figure;
    use crate::market::Token;
    use crate::market::activity::Activity;

    fn token() -> Token {
        Token {
            address: "0x00000000000000000000000000000000000000Fe".parse().unwrap(),
            owner: "0x00000000000000000000000000000000000000Ed".parse().unwrap(),
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
        let cases = [
            (Filter::Search("kite".into()), Kept::Yes),
            (Filter::Search("0%".into()), Kept::Yes),
            (Filter::Search("_".into()), Kept::No),
            (Filter::Search("0X00000000000000000000000000000000000000FE".into()), Kept::Yes),
            (Filter::Search("0000fe".into()), Kept::Either),
            (Filter::Status(vec!["live"]), Kept::No),
            (Filter::Status(vec!["live", "funding"]), Kept::Yes),
            (Filter::Socials(vec![0, 1]), Kept::Yes),
            (Filter::Socials(vec![0, 2]), Kept::No),
            (Filter::FundingMin(figure("0.25")), Kept::Yes),
            (Filter::FundingMax(figure("0.2499")), Kept::No),
            (Filter::MarketCapMax(figure("1.50")), Kept::Yes),
            (Filter::TransactionsMin(3), Kept::Either),
            (Filter::CreatedFrom(86_399), Kept::Yes),
            (Filter::CreatedFrom(86_400), Kept::Either),
            (Filter::CreatedTo(86_399), Kept::No),
            (Filter::CreatedFromDay(0), Kept::Yes),
            (Filter::CreatedFromDay(86_400), Kept::Either),
            (Filter::CreatedToDay(86_400), Kept::Either),
            (Filter::CreatedToDay(0), Kept::No),
        ];
        for (filter, expected) in cases {
            assert_eq!(filter.keeps(&token(), &Activity::default()), expected, "{filter}");
        }
    }

    #[test]
    fn filters_are_conjunctive() {
        let (yes, no) = (Filter::Search("red".into()), Filter::Search("blue".into()));
        let keep = |filters: &[Filter]| all_keep(filters, &token(), &Activity::default());
        assert_eq!(keep(&[]), Kept::Yes);
        assert_eq!(keep(std::slice::from_ref(&yes)), Kept::Yes);
        assert_eq!(keep(&[yes, no]), Kept::No);
    }
}
