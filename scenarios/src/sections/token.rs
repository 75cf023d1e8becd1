//! `GET /api/token`: the checks that only read.
use serde_json::Map;

use crate::answers::fields;
use crate::answers::members::excerpt;
use crate::answers::reads::{LIST, TOKEN, walk_recent};
use crate::answers::refusals;
use crate::model::figure::says_the_same;
use crate::model::target::CHAINS;
use crate::prelude::*;
use crate::truth::market::Listing;
use crate::truth::steady::no_verdict_on;

section! {
    TOKEN_ONE, TOKEN_FIELDS, TOKEN_BAD,
}

/// Number of tokens that are read one by one.
const SAMPLE: usize = 12;
/// Number of V1 tokens.
const OLDER: usize = 6;

/// Returns the listed tokens that are not V2 launches of any chain.
async fn older(trial: &Trial<'_>, listing: &Listing) -> Verdict<Vec<Address>> {
    let mut older = listing.addresses.clone();
    for chain in CHAINS {
        for page in walk_recent(trial, chain, Some(50)).await.map_err(no_verdict_on)? {
            for address in page.tokens.iter().filter_map(|row| parsed::<Address>(&row["address"])) {
                older.remove(&address);
            }
        }
    }
    Ok(older.into_iter().collect())
}

clause! {
    TOKEN_ONE = "TOKEN-ONE" (S16, S164, S165, S328):
        "Any V1 or V2 token is returned by its address, and what it shows agrees with list and batch.";
    check!("token-agrees" [Read; Rest] agrees on Listing:
        "reads tokens one by one and compares them, field by field, with list and batch");
}
async fn agrees(trial: &Trial<'_>, listing: &Listing) -> Verdict {
    listing.some()?;
    let mut addresses: Vec<Address> = listing.addresses.iter().copied().collect();
    let mut choices = trial.choices("token-agrees");
    while addresses.len() > SAMPLE {
        addresses.swap_remove(choices.index(addresses.len()));
    }
    // V1 tokens are those that are listed but not recent on any chain.
    addresses.extend(older(trial, listing).await?.into_iter().take(OLDER));
    addresses.sort_unstable();
    addresses.dedup();
    let batched = trial.batch(&json!({ "addresses": addresses })).await?;
    let batch = rows(trial, &batched)?;
    let mut seen = 0;
    for address in &addresses {
        let (response, body) = trial.token(*address).await?;
        // The arrangement of the record is the platform's choice.
        let Some(one) = body.as_object().filter(|members| members.contains_key("address")) else {
            seen += 1;
            continue;
        };
        if let Some(row) = row_of(&batch, *address) {
            same(trial, &response, one, row, "batch")?;
        }
        let listed = trial.read(LIST, &[param("search", address.to_string())]).await?;
        if let Some(row) = row_of(&rows(trial, &listed)?, *address) {
            seen += 1;
            same(trial, &response, one, row, "list")?;
        }
    }
    trial.require_or(&batched, seen > 0, "tokens found in the list by their address", || "none".to_owned())
}

fn rows(trial: &Trial<'_>, response: &Response) -> Verdict<Vec<Value>> {
    let body = trial.ok_json(response)?;
    trial.tokens(response, &body).cloned()
}

fn row_of(rows: &[Value], address: Address) -> Option<&Map<String, Value>> {
    let mut rows = rows.iter().filter_map(Value::as_object);
    rows.find(|row| row.get("address").and_then(parsed) == Some(address))
}

/// Every field that both the row and the single token have is equal.
fn same(
    trial: &Trial<'_>,
    response: &Response,
    one: &Map<String, Value>,
    row: &Map<String, Value>,
    source: &str,
) -> Verdict {
    for (name, value) in row {
        let Some(reported) = one.get(name) else { continue };
        // The type is left to the checks of shapes.
        if reported.is_number() && value.is_string() {
            continue;
        }
        let same = says_the_same(&value.to_string(), &reported.to_string());
        let expected = format!("{name} = {}, as in the {source}", excerpt(value));
        trial.require_or(response, same, &expected, || format!("{name} = {}", excerpt(reported)))?;
    }
    Ok(())
}

clause! {
    TOKEN_FIELDS = "TOKEN-FIELDS" (choice S164, S165): "A token has the fields of a batch, in one flat object.";
    check!("token-fields" [Read; Rest] whole on Listing: "looks at every field of tokens that are read one by one");
}
async fn whole(trial: &Trial<'_>, listing: &Listing) -> Verdict {
    listing.some()?;
    for address in listing.addresses.iter().take(SAMPLE) {
        let (response, body) = trial.token(*address).await?;
        let is_flat = response.json().is_some_and(|whole| whole == body);
        trial.require(&response, is_flat, "one flat object")?;
        trial.object(&response, &body, fields::BATCH)?;
    }
    Ok(())
}

clause! {
    TOKEN_BAD = "TOKEN-BAD" (choice S6): "A missing or malformed address is 400, an unknown one 404.";
    check!("token-refusals" [Read; Rest] refusals on Listing:
        "leaves the address out, sends a malformed one, and asks for an unknown token");
}
async fn refusals(trial: &Trial<'_>, listing: &Listing) -> Verdict {
    trial.refuses_each(refusals::TOKENS, &[]).await?;
    let stranger = Address::from_word(trial.choices("token-refusals").word());
    trial.refuses(TOKEN, &[param("address", stranger.to_string())], 404, &[]).await?;
    match listing.addresses.first() {
        Some(address) => trial.token(*address).await.map(drop),
        None => Ok(()),
    }
}
