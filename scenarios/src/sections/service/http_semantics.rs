//! What a request may carry without changing the answer, and how answers present themselves.
use reqwest::Method;
use serde_json::{Value, json};

use super::endpoints::reads;
use crate::check::{Inconclusive, Verdict};
use crate::client::http::{Answer, Ask};
use crate::expect::{equal, failure, holds};
use crate::reads::{LIST, OWNER, RECENT, TOKEN, get, param};
use crate::world::World;

/// How often two answers are compared again on a market that moves.
const ATTEMPTS: usize = 4;

pub(super) async fn json(world: &World) -> Verdict {
    const CLAUSE: &str = "SVC-JSON";
    let mut asks = reads(world).await?;
    let rest = world.rest()?;
    asks.push(get(rest, OWNER, &[]));
    asks.push(get(rest, TOKEN, &[param("address", "none")]));
    asks.push(get(rest, LIST, &[param("page", "none")]));
    asks.push(get(rest, RECENT, &[param("chainId", "1")]));
    asks.push(get(rest, "/api/no-such-path", &[]));
    asks.push(Ask { method: Method::DELETE, ..get(rest, LIST, &[]) });
    for ask in asks {
        let answer = world.ask(ask).await?;
        let kind = answer.header("content-type").unwrap_or_default().to_lowercase();
        let essence = kind.split(';').next().unwrap_or_default().trim();
        equal(CLAUSE, &answer, "Content-Type", &"application/json", &essence)?;
        holds(CLAUSE, &answer, answer.json().is_some(), "a JSON body", || answer.excerpt())?;
    }
    Ok(())
}

pub(super) async fn no_credential(world: &World) -> Verdict {
    let junk = ["Bearer junk", "Basic anVuazpqdW5r", "Wallet 0x0:0:0x", "junk"];
    for (at, ask) in reads(world).await?.into_iter().enumerate() {
        let other = ask.clone().header("authorization", junk[at % junk.len()]);
        same(world, "SVC-NOAUTH", &ask, &other).await?;
    }
    Ok(())
}

pub(super) async fn extra(world: &World) -> Verdict {
    let mut choices = world.choices("service-extra");
    let word = choices.word().to_string();
    let names = ["utm_source", "Page", "__proto__", "x[]", "api_key", &word[2..12]];
    for ask in reads(world).await? {
        let mut other = ask.clone();
        other
            .url
            .query_pairs_mut()
            .append_pair(choices.pick::<&str>(&names), "1")
            .append_pair(&word[2..10], "");
        same(world, "SVC-EXTRA", &ask, &other).await?;
        if let Some(Ok(Value::Object(mut body))) = ask.body.as_deref().map(serde_json::from_slice) {
            body.insert(word[2..12].to_owned(), json!([{ "nested": null }]));
            body.insert("limit".to_owned(), json!(0));
            other.body = Some(Value::Object(body).to_string().into_bytes());
            same(world, "SVC-EXTRA", &ask, &other).await?;
        }
    }
    Ok(())
}

/// Two requests succeed with the same body; compared again when the plain one has changed meanwhile.
pub(super) async fn same(world: &World, clause: &'static str, plain: &Ask, other: &Ask) -> Verdict {
    let mut before = world.ask(plain.clone()).await?;
    for _ in 0..ATTEMPTS {
        let changed = world.ask(other.clone()).await?;
        if (changed.status, &changed.body) == (before.status, &before.body) && changed.status.is_success() {
            return Ok(());
        }
        let after = world.ask(plain.clone()).await?;
        if (after.status, &after.body) == (before.status, &before.body) {
            let expected = format!("the answer of `{}`: {}", plain.reproduce(), before.excerpt());
            return Err(failure(clause, &changed, expected, changed.excerpt()));
        }
        before = after;
    }
    let reason = format!("the answer of `{}` changed during each of {ATTEMPTS} attempts", plain.reproduce());
    Err(Inconclusive::NoMaterial { reason }.into())
}

pub(super) async fn other_origins(world: &World) -> Verdict {
    const ORIGIN: &str = "https://client.launchpad.example.org";
    for ask in reads(world).await? {
        let method = ask.method.to_string();
        let with_type = ask.body.is_some();
        let mut preflight = Ask { method: Method::OPTIONS, body: None, headers: Vec::new(), ..ask.clone() }
            .header("origin", ORIGIN)
            .header("access-control-request-method", &method);
        if with_type {
            preflight = preflight.header("access-control-request-headers", "content-type");
        }
        let answer = world.ask(preflight).await?;
        allowed(&answer, ORIGIN)?;
        lists(&answer, "access-control-allow-methods", &method, method == "GET" || method == "POST")?;
        if with_type {
            lists(&answer, "access-control-allow-headers", "content-type", false)?;
        }
        allowed(&world.ask(ask.header("origin", ORIGIN)).await?, ORIGIN)?;
    }
    let refusal = get(world.rest()?, OWNER, &[]).header("origin", ORIGIN);
    let refused = world.ask(refusal).await?;
    origin_allowed(&refused, ORIGIN)?;
    Ok(())
}

/// The answer succeeds and may be read by a page of the origin.
fn allowed(answer: &Answer, origin: &str) -> Verdict {
    holds("SVC-CORS", answer, answer.status.is_success(), "success for a page of another origin", || {
        answer.excerpt()
    })?;
    origin_allowed(answer, origin)
}

fn origin_allowed(answer: &Answer, origin: &str) -> Verdict {
    let told = answer.header("access-control-allow-origin").unwrap_or_default();
    holds(
        "SVC-CORS",
        answer,
        told == "*" || told == origin,
        "Access-Control-Allow-Origin for any page",
        || format!("{told:?}"),
    )
}

/// A header of the preflight lists a value, or everything; `simple` values need not be listed.
fn lists(answer: &Answer, header: &str, value: &str, simple: bool) -> Verdict {
    let told = answer.header(header);
    let listed = told.is_some_and(|told| {
        told.split(',').map(str::trim).any(|one| one == "*" || one.eq_ignore_ascii_case(value))
    });
    holds("SVC-CORS", answer, listed || (simple && told.is_none()), &format!("{value} in {header}"), || {
        format!("{told:?}")
    })
}
