//! `GET /api/tokens/recent-v2`.
use std::collections::BTreeSet;

use alloy::primitives::Address;
use serde_json::Value;

use crate::check::{Check, Inconclusive, Lane, Need, Stop, Verdict};
use crate::client::http::Answer;
use crate::expect::fields::{self, excerpt, tokens};
use crate::expect::{equal, failure, holds, moment, ok_json, status};
use crate::market::{Listing, on_steady_list};
use crate::reads::{CHAINS, Query, RECENT, param};
use crate::world::World;

pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "recent-chain",
        clauses: &["RECENT-CHAIN"],
        summary: "leaves the chain out, sends others, and compares both chains with the market and each token's own chain",
        lane: Lane::Read,
        needs: &[Need::Rest],
        run: |world| Box::pin(on_steady_list(world, |world, listing| Box::pin(chain(world, listing)))),
    },
    Check {
        id: "recent-limit",
        clauses: &["RECENT-LIMIT"],
        summary: "asks without a limit, at 1 and 50, and beyond",
        lane: Lane::Read,
        needs: &[Need::Rest],
        run: |world| Box::pin(on_steady_list(world, |world, _| Box::pin(limit(world)))),
    },
    Check {
        id: "recent-walk",
        clauses: &["RECENT-OFFSET"],
        summary: "follows nextOffset with several limits and looks for launches twice, missing or out of order",
        lane: Lane::Read,
        needs: &[Need::Rest],
        run: |world| Box::pin(on_steady_list(world, |world, _| Box::pin(offset(world)))),
    },
    Check {
        id: "recent-next",
        clauses: &["RECENT-NEXT"],
        summary: "looks at nextOffset after full, partial, just full and empty pages",
        lane: Lane::Read,
        needs: &[Need::Rest],
        run: |world| Box::pin(on_steady_list(world, |world, _| Box::pin(next(world)))),
    },
    Check {
        id: "recent-shape",
        clauses: &["RECENT-SHAPE"],
        summary: "looks at every field of every recent launch",
        lane: Lane::Read,
        needs: &[Need::Rest],
        run: |world| Box::pin(shape(world)),
    },
];

const DEFAULT_LIMIT: usize = 10;
const MOST: usize = 50;
/// Launches of a chain that are walked at most.
const MOST_WALKED: usize = 2_000;

struct Page {
    answer: Answer,
    tokens: Vec<Value>,
    next: Option<u64>,
}

fn number(value: usize) -> String {
    value.to_string()
}

fn query(chain: u64, limit: Option<usize>, offset: Option<usize>) -> Query {
    let mut query = vec![param("chainId", chain.to_string())];
    query.extend(limit.map(|limit| param("limit", number(limit))));
    query.extend(offset.map(|offset| param("offset", number(offset))));
    query
}

async fn page(world: &World, clause: &'static str, query: &Query) -> Verdict<Page> {
    let answer = world.read(RECENT, query).await?;
    let body = ok_json(clause, &answer)?;
    let tokens = tokens(clause, &answer, &body)?.clone();
    let next = body.get("nextOffset");
    Ok(Page { next: next.and_then(Value::as_u64), tokens, answer })
}

/// All launches of a chain, newest first, with the first page.
async fn walk(
    world: &World,
    clause: &'static str,
    chain: u64,
    limit: Option<usize>,
) -> Verdict<(Page, Vec<Value>)> {
    let first = page(world, clause, &query(chain, limit, None)).await?;
    let mut rows = first.tokens.clone();
    let mut next = first.next;
    while let Some(offset) = next {
        let offset = usize::try_from(offset).unwrap_or(usize::MAX);
        let page = page(world, clause, &query(chain, limit, Some(offset))).await?;
        if clause == "RECENT-OFFSET" {
            let what = "nextOffset of the page before, the launches seen";
            equal(clause, &page.answer, what, &rows.len(), &offset)?;
        }
        if page.tokens.is_empty() {
            break;
        }
        next = page.next;
        rows.extend(page.tokens);
        if rows.len() > MOST_WALKED {
            return Err(Stop::Skipped(format!("more than {MOST_WALKED} launches are too many to walk")));
        }
    }
    Ok((first, rows))
}

fn addresses(clause: &'static str, page: &Page, rows: &[Value]) -> Verdict<BTreeSet<Address>> {
    let mut found = BTreeSet::new();
    for row in rows {
        let address = row["address"].as_str().and_then(|text| text.parse().ok());
        let address =
            address.ok_or_else(|| failure(clause, &page.answer, "an address in every row", excerpt(row)))?;
        holds(clause, &page.answer, found.insert(address), "every launch once", || {
            format!("{address} again")
        })?;
    }
    Ok(found)
}

async fn chain(world: &World, listing: &Listing) -> Verdict {
    const CLAUSE: &str = "RECENT-CHAIN";
    for bad in ["", "1", "0", "-1", "57074", "abc", "57073.5", "0xdef1", "57073,4663"] {
        refused(world, CLAUSE, &vec![param("chainId", bad)]).await?;
    }
    refused(world, CLAUSE, &Vec::new()).await?;
    let mut recent = BTreeSet::new();
    for chain in CHAINS {
        let (first, rows) = walk(world, CLAUSE, chain, Some(MOST)).await?;
        let body = ok_json(CLAUSE, &first.answer)?;
        equal(CLAUSE, &first.answer, "chainId", &Value::from(chain), &body["chainId"])?;
        for row in &rows {
            let own = row.get("chain_id").is_none_or(|id| *id == chain);
            let current = row.get("version").is_none_or(|version| version == "v2");
            holds(CLAUSE, &first.answer, own && current, "V2 launches of this chain", || excerpt(row))?;
        }
        let found = addresses(CLAUSE, &first, &rows)?;
        let both = found.intersection(&recent).next();
        holds(CLAUSE, &first.answer, both.is_none(), "launches that the other chain does not have", || {
            format!("{both:?}")
        })?;
        recent.extend(found);
    }
    missed(world, listing, &recent).await
}

/// A listed token that no chain shows as recent is none of V2.
async fn missed(world: &World, listing: &Listing, recent: &BTreeSet<Address>) -> Verdict {
    const CLAUSE: &str = "RECENT-CHAIN";
    for address in listing.addresses.difference(recent) {
        let (answer, body) = world.token(CLAUSE, *address).await?;
        holds(CLAUSE, &answer, body["version"] != "v2", "each V2 launch under its chain", || {
            format!("{address} is missing from recent-v2 of chain {}", body["chain_id"])
        })?;
    }
    Ok(())
}

async fn refused(world: &World, clause: &'static str, query: &Query) -> Verdict {
    let answer = world.read(RECENT, query).await?;
    status(clause, &answer, 400)?;
    holds(clause, &answer, world.refused_for_a_cause(&answer).await?, "a cause in the journal", || {
        "none".to_owned()
    })
}

async fn limit(world: &World) -> Verdict {
    const CLAUSE: &str = "RECENT-LIMIT";
    for chain in CHAINS {
        let (_, all) = walk(world, CLAUSE, chain, Some(MOST)).await?;
        for (limit, rows) in
            [(None, DEFAULT_LIMIT), (Some(1), 1), (Some(9), 9), (Some(11), 11), (Some(MOST), MOST)]
        {
            let page = page(world, CLAUSE, &query(chain, limit, None)).await?;
            equal(CLAUSE, &page.answer, "rows", &rows.min(all.len()), &page.tokens.len())?;
        }
        for bad in ["0", "51", "1000", "-1", "ten"] {
            let query = vec![param("chainId", chain.to_string()), param("limit", bad)];
            beyond(world, &query, all.len()).await?;
        }
    }
    Ok(())
}

/// Limits that cannot be kept are refused, or brought within the bounds; never obeyed, and never fatal.
async fn beyond(world: &World, query: &Query, all: usize) -> Verdict {
    const CLAUSE: &str = "RECENT-LIMIT";
    let answer = world.read(RECENT, query).await?;
    if answer.status.as_u16() == 400 {
        return Ok(());
    }
    // A platform with a control plane is one of this project's kind, and says that it refuses.
    holds(CLAUSE, &answer, !world.has(Need::Control), "status 400", || answer.excerpt())?;
    let page = page(world, CLAUSE, query).await?;
    let kept = page.tokens.len() <= MOST && (all == 0 || !page.tokens.is_empty());
    holds(CLAUSE, &page.answer, kept, "400, or 1 to 50 rows", || format!("{} rows", page.tokens.len()))
}

async fn offset(world: &World) -> Verdict {
    const CLAUSE: &str = "RECENT-OFFSET";
    for chain in CHAINS {
        let (plain, all) = walk(world, CLAUSE, chain, Some(MOST)).await?;
        newest_first(&plain, &all)?;
        let expected: Vec<_> = all.iter().map(|row| row["address"].clone()).collect();
        for limit in [None, Some(1), Some(7)] {
            // Row by row is for few launches.
            if limit == Some(1) && all.len() > DEFAULT_LIMIT {
                continue;
            }
            let (first, rows) = walk(world, CLAUSE, chain, limit).await?;
            addresses(CLAUSE, &first, &rows)?;
            let walked: Vec<_> = rows.iter().map(|row| row["address"].clone()).collect();
            equal(CLAUSE, &first.answer, "launches, newest first", &expected, &walked)?;
        }
        for offset in [0, all.len() / 2, all.len(), all.len() + 100] {
            let page = page(world, CLAUSE, &query(chain, Some(3), Some(offset))).await?;
            let rows: Vec<_> = page.tokens.iter().map(|row| row["address"].clone()).collect();
            let slice: Vec<_> = expected.iter().skip(offset).take(3).cloned().collect();
            equal(CLAUSE, &page.answer, "launches from this offset on", &slice, &rows)?;
        }
    }
    for bad in ["-1", "first", "0.5"] {
        refused(world, CLAUSE, &vec![param("chainId", CHAINS[0].to_string()), param("offset", bad)]).await?;
    }
    Ok(())
}

fn newest_first(page: &Page, rows: &[Value]) -> Verdict {
    const CLAUSE: &str = "RECENT-OFFSET";
    let time = |row: &Value| row["created_at"].as_str().and_then(moment::nanoseconds);
    for pair in rows.windows(2) {
        if let (Some(one), Some(other)) = (time(&pair[0]), time(&pair[1])) {
            holds(CLAUSE, &page.answer, one >= other, "the newest first", || {
                format!("{} before {}", excerpt(&pair[0]), excerpt(&pair[1]))
            })?;
        }
    }
    Ok(())
}

async fn next(world: &World) -> Verdict {
    const CLAUSE: &str = "RECENT-NEXT";
    let mut launches = 0;
    for chain in CHAINS {
        let (_, all) = walk(world, CLAUSE, chain, Some(MOST)).await?;
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
            let page = page(world, CLAUSE, &query(chain, Some(limit), Some(offset))).await?;
            let body = ok_json(CLAUSE, &page.answer)?;
            let told = body.get("nextOffset");
            // Which rows a page holds is for the walk; here counts only whether it is full.
            if page.tokens.len() == limit {
                let number = told.is_some_and(Value::is_u64);
                holds(CLAUSE, &page.answer, number, "a number after a full page", || {
                    format!("nextOffset {told:?} after {limit} rows")
                })?;
            } else {
                let null = told.is_some_and(Value::is_null);
                holds(CLAUSE, &page.answer, null, "null after a page that is not full", || {
                    format!("nextOffset {told:?} after {} rows of {limit}", page.tokens.len())
                })?;
            }
        }
    }
    if launches == 0 {
        return Err(no_launches());
    }
    Ok(())
}

async fn shape(world: &World) -> Verdict {
    const CLAUSE: &str = "RECENT-SHAPE";
    let tables = [fields::BATCH, fields::METRICS, fields::HOLDERS, fields::SOCIALS, fields::LAUNCH];
    let mut launches = 0;
    for chain in CHAINS {
        let page = page(world, CLAUSE, &query(chain, Some(MOST), None)).await?;
        launches += page.tokens.len();
        for row in &page.tokens {
            let members = fields::object(CLAUSE, &page.answer, row, &tables)?;
            let ended = members["is_graduated"] == true;
            holds(
                CLAUSE,
                &page.answer,
                members["pool"].is_null() != ended,
                "a pool on graduated tokens only",
                || format!("is_graduated {ended}, pool {} of {}", members["pool"], members["address"]),
            )?;
        }
    }
    if launches == 0 {
        return Err(no_launches());
    }
    Ok(())
}

fn no_launches() -> Stop {
    let reason = "no chain has a launch".to_owned();
    Inconclusive::NoMaterial { reason }.into()
}
