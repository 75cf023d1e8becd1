//! `GET /api/tokens/recent-v2`.
use std::collections::BTreeSet;

use crate::answers::fields::Place;
use crate::answers::members::{excerpt, members_within};
use crate::answers::pages::Page as _;
use crate::answers::reads::{
    MOST_WALKED, Query, RECENT, RecentPage, recent as query, recent_page as page, walk_recent,
};
use crate::answers::refusals;
use crate::model::moment;
use crate::model::shown::readable;
use crate::model::target::CHAINS;
use crate::prelude::*;
use crate::truth::market::Listing;

section! {
    RECENT_CHAIN, RECENT_IDENTITY, RECENT_LIMIT, RECENT_OFFSET, RECENT_ORDER, RECENT_NEXT, RECENT_SHAPE,
}

const DEFAULT_LIMIT: usize = 10;
const MOST: usize = 50;
/// Reads all launches of a chain, newest first; also returns the first page.
async fn walk(trial: &Trial<'_>, chain: u64, limit: Option<usize>) -> Verdict<(RecentPage, Vec<Value>)> {
    let mut rows = Vec::new();
    let mut first = None;
    for page in walk_recent(trial, chain, limit).await? {
        rows.extend(page.tokens.iter().cloned());
        if trial.check.clause.id == RECENT_OFFSET.id
            && let Some(next) = page.next_offset()
        {
            let what = "nextOffset, the launches seen so far";
            trial.require_equal(&page.response, what, &(rows.len() as u64), &next)?;
        }
        first.get_or_insert(page);
    }
    Ok((first.expect("the first page is always read"), rows))
}

fn addresses(trial: &Trial<'_>, page: &RecentPage, rows: &[Value]) -> Verdict<BTreeSet<Address>> {
    let mut found = BTreeSet::new();
    for row in rows {
        let address = parsed(&row["address"]);
        let none = || trial.failure(&page.response, "an address in every row", excerpt(row));
        let Some(address) = trial.part(address.ok_or_else(none))? else { continue };
        let again = || format!("{address} again");
        trial.require_or(&page.response, found.insert(address), "every launch once", again)?;
    }
    Ok(found)
}

clause! {
    RECENT_CHAIN = "RECENT-CHAIN" (S154, S158, S159, S161):
        "A supported chain must be named, is repeated in the answer, and only its V2 launches are listed.";
    check!("recent-chain" [Read; Rest] chain on Listing:
        "leaves the chain out, sends others, and compares both chains with the market and each token's own chain");
}
async fn chain(trial: &Trial<'_>, listing: &Listing) -> Verdict {
    trial.refuses_each(refusals::RECENT_CHAINS, &[]).await?;
    let (mut recent, mut whole) = (BTreeSet::new(), true);
    for chain in CHAINS {
        let (first, rows) = walk(trial, chain, Some(MOST)).await?;
        let body = trial.ok_json(&first.response)?;
        trial.require_equal(&first.response, "chainId", &Value::from(chain), &body["chainId"])?;
        for row in &rows {
            // How a row shows its chain and version is left open, but a readable value must not be another chain or version.
            let other = CHAINS.into_iter().find(|other| *other != chain).unwrap_or_default();
            let own = !["chain_id", "chainId"].iter().any(|name| written(&row[*name]) == other.to_string());
            let current = !["v1", "1"].contains(&written(&row["version"]).to_lowercase().as_str());
            trial
                .require_or(&first.response, own && current, "V2 launches of this chain", || excerpt(row))?;
        }
        whole &= rows.len() <= MOST_WALKED;
        let found = addresses(trial, &first, &rows)?;
        let both = found.intersection(&recent).next();
        let expected = "launches that the other chain does not have";
        trial.require_or(&first.response, both.is_none(), expected, || readable(&both))?;
        recent.extend(found);
    }
    // If not every launch was read, a missing one proves nothing.
    if whole && listing.whole {
        missed(trial, listing, &recent).await?;
    }
    Ok(())
}

/// A listed token that is not recent on any chain is not a V2 token.
async fn missed(trial: &Trial<'_>, listing: &Listing, recent: &BTreeSet<Address>) -> Verdict {
    for address in listing.addresses.difference(recent) {
        let (response, body) = trial.token(*address).await?;
        trial.require_or(&response, body["version"] != "v2", "each V2 launch under its chain", || {
            format!("{address} is missing from recent-v2 of chain {}", body["chain_id"])
        })?;
    }
    Ok(())
}

/// Returns a text or number as it is written; empty for any other value.
fn written(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.as_number().map(ToString::to_string).unwrap_or_default(), str::to_owned)
}

clause! {
    RECENT_IDENTITY = "RECENT-IDENTITY" (S41): "A recent launch shows the address, name and ticker of its token.";
    check!("recent-identity" [Read; Rest] identity on Listing:
        "looks for what a batch has of each token in its row, whatever the members are called");
}
async fn identity(trial: &Trial<'_>, _: &Listing) -> Verdict {
    for chain in CHAINS {
        let page = page(trial, &query(chain, Some(MOST), None)).await?;
        let texts = |row: &Value| -> BTreeSet<String> {
            members_within(row)
                .into_iter()
                .filter_map(|(_, member)| member.as_str())
                .map(str::to_lowercase)
                .collect()
        };
        let shown: Vec<BTreeSet<String>> = page.tokens.iter().map(texts).collect();
        let addresses: BTreeSet<Address> =
            shown.iter().flatten().filter_map(|text| text.parse().ok()).take(MOST * 4).collect();
        let mut found = Vec::new();
        for addresses in addresses.into_iter().collect::<Vec<_>>().chunks(MOST) {
            let (response, body) = trial.with_json(trial.batch(&json!({ "addresses": addresses })).await?)?;
            found.extend(trial.tokens(&response, &body)?.iter().cloned());
        }
        for (row, texts) in page.tokens.iter().zip(&shown) {
            let is_of = |token: &&Value| {
                ["address", "name", "ticker"].iter().all(|name| {
                    token[*name].as_str().is_some_and(|text| texts.contains(&text.to_lowercase()))
                })
            };
            let expected = "address, name and ticker of a token";
            trial.require_or(&page.response, found.iter().any(|token| is_of(&token)), expected, || {
                excerpt(row)
            })?;
        }
    }
    Ok(())
}

clause! {
    RECENT_LIMIT = "RECENT-LIMIT" (S155, S156, S311): "A page has ten rows by default, and 1 to 50 on request.";
    check!("recent-limit" [Read; Rest] limit on Listing: "asks without a limit, at 1 and 50, and beyond");
}
async fn limit(trial: &Trial<'_>, _: &Listing) -> Verdict {
    for chain in CHAINS {
        let (_, all) = walk(trial, chain, Some(MOST)).await?;
        for (limit, rows) in
            [(None, DEFAULT_LIMIT), (Some(1), 1), (Some(9), 9), (Some(11), 11), (Some(MOST), MOST)]
        {
            let page = page(trial, &query(chain, limit, None)).await?;
            trial.require_equal(&page.response, "rows", &rows.min(all.len()), &page.tokens.len())?;
        }
        for bad in ["0", "51", "1000", "-1", "ten"] {
            let query = vec![param("chainId", chain.to_string()), param("limit", bad)];
            beyond(trial, &query, all.len()).await?;
        }
    }
    Ok(())
}

/// Out-of-range limits are refused or clamped; never obeyed, and never a server error.
async fn beyond(trial: &Trial<'_>, query: &Query, all: usize) -> Verdict {
    let response = trial.read(RECENT, query).await?;
    if !response.status.is_success() {
        return trial.no_server_error(&response);
    }
    let page = page(trial, query).await?;
    let kept = page.tokens.len() <= MOST && (all == 0 || !page.tokens.is_empty());
    trial.require_or(&page.response, kept, "a refusal, or 1 to 50 rows", || {
        format!("{} rows", page.tokens.len())
    })
}

clause! {
    RECENT_OFFSET = "RECENT-OFFSET" (S157):
        "Following nextOffset from zero returns every launch once.";
    check!("recent-walk" [Read; Rest] offset on Listing:
        "follows nextOffset with several limits and looks for launches twice or missing");
}
async fn offset(trial: &Trial<'_>, _: &Listing) -> Verdict {
    let named = |rows: &[Value]| -> Vec<Value> { rows.iter().map(|row| row["address"].clone()).collect() };
    for chain in CHAINS {
        let (plain, all) = walk(trial, chain, Some(MOST)).await?;
        addresses(trial, &plain, &all)?;
        let expected = named(&all);
        for limit in [None, Some(1), Some(7)] {
            // Pages of one row are only walked for few launches.
            if limit == Some(1) && all.len() > DEFAULT_LIMIT {
                continue;
            }
            let (first, rows) = walk(trial, chain, limit).await?;
            addresses(trial, &first, &rows)?;
            // If there are more launches than a walk reads, only those in both walks are compared.
            let both = if all.len() > MOST_WALKED { rows.len().min(all.len()) } else { usize::MAX };
            let [expected, walked] = [&all, &rows].map(|rows| named(&rows[..both.min(rows.len())]));
            trial.require_equal(&first.response, "launches in the same order", &expected, &walked)?;
        }
        for offset in [0, all.len() / 2, all.len(), all.len() + 100] {
            if all.len() > MOST_WALKED && offset + 3 > all.len() {
                continue;
            }
            let page = page(trial, &query(chain, Some(3), Some(offset))).await?;
            let slice: Vec<_> = expected.iter().skip(offset).take(3).cloned().collect();
            trial.require_equal(
                &page.response,
                "launches from this offset on",
                &slice,
                &named(&page.tokens),
            )?;
        }
    }
    Ok(())
}

clause! {
    RECENT_ORDER = "RECENT-ORDER" (choice S154, S156, S157):
        "The newest launches come first; a chain, a limit or an offset that is invalid or out of range is 400.";
    check!("recent-order" [Read; Rest] order on Listing:
        "walks the launches, compares the times of creation, and sends invalid chains, limits and offsets");
}
async fn order(trial: &Trial<'_>, _: &Listing) -> Verdict {
    for chain in CHAINS {
        let (first, rows) = walk(trial, chain, Some(MOST)).await?;
        newest_first(trial, &first, &rows)?;
    }
    trial.refuses_each(refusals::RECENT_VALUES, &[]).await
}

fn newest_first(trial: &Trial<'_>, page: &RecentPage, rows: &[Value]) -> Verdict {
    let time = |row: &Value| row["created_at"].as_str().and_then(moment::nanoseconds);
    for pair in rows.windows(2) {
        if let (Some(one), Some(other)) = (time(&pair[0]), time(&pair[1])) {
            trial.require_or(&page.response, one >= other, "the newest first", || {
                format!("{} before {}", excerpt(&pair[0]), excerpt(&pair[1]))
            })?;
        }
    }
    Ok(())
}

clause! {
    RECENT_NEXT = "RECENT-NEXT" (S160): "nextOffset is a number after a full page, unless it is the last one, and null after any other.";
    check!("recent-next" [Read; Rest] next on Listing:
        "looks at nextOffset after full, partial, just full and empty pages");
}
async fn next(trial: &Trial<'_>, _: &Listing) -> Verdict {
    let mut launches = 0;
    for chain in CHAINS {
        let (_, all) = walk(trial, chain, Some(MOST)).await?;
        let count = all.len();
        launches += count;
        // Full pages at the start, one that ends with the last launch, a partial one and empty ones.
        let cases = [
            (1, 0),
            (3, 0),
            (MOST, 0),
            (1, count.saturating_sub(1)),
            (2, count.saturating_sub(1)),
            (1, count),
            (5, count + 5),
        ];
        let fitting = (1..=MOST).contains(&count).then_some((count, 0));
        for (limit, offset) in cases.into_iter().chain(fitting) {
            let page = page(trial, &query(chain, Some(limit), Some(offset))).await?;
            let body = trial.ok_json(&page.response)?;
            let reported = body.get("nextOffset");
            // The rows of a page are left to the walk; here only its fullness counts. A full page that is the last one may end the walk.
            let (is_full, is_last) = (page.tokens.len() == limit, offset + limit >= count);
            let (right, expected) = match (reported.is_some_and(Value::is_null), is_full) {
                (is_null, false) => (is_null, "null after a page that is not full"),
                (is_null, true) => {
                    let is_number = reported.is_some_and(Value::is_u64);
                    (is_number || (is_null && is_last), "a number after a full page")
                }
            };
            trial.require_or(&page.response, right, expected, || {
                format!("nextOffset {} after {} rows of {limit}", readable(&reported), page.tokens.len())
            })?;
        }
    }
    need_material(launches != 0, "no chain has a launch")
}

clause! {
    RECENT_SHAPE = "RECENT-SHAPE" (choice S6, S41, S159):
        "A row has identity, launch, metrics and, for a tokenized stock, its quote asset.";
    check!("recent-shape" [Read; Rest] shape: "looks at every field of every recent launch");
}
async fn shape(trial: &Trial<'_>) -> Verdict {
    let mut launches = 0;
    for chain in CHAINS {
        let page = page(trial, &query(chain, Some(MOST), None)).await?;
        launches += page.tokens.len();
        for row in &page.tokens {
            let members = trial.object(&page.response, row, &[Place::Recent])?;
            for name in ["gain_bps", "creator_fee_split_bps", "anti_snipe_seconds"] {
                let expected = format!("{name} as a whole number of at least 0");
                let null = || format!("{name} = null");
                trial.require_or(&page.response, !members[name].is_null(), &expected, null)?;
            }
            let ended = members["is_graduated"] == true;
            let fits = members["pool"].is_null() != ended;
            trial.require_or(&page.response, fits, "a pool on graduated tokens only", || {
                format!("is_graduated {ended}, pool {} of {}", members["pool"], members["address"])
            })?;
        }
    }
    need_material(launches != 0, "no chain has a launch")
}
