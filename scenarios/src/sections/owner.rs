//! `GET /api/tokens/by-owner`.
use std::cmp::Ordering;
use std::collections::BTreeSet;

use alloy::primitives::Address;
use serde::Deserialize;

use crate::check::{Check, Inconclusive, Lane, Need, Stop, Verdict};
use crate::client::http::Answer;
use crate::expect::fields::{self, tokens};
use crate::expect::{equal, failure, holds, ok_json, status};
use crate::market::{Market, Snapshot, Token, as_no_verdict, on_steady_market};
use crate::reads::{OWNER, Query, Row, addresses, param, spellings};
use crate::world::World;

pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "owner-required",
        clauses: &["OWNER-REQ"],
        summary: "leaves the owner out and sends what is no address, beside one that is",
        lane: Lane::Read,
        needs: &[Need::Rest],
        run: |world| Box::pin(on_steady_market(world, |world, market| Box::pin(required(world, market)))),
    },
    Check {
        id: "owner-shape",
        clauses: &["OWNER-SHAPE"],
        summary: "looks at every field of the tokens of every owner",
        lane: Lane::Read,
        needs: &[Need::Rest],
        run: |world| Box::pin(on_steady_market(world, |world, market| Box::pin(shape(world, market)))),
    },
    Check {
        id: "owner-limit",
        clauses: &["OWNER-LIMIT"],
        summary: "asks for pages without a limit, of 1, of 100 and beyond",
        lane: Lane::Read,
        needs: &[Need::Rest],
        run: |world| Box::pin(on_steady_market(world, |world, market| Box::pin(limit(world, market)))),
    },
    Check {
        id: "owner-pages",
        clauses: &["OWNER-PAGE"],
        summary: "walks the tokens of owners in pages of several sizes",
        lane: Lane::Read,
        needs: &[Need::Rest],
        run: |world| Box::pin(on_steady_market(world, |world, market| Box::pin(pages(world, market)))),
    },
    Check {
        id: "owner-orders",
        clauses: &["OWNER-SORT"],
        summary: "asks for each order and looks at the figures it orders by",
        lane: Lane::Read,
        needs: &[Need::Rest],
        run: |world| Box::pin(on_steady_market(world, |world, market| Box::pin(orders(world, market)))),
    },
    Check {
        id: "owner-only",
        clauses: &["OWNER-ONLY"],
        summary: "compares each owner's tokens with the market, and asks for an owner nobody knows",
        lane: Lane::Read,
        needs: &[Need::Rest],
        run: |world| Box::pin(on_steady_market(world, |world, market| Box::pin(only(world, market)))),
    },
    Check {
        id: "owner-inactive",
        clauses: &["OWNER-INACTIVE"],
        summary: "disables a token and looks for it with and without includeInactive",
        lane: Lane::Exclusive,
        needs: &[Need::Rest, Need::Control],
        run: |world| Box::pin(inactive(world)),
    },
];

/// Tokens of a page unless told, and at most.
const DEFAULT_LIMIT: u64 = 20;
const MOST: u64 = 100;
/// How many owners are tried, those with the most tokens first.
const OWNERS: usize = 2;
/// Pages that are walked at most before a walk is taken to have no end.
const MOST_PAGES: u64 = 200;

/// How two tokens follow each other, where they have what it takes.
type Compare = fn(&Row, &Row) -> Option<Ordering>;

/// The six orders with how two tokens follow each other.
const ORDERS: [(&str, Compare); 6] = [
    ("created_at_desc", |one, other| Some(other.moment("created_at")?.cmp(&one.moment("created_at")?))),
    ("created_at_asc", |one, other| Some(one.moment("created_at")?.cmp(&other.moment("created_at")?))),
    ("market_cap_desc", |one, other| descending("market_cap", one, other)),
    ("market_cap_asc", |one, other| descending("market_cap", other, one)),
    ("funding_progress_desc", |one, other| descending("funding_progress", one, other)),
    ("volume_24h_desc", |one, other| descending("volume_24h", one, other)),
];

#[derive(Debug, Deserialize)]
struct Page {
    tokens: Vec<Row>,
    pagination: Pagination,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
struct Pagination {
    page: u64,
    limit: u64,
    total: u64,
    total_pages: u64,
}

fn descending(name: &str, one: &Row, other: &Row) -> Option<Ordering> {
    Some(other.figure(name)?.cmp(&one.figure(name)?))
}

fn of(owner: Address) -> Query {
    vec![param("owner", owner.to_string())]
}

fn length<T>(items: &[T]) -> u64 {
    u64::try_from(items.len()).unwrap_or(u64::MAX)
}

async fn page(world: &World, clause: &'static str, query: &Query) -> Verdict<(Answer, Page)> {
    let answer = world.read(OWNER, query).await?;
    status(clause, &answer, 200)?;
    match serde_json::from_slice(&answer.body) {
        Ok(page) => Ok((answer, page)),
        Err(error) => {
            let expected =
                "tokens (objects) and pagination (page, limit, total and totalPages as whole numbers)";
            let wrong = failure(clause, &answer, expected, format!("{error} in {}", answer.excerpt()));
            Err(if clause == "OWNER-SHAPE" { wrong } else { as_no_verdict(wrong) })
        }
    }
}

/// Every page of a query, in pages of `limit`; with the first answer.
async fn walk(world: &World, clause: &'static str, query: &Query, limit: u64) -> Verdict<(Answer, Vec<Row>)> {
    let mut rows = Vec::new();
    let mut first = None;
    for number in 1..=MOST_PAGES {
        let mut query = query.clone();
        query.extend([param("limit", limit.to_string()), param("page", number.to_string())]);
        let (answer, page) = page(world, clause, &query).await?;
        let pagination = page.pagination;
        equal(
            clause,
            &answer,
            "page and limit, as asked",
            &(number, limit),
            &(pagination.page, pagination.limit),
        )?;
        let left = pagination.total.saturating_sub(length(&rows));
        equal(clause, &answer, "tokens on the page", &left.min(limit), &length(&page.tokens))?;
        let pages = pagination.total.div_ceil(limit);
        let empty = pagination.total == 0 && pagination.total_pages <= 1;
        holds(
            clause,
            &answer,
            pagination.total_pages == pages || empty,
            "totalPages = total / limit, rounded up",
            || format!("{pagination:?}"),
        )?;
        rows.extend(page.tokens);
        let first = first.get_or_insert(answer);
        if number >= pages {
            return Ok((first.clone(), rows));
        }
    }
    Err(Stop::Skipped(format!("more than {MOST_PAGES} pages of {limit} are too many to walk")))
}

/// The owners with the most tokens, those first.
fn largest(market: &Market) -> Verdict<Vec<(Address, Vec<&Token>)>> {
    market.at_least(1)?;
    let mut owners: Vec<_> = market.owners().into_iter().collect();
    owners.sort_by_key(|(_, tokens)| std::cmp::Reverse(tokens.len()));
    owners.truncate(OWNERS);
    Ok(owners)
}

async fn required(world: &World, market: &Market) -> Verdict {
    const CLAUSE: &str = "OWNER-REQ";
    const DIGITS: &str = "0123456789abcdef0123456789abcdef01234567";
    let good = format!("0x{DIGITS}");
    let mut bad = vec![Vec::new(), vec![param("page", "1")]];
    let malformed = [
        "".to_owned(),
        "owner".to_owned(),
        good[..41].to_owned(),
        format!("{good}8"),
        format!("0x{}g", &DIGITS[1..]),
    ];
    bad.extend(malformed.map(|value| vec![param("owner", value)]));
    for (owner, _) in largest(market)? {
        let answer = world.read(OWNER, &of(owner)).await?;
        ok_json(CLAUSE, &answer)?;
    }
    for query in bad {
        let answer = world.read(OWNER, &query).await?;
        status(CLAUSE, &answer, 400)?;
        holds(CLAUSE, &answer, world.refused_for_a_cause(&answer).await?, "a cause in the journal", || {
            "none".to_owned()
        })?;
    }
    Ok(())
}

async fn shape(world: &World, market: &Market) -> Verdict {
    const CLAUSE: &str = "OWNER-SHAPE";
    for (owner, _) in largest(market)? {
        let (answer, _) = page(world, CLAUSE, &of(owner)).await?;
        let body = ok_json(CLAUSE, &answer)?;
        let rows = tokens(CLAUSE, &answer, &body)?;
        holds(CLAUSE, &answer, !rows.is_empty(), "the tokens of an owner of some", || answer.excerpt())?;
        for row in rows {
            fields::object(CLAUSE, &answer, row, &[fields::OWNER])?;
        }
    }
    Ok(())
}

async fn limit(world: &World, market: &Market) -> Verdict {
    const CLAUSE: &str = "OWNER-LIMIT";
    for (owner, owned) in largest(market)? {
        for (asked, limit) in [(None, DEFAULT_LIMIT), (Some("1"), 1), (Some("2"), 2), (Some("100"), MOST)] {
            let mut query = of(owner);
            query.extend(asked.map(|limit| param("limit", limit)));
            let (answer, page) = page(world, CLAUSE, &query).await?;
            equal(CLAUSE, &answer, "pagination.limit", &limit, &page.pagination.limit)?;
            let expected = length(&owned).min(limit);
            equal(CLAUSE, &answer, "tokens on the page", &expected, &length(&page.tokens))?;
        }
        beyond(world, owner).await?;
    }
    Ok(())
}

/// Limits that cannot be kept are refused, or brought within the bounds; never obeyed, and never fatal.
async fn beyond(world: &World, owner: Address) -> Verdict {
    const CLAUSE: &str = "OWNER-LIMIT";
    for limit in ["101", "1000", "0", "-1", "18446744073709551616"] {
        let mut query = of(owner);
        query.push(param("limit", limit));
        let answer = world.read(OWNER, &query).await?;
        if answer.status.as_u16() == 400 {
            continue;
        }
        // A platform with a control plane is one of this project's kind, and says that it refuses.
        holds(CLAUSE, &answer, !world.has(Need::Control), "status 400", || answer.excerpt())?;
        let (answer, page) = page(world, CLAUSE, &query).await?;
        let kept =
            (1..=MOST).contains(&page.pagination.limit) && length(&page.tokens) <= page.pagination.limit;
        holds(CLAUSE, &answer, kept, "400, or a limit from 1 to 100", || format!("{:?}", page.pagination))?;
    }
    Ok(())
}

async fn pages(world: &World, market: &Market) -> Verdict {
    const CLAUSE: &str = "OWNER-PAGE";
    for (owner, owned) in largest(market)? {
        let count = length(&owned);
        // Full pages, a partial last one, just one page, and more room than tokens.
        let mut limits = vec![count.div_ceil(3), count.div_ceil(2), count, count + 1];
        limits.retain(|limit| (1..=MOST).contains(limit));
        limits.sort_unstable();
        limits.dedup();
        for limit in limits {
            let (first, rows) = walk(world, CLAUSE, &of(owner), limit).await?;
            let walked = addresses(CLAUSE, &first, &rows)?;
            let distinct: BTreeSet<Address> = walked.iter().copied().collect();
            let expected: BTreeSet<Address> = owned.iter().map(|token| token.address).collect();
            equal(CLAUSE, &first, "tokens on all pages", &expected.len(), &walked.len())?;
            equal(CLAUSE, &first, "tokens of the owner", &expected, &distinct)?;
        }
        let mut query = of(owner);
        query.push(param("page", (count + 1).to_string()));
        let (answer, past) = page(world, CLAUSE, &query).await?;
        equal(
            CLAUSE,
            &answer,
            "tokens beyond the last page, and total",
            &(0, count),
            &(length(&past.tokens), past.pagination.total),
        )?;
    }
    Ok(())
}

async fn orders(world: &World, market: &Market) -> Verdict {
    let mut tried = 0;
    for (owner, owned) in largest(market)? {
        if owned.len() < 2 {
            continue;
        }
        tried += 1;
        // Two pages, so that the order must hold across them.
        let limit = length(&owned).div_ceil(2).min(MOST);
        for (name, compare) in ORDERS {
            let mut query = of(owner);
            query.push(param("sort", name));
            in_order(world, &query, limit, name, compare).await?;
        }
        in_order(world, &of(owner), limit, "created_at_desc", ORDERS[0].1).await?;
    }
    if tried == 0 {
        let reason = "no owner has two tokens".to_owned();
        return Err(Inconclusive::NoMaterial { reason }.into());
    }
    Ok(())
}

async fn in_order(world: &World, query: &Query, limit: u64, name: &str, compare: Compare) -> Verdict {
    const CLAUSE: &str = "OWNER-SORT";
    let (first, rows) = walk(world, CLAUSE, query, limit).await?;
    for pair in rows.windows(2) {
        let order = compare(&pair[0], &pair[1]);
        holds(
            CLAUSE,
            &first,
            order.is_some_and(|order| order != Ordering::Greater),
            &format!("tokens by {name}"),
            || format!("{:?} before {:?}", pair[0], pair[1]),
        )?;
    }
    Ok(())
}

async fn only(world: &World, market: &Market) -> Verdict {
    const CLAUSE: &str = "OWNER-ONLY";
    for (owner, owned) in largest(market)? {
        let expected: BTreeSet<Address> = owned.iter().map(|token| token.address).collect();
        for spelling in spellings(owner) {
            let (first, rows) = walk(world, CLAUSE, &vec![param("owner", spelling)], MOST).await?;
            let foreign = rows.iter().find(|row| row.address("owner") != Some(owner));
            holds(CLAUSE, &first, foreign.is_none(), "tokens of this owner only", || format!("{foreign:?}"))?;
            let found: BTreeSet<Address> = addresses(CLAUSE, &first, &rows)?.into_iter().collect();
            equal(CLAUSE, &first, "tokens of the owner", &expected, &found)?;
        }
    }
    let nobody = Address::from_word(world.choices("owner-only").word());
    let (answer, page) = page(world, CLAUSE, &of(nobody)).await?;
    equal(
        CLAUSE,
        &answer,
        "tokens, and total, of nobody",
        &(0, 0),
        &(length(&page.tokens), page.pagination.total),
    )
}

async fn inactive(world: &World) -> Verdict {
    const CLAUSE: &str = "OWNER-INACTIVE";
    let market = Market::read(world).await?;
    let owners = largest(&market)?;
    let (owner, owned) = owners.first().expect("the market has a token");
    let active: BTreeSet<Address> = owned.iter().map(|token| token.address).collect();
    // Some may be inactive already; they are none of the list.
    let (first, all) = listed(world, *owner, Some("true")).await?;
    holds(CLAUSE, &first, all.is_superset(&active), "every active token too", || {
        format!("missing {:?}", active.difference(&all).collect::<Vec<_>>())
    })?;
    shown(world, *owner, &active, &all).await?;
    let token = world.choices("owner-inactive").pick(owned).address;
    let others: BTreeSet<Address> = active.iter().copied().filter(|one| *one != token).collect();
    let control = world.control()?;
    control.disable_token(token, true).await?;
    let disabled = shown(world, *owner, &others, &all).await;
    control.disable_token(token, false).await?;
    disabled?;
    shown(world, *owner, &active, &all).await
}

/// With includeInactive all tokens are listed; without, and with false, the active ones.
async fn shown(
    world: &World,
    owner: Address,
    active: &BTreeSet<Address>,
    all: &BTreeSet<Address>,
) -> Verdict {
    for (flag, expected) in [(None, active), (Some("false"), active), (Some("true"), all)] {
        let (first, found) = listed(world, owner, flag).await?;
        equal("OWNER-INACTIVE", &first, "tokens of the owner", expected, &found)?;
    }
    Ok(())
}

/// The owner's tokens under a value of includeInactive.
async fn listed(
    world: &World,
    owner: Address,
    flag: Option<&'static str>,
) -> Verdict<(Answer, BTreeSet<Address>)> {
    const CLAUSE: &str = "OWNER-INACTIVE";
    let mut query = of(owner);
    query.extend(flag.map(|flag| param("includeInactive", flag)));
    let (first, rows) = walk(world, CLAUSE, &query, MOST).await?;
    let found = addresses(CLAUSE, &first, &rows)?.into_iter().collect();
    Ok((first, found))
}
