//! The orders of the list, and the judgement of an answer by the market: the right tokens in the right order.
use std::cmp::Ordering;
use std::collections::BTreeSet;

use alloy::primitives::Address;

use crate::answers::reads::{Query, Walk, param, walk};
use crate::model::verdict::Verdict;
use crate::trial::Trial;
use crate::truth::market::activity::Activity;
use crate::truth::market::filter::{Filter, Kept, Reading, all_keep};
use crate::truth::market::{Market, Token};

/// Most tokens that a report names before it only counts them.
const NAMED: usize = 3;

/// The value of `sortBy`, if any.
pub(crate) type Order = Option<&'static str>;

/// The orders that can be computed from the market.
pub(crate) const ORDERS: [Order; 5] =
    [None, Some("newest"), Some("oldest"), Some("mcap-high"), Some("mcap-low")];

/// Compares two tokens by an order; `Equal` if either may come first.
fn compare(order: Order, one: &Token, other: &Token) -> Ordering {
    match order {
        Some("oldest") => one.created.cmp(&other.created),
        Some("mcap-high") => other.market_cap.cmp(&one.market_cap),
        Some("mcap-low") => one.market_cap.cmp(&other.market_cap),
        _ => other.created.cmp(&one.created),
    }
}

pub(crate) fn query(filters: &[Filter], order: Order) -> Query {
    let mut query: Query = filters.iter().map(Filter::param).collect();
    query.extend(order.map(|name| param("sortBy", name)));
    query
}

/// Requests all pages with these filters, and judges which tokens they hold.
pub(crate) async fn judge_tokens(
    trial: &Trial<'_>,
    market: &Market,
    activity: &Activity,
    filters: &[Filter],
    reading: Reading,
) -> Verdict {
    let walk = walk(trial, &query(filters, None)).await?;
    let market = market.with(trial, &walk.addresses).await?;
    same_tokens(trial, &market, activity, (filters, reading), &walk)
}

/// Requests all pages with these filters in an order, and judges which tokens they hold and in which order.
pub(crate) async fn judge(trial: &Trial<'_>, market: &Market, filters: &[Filter], order: Order) -> Verdict {
    let walk = walk(trial, &query(filters, order)).await?;
    let market = market.with(trial, &walk.addresses).await?;
    same_tokens(trial, &market, &Activity::default(), (filters, Reading::Interface), &walk)?;
    ordered(trial, &market, &walk, |one, other| compare(order, one, other))
}

/// The walk holds exactly the tokens that the filters keep, once each. Of a long list only the sample is judged.
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

/// No two neighbours of the walk are in the wrong order.
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
            let actual = format!("{} before {}", named_with_figures(pair[0]), named_with_figures(pair[1]));
            Err(trial.failure(&walk.first, "tokens in the order asked for", actual))
        }
    }
}

/// Describes a token with the figures that orders use.
fn named_with_figures(token: &Token) -> String {
    let Token { address, created, market_cap, funding_progress, volume, .. } = token;
    let created = created / 1_000_000_000;
    let (cap, progress, volume) = (market_cap.text(), funding_progress.text(), volume.text());
    format!("{address} (created {created}, market cap {cap}, progress {progress}, volume {volume})")
}

fn named(addresses: &[Address]) -> String {
    let some: Vec<String> = addresses.iter().take(NAMED).map(ToString::to_string).collect();
    match addresses.len() {
        0 => "none".to_owned(),
        count if count > NAMED => format!("{} and {} more", some.join(", "), count - NAMED),
        _ => some.join(", "),
    }
}
