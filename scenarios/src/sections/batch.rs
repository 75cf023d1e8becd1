//! `POST` and `GET /api/tokens/batch`; the flags are in a separate file.
mod flags;

use std::collections::{BTreeMap, BTreeSet};

use crate::answers::fields::Place;
use crate::answers::members::excerpt;
use crate::answers::reads::BATCH;
use crate::answers::refusals::NO_ADDRESS;
use crate::model::seed::Choices;
use crate::model::shown::readable;
use crate::prelude::*;
use crate::truth::market::Listing;

section! {
    BATCH_REQ, BATCH_STRICT, BATCH_MAX, BATCH_SHAPE, BATCH_FOUND, BATCH_INVALID, BATCH_ERRORS, flags::BATCH_METRICS, flags::BATCH_HOLDERS,
    flags::BATCH_SOCIALS, flags::BATCH_FLAGS, BATCH_LISTED, BATCH_GET,
}

/// Most addresses in a request.
const MOST: usize = 50;
const MIXTURES: usize = 8;
/// Batches of fifty after which errors are no accident.
const READINGS: usize = 3;

/// Returns known addresses, up to one request's maximum.
fn known(listing: &Listing) -> Verdict<Vec<Address>> {
    listing.some()?;
    Ok(listing.addresses.iter().copied().take(MOST).collect())
}

fn unknown(listing: &Listing, choices: &mut Choices) -> Address {
    loop {
        let address = Address::from_word(choices.word());
        if !listing.knows(&address) {
            return address;
        }
    }
}

clause! {
    BATCH_REQ = "BATCH-REQ" (S142, S143): "The body must be JSON with addresses as an array.";
    check!("batch-required" [Read; Rest] required:
        "sends bodies without addresses, with addresses that are no array, and what is no JSON");
}
async fn required(trial: &Trial<'_>) -> Verdict {
    let nobody = Address::from_word(trial.choices("batch-required").word()).to_string();
    let good = Request::post_json(trial.rest()?, BATCH, &json!({ "addresses": [nobody] }));
    trial.ok_json(&trial.request(good.clone()).await?)?;
    let bodies = [
        json!({}),
        json!({ "addresses": null }),
        json!({ "addresses": nobody }),
        json!({ "addresses": { "0": nobody } }),
        json!([nobody]),
        json!(nobody),
    ];
    for body in bodies {
        rejects(trial, Request::post_json(trial.rest()?, BATCH, &body), 400).await?;
    }
    for text in ["", "{", "addresses=0x00", "{\"addresses\": [\"0x00\"]"] {
        let mut request = good.clone();
        request.body = Some(text.as_bytes().to_vec());
        rejects(trial, request, 400).await?;
    }
    let charset = Request {
        headers: vec![("content-type".to_owned(), "application/json; charset=utf-8".to_owned())],
        ..good
    };
    trial.ok_json(&trial.request(charset).await?).map(drop)
}

async fn rejects(trial: &Trial<'_>, request: Request, code: u16) -> Verdict {
    let response = trial.request(request).await?;
    trial.refused(&response, code, &[]).await.map(drop)
}

clause! {
    BATCH_STRICT = "BATCH-STRICT" (choice S142, S143, S144, S149):
        "More than 50 addresses, addresses that are no strings, and another content type are refused.";
    check!("batch-strict" [Read; Rest] strict:
        "sends 51 addresses, numbers and arrays among addresses, and bodies of another content type");
}
async fn strict(trial: &Trial<'_>) -> Verdict {
    let mut choices = trial.choices("batch-strict");
    let many: Vec<Address> = (0..=MOST).map(|_| Address::from_word(choices.word())).collect();
    let unknown = many[0].to_string();
    let bodies = [
        json!({ "addresses": many }),
        json!({ "addresses": [unknown, 7] }),
        json!({ "addresses": [[unknown]] }),
    ];
    for body in bodies {
        rejects(trial, Request::post_json(trial.rest()?, BATCH, &body), 400).await?;
    }
    for content_type in ["text/plain", "application/x-www-form-urlencoded"] {
        let mut request = Request::post_json(trial.rest()?, BATCH, &json!({ "addresses": [unknown] }));
        request.headers = vec![("content-type".to_owned(), content_type.to_owned())];
        rejects(trial, request, 415).await?;
    }
    Ok(())
}

clause! {
    BATCH_MAX = "BATCH-MAX" (S144, S310): "A batch of fifty addresses is answered, a larger one never.";
    check!("batch-most" [Read; Rest] most on Listing: "sends 50 addresses and one more");
}
async fn most(trial: &Trial<'_>, listing: &Listing) -> Verdict {
    let mut choices = trial.choices("batch-most");
    let mut addresses = known(listing)?;
    // One of them is unknown, so that both lists of the answer are used.
    addresses.truncate(MOST - 1);
    let known = addresses.len();
    while addresses.len() < MOST {
        addresses.push(unknown(listing, &mut choices));
    }
    let rows = |body: &Value, name: &str| body[name].as_array().map_or(0, Vec::len);
    let mut lost = addresses[..known].to_vec();
    for _ in 0..READINGS {
        let (response, body) = trial.with_json(trial.batch(&json!({ "addresses": addresses })).await?)?;
        let found = rows(&body, "tokens");
        let fits = found == known || (found > 0 && rows(&body, "errors") > 0);
        let expected = format!("{known} tokens for {MOST} addresses");
        trial.require_or(&response, fits, &expected, || format!("{found} tokens"))?;
        lost = missing(&lost, &body);
        if lost.is_empty() {
            break;
        }
    }
    if !lost.is_empty() {
        // What fails in a smaller batch too says nothing of the size.
        let (response, body) = trial.with_json(trial.batch(&json!({ "addresses": lost })).await?)?;
        let by_size = missing(&lost, &body).len() < lost.len();
        let expected = format!("the {} tokens of this batch in one of {MOST} addresses too", lost.len());
        let seen = || format!("errors in each of {READINGS}");
        trial.require_or(&response, !by_size, &expected, seen)?;
    }
    addresses.push(unknown(listing, &mut choices));
    let mut sent = vec![addresses];
    if listing.addresses.len() > MOST {
        sent.push(listing.addresses.iter().copied().take(MOST + 1).collect());
    }
    for addresses in sent {
        let response = trial.batch(&json!({ "addresses": addresses })).await?;
        if response.status.is_success() {
            let body = trial.ok_json(&response)?;
            let [found, missing, errors] = ["tokens", "notFound", "errors"].map(|name| rows(&body, name));
            let fits = found + missing <= MOST || errors > 0;
            trial.require(&response, fits, "a refusal, an error, or an answer to at most 50 addresses")?;
        }
    }
    Ok(())
}

/// Returns which of these addresses a batch has no token of.
fn missing(asked: &[Address], body: &Value) -> Vec<Address> {
    let found = body["tokens"].as_array().into_iter().flatten();
    let found: BTreeSet<Address> = found.filter_map(|token| parsed(&token["address"])).collect();
    asked.iter().copied().filter(|address| !found.contains(address)).collect()
}

clause! {
    BATCH_SHAPE = "BATCH-SHAPE" (S12, S15, S40, S150): "The answer has tokens with their fields, notFound and errors.";
    check!("batch-shape" [Read; Rest] shape on Listing: "looks at every field of every token of the market");
}
async fn shape(trial: &Trial<'_>, listing: &Listing) -> Verdict {
    // Whether a flag's fields are present is left to the checks of that flag.
    let tied = [Place::Metrics, Place::Holders, Place::Socials];
    let addresses = known(listing)?;
    let (response, body) = trial.with_json(trial.batch(&json!({ "addresses": addresses })).await?)?;
    for name in ["notFound", "errors"] {
        trial.require(&response, body[name].is_array(), "arrays notFound and errors")?;
    }
    let rows = trial.tokens(&response, &body)?;
    trial.require(&response, !rows.is_empty(), "tokens found")?;
    for row in rows {
        let members = trial.object(&response, row, &[Place::Batch])?;
        trial.typed_where_present(&response, members, &tied)?;
        let full = members["funding_progress"].as_f64() == Some(1.0);
        let graduated = members["is_graduated"] == true;
        trial.require_or(&response, full || !graduated, "funding_progress 1 on a graduated token", || {
            excerpt(row)
        })?;
    }
    Ok(())
}

/// Requires that each address is in exactly one of tokens and notFound, and that nothing else is.
fn accounted(trial: &Trial<'_>, response: &Response, listing: &Listing, asked: &[String]) -> Verdict {
    let body = trial.ok_json(response)?;
    let lower = |value: &Value| value.as_str().unwrap_or_default().to_lowercase();
    let found: Vec<String> =
        trial.tokens(response, &body)?.iter().map(|row| lower(&row["address"])).collect();
    let missed: Vec<String> = body["notFound"]
        .as_array()
        .ok_or_else(|| trial.failure(response, "an array notFound", response.excerpt()))?
        .iter()
        .map(lower)
        .collect();
    let is_known = |text: &String| text.parse().is_ok_and(|address| listing.knows(&address));
    let (yes, no): (BTreeSet<String>, BTreeSet<String>) =
        asked.iter().map(|text| text.to_lowercase()).partition(is_known);
    trial.require_equal(response, "addresses of tokens", &yes, &found.iter().cloned().collect())?;
    trial.require_equal(response, "notFound", &no, &missed.iter().cloned().collect())?;
    let distinct = yes.len() + no.len();
    if distinct == asked.len() {
        trial.require_equal(
            response,
            "entries in tokens and notFound",
            &distinct,
            &(found.len() + missed.len()),
        )?;
    }
    Ok(())
}

clause! {
    BATCH_FOUND = "BATCH-FOUND" (S148):
        "Each requested address is in tokens or in notFound, never in both, and nothing else is there.";
    check!("batch-found" [Read; Rest] found on Listing:
        "asks for generated mixtures of known and unknown addresses, and for some twice");
}
async fn found(trial: &Trial<'_>, listing: &Listing) -> Verdict {
    let known = known(listing)?;
    let mut choices = trial.choices("batch-found");
    for _ in 0..MIXTURES {
        let mut asked = BTreeMap::new();
        for _ in 0..=choices.index(30) {
            let text = match choices.index(4) {
                0 => unknown(listing, &mut choices).to_string(),
                _ => choices.pick(&known).to_string(),
            };
            asked.insert(text.to_lowercase(), text);
        }
        let asked: Vec<String> = asked.into_values().collect();
        let response = trial.batch(&json!({ "addresses": asked })).await?;
        accounted(trial, &response, listing, &asked)?;
    }
    let twice: Vec<String> =
        known.iter().take(3).flat_map(|one| [one.to_string(), one.to_string()]).collect();
    let response = trial.batch(&json!({ "addresses": twice })).await?;
    accounted(trial, &response, listing, &twice)
}

clause! {
    BATCH_INVALID = "BATCH-INVALID" (S149, S307):
        "Unknown or malformed addresses do not fail the batch: they are in notFound.";
    check!("batch-invalid" [Read; Rest] invalid on Listing:
        "asks for one known address among unknown ones and texts that are none");
}
async fn invalid(trial: &Trial<'_>, listing: &Listing) -> Verdict {
    let mut choices = trial.choices("batch-invalid");
    let stranger = unknown(listing, &mut choices).to_string();
    let good = known(listing)?[0].to_string();
    for text in NO_ADDRESS.iter().copied().chain([stranger.as_str()]) {
        let response = trial.batch(&json!({ "addresses": [text] })).await?;
        trial.status(&response, 200)?;
        accounted(trial, &response, listing, &[text.to_owned()])?;
    }
    let mut all: Vec<String> = NO_ADDRESS.iter().map(|text| (*text).to_owned()).collect();
    all.extend([good, stranger]);
    let response = trial.batch(&json!({ "addresses": all })).await?;
    trial.status(&response, 200)?;
    accounted(trial, &response, listing, &all)?;
    let body = trial.ok_json(&response)?;
    for text in NO_ADDRESS {
        let echoed = body["notFound"].as_array().is_some_and(|missed| missed.contains(&json!(text)));
        trial.require(&response, echoed, &format!("{} in notFound as it was sent", readable(&text)))?;
    }
    Ok(())
}

clause! {
    BATCH_ERRORS = "BATCH-ERRORS" (choice S150, S307):
        "An unknown or malformed address is no error: errors is empty where tokens and notFound have every address.";
    check!("batch-errors" [Read; Rest] no_errors on Listing:
        "asks for known and unknown addresses and texts that are none, and looks for errors");
}
async fn no_errors(trial: &Trial<'_>, listing: &Listing) -> Verdict {
    let stranger = unknown(listing, &mut trial.choices("batch-errors")).to_string();
    let known = known(listing)?[0].to_string();
    for asked in [vec![known.as_str()], vec![known.as_str(), stranger.as_str(), "0x1234"]] {
        let (response, body) = trial.with_json(trial.batch(&json!({ "addresses": asked })).await?)?;
        trial.require_equal(&response, "errors", &json!([]), &body["errors"])?;
    }
    Ok(())
}

clause! {
    BATCH_LISTED = "BATCH-LISTED" (S153): "A GET takes addresses, separated by commas.";
    check!("batch-get-taken" [Read; Rest] taken_by_get on Listing:
        "sends a known address by GET, and two of them separated by a comma");
}
async fn taken_by_get(trial: &Trial<'_>, listing: &Listing) -> Verdict {
    let known: Vec<String> = known(listing)?.iter().take(2).map(ToString::to_string).collect();
    for addresses in [&known[..1], &known] {
        let response = trial.read(BATCH, &[param("addresses", addresses.join(","))]).await?;
        // The shape of the answer is left open, but it must be about these tokens.
        let text = trial.ok_json(&response)?.to_string().to_lowercase();
        for address in addresses {
            let found = text.contains(&address.to_lowercase());
            trial.require(&response, found, &format!("an answer about {address}"))?;
        }
    }
    Ok(())
}

clause! {
    BATCH_GET = "BATCH-GET" (choice S6, S153):
        "A GET with the same addresses, separated by commas, gives the answer of the POST.";
    check!("batch-get" [Read; Rest] by_get on Listing: "sends the same addresses by GET and by POST");
}
async fn by_get(trial: &Trial<'_>, listing: &Listing) -> Verdict {
    let mut asked: Vec<String> = known(listing)?.iter().take(10).map(ToString::to_string).collect();
    asked.push(unknown(listing, &mut trial.choices("batch-get")).to_string());
    asked.push("0x1234".to_owned());
    let posted = trial.batch(&json!({ "addresses": asked })).await?;
    let expected = sorted(trial.ok_json(&posted)?);
    let got = trial.read(BATCH, &[param("addresses", asked.join(","))]).await?;
    trial.require_equal(&got, "the answer of the POST", &expected, &sorted(trial.ok_json(&got)?))?;
    trial.status(&trial.read(BATCH, &[]).await?, 400)
}

/// Sorts the arrays of a batch, so that their order does not depend on the server.
fn sorted(mut body: Value) -> Value {
    for name in ["tokens", "notFound", "errors"] {
        if let Some(items) = body.get_mut(name).and_then(Value::as_array_mut) {
            items.sort_by_key(|item| item.to_string().to_lowercase());
        }
    }
    body
}
