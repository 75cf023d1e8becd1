//! `GET /api/token`, as far as reading goes.
use alloy::primitives::Address;
use serde_json::{Map, Value, json};

use crate::check::{Check, Lane, Need, Verdict};
use crate::client::http::Answer;
use crate::expect::fields::{self, excerpt, tokens};
use crate::expect::{holds, ok_json, status};
use crate::market::{Listing, on_steady_list};
use crate::reads::{CHAINS, LIST, RECENT, TOKEN, param};
use crate::world::World;

pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "token-agrees",
        clauses: &["TOKEN-ONE"],
        summary: "reads tokens one by one and compares them, field by field, with list and batch",
        lane: Lane::Read,
        needs: &[Need::Rest],
        run: |world| Box::pin(on_steady_list(world, |world, listing| Box::pin(agrees(world, listing)))),
    },
    Check {
        id: "token-refusals",
        clauses: &["TOKEN-BAD"],
        summary: "leaves the address out, sends what is none, and asks for a token nobody knows",
        lane: Lane::Read,
        needs: &[Need::Rest],
        run: |world| Box::pin(on_steady_list(world, |world, listing| Box::pin(refusals(world, listing)))),
    },
];

/// How many tokens are read one by one.
const SAMPLE: usize = 12;
/// How many of those of the first version.
const OLDER: usize = 6;

/// The listed tokens that are no V2 launch of any chain.
async fn older(world: &World, listing: &Listing) -> Verdict<Vec<Address>> {
    let mut older = listing.addresses.clone();
    for chain in CHAINS {
        let mut offset = Some(0);
        while let Some(from) = offset {
            let query = [
                param("chainId", chain.to_string()),
                param("limit", "50"),
                param("offset", from.to_string()),
            ];
            let answer = world.read(RECENT, &query).await?;
            let body = answer.json().unwrap_or_default();
            let rows = body["tokens"].as_array().cloned().unwrap_or_default();
            for row in &rows {
                if let Some(address) = row["address"].as_str().and_then(|text| text.parse::<Address>().ok()) {
                    older.remove(&address);
                }
            }
            offset = body["nextOffset"].as_u64().filter(|next| !rows.is_empty() && *next > from);
        }
    }
    Ok(older.into_iter().collect())
}

async fn agrees(world: &World, listing: &Listing) -> Verdict {
    const CLAUSE: &str = "TOKEN-ONE";
    listing.some()?;
    let mut addresses: Vec<Address> = listing.addresses.iter().copied().collect();
    let mut choices = world.choices("token-agrees");
    while addresses.len() > SAMPLE {
        addresses.swap_remove(choices.index(addresses.len()));
    }
    // A first version shows as what is listed and not recent on any chain.
    addresses.extend(older(world, listing).await?.into_iter().take(OLDER));
    addresses.sort_unstable();
    addresses.dedup();
    let batched = world.batch(&json!({ "addresses": addresses })).await?;
    let batch = rows(CLAUSE, &batched)?;
    let mut seen = 0;
    for address in &addresses {
        let (answer, body) = world.token(CLAUSE, *address).await?;
        let one = fields::object(
            CLAUSE,
            &answer,
            &body,
            &[fields::BATCH, fields::METRICS, fields::HOLDERS, fields::SOCIALS],
        )?;
        if let Some(row) = row_of(&batch, *address) {
            same(&answer, one, row, "batch")?;
        }
        let listed = world.read(LIST, &[param("search", address.to_string())]).await?;
        if let Some(row) = row_of(&rows(CLAUSE, &listed)?, *address) {
            seen += 1;
            same(&answer, one, row, "list")?;
        }
    }
    holds(CLAUSE, &batched, seen > 0, "tokens found in the list by their address", || "none".to_owned())
}

fn rows(clause: &'static str, answer: &Answer) -> Verdict<Vec<Value>> {
    let body = ok_json(clause, answer)?;
    tokens(clause, answer, &body).cloned()
}

fn row_of(rows: &[Value], address: Address) -> Option<&Map<String, Value>> {
    rows.iter().filter_map(Value::as_object).find(|row| {
        row.get("address").and_then(Value::as_str).and_then(|text| text.parse().ok()) == Some(address)
    })
}

/// Every field of the row is in the single token, with the same value.
fn same(answer: &Answer, one: &Map<String, Value>, row: &Map<String, Value>, source: &str) -> Verdict {
    for (name, value) in row {
        let told = one.get(name);
        // Of which type it must be is for the checks of shapes.
        if told.is_some_and(Value::is_number) && value.is_string() {
            continue;
        }
        holds(
            "TOKEN-ONE",
            answer,
            told == Some(value),
            &format!("{name} = {}, as in the {source}", excerpt(value)),
            || format!("{name} = {}", told.map_or("left out".to_owned(), excerpt)),
        )?;
    }
    Ok(())
}

async fn refusals(world: &World, listing: &Listing) -> Verdict {
    const CLAUSE: &str = "TOKEN-BAD";
    let digits = "0123456789abcdef0123456789abcdef01234567";
    let mut bad = vec![Vec::new()];
    for value in [
        "",
        "0x",
        "token",
        &format!("0x{}", &digits[1..]),
        &format!("0x{digits}8"),
        &format!("0x{}g", &digits[1..]),
    ] {
        bad.push(vec![param("address", value)]);
    }
    for query in bad {
        refused(world, &world.read(TOKEN, &query).await?, 400).await?;
    }
    let stranger = Address::from_word(world.choices("token-refusals").word());
    let unknown = world.read(TOKEN, &[param("address", stranger.to_string())]).await?;
    refused(world, &unknown, 404).await?;
    match listing.addresses.first() {
        Some(address) => world.token(CLAUSE, *address).await.map(drop),
        None => Ok(()),
    }
}

async fn refused(world: &World, answer: &Answer, code: u16) -> Verdict {
    const CLAUSE: &str = "TOKEN-BAD";
    status(CLAUSE, answer, code)?;
    holds(CLAUSE, answer, world.refused_for_a_cause(answer).await?, "a cause in the journal", || {
        "none".to_owned()
    })
}
