//! `GET /api/tokens`: shape, pages and totals; filters, orders and refusals have files of their own.
mod filters;
mod orders;
mod refusals;

use std::collections::BTreeSet;

use crate::check::{Check, Lane, Need, Verdict};
use crate::expect::fields::{self, count, tokens};
use crate::expect::{equal, failure, holds, ok_json};
use crate::market::{Listing, on_steady_list};
use crate::reads::{LIST, page, param, walk};
use crate::world::World;

pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "list-shape",
        clauses: &["LIST-SHAPE"],
        summary: "reads the first page of each order and looks at every field of every token",
        lane: Lane::Read,
        needs: &[Need::Rest],
        run: |world| Box::pin(list_shape(world)),
    },
    Check {
        id: "list-pages",
        clauses: &["LIST-PAGE"],
        summary: "walks all pages and looks for tokens twice or missing, and beyond the last page",
        lane: Lane::Read,
        needs: &[Need::Rest],
        run: |world| Box::pin(list_pages(world)),
    },
    Check {
        id: "list-totals",
        clauses: &["LIST-COUNT"],
        summary: "compares the totals with what the pages hold, unfiltered, filtered and for no token at all",
        lane: Lane::Read,
        needs: &[Need::Rest],
        run: |world| Box::pin(list_totals(world)),
    },
    filters::SEARCH,
    filters::STATUS,
    orders::NEWEST,
    orders::OLDEST,
    orders::CAP,
    orders::TRENDING,
    filters::SOCIALS,
    filters::FUNDING,
    filters::CAP,
    filters::TRANSACTIONS,
    filters::CREATED,
    filters::COMBINE,
    refusals::BAD,
    refusals::GARBAGE,
];

/// A search that no token answers.
const NOWHERE: &str = "no token says this: 7f3d9c";

async fn list_shape(world: &World) -> Verdict {
    const CLAUSE: &str = "LIST-SHAPE";
    for order in [None, Some("oldest"), Some("mcap-high"), Some("trending")] {
        let query: Vec<_> = order.map(|name| param("sortBy", name)).into_iter().collect();
        let answer = world.read(LIST, &query).await?;
        let body = ok_json(CLAUSE, &answer)?;
        for token in tokens(CLAUSE, &answer, &body)? {
            fields::object(CLAUSE, &answer, token, &[fields::LIST])?;
        }
        count(CLAUSE, &answer, &body, "totalCount")?;
        count(CLAUSE, &answer, &body, "totalPages")?;
        let some = body["tokens"].as_array().is_some_and(|tokens| !tokens.is_empty());
        holds(
            CLAUSE,
            &answer,
            some == (body["totalCount"] != 0),
            "tokens on the first page, if there are any",
            || answer.excerpt(),
        )?;
    }
    Ok(())
}

async fn list_pages(world: &World) -> Verdict {
    on_steady_list(world, |world, _| Box::pin(pages_of(world))).await
}

async fn pages_of(world: &World) -> Verdict {
    const CLAUSE: &str = "LIST-PAGE";
    let plain = walk(world, CLAUSE, &Vec::new()).await?;
    let distinct: BTreeSet<_> = plain.addresses.iter().collect();
    holds(CLAUSE, &plain.first, distinct.len() == plain.addresses.len(), "no token on two pages", || {
        format!("{} rows of {} tokens", plain.addresses.len(), distinct.len())
    })?;
    for order in ["oldest", "mcap-high", "mcap-low", "trending"] {
        let other = walk(world, CLAUSE, &vec![param("sortBy", order)]).await?;
        let (one, two): (BTreeSet<_>, BTreeSet<_>) =
            (plain.addresses.iter().collect(), other.addresses.iter().collect());
        equal(CLAUSE, &other.first, "tokens on all pages", &plain.addresses.len(), &other.addresses.len())?;
        holds(CLAUSE, &other.first, one == two, "the tokens of the other orders", || {
            format!("{} of {} are the same", one.intersection(&two).count(), one.len())
        })?;
    }
    let first = world.read(LIST, &[param("page", "1")]).await?;
    let numbered = crate::reads::addresses(CLAUSE, &first, &page(CLAUSE, &first)?.tokens)?;
    let default = plain.addresses[..plain.lengths[0]].to_vec();
    equal(CLAUSE, &first, "tokens of page 1, as without a page", &default, &numbered)?;
    // Worked out from the first page, so that a wrong totalPages is left to its own check.
    let pages = plain.addresses.len().div_ceil(plain.lengths[0].max(1)).max(1);
    for beyond in [1, 2, 1_000] {
        let number = (pages + beyond).to_string();
        let answer = world.read(LIST, &[param("page", number)]).await?;
        let page = page(CLAUSE, &answer)?;
        equal(CLAUSE, &answer, "tokens beyond the last page", &0, &page.tokens.len())?;
        equal(CLAUSE, &answer, "totalCount beyond the last page", &plain.total_count, &page.total_count)?;
    }
    Ok(())
}

async fn list_totals(world: &World) -> Verdict {
    on_steady_list(world, |world, listing| Box::pin(totals_of(world, listing))).await
}

async fn totals_of(world: &World, listing: &Listing) -> Verdict {
    const CLAUSE: &str = "LIST-COUNT";
    let mut queries = vec![Vec::new(), vec![param("search", NOWHERE)]];
    queries.extend(["live", "funding", "live,funding"].map(|states| vec![param("status", states)]));
    if let Some(address) = listing.addresses.first() {
        queries.push(vec![param("search", address.to_string())]);
    }
    let mut page_size = None;
    for query in queries {
        let walk = walk(world, CLAUSE, &query).await?;
        // A token on two pages counts once: that is for the check of pages.
        let distinct: BTreeSet<_> = walk.addresses.iter().collect();
        let held = u64::try_from(distinct.len()).unwrap_or(u64::MAX);
        equal(CLAUSE, &walk.first, "totalCount, as many as the pages hold", &held, &walk.total_count)?;
        if walk.total_count == 0 {
            equal(CLAUSE, &walk.first, "totalPages of nothing", &0, &walk.total_pages)?;
            continue;
        }
        let (last, full) = walk.lengths.split_last().expect("there is a first page");
        page_size = page_size.or(full.first().copied());
        let even = full.iter().all(|length| Some(*length) == page_size);
        let fits = *last > 0 && page_size.is_none_or(|size| *last <= size);
        holds(CLAUSE, &walk.first, even && fits, "full pages and a last one that is not empty", || {
            format!("pages of {:?} tokens", walk.lengths)
        })?;
        if walk.total_pages != u64::try_from(walk.lengths.len()).unwrap_or(u64::MAX) {
            let actual = format!("totalPages {} for pages of {:?} tokens", walk.total_pages, walk.lengths);
            return Err(failure(
                CLAUSE,
                &walk.first,
                "totalPages = totalCount / page size, rounded up",
                actual,
            ));
        }
    }
    Ok(())
}
