//! `POST` and `GET /api/tokens/batch`; what its flags leave out has a file of its own.
mod flags;

use std::collections::{BTreeMap, BTreeSet};

use alloy::primitives::Address;
use serde_json::{Value, json};

use crate::check::{Check, Lane, Need, Verdict};
use crate::client::http::{Answer, Ask};
use crate::expect::fields::{self, excerpt, tokens};
use crate::expect::{equal, failure, holds, ok_json};
use crate::market::{Listing, on_steady_list};
use crate::reads::{BATCH, param, spellings};
use crate::seed::Choices;
use crate::world::World;

pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "batch-required",
        clauses: &["BATCH-REQ"],
        summary: "sends bodies without addresses, with addresses of other types, and of another content type",
        lane: Lane::Read,
        needs: &[Need::Rest],
        run: |world| Box::pin(required(world)),
    },
    Check {
        id: "batch-most",
        clauses: &["BATCH-MAX"],
        summary: "sends 50 addresses and one more",
        lane: Lane::Read,
        needs: &[Need::Rest],
        run: |world| Box::pin(on_steady_list(world, |world, listing| Box::pin(most(world, listing)))),
    },
    Check {
        id: "batch-shape",
        clauses: &["BATCH-SHAPE"],
        summary: "looks at every field of every token of the market",
        lane: Lane::Read,
        needs: &[Need::Rest],
        run: |world| Box::pin(on_steady_list(world, |world, listing| Box::pin(shape(world, listing)))),
    },
    Check {
        id: "batch-found",
        clauses: &["BATCH-FOUND"],
        summary: "asks for generated mixtures of known and unknown addresses in changing case",
        lane: Lane::Read,
        needs: &[Need::Rest],
        run: |world| Box::pin(on_steady_list(world, |world, listing| Box::pin(found(world, listing)))),
    },
    Check {
        id: "batch-invalid",
        clauses: &["BATCH-INVALID"],
        summary: "asks for one known address among unknown ones and texts that are none",
        lane: Lane::Read,
        needs: &[Need::Rest],
        run: |world| Box::pin(on_steady_list(world, |world, listing| Box::pin(invalid(world, listing)))),
    },
    Check {
        id: "batch-metrics",
        clauses: &["BATCH-METRICS"],
        summary: "compares answers without includeMetrics, with true and with false",
        lane: Lane::Read,
        needs: &[Need::Rest],
        run: |world| {
            Box::pin(on_steady_list(world, |world, listing| {
                Box::pin(flags::one_flag(world, listing, "BATCH-METRICS", 0))
            }))
        },
    },
    Check {
        id: "batch-holders",
        clauses: &["BATCH-HOLDERS"],
        summary: "compares answers without includeHolders, with true and with false",
        lane: Lane::Read,
        needs: &[Need::Rest],
        run: |world| {
            Box::pin(on_steady_list(world, |world, listing| {
                Box::pin(flags::one_flag(world, listing, "BATCH-HOLDERS", 1))
            }))
        },
    },
    Check {
        id: "batch-socials",
        clauses: &["BATCH-SOCIALS"],
        summary: "compares answers without includeSocials, with true and with false, and looks for null links",
        lane: Lane::Read,
        needs: &[Need::Rest],
        run: |world| Box::pin(on_steady_list(world, |world, listing| Box::pin(flags::links(world, listing)))),
    },
    Check {
        id: "batch-flags",
        clauses: &["BATCH-FLAGS"],
        summary: "asks for all eight combinations of flags and compares the fields and their values",
        lane: Lane::Read,
        needs: &[Need::Rest],
        run: |world| {
            Box::pin(on_steady_list(world, |world, listing| Box::pin(flags::all_flags(world, listing))))
        },
    },
    Check {
        id: "batch-get",
        clauses: &["BATCH-GET"],
        summary: "sends the same addresses by GET and by POST",
        lane: Lane::Read,
        needs: &[Need::Rest],
        run: |world| Box::pin(on_steady_list(world, |world, listing| Box::pin(by_get(world, listing)))),
    },
];

/// Most addresses of a request.
const MOST: usize = 50;
/// How many mixtures are tried.
const MIXTURES: usize = 8;

/// Texts that are no addresses.
const MALFORMED: &[&str] = &[
    "",
    "0x",
    "0x1234",
    "address",
    "0xzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz",
    "0x00000000000000000000000000000000000000000",
    "адрес 🚀",
    "' OR 1=1 --",
];

/// The known addresses, as many as one request takes.
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

/// An address in a case of the seed's choice.
fn spelled(address: Address, choices: &mut Choices) -> String {
    choices.pick(&spellings(address)).clone()
}

async fn required(world: &World) -> Verdict {
    const CLAUSE: &str = "BATCH-REQ";
    let nobody = Address::from_word(world.choices("batch-required").word()).to_string();
    let good = Ask::post_json(world.rest()?, BATCH, &json!({ "addresses": [nobody] }));
    ok_json(CLAUSE, &world.ask(good.clone()).await?)?;
    let bodies = [
        json!({}),
        json!({ "addresses": null }),
        json!({ "addresses": nobody }),
        json!({ "addresses": { "0": nobody } }),
        json!({ "addresses": [nobody, 7] }),
        json!({ "addresses": [[nobody]] }),
        json!([nobody]),
        json!(nobody),
    ];
    for body in bodies {
        refused(world, Ask::post_json(world.rest()?, BATCH, &body), &[400, 422]).await?;
    }
    for text in ["", "{", "addresses=0x00", "{\"addresses\": [\"0x00\"]"] {
        let mut ask = good.clone();
        ask.body = Some(text.as_bytes().to_vec());
        refused(world, ask, &[400, 422]).await?;
    }
    for content_type in ["text/plain", "application/x-www-form-urlencoded"] {
        let mut ask = good.clone();
        ask.headers = vec![("content-type".to_owned(), content_type.to_owned())];
        refused(world, ask, &[400, 415]).await?;
    }
    let charset = Ask {
        headers: vec![("content-type".to_owned(), "application/json; charset=utf-8".to_owned())],
        ..good
    };
    ok_json(CLAUSE, &world.ask(charset).await?).map(drop)
}

async fn refused(world: &World, ask: Ask, codes: &[u16]) -> Verdict {
    const CLAUSE: &str = "BATCH-REQ";
    let answer = world.ask(ask).await?;
    let expected = format!("one of the statuses {codes:?}");
    holds(CLAUSE, &answer, codes.contains(&answer.status.as_u16()), &expected, || answer.excerpt())?;
    holds(CLAUSE, &answer, world.refused_for_a_cause(&answer).await?, "a cause in the journal", || {
        "none".to_owned()
    })
}

async fn most(world: &World, listing: &Listing) -> Verdict {
    const CLAUSE: &str = "BATCH-MAX";
    let mut choices = world.choices("batch-most");
    let mut addresses = known(listing)?;
    addresses.truncate(MOST / 2);
    while addresses.len() < MOST {
        addresses.push(unknown(listing, &mut choices));
    }
    let answer = world.batch(&json!({ "addresses": addresses })).await?;
    let body = ok_json(CLAUSE, &answer)?;
    let some = body["tokens"].as_array().is_some_and(|rows| !rows.is_empty());
    holds(CLAUSE, &answer, some, "an answer to 50 addresses", || answer.excerpt())?;
    addresses.push(unknown(listing, &mut choices));
    let mut sent = vec![addresses];
    if listing.addresses.len() > MOST {
        sent.push(listing.addresses.iter().copied().take(MOST + 1).collect());
    }
    for addresses in sent {
        let answer = world.batch(&json!({ "addresses": addresses })).await?;
        let refused = [400, 413, 422].contains(&answer.status.as_u16());
        holds(CLAUSE, &answer, refused, "51 addresses refused with 400", || answer.excerpt())?;
    }
    Ok(())
}

async fn shape(world: &World, listing: &Listing) -> Verdict {
    const CLAUSE: &str = "BATCH-SHAPE";
    // Whether the fields of a flag are there is for the checks of that flag.
    let tied = [fields::METRICS, fields::HOLDERS, fields::SOCIALS];
    let addresses = known(listing)?;
    let answer = world.batch(&json!({ "addresses": addresses })).await?;
    let body = ok_json(CLAUSE, &answer)?;
    for name in ["notFound", "errors"] {
        holds(CLAUSE, &answer, body[name].is_array(), "arrays notFound and errors", || answer.excerpt())?;
    }
    let rows = tokens(CLAUSE, &answer, &body)?;
    holds(CLAUSE, &answer, !rows.is_empty(), "tokens found", || answer.excerpt())?;
    for row in rows {
        let members = fields::object(CLAUSE, &answer, row, &[fields::BATCH])?;
        fields::typed_where_present(CLAUSE, &answer, members, &tied)?;
        let full = members["funding_progress"].as_f64() == Some(1.0);
        let graduated = members["is_graduated"] == true;
        holds(CLAUSE, &answer, full || !graduated, "funding_progress 1 on a graduated token", || {
            excerpt(row)
        })?;
    }
    Ok(())
}

/// Each address is in exactly one of tokens and notFound, and nothing else is.
fn accounted(clause: &'static str, answer: &Answer, listing: &Listing, asked: &[String]) -> Verdict {
    let body = ok_json(clause, answer)?;
    let lower = |value: &Value| value.as_str().unwrap_or_default().to_lowercase();
    let found: Vec<String> =
        tokens(clause, answer, &body)?.iter().map(|row| lower(&row["address"])).collect();
    let missed: Vec<String> = body["notFound"]
        .as_array()
        .ok_or_else(|| failure(clause, answer, "an array notFound", answer.excerpt()))?
        .iter()
        .map(lower)
        .collect();
    let is_known = |text: &&String| text.parse().is_ok_and(|address| listing.knows(&address));
    let (yes, no): (BTreeSet<String>, BTreeSet<String>) = (
        asked.iter().filter(is_known).map(|text| text.to_lowercase()).collect(),
        asked.iter().filter(|text| !is_known(text)).map(|text| text.to_lowercase()).collect(),
    );
    equal(clause, answer, "addresses of tokens", &yes, &found.iter().cloned().collect())?;
    equal(clause, answer, "notFound", &no, &missed.iter().cloned().collect())?;
    let distinct = yes.len() + no.len();
    if distinct == asked.len() {
        equal(clause, answer, "entries in tokens and notFound", &distinct, &(found.len() + missed.len()))?;
    }
    Ok(())
}

async fn found(world: &World, listing: &Listing) -> Verdict {
    const CLAUSE: &str = "BATCH-FOUND";
    let known = known(listing)?;
    let mut choices = world.choices("batch-found");
    for _ in 0..MIXTURES {
        let mut asked = BTreeMap::new();
        for _ in 0..=choices.index(30) {
            let text = match choices.index(4) {
                0 => spelled(unknown(listing, &mut choices), &mut choices),
                _ => spelled(*choices.pick(&known), &mut choices),
            };
            asked.insert(text.to_lowercase(), text);
        }
        let asked: Vec<String> = asked.into_values().collect();
        let answer = world.batch(&json!({ "addresses": asked })).await?;
        accounted(CLAUSE, &answer, listing, &asked)?;
    }
    let twice: Vec<String> = known.iter().take(3).flat_map(|address| spellings(*address)).collect();
    let answer = world.batch(&json!({ "addresses": twice })).await?;
    accounted(CLAUSE, &answer, listing, &twice)
}

async fn invalid(world: &World, listing: &Listing) -> Verdict {
    const CLAUSE: &str = "BATCH-INVALID";
    let mut choices = world.choices("batch-invalid");
    let stranger = unknown(listing, &mut choices).to_string();
    let good = known(listing)?[0].to_string();
    for text in MALFORMED.iter().copied().chain([stranger.as_str()]) {
        let answer = world.batch(&json!({ "addresses": [text] })).await?;
        accounted(CLAUSE, &answer, listing, &[text.to_owned()])?;
    }
    let mut all: Vec<String> = MALFORMED.iter().map(|text| (*text).to_owned()).collect();
    all.extend([good, stranger]);
    let answer = world.batch(&json!({ "addresses": all })).await?;
    accounted(CLAUSE, &answer, listing, &all)?;
    let body = ok_json(CLAUSE, &answer)?;
    for text in MALFORMED {
        let echoed = body["notFound"].as_array().is_some_and(|missed| missed.contains(&json!(text)));
        holds(CLAUSE, &answer, echoed, &format!("{text:?} in notFound as it was sent"), || answer.excerpt())?;
    }
    Ok(())
}

async fn by_get(world: &World, listing: &Listing) -> Verdict {
    const CLAUSE: &str = "BATCH-GET";
    let mut asked: Vec<String> = known(listing)?.iter().take(10).map(ToString::to_string).collect();
    asked.push(unknown(listing, &mut world.choices("batch-get")).to_string());
    asked.push("0x1234".to_owned());
    let posted = world.batch(&json!({ "addresses": asked })).await?;
    let expected = sorted(ok_json(CLAUSE, &posted)?);
    let got = world.read(BATCH, &[param("addresses", asked.join(","))]).await?;
    equal(CLAUSE, &got, "the answer of the POST", &expected, &sorted(ok_json(CLAUSE, &got)?))?;
    let missing = world.read(BATCH, &[]).await?;
    let code = missing.status.as_u16();
    holds(CLAUSE, &missing, code == 400, "400 without addresses", || missing.excerpt())
}

/// A batch with its arrays in an order that does not depend on the server.
fn sorted(mut body: Value) -> Value {
    for name in ["tokens", "notFound", "errors"] {
        if let Some(items) = body[name].as_array_mut() {
            items.sort_by_key(|item| item.to_string().to_lowercase());
        }
    }
    body
}
