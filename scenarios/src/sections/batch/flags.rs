//! The three flags of a batch, and the fields that each adds.

use super::known;
use crate::answers::fields::{self, Place, TokenField};
use crate::answers::members::excerpt;
use crate::prelude::*;
use crate::truth::market::Listing;
use crate::truth::steady::no_verdict_on;

/// The flags with the fields that each adds.
const FLAGS: [(&str, Place); 3] = [
    ("includeMetrics", Place::Metrics),
    ("includeHolders", Place::Holders),
    ("includeSocials", Place::Socials),
];

/// Returns the token objects of a batch with flags, sorted by address.
async fn with_flags(
    trial: &Trial<'_>,
    addresses: &[Address],
    flags: &[(&str, bool)],
) -> Verdict<(Response, Vec<Value>)> {
    let mut body = json!({ "addresses": addresses });
    for (name, value) in flags {
        body[*name] = json!(value);
    }
    let (response, body) = trial.with_json(trial.batch(&body).await?)?;
    let mut rows = trial.tokens(&response, &body)?.clone();
    trial.require(&response, !rows.is_empty(), "tokens found")?;
    rows.sort_by_key(|row| row["address"].to_string().to_lowercase());
    Ok((response, rows))
}

/// All fields of a flag are present in every row, or absent from every row.
fn tied(trial: &Trial<'_>, response: &Response, rows: &[Value], flag: Place, there: bool) -> Verdict {
    for row in rows {
        for field in fields::token(&[flag]) {
            let seen = row.get(field.name).is_some();
            let expected = format!("{} {}", field.name, if there { "in every token" } else { "left out" });
            trial.require_or(response, seen == there, &expected, || excerpt(row))?;
        }
    }
    Ok(())
}

clause! {
    BATCH_METRICS = "BATCH-METRICS" (S145, S151): "Metrics are present unless includeMetrics is false.";
    check!("batch-metrics" [Read; Rest] one_flag(0) on Listing:
        "compares answers without includeMetrics, with true and with false");
}

clause! {
    BATCH_HOLDERS = "BATCH-HOLDERS" (S146, S151): "Holder figures are present unless includeHolders is false.";
    check!("batch-holders" [Read; Rest] one_flag(1) on Listing:
        "compares answers without includeHolders, with true and with false");
}
pub(super) async fn one_flag(trial: &Trial<'_>, listing: &Listing, which: usize) -> Verdict {
    let (flag, own) = FLAGS[which];
    let addresses = known(listing)?;
    let (default, plain) = with_flags(trial, &addresses, &[]).await?;
    let (with, on) = with_flags(trial, &addresses, &[(flag, true)]).await?;
    let (without, off) = with_flags(trial, &addresses, &[(flag, false)]).await?;
    tied(trial, &default, &plain, own, true)?;
    tied(trial, &with, &on, own, true)?;
    tied(trial, &without, &off, own, false)?;
    for row in &off {
        trial.object(&without, row, &[Place::Batch])?;
    }
    for row in &on {
        trial.object(&with, row, &[own])?;
    }
    for (_, other) in FLAGS.into_iter().filter(|(name, _)| *name != flag) {
        tied(trial, &without, &off, other, true)?;
    }
    Ok(())
}

clause! {
    BATCH_SOCIALS = "BATCH-SOCIALS" (S23, S24, S25, S147, S151, S152):
        "Links are present unless includeSocials is false; a link that a token lacks is null.";
    check!("batch-socials" [Read; Rest] links on Listing:
        "compares answers without includeSocials, with true and with false, and looks for null links");
}
pub(super) async fn links(trial: &Trial<'_>, listing: &Listing) -> Verdict {
    one_flag(trial, listing, 2).await?;
    let (response, rows) = with_flags(trial, &known(listing)?, &[("includeSocials", true)]).await?;
    let (mut some, mut none) = (0, 0);
    for row in &rows {
        for field in fields::token(&[Place::Socials]) {
            match row[field.name].as_str() {
                Some(link) => {
                    some += 1;
                    trial.require_or(
                        &response,
                        !link.trim().is_empty(),
                        "null where there is no link",
                        || excerpt(row),
                    )?;
                }
                None => none += 1,
            }
        }
    }
    let reason = format!("{some} links and {none} missing ones in the market; both are needed");
    need_material(some != 0 && none != 0, reason)
}

clause! {
    BATCH_FLAGS = "BATCH-FLAGS" (S151):
        "Every combination of the three flags leaves exactly the fields it asks for.";
    check!("batch-flags" [Read; Rest] all_flags on Listing:
        "asks for all eight combinations of flags and compares the fields and their values");
}
pub(super) async fn all_flags(trial: &Trial<'_>, listing: &Listing) -> Verdict {
    let addresses = known(listing)?;
    let (_, full) = with_flags(trial, &addresses, &[]).await?;
    for mask in [0b111, 0b110, 0b101, 0b011] {
        // Faults of a single flag are left to that flag's own check.
        combination(trial, &addresses, &full, mask).await.map_err(no_verdict_on)?;
    }
    for mask in [0b100, 0b010, 0b001, 0b000] {
        combination(trial, &addresses, &full, mask).await?;
    }
    Ok(())
}

/// With some flags false, the objects are the full ones without the fields of those flags. Values that changed between the full answers
/// before and after may be anything.
async fn combination(trial: &Trial<'_>, addresses: &[Address], full: &[Value], mask: usize) -> Verdict {
    let chosen = |which: usize| mask >> which & 1 == 1;
    let flags: Vec<(&str, bool)> = (0..3).map(|which| (FLAGS[which].0, chosen(which))).collect();
    let (response, rows) = with_flags(trial, addresses, &flags).await?;
    let off: Vec<Place> = (0..3).filter(|which| !chosen(*which)).map(|which| FLAGS[which].1).collect();
    let off = fields::token(&off);
    if leaves(trial, &response, full, &off, &rows).is_ok() {
        return Ok(());
    }
    let (_, after) = with_flags(trial, addresses, &[]).await?;
    let mut full = full.to_vec();
    for ((before, after), row) in full.iter_mut().zip(&after).zip(&rows) {
        for (name, value) in before.as_object_mut().expect("a row has members") {
            if let Some(current) = row.get(name).filter(|_| after.get(name) != Some(value)) {
                *value = current.clone();
            }
        }
    }
    leaves(trial, &response, &full, &off, &rows)
}

/// Requires that rows are the full objects without some fields.
fn leaves(
    trial: &Trial<'_>,
    response: &Response,
    full: &[Value],
    without: &[TokenField],
    rows: &[Value],
) -> Verdict {
    trial.require_equal(response, "tokens found", &full.len(), &rows.len())?;
    // Fields that the interface does not name may be present or absent.
    let named = |value: &Value| -> Vec<(String, Value)> {
        let all = fields::token(fields::BATCH);
        let names = all.into_iter().map(|field| field.name);
        names.filter_map(|name| Some((name.to_owned(), value.get(name)?.clone()))).collect()
    };
    for (full, row) in full.iter().zip(rows) {
        let mut expected = named(full);
        expected.retain(|(name, _)| without.iter().all(|field| field.name != name));
        let what = "the full object without the fields of flags that are false";
        trial.require_equal(response, what, &expected, &named(row))?;
    }
    Ok(())
}
