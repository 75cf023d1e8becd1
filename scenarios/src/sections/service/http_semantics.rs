//! What a request may carry without changing the answer, and how answers present themselves.
use reqwest::Method;
use serde_json::{Value, json};

use super::endpoints::reads;
use crate::check::{Verdict, no_material};
use crate::clause::{check, clause};
use crate::client::http::{Answer, Ask};
use crate::reads::{LIST, OWNER, RECENT, TOKEN, get, param};
use crate::trial::{Evidence as _, Trial};

/// How often two answers are compared again on a market that moves.
const ATTEMPTS: usize = 4;

clause! {
    SVC_JSON = "SVC-JSON" (Interface):
        "A body is JSON and says so in its content type, unless the endpoint says otherwise.";
    check!("service-json" [Read; Rest] json:
        "looks at the content type and body of answers and refusals of every endpoint");
}

pub(super) async fn json(trial: &Trial<'_>) -> Verdict {
    let mut asks = reads(trial).await?;
    let rest = trial.rest()?;
    asks.push(get(rest, OWNER, &[]));
    asks.push(get(rest, TOKEN, &[param("address", "none")]));
    asks.push(get(rest, LIST, &[param("page", "none")]));
    asks.push(get(rest, RECENT, &[param("chainId", "1")]));
    asks.push(get(rest, "/api/no-such-path", &[]));
    asks.push(Ask { method: Method::DELETE, ..get(rest, LIST, &[]) });
    for ask in asks {
        let answer = trial.ask(ask).await?;
        let kind = answer.header("content-type").unwrap_or_default().to_lowercase();
        let essence = kind.split(';').next().unwrap_or_default().trim();
        trial.equal(&answer, "Content-Type", &"application/json", &essence)?;
        trial.shows(&answer, answer.json().is_some(), "a JSON body")?;
    }
    Ok(())
}

clause! {
    SVC_NOAUTH = "SVC-NOAUTH" (Interface):
        "Reading needs no credential, and a meaningless Authorization header changes nothing.";
    check!("service-no-credential" [Read; Rest] no_credential:
        "repeats every read with meaningless Authorization headers and compares");
}

pub(super) async fn no_credential(trial: &Trial<'_>) -> Verdict {
    let junk = ["Bearer junk", "Basic anVuazpqdW5r", "Wallet 0x0:0:0x", "junk"];
    for (at, ask) in reads(trial).await?.into_iter().enumerate() {
        let other = ask.clone().header("authorization", junk[at % junk.len()]);
        same(trial, &ask, &other).await?;
    }
    Ok(())
}

clause! {
    SVC_EXTRA = "SVC-EXTRA" (Interface): "Query parameters and body fields that nobody knows change nothing.";
    check!("service-extra" [Read; Rest] extra:
        "repeats every read with parameters and fields that nobody knows and compares");
}

pub(super) async fn extra(trial: &Trial<'_>) -> Verdict {
    let mut choices = trial.choices("service-extra");
    let word = choices.word().to_string();
    let names = ["utm_source", "Page", "__proto__", "x[]", "api_key", &word[2..12]];
    for ask in reads(trial).await? {
        let mut other = ask.clone();
        other
            .url
            .query_pairs_mut()
            .append_pair(choices.pick::<&str>(&names), "1")
            .append_pair(&word[2..10], "");
        same(trial, &ask, &other).await?;
        if let Some(Ok(Value::Object(mut body))) = ask.body.as_deref().map(serde_json::from_slice) {
            body.insert(word[2..12].to_owned(), json!([{ "nested": null }]));
            body.insert("limit".to_owned(), json!(0));
            other.body = Some(Value::Object(body).to_string().into_bytes());
            same(trial, &ask, &other).await?;
        }
    }
    Ok(())
}

/// Two requests succeed with the same body; compared again when the plain one has changed meanwhile.
pub(super) async fn same(trial: &Trial<'_>, plain: &Ask, other: &Ask) -> Verdict {
    let mut before = trial.ask(plain.clone()).await?;
    for _ in 0..ATTEMPTS {
        let changed = trial.ask(other.clone()).await?;
        if (changed.status, &changed.body) == (before.status, &before.body) && changed.status.is_success() {
            return Ok(());
        }
        let after = trial.ask(plain.clone()).await?;
        if (after.status, &after.body) == (before.status, &before.body) {
            let expected = format!("the answer of `{}`: {}", plain.reproduce(), before.excerpt());
            return Err(trial.failure(&changed, expected, changed.excerpt()));
        }
        before = after;
    }
    Err(no_material(format!(
        "the answer of `{}` changed during each of {ATTEMPTS} attempts",
        plain.reproduce()
    )))
}

clause! {
    SVC_CORS = "SVC-CORS" (ImplementationDefined):
        "A page from another origin may read: preflights are answered and answers allow the origin.";
    check!("service-other-origins" [Read; Rest] other_origins:
        "sends preflights and reads as a page of another origin would");
}

pub(super) async fn other_origins(trial: &Trial<'_>) -> Verdict {
    const ORIGIN: &str = "https://client.launchpad.example.org";
    for ask in reads(trial).await? {
        let method = ask.method.to_string();
        let with_type = ask.body.is_some();
        let mut preflight = Ask { method: Method::OPTIONS, body: None, headers: Vec::new(), ..ask.clone() }
            .header("origin", ORIGIN)
            .header("access-control-request-method", &method);
        if with_type {
            preflight = preflight.header("access-control-request-headers", "content-type");
        }
        let answer = trial.ask(preflight).await?;
        allowed(trial, &answer, ORIGIN)?;
        lists(trial, &answer, "access-control-allow-methods", &method, method == "GET" || method == "POST")?;
        if with_type {
            lists(trial, &answer, "access-control-allow-headers", "content-type", false)?;
        }
        allowed(trial, &trial.ask(ask.header("origin", ORIGIN)).await?, ORIGIN)?;
    }
    let refusal = get(trial.rest()?, OWNER, &[]).header("origin", ORIGIN);
    let refused = trial.ask(refusal).await?;
    origin_allowed(trial, &refused, ORIGIN)?;
    Ok(())
}

/// The answer succeeds and may be read by a page of the origin.
fn allowed(trial: &Trial<'_>, answer: &Answer, origin: &str) -> Verdict {
    trial.shows(answer, answer.status.is_success(), "success for a page of another origin")?;
    origin_allowed(trial, answer, origin)
}

fn origin_allowed(trial: &Trial<'_>, answer: &Answer, origin: &str) -> Verdict {
    let told = answer.header("access-control-allow-origin").unwrap_or_default();
    trial.holds(answer, told == "*" || told == origin, "Access-Control-Allow-Origin for any page", || {
        format!("{told:?}")
    })
}

/// A header of the preflight lists a value, or everything; `simple` values need not be listed.
fn lists(trial: &Trial<'_>, answer: &Answer, header: &str, value: &str, simple: bool) -> Verdict {
    let told = answer.header(header);
    let listed = told.is_some_and(|told| {
        told.split(',').map(str::trim).any(|one| one == "*" || one.eq_ignore_ascii_case(value))
    });
    trial.holds(answer, listed || (simple && told.is_none()), &format!("{value} in {header}"), || {
        format!("{told:?}")
    })
}
