//! The three flags of a batch and the fields that are tied to them.
use alloy::primitives::Address;
use serde_json::{Value, json};

use super::known;
use crate::check::{Inconclusive, Verdict};
use crate::client::http::Answer;
use crate::expect::fields::{self, Field, excerpt, tokens};
use crate::expect::{equal, holds, ok_json};
use crate::market::{Listing, as_no_verdict};
use crate::world::World;

/// The flags with the fields that are tied to them.
const FLAGS: [(&str, &[Field]); 3] = [
    ("includeMetrics", fields::METRICS),
    ("includeHolders", fields::HOLDERS),
    ("includeSocials", fields::SOCIALS),
];

/// The token objects of a batch with flags, in the order of their addresses.
async fn with_flags(
    world: &World,
    clause: &'static str,
    addresses: &[Address],
    flags: &[(&str, bool)],
) -> Verdict<(Answer, Vec<Value>)> {
    let mut body = json!({ "addresses": addresses });
    for (name, value) in flags {
        body[*name] = json!(value);
    }
    let answer = world.batch(&body).await?;
    let body = ok_json(clause, &answer)?;
    let mut rows = tokens(clause, &answer, &body)?.clone();
    holds(clause, &answer, !rows.is_empty(), "tokens found", || answer.excerpt())?;
    rows.sort_by_key(|row| row["address"].to_string().to_lowercase());
    Ok((answer, rows))
}

/// The fields of a flag are all there, or none is.
fn tied(clause: &'static str, answer: &Answer, rows: &[Value], fields: &[Field], there: bool) -> Verdict {
    for row in rows {
        for field in fields {
            let seen = row.get(field.name).is_some();
            let expected = format!("{} {}", field.name, if there { "in every token" } else { "left out" });
            holds(clause, answer, seen == there, &expected, || excerpt(row))?;
        }
    }
    Ok(())
}

pub(super) async fn one_flag(
    world: &World,
    listing: &Listing,
    clause: &'static str,
    which: usize,
) -> Verdict {
    let (flag, own) = FLAGS[which];
    let addresses = known(listing)?;
    let (default, plain) = with_flags(world, clause, &addresses, &[]).await?;
    let (with, on) = with_flags(world, clause, &addresses, &[(flag, true)]).await?;
    let (without, off) = with_flags(world, clause, &addresses, &[(flag, false)]).await?;
    tied(clause, &default, &plain, own, true)?;
    tied(clause, &with, &on, own, true)?;
    tied(clause, &without, &off, own, false)?;
    for row in &on {
        fields::object(clause, &with, row, &[own])?;
    }
    for (_, other) in FLAGS.iter().filter(|(name, _)| *name != flag) {
        tied(clause, &without, &off, other, true)?;
    }
    Ok(())
}

pub(super) async fn links(world: &World, listing: &Listing) -> Verdict {
    const CLAUSE: &str = "BATCH-SOCIALS";
    one_flag(world, listing, CLAUSE, 2).await?;
    let (answer, rows) = with_flags(world, CLAUSE, &known(listing)?, &[("includeSocials", true)]).await?;
    let (mut some, mut none) = (0, 0);
    for row in &rows {
        for field in fields::SOCIALS {
            match row[field.name].as_str() {
                Some(link) => {
                    some += 1;
                    holds(CLAUSE, &answer, !link.trim().is_empty(), "null where there is no link", || {
                        excerpt(row)
                    })?;
                }
                None => none += 1,
            }
        }
    }
    if some == 0 || none == 0 {
        let reason = format!("{some} links and {none} missing ones in the market; both are needed");
        return Err(Inconclusive::NoMaterial { reason }.into());
    }
    Ok(())
}

pub(super) async fn all_flags(world: &World, listing: &Listing) -> Verdict {
    let addresses = known(listing)?;
    let (_, full) = with_flags(world, CLAUSE, &addresses, &[]).await?;
    for mask in [0b111, 0b110, 0b101, 0b011] {
        // What one flag does wrong by itself is no matter of combining and left to its own check.
        combination(world, &addresses, &full, mask).await.map_err(as_no_verdict)?;
    }
    for mask in [0b100, 0b010, 0b001, 0b000] {
        combination(world, &addresses, &full, mask).await?;
    }
    Ok(())
}

const CLAUSE: &str = "BATCH-FLAGS";

/// The flags of a mask leave the full objects without the fields of the other flags.
async fn combination(world: &World, addresses: &[Address], full: &[Value], mask: usize) -> Verdict {
    let chosen = |which: usize| mask >> which & 1 == 1;
    let flags: Vec<(&str, bool)> = (0..3).map(|which| (FLAGS[which].0, chosen(which))).collect();
    let (answer, rows) = with_flags(world, CLAUSE, addresses, &flags).await?;
    equal(CLAUSE, &answer, "tokens found", &full.len(), &rows.len())?;
    for (expected, row) in full.iter().zip(&rows) {
        let mut expected = expected.clone();
        let members = expected.as_object_mut().expect("a row has members");
        for which in (0..3).filter(|which| !chosen(*which)) {
            for field in FLAGS[which].1 {
                members.shift_remove(field.name);
            }
        }
        let what = "the full object without the fields of flags that are false";
        equal(CLAUSE, &answer, what, &expected, row)?;
    }
    Ok(())
}
