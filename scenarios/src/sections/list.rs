//! `GET /api/tokens`: shape, pages and totals; filters, orders and refusals have files of their own.
mod filters;
mod orders;
mod refusals;

use std::collections::BTreeSet;

use crate::expect::fields::{self};
use crate::market::Listing;
use crate::prelude::*;
use crate::reads::{LIST, page, walk};

section! {
    LIST_SHAPE, LIST_PAGE, LIST_COUNT, filters::LIST_SEARCH, filters::LIST_STATUS, orders::LIST_SORT_NEWEST,
    orders::LIST_SORT_OLDEST, orders::LIST_SORT_MCAP, orders::LIST_SORT_TRENDING, filters::LIST_SOCIALS,
    filters::LIST_FUNDING, filters::LIST_MCAP, filters::LIST_TXCOUNT, filters::LIST_CREATED,
    filters::LIST_COMBINE, refusals::LIST_BAD,
}

/// A search that no token answers.
const NOWHERE: &str = "no token says this: 7f3d9c";

clause! {
    LIST_SHAPE = "LIST-SHAPE" (S2, S6, S12, S15, S110, S130):
        "The list has tokens, totalCount and totalPages, and its tokens have their fields and types.";
    check!("list-shape" [Read; Rest] list_shape:
        "reads the first page of each order and looks at every field of every token");
}
async fn list_shape(trial: &Trial<'_>) -> Verdict {
    for order in [None, Some("oldest"), Some("mcap-high"), Some("trending")] {
        let query: Vec<_> = order.map(|name| param("sortBy", name)).into_iter().collect();
        let (response, body) = trial.read_json(LIST, &query).await?;
        for token in trial.tokens(&response, &body)? {
            trial.object(&response, token, &[fields::LIST])?;
        }
        trial.count(&response, &body, "totalCount")?;
        trial.count(&response, &body, "totalPages")?;
        let some = body["tokens"].as_array().is_some_and(|tokens| !tokens.is_empty());
        trial.shows(
            &response,
            some == (body["totalCount"] != 0),
            "tokens on the first page, if there are any",
        )?;
    }
    Ok(())
}

clause! {
    LIST_PAGE = "LIST-PAGE" (S6, S110, S111):
        "Pages start at 1 and split what matches with no token twice or missing; beyond the end they are empty.";
    check!("list-pages" [Read; Rest] list_pages on Listing:
        "walks all pages and looks for tokens twice or missing, and beyond the last page");
}
async fn list_pages(trial: &Trial<'_>, _: &Listing) -> Verdict {
    let plain = walk(trial, &Vec::new()).await?;
    let distinct: BTreeSet<_> = plain.addresses.iter().collect();
    trial.holds(&plain.first, distinct.len() == plain.addresses.len(), "no token on two pages", || {
        format!("{} rows of {} tokens", plain.addresses.len(), distinct.len())
    })?;
    for order in ["oldest", "mcap-high", "mcap-low", "trending"] {
        let other = walk(trial, &vec![param("sortBy", order)]).await?;
        let (one, two): (BTreeSet<_>, BTreeSet<_>) =
            (plain.addresses.iter().collect(), other.addresses.iter().collect());
        trial.equal(&other.first, "tokens on all pages", &plain.addresses.len(), &other.addresses.len())?;
        trial.holds(&other.first, one == two, "the tokens of the other orders", || {
            format!("{} of {} are the same", one.intersection(&two).count(), one.len())
        })?;
    }
    let first = trial.read(LIST, &[param("page", "1")]).await?;
    let numbered = crate::reads::addresses(trial, &first, &page(trial, &first)?.tokens)?;
    let default = plain.addresses[..plain.lengths[0]].to_vec();
    trial.equal(&first, "tokens of page 1, as without a page", &default, &numbered)?;
    // Worked out from the first page, so that a wrong totalPages is left to its own check.
    let pages = plain.addresses.len().div_ceil(plain.lengths[0].max(1)).max(1);
    for beyond in [1, 2, 1_000] {
        let number = (pages + beyond).to_string();
        let response = trial.read(LIST, &[param("page", number)]).await?;
        let page = page(trial, &response)?;
        trial.equal(&response, "tokens beyond the last page", &0, &page.tokens.len())?;
        trial.equal(&response, "totalCount beyond the last page", &plain.total_count, &page.total_count)?;
    }
    Ok(())
}

clause! {
    LIST_COUNT = "LIST-COUNT" (S6, S110, S131, S132): "totalCount is how many tokens match, totalPages how many pages they fill.";
    check!("list-totals" [Read; Rest] list_totals on Listing:
        "compares the totals with what the pages hold, unfiltered, filtered and for no token at all");
}
async fn list_totals(trial: &Trial<'_>, listing: &Listing) -> Verdict {
    let mut queries = vec![Vec::new(), vec![param("search", NOWHERE)]];
    queries.extend(["live", "funding", "live,funding"].map(|states| vec![param("status", states)]));
    if let Some(address) = listing.addresses.first() {
        queries.push(vec![param("search", address.to_string())]);
    }
    let mut page_size = None;
    for query in queries {
        let walk = walk(trial, &query).await?;
        // A token on two pages counts once: that is for the check of pages.
        let distinct: BTreeSet<_> = walk.addresses.iter().collect();
        let held = u64::try_from(distinct.len()).unwrap_or(u64::MAX);
        trial.equal(&walk.first, "totalCount, as many as the pages hold", &held, &walk.total_count)?;
        if walk.total_count == 0 {
            trial.equal(&walk.first, "totalPages of nothing", &0, &walk.total_pages)?;
            continue;
        }
        let (last, full) = walk.lengths.split_last().expect("there is a first page");
        page_size = page_size.or(full.first().copied());
        let even = full.iter().all(|length| Some(*length) == page_size);
        let fits = *last > 0 && page_size.is_none_or(|size| *last <= size);
        trial.holds(&walk.first, even && fits, "full pages and a last one that is not empty", || {
            format!("pages of {:?} tokens", walk.lengths)
        })?;
        if walk.total_pages != u64::try_from(walk.lengths.len()).unwrap_or(u64::MAX) {
            let actual = format!("totalPages {} for pages of {:?} tokens", walk.total_pages, walk.lengths);
            return Err(trial.failure(
                &walk.first,
                "totalPages = totalCount / page size, rounded up",
                actual,
            ));
        }
    }
    Ok(())
}
