//! `GET /api/tokens`: shape, pages and totals; filters, orders and refusals are in separate files.
mod filters;
mod orders;
mod refusals;
mod timeframes;

use std::collections::BTreeSet;

use crate::answers::fields::Place;
use crate::answers::reads::{LIST, page, walk};
use crate::prelude::*;
use crate::truth::market::Listing;

section! {
    LIST_SHAPE, LIST_PAGE, LIST_COUNT, LIST_NOTHING, filters::LIST_SEARCH, filters::LIST_STATUS, orders::LIST_SORT_NEWEST,
    orders::LIST_SORT_OLDEST, orders::LIST_SORT_MCAP, orders::LIST_SORT_TRENDING, timeframes::LIST_TIMEFRAME, filters::LIST_SOCIALS,
    filters::LIST_FUNDING, filters::LIST_MCAP, filters::LIST_TXCOUNT, filters::LIST_CREATED,
    filters::LIST_COMBINE, filters::LIST_READING, filters::LIST_TRADES, refusals::LIST_BAD,
}

/// Filters whose totals are compared with their pages, whatever they keep.
const FILTERED: [(&str, &str); 6] = [
    ("socials", "website"),
    ("fundingMin", "0.1"),
    ("fundingMax", "0.9"),
    ("marketCapMin", "3"),
    ("txCountMin", "2"),
    ("createdTo", "2100-01-01"),
];
const ORDERED: [&str; 4] = ["oldest", "trending", "mcap-high", "mcap-low"];

/// A search text that matches no token.
const NOWHERE: &str = "7f3d9cq2xv";

clause! {
    LIST_SHAPE = "LIST-SHAPE" (S6, S12, S15, S110, S130):
        "The list has tokens, totalCount and totalPages, and its tokens have their fields and types.";
    check!("list-shape" [Read; Rest] list_shape:
        "reads the first page of each order and looks at every field of every token");
}
async fn list_shape(trial: &Trial<'_>) -> Verdict {
    for order in [None, Some("oldest"), Some("mcap-high"), Some("trending")] {
        let query: Vec<_> = order.map(|name| param("sortBy", name)).into_iter().collect();
        let (response, body) = trial.read_json(LIST, &query).await?;
        for token in trial.tokens(&response, &body)? {
            trial.object(&response, token, &[Place::List])?;
        }
        trial.count(&response, &body, "totalCount")?;
        trial.count(&response, &body, "totalPages")?;
        let some = body["tokens"].as_array().is_some_and(|tokens| !tokens.is_empty());
        let fits = some == (body["totalCount"] != 0);
        trial.require(&response, fits, "tokens on the first page, if there are any")?;
    }
    Ok(())
}

clause! {
    LIST_PAGE = "LIST-PAGE" (S110, S111): "Pages start at 1 and split what matches with no token repeated or missing.";
    check!("list-pages" [Read; Rest] list_pages on Listing:
        "walks all pages, or a sample of many, in each order and looks for tokens twice or missing");
}
async fn list_pages(trial: &Trial<'_>, _: &Listing) -> Verdict {
    let plain = walk(trial, &Vec::new()).await?;
    let one: BTreeSet<_> = plain.addresses.iter().collect();
    trial.require_or(&plain.first, one.len() == plain.addresses.len(), "no token on two pages", || {
        format!("{} rows of {} tokens", plain.addresses.len(), one.len())
    })?;
    for order in ORDERED {
        let other = walk(trial, &vec![param("sortBy", order)]).await?;
        let two: BTreeSet<_> = other.addresses.iter().collect();
        trial.require_equal(
            &other.first,
            "tokens on all pages",
            &plain.addresses.len(),
            &other.addresses.len(),
        )?;
        trial.require_equal(&other.first, "totalCount", &plain.total_count, &other.total_count)?;
        let same = if plain.whole { one == two } else { two.len() == other.addresses.len() };
        trial.require_or(&other.first, same, "the tokens of the other orders, each once", || {
            format!("{} of {} are the same", one.intersection(&two).count(), one.len())
        })?;
    }
    let first = trial.read(LIST, &[param("page", "1")]).await?;
    let numbered = crate::answers::reads::addresses(trial, &first, &page(trial, &first)?.tokens)?;
    let (_, length) = plain.pages[0];
    trial.require_equal(
        &first,
        "tokens of page 1, as without a page",
        &plain.addresses[..length].to_vec(),
        &numbered,
    )
}

clause! {
    LIST_NOTHING = "LIST-NOTHING" (choice S111, S132):
        "Beyond the last page there are no tokens and the same totals; an empty list has no page.";
    check!("list-nothing" [Read; Rest] list_nothing on Listing:
        "reads beyond the last page, and searches for what no token contains");
}
async fn list_nothing(trial: &Trial<'_>, _: &Listing) -> Verdict {
    let first = trial.read(LIST, &[]).await?;
    let first = page(trial, &first)?;
    let size = u64::try_from(first.tokens.len()).unwrap_or(u64::MAX).max(1);
    // Computed from the first page, so that a wrong totalPages is left to its own check.
    let pages = first.total_count.div_ceil(size).max(1);
    for beyond in [1, 2, 1_000] {
        let response = trial.read(LIST, &[param("page", (pages + beyond).to_string())]).await?;
        let page = page(trial, &response)?;
        trial.require_equal(&response, "tokens beyond the last page", &0, &page.tokens.len())?;
        trial.require_equal(
            &response,
            "totalCount beyond the last page",
            &first.total_count,
            &page.total_count,
        )?;
    }
    let response = trial.read(LIST, &[param("search", NOWHERE)]).await?;
    let nothing = page(trial, &response)?;
    trial.require_equal(&response, "totalPages of nothing", &0, &nothing.total_pages)
}

clause! {
    LIST_COUNT = "LIST-COUNT" (S110, S131, S132): "totalCount is the number of tokens that match, totalPages the number of pages they fill.";
    check!("list-totals" [Read; Rest] list_totals on Listing:
        "compares the totals with what the pages hold, unfiltered, by each filter, in each order and for no token at all");
}
async fn list_totals(trial: &Trial<'_>, listing: &Listing) -> Verdict {
    let mut queries = vec![Vec::new(), vec![param("search", NOWHERE)]];
    queries.extend(["live", "funding", "live,funding"].map(|states| vec![param("status", states)]));
    queries.extend(FILTERED.map(|(name, value)| vec![param(name, value)]));
    queries.extend(ORDERED.map(|order| vec![param("sortBy", order)]));
    let (_, newest) = trial.read_json(LIST, &[]).await?;
    let middle = newest["tokens"].as_array().and_then(|tokens| tokens.get(tokens.len() / 2));
    let created = middle.and_then(|token| token["created_at"].as_str());
    queries.extend(created.map(|time| vec![param("createdFrom", time)]));
    if let Some(address) = listing.addresses.first() {
        queries.push(vec![param("search", address.to_string())]);
    }
    let mut page_size = None;
    for query in queries {
        let walk = walk(trial, &query).await?;
        // A token on two pages counts once: duplicates are left to the check of pages.
        let distinct: BTreeSet<_> = walk.addresses.iter().collect();
        let held = u64::try_from(distinct.len()).unwrap_or(u64::MAX);
        let all = if walk.whole { held == walk.total_count } else { held <= walk.total_count };
        trial.require_or(&walk.first, all, "totalCount, as many as the pages hold", || {
            format!("totalCount is {}, but the pages hold {held} tokens", walk.total_count)
        })?;
        if walk.total_count == 0 {
            continue;
        }
        let ((_, last), full) = walk.pages.split_last().expect("there is a first page");
        page_size = page_size.or(full.first().map(|(_, length)| *length));
        let even = full.iter().all(|(_, length)| Some(*length) == page_size);
        let fits = *last > 0 && page_size.is_none_or(|size| *last <= size);
        trial.require_or(&walk.first, even && fits, "full pages and a last one that is not empty", || {
            format!("pages of {:?} tokens", walk.pages)
        })?;
        let (pages, total) = (walk.pages.last().map_or(0, |(number, _)| *number), walk.total_pages);
        trial.require_or(&walk.first, pages == total, "totalPages, as many as have tokens", || {
            format!("totalPages is {total}, but {pages} pages have tokens")
        })?;
    }
    Ok(())
}
