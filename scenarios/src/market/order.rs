//! The orders of the list, and judging an answer against the market: the right tokens, in the right order.
use std::cmp::Ordering;
use std::collections::BTreeSet;

use alloy::primitives::Address;

use crate::check::Verdict;
use crate::market::activity::Activity;
use crate::market::filter::{Filter, Kept, Reading, all_keep};
use crate::market::{Market, Token};
use crate::reads::{Query, Walk, param, walk};
use crate::trial::Trial;

/// How many tokens a report names before it only counts.
const NAMED: usize = 3;

/// An order that follows from what the market shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// `sortBy` left out.
    Default,
    Newest,
    Oldest,
    HighestCap,
    LowestCap,
}

pub(crate) const ORDERS: [Order; 5] =
    [Order::Default, Order::Newest, Order::Oldest, Order::HighestCap, Order::LowestCap];

impl Order {
    /// The value of `sortBy`, if any.
    pub(crate) fn name(self) -> Option<&'static str> {
        match self {
            Self::Default => None,
            Self::Newest => Some("newest"),
            Self::Oldest => Some("oldest"),
            Self::HighestCap => Some("mcap-high"),
            Self::LowestCap => Some("mcap-low"),
        }
    }

    /// How two tokens follow each other; `Equal` where either may come first.
    pub(crate) fn compare(self, one: &Token, other: &Token) -> Ordering {
        match self {
            Self::Default | Self::Newest => other.created.cmp(&one.created),
            Self::Oldest => one.created.cmp(&other.created),
            Self::HighestCap => other.market_cap.cmp(&one.market_cap),
            Self::LowestCap => one.market_cap.cmp(&other.market_cap),
        }
    }
}

pub(crate) fn query(filters: &[Filter], order: Order) -> Query {
    let mut query: Query = filters.iter().map(Filter::param).collect();
    query.extend(order.name().map(|name| param("sortBy", name)));
    query
}

/// Asks for filters, all pages, and judges which tokens the answer holds.
pub(crate) async fn judge_tokens(
    trial: &Trial<'_>,
    market: &Market,
    activity: &Activity,
    filters: &[Filter],
    reading: Reading,
) -> Verdict {
    let walk = walk(trial, &query(filters, Order::Default)).await?;
    let market = market.with(trial, &walk.addresses).await?;
    same_tokens(trial, &market, activity, (filters, reading), &walk)
}

/// Asks for filters in an order, all pages, and judges which tokens the answer holds and how they follow each other.
pub(crate) async fn judge(
    trial: &Trial<'_>,
    market: &Market,
    activity: &Activity,
    filters: &[Filter],
    order: Order,
) -> Verdict {
    let walk = walk(trial, &query(filters, order)).await?;
    let market = market.with(trial, &walk.addresses).await?;
    same_tokens(trial, &market, activity, (filters, Reading::Interface), &walk)?;
    ordered(trial, &market, &walk, |one, other| order.compare(one, other))
}

/// The walk holds exactly what the filters keep, each token once. Of a long list only what the sample holds is judged.
pub(crate) fn same_tokens(
    trial: &Trial<'_>,
    market: &Market,
    activity: &Activity,
    (filters, reading): (&[Filter], Reading),
    walk: &Walk,
) -> Verdict {
    let answered: BTreeSet<Address> = walk.addresses.iter().copied().collect();
    let (mut missing, mut extra) = (Vec::new(), Vec::new());
    for token in market.tokens() {
        match (all_keep(filters, token, activity, reading), answered.contains(&token.address)) {
            (Kept::Yes, false) if walk.whole => missing.push(token.address),
            (Kept::No, true) => extra.push(token.address),
            _ => {}
        }
    }
    extra.extend(answered.iter().filter(|address| market.get(address).is_none()));
    let twice = walk.addresses.len() - answered.len();
    if missing.is_empty() && extra.is_empty() && twice == 0 {
        return Ok(());
    }
    let result: Vec<String> = filters.iter().map(ToString::to_string).collect();
    let expected = format!("exactly the tokens that [{}] keep", result.join(" & "));
    let actual = format!("missing {}, too many {}, twice {twice}", named(&missing), named(&extra));
    Err(trial.failure(&walk.first, expected, actual))
}

/// Neighbours of the walk never stand the wrong way round.
pub(crate) fn ordered(
    trial: &Trial<'_>,
    market: &Market,
    walk: &Walk,
    compare: impl Fn(&Token, &Token) -> Ordering,
) -> Verdict {
    let tokens: Vec<&Token> = walk.addresses.iter().filter_map(|address| market.get(address)).collect();
    let wrong = tokens.windows(2).find(|pair| compare(pair[0], pair[1]) == Ordering::Greater);
    match wrong {
        None => Ok(()),
        Some(pair) => {
            let actual =
                format!("{} before {}: {:?}, {:?}", pair[0].address, pair[1].address, pair[0], pair[1]);
            Err(trial.failure(&walk.first, "tokens in the order asked for", actual))
        }
    }
}

fn named(addresses: &[Address]) -> String {
    let some: Vec<String> = addresses.iter().take(NAMED).map(ToString::to_string).collect();
    match addresses.len() {
        0 => "none".to_owned(),
        count if count > NAMED => format!("{} and {} more", some.join(", "), count - NAMED),
        _ => some.join(", "),
    }
}
