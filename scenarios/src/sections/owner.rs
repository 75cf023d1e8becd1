//! `GET /api/tokens/by-owner`.
mod full;

use std::cmp::Ordering;
use std::collections::BTreeSet;

use serde::Deserialize;

use crate::answers::fields::Place;
use crate::answers::pages::{self, Page, Pagination, Paging};
use crate::answers::reads::{OWNER, Query, RawRow, addresses};
use crate::answers::refusals;
use crate::model::shown::readable;
use crate::prelude::*;
use crate::truth::market::{Market, Token};
use crate::truth::steady::{Snapshot, no_verdict_on};

section! {
    OWNER_REQ, OWNER_SHAPE, OWNER_LIMIT, OWNER_PAGE, OWNER_SORT, OWNER_ONLY, OWNER_NOTHING, OWNER_BAD, OWNER_INACTIVE,
}

/// Default and maximum page size.
const DEFAULT_LIMIT: u64 = 20;
const MOST: u64 = 100;
/// Number of owners that are tried, those with the most tokens first.
const OWNERS: usize = 2;
/// Pages after which a walk is considered endless.
const MOST_PAGES: u64 = 200;

/// Compares two tokens by an order, if both have the required fields.
type Compare = fn(&RawRow, &RawRow) -> Option<Ordering>;

/// The six orders with their comparisons.
const ORDERS: [(&str, Compare); 6] = [
    ("created_at_desc", |one, other| Some(other.moment("created_at")?.cmp(&one.moment("created_at")?))),
    ("created_at_asc", |one, other| Some(one.moment("created_at")?.cmp(&other.moment("created_at")?))),
    ("market_cap_desc", |one, other| descending("market_cap", one, other)),
    ("market_cap_asc", |one, other| descending("market_cap", other, one)),
    ("funding_progress_desc", |one, other| descending("funding_progress", one, other)),
    ("volume_24h_desc", |one, other| descending("volume_24h", one, other)),
];

#[derive(Debug, Deserialize)]
struct OwnerPage {
    tokens: Vec<RawRow>,
    pagination: Pagination,
}

impl Page for (Response, OwnerPage) {
    fn rows(&self) -> usize {
        self.1.tokens.len()
    }

    fn pages(&self) -> u64 {
        self.1.pagination.filled()
    }
}

fn descending(name: &str, one: &RawRow, other: &RawRow) -> Option<Ordering> {
    Some(other.figure(name)?.cmp(&one.figure(name)?))
}

fn of(owner: Address, more: impl IntoIterator<Item = (&'static str, String)>) -> Query {
    let mut query = vec![param("owner", owner.to_string())];
    query.extend(more);
    query
}

fn length<T>(items: &[T]) -> u64 {
    u64::try_from(items.len()).unwrap_or(u64::MAX)
}

async fn page(trial: &Trial<'_>, query: &Query) -> Verdict<(Response, OwnerPage)> {
    let response = trial.read(OWNER, query).await?;
    trial.succeeded(&response)?;
    let expected = "tokens (objects) and pagination (page, limit, total and totalPages as whole numbers)";
    match trial.decoded(&response, expected) {
        Ok(page) => Ok((response, page)),
        Err(wrong) if trial.check.clause.id == OWNER_SHAPE.id => Err(wrong),
        Err(wrong) => Err(no_verdict_on(wrong)),
    }
}

/// Reads every page of a query, in pages of `limit`; returns the first answer and all rows.
async fn walk(trial: &Trial<'_>, query: &Query, limit: u64) -> Verdict<(Response, Vec<RawRow>)> {
    let pages = pages::walk(trial, Paging::Number, MOST_PAGES, |number| async move {
        let numbered = [param("limit", limit.to_string()), param("page", number.to_string())];
        page(trial, &[query.as_slice(), &numbered].concat()).await
    });
    let pages = pages.await?;
    if !pages.whole {
        return Err(Stop::Skipped(format!("more than {MOST_PAGES} pages of {limit} are too many to walk")));
    }
    let mut rows = Vec::new();
    let mut first = None;
    for (number, (response, OwnerPage { tokens, pagination })) in pages.read {
        let repeated = (pagination.page, pagination.limit);
        trial.require_equal(&response, "page and limit, as asked", &(number, limit), &repeated)?;
        trial.require_equal(&response, "tokens on the page", &pagination.left(), &length(&tokens))?;
        let fits = pagination.total_pages == pagination.filled() || pagination.total == 0;
        let seen = || format!("totalPages = {}", pagination.total_pages);
        let expected = format!("totalPages = {} / {}, rounded up", pagination.total, pagination.limit);
        trial.require_or(&response, fits, &expected, seen)?;
        rows.extend(tokens);
        first.get_or_insert(response);
    }
    Ok((first.expect("the first page is always read"), rows))
}

/// Returns the expected tokens of an owner: those of the market, and if the market is only a sample, also those found.
fn known(market: &Market, found: &BTreeSet<Address>, owned: &[&Token]) -> BTreeSet<Address> {
    let mut known: BTreeSet<Address> = owned.iter().map(|token| token.address).collect();
    if !market.is_whole() {
        known.extend(found);
    }
    known
}

/// Returns how many tokens an owner has; for a sampled market, from the service.
async fn count_of(trial: &Trial<'_>, market: &Market, owner: Address, owned: &[&Token]) -> Verdict<u64> {
    if market.is_whole() {
        return Ok(length(owned));
    }
    Ok(page(trial, &of(owner, [])).await?.1.pagination.total)
}

/// Returns the owners with the most tokens, largest first.
fn largest(market: &Market) -> Verdict<Vec<(Address, Vec<&Token>)>> {
    market.at_least(1)?;
    let mut owners: Vec<_> = market.owners().into_iter().collect();
    owners.sort_by_key(|(_, tokens)| std::cmp::Reverse(tokens.len()));
    owners.truncate(OWNERS);
    Ok(owners)
}

clause! {
    OWNER_REQ = "OWNER-REQ" (S133): "The owner is required, and what is no address owns nothing.";
    check!("owner-required" [Read; Rest] required on Market:
        "leaves the owner out and sends what is no address, next to one that is");
}
async fn required(trial: &Trial<'_>, market: &Market) -> Verdict {
    for (owner, _) in largest(market)? {
        trial.read_json(OWNER, &of(owner, [])).await?;
    }
    trial.refuses_each_or_has(refusals::OWNERS, |body| body["tokens"] == json!([])).await
}

clause! {
    OWNER_SHAPE = "OWNER-SHAPE" (S12, S15, S140):
        "The answer has tokens with their fields, and pagination with page, limit, total and totalPages.";
    check!("owner-shape" [Read; Rest] shape on Market: "looks at every field of the tokens of every owner");
}
async fn shape(trial: &Trial<'_>, market: &Market) -> Verdict {
    for (owner, _) in largest(market)? {
        let (response, _) = page(trial, &of(owner, [])).await?;
        let body = trial.ok_json(&response)?;
        let rows = trial.tokens(&response, &body)?;
        trial.require(&response, !rows.is_empty(), "the tokens of an owner of some")?;
        for row in rows {
            trial.object(&response, row, &[Place::Owner])?;
        }
    }
    Ok(())
}

clause! {
    OWNER_LIMIT = "OWNER-LIMIT" (S45, S135, S136, S309): "A page has 20 tokens by default, and never more than 100.";
    check!("owner-limit" [Read; Rest] limit on Market: "asks for pages without a limit, of 1, of 100 and beyond");
    check!("owner-limit-full" [Exclusive; Rest, PrimaryChain, Accounts] full::page: "launches 101 tokens of one owner and asks for 100 of them");
}
async fn limit(trial: &Trial<'_>, market: &Market) -> Verdict {
    for (owner, owned) in largest(market)? {
        let count = count_of(trial, market, owner, &owned).await?;
        for (asked, limit) in [(None, DEFAULT_LIMIT), (Some("1"), 1), (Some("2"), 2), (Some("100"), MOST)] {
            let query = of(owner, asked.map(|limit| param("limit", limit)));
            let (response, page) = page(trial, &query).await?;
            trial.require_equal(&response, "pagination.limit", &limit, &page.pagination.limit)?;
            trial.require_equal(&response, "tokens on the page", &count.min(limit), &length(&page.tokens))?;
        }
        beyond(trial, owner).await?;
    }
    Ok(())
}

/// Out-of-range limits are refused or clamped; never obeyed, and never a server error.
async fn beyond(trial: &Trial<'_>, owner: Address) -> Verdict {
    for query in refusals::OWNER_LIMITS.iter().flat_map(|row| row.queries(&of(owner, []))) {
        let response = trial.read(OWNER, &query).await?;
        if !response.status.is_success() {
            trial.no_server_error(&response)?;
            continue;
        }
        let (response, page) = page(trial, &query).await?;
        let kept =
            (1..=MOST).contains(&page.pagination.limit) && length(&page.tokens) <= page.pagination.limit;
        let seen = || readable(&page.pagination);
        trial.require_or(&response, kept, "a refusal, or a limit from 1 to 100", seen)?;
    }
    Ok(())
}

clause! {
    OWNER_BAD = "OWNER-BAD" (choice S136): "A limit below 1 or above 100 is 400.";
    check!("owner-refusals" [Read; Rest] refusals on Market: "asks an owner's tokens for limits that cannot be kept");
}
async fn refusals(trial: &Trial<'_>, market: &Market) -> Verdict {
    for (owner, _) in largest(market)? {
        trial.refuses_each(refusals::OWNER_LIMITS, &of(owner, [])).await?;
    }
    Ok(())
}

clause! {
    OWNER_PAGE = "OWNER-PAGE" (S44, S46, S47, S134):
        "Pages split the owner's tokens with none repeated or missing, and the totals agree.";
    check!("owner-pages" [Read; Rest] pages on Market: "walks the tokens of owners in pages of several sizes");
}
async fn pages(trial: &Trial<'_>, market: &Market) -> Verdict {
    for (owner, owned) in largest(market)? {
        let count = count_of(trial, market, owner, &owned).await?;
        // Full pages, a partial last one, exactly one page, and a page with room to spare.
        let mut limits = vec![count.div_ceil(3), count.div_ceil(2), count, count + 1];
        limits.retain(|limit| (1..=MOST).contains(limit));
        limits.sort_unstable();
        limits.dedup();
        for limit in limits {
            let (first, rows) = walk(trial, &of(owner, []), limit).await?;
            let walked = addresses(trial, &first, &rows)?;
            let distinct: BTreeSet<Address> = walked.iter().copied().collect();
            trial.require_equal(&first, "tokens on all pages, each once", &count, &length(&walked))?;
            trial.require_equal(
                &first,
                "tokens of the owner",
                &known(market, &distinct, &owned),
                &distinct,
            )?;
        }
    }
    Ok(())
}

clause! {
    OWNER_SORT = "OWNER-SORT" (S137, S138): "Each of the six orders is respected; by default the most recently created come first.";
    check!("owner-orders" [Read; Rest] orders on Market: "asks for each order and looks at the figures it orders by");
}
async fn orders(trial: &Trial<'_>, market: &Market) -> Verdict {
    let mut tried = 0;
    for (owner, owned) in largest(market)? {
        if owned.len() < 2 {
            continue;
        }
        tried += 1;
        // Two pages, so that the order must hold across them.
        let limit = count_of(trial, market, owner, &owned).await?.div_ceil(2).min(MOST);
        for (name, compare) in ORDERS {
            in_order(trial, &of(owner, [param("sort", name)]), limit, name, compare).await?;
        }
        in_order(trial, &of(owner, []), limit, "created_at_desc", ORDERS[0].1).await?;
    }
    need_material(tried != 0, "no owner has two tokens")
}

async fn in_order(trial: &Trial<'_>, query: &Query, limit: u64, name: &str, compare: Compare) -> Verdict {
    let (first, rows) = walk(trial, query, limit).await?;
    for pair in rows.windows(2) {
        let in_order = compare(&pair[0], &pair[1]).is_some_and(|order| order != Ordering::Greater);
        let seen = || format!("{:?} before {:?}", pair[0], pair[1]);
        trial.require_or(&first, in_order, &format!("tokens by {name}"), seen)?;
    }
    Ok(())
}

clause! {
    OWNER_ONLY = "OWNER-ONLY" (S141): "Only the owner's tokens are listed, and includeInactive leaves none of them out.";
    check!("owner-only" [Read; Rest] only on Market:
        "compares each owner's tokens with the market, without includeInactive and with it");
}
async fn only(trial: &Trial<'_>, market: &Market) -> Verdict {
    for (owner, owned) in largest(market)? {
        // Two pages, so that more than the first is seen.
        let limit = count_of(trial, market, owner, &owned).await?.div_ceil(2).clamp(1, MOST);
        let (first, rows) = walk(trial, &of(owner, []), limit).await?;
        let foreign = rows.iter().find(|row| row.address("owner") != Some(owner));
        trial.require_or(&first, foreign.is_none(), "tokens of this owner only", || readable(&foreign))?;
        let found: BTreeSet<Address> = addresses(trial, &first, &rows)?.into_iter().collect();
        trial.require_equal(&first, "tokens of the owner", &known(market, &found, &owned), &found)?;
        let (response, all) = listed(trial, owner, Some("true")).await?;
        every_active(trial, &response, &found, &all)?;
    }
    Ok(())
}

/// With includeInactive the active tokens are listed as well.
fn every_active(
    trial: &Trial<'_>,
    response: &Response,
    active: &BTreeSet<Address>,
    all: &BTreeSet<Address>,
) -> Verdict {
    trial.require_or(response, all.is_superset(active), "every active token too", || {
        format!("missing {}", readable(&active.difference(all).collect::<Vec<_>>()))
    })
}

clause! {
    OWNER_NOTHING = "OWNER-NOTHING" (choice S47, S134, S141):
        "Beyond the last page, and for an owner without tokens, there are no tokens; an empty list has no page.";
    check!("owner-nothing" [Read; Rest] nothing on Market:
        "reads beyond the last page of an owner, and the tokens of an unknown owner");
}
async fn nothing(trial: &Trial<'_>, market: &Market) -> Verdict {
    for (owner, _) in largest(market)? {
        let total = page(trial, &of(owner, [])).await?.1.pagination.total;
        let (response, past) = page(trial, &of(owner, [param("page", (total + 1).to_string())])).await?;
        let seen = (length(&past.tokens), past.pagination.total);
        trial.require_equal(&response, "tokens beyond the last page, and total", &(0, total), &seen)?;
    }
    let unknown = Address::from_word(trial.choices("owner-only").word());
    let (response, page) = page(trial, &of(unknown, [])).await?;
    let seen = (length(&page.tokens), page.pagination.total, page.pagination.total_pages);
    trial.require_equal(&response, "tokens, total and totalPages of an unknown owner", &(0, 0, 0), &seen)
}

clause! {
    OWNER_INACTIVE = "OWNER-INACTIVE" (S139):
        "A disabled token is listed when includeInactive asks for it, and only then.";
    check!("owner-inactive" [Exclusive; Rest, Control] inactive:
        "disables a token and looks for it with and without includeInactive");
}
async fn inactive(trial: &Trial<'_>) -> Verdict {
    let market = Market::read(trial).await?;
    let owners = largest(&market)?;
    let (owner, owned) = owners.first().expect("the market has a token");
    let active = known(&market, &listed(trial, *owner, None).await?.1, owned);
    // Some may already be inactive; the list omits them.
    let (first, all) = listed(trial, *owner, Some("true")).await?;
    every_active(trial, &first, &active, &all)?;
    shown(trial, *owner, &active, &all).await?;
    let token = trial.choices("owner-inactive").pick(owned).address;
    let others: BTreeSet<Address> = active.iter().copied().filter(|one| *one != token).collect();
    let control = trial.control()?;
    control.disable_token(token, true).await?;
    let disabled = shown(trial, *owner, &others, &all).await;
    control.disable_token(token, false).await?;
    disabled?;
    shown(trial, *owner, &active, &all).await
}

/// With includeInactive all tokens are listed; without it, or with false, only the active ones.
async fn shown(
    trial: &Trial<'_>,
    owner: Address,
    active: &BTreeSet<Address>,
    all: &BTreeSet<Address>,
) -> Verdict {
    for (flag, expected) in [(None, active), (Some("false"), active), (Some("true"), all)] {
        let (first, found) = listed(trial, owner, flag).await?;
        trial.require_equal(&first, "tokens of the owner", expected, &found)?;
    }
    Ok(())
}

/// Returns the owner's tokens for a value of includeInactive.
async fn listed(
    trial: &Trial<'_>,
    owner: Address,
    flag: Option<&'static str>,
) -> Verdict<(Response, BTreeSet<Address>)> {
    let query = of(owner, flag.map(|flag| param("includeInactive", flag)));
    let (first, rows) = walk(trial, &query, MOST).await?;
    let found = addresses(trial, &first, &rows)?.into_iter().collect();
    Ok((first, found))
}
