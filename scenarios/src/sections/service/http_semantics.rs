//! What a request may carry without changing the answer, and how answers present themselves.
use reqwest::Method;

use super::endpoints::reads;
use crate::prelude::*;
use crate::reads::{LIST, OWNER, RECENT, TOKEN};

/// How often two answers are compared again on a market that moves.
const ATTEMPTS: usize = 4;

clause! {
    SVC_JSON = "SVC-JSON" (S1):
        "A body is JSON and says so in its content type, unless the endpoint says otherwise.";
    check!("service-json" [Read; Rest] json:
        "looks at the content type and body of answers and refusals of every endpoint");
}
pub(super) async fn json(trial: &Trial<'_>) -> Verdict {
    let mut requests = reads(trial).await?;
    let rest = trial.rest()?;
    requests.push(get(rest, OWNER, &[]));
    requests.push(get(rest, TOKEN, &[param("address", "none")]));
    requests.push(get(rest, LIST, &[param("page", "none")]));
    requests.push(get(rest, RECENT, &[param("chainId", "1")]));
    requests.push(get(rest, "/api/no-such-path", &[]));
    requests.push(Request { method: Method::DELETE, ..get(rest, LIST, &[]) });
    for request in requests {
        let response = trial.request(request).await?;
        let kind = response.header("content-type").unwrap_or_default().to_lowercase();
        let essence = kind.split(';').next().unwrap_or_default().trim();
        trial.equal(&response, "Content-Type", &"application/json", &essence)?;
        trial.shows(&response, response.json().is_some(), "a JSON body")?;
    }
    Ok(())
}

clause! {
    SVC_NOAUTH = "SVC-NOAUTH" (S109, S291, S292):
        "Reading needs no credential, and a meaningless Authorization header changes nothing.";
    check!("service-no-credential" [Read; Rest] no_credential:
        "repeats every read with meaningless Authorization headers and compares");
}
pub(super) async fn no_credential(trial: &Trial<'_>) -> Verdict {
    let junk = ["Bearer junk", "Basic anVuazpqdW5r", "Wallet 0x0:0:0x", "junk"];
    for (at, request) in reads(trial).await?.into_iter().enumerate() {
        let other = request.clone().header("authorization", junk[at % junk.len()]);
        same(trial, &request, &other).await?;
    }
    Ok(())
}

clause! {
    SVC_EXTRA = "SVC-EXTRA" (choice S330): "Query parameters and body fields that nobody knows change nothing.";
    check!("service-extra" [Read; Rest] extra:
        "repeats every read with parameters and fields that nobody knows and compares");
}
pub(super) async fn extra(trial: &Trial<'_>) -> Verdict {
    let mut choices = trial.choices("service-extra");
    let word = choices.word().to_string();
    let names = ["utm_source", "Page", "__proto__", "x[]", "api_key", &word[2..12]];
    for request in reads(trial).await? {
        let mut other = request.clone();
        other
            .url
            .query_pairs_mut()
            .append_pair(choices.pick::<&str>(&names), "1")
            .append_pair(&word[2..10], "");
        same(trial, &request, &other).await?;
        if let Some(Ok(Value::Object(mut body))) = request.body.as_deref().map(serde_json::from_slice) {
            body.insert(word[2..12].to_owned(), json!([{ "nested": null }]));
            body.insert("limit".to_owned(), json!(0));
            other.body = Some(Value::Object(body).to_string().into_bytes());
            same(trial, &request, &other).await?;
        }
    }
    Ok(())
}

/// Two requests succeed with the same body; compared again when the plain one has changed meanwhile.
pub(super) async fn same(trial: &Trial<'_>, plain: &Request, other: &Request) -> Verdict {
    let mut before = trial.request(plain.clone()).await?;
    for _ in 0..ATTEMPTS {
        let changed = trial.request(other.clone()).await?;
        if (changed.status, &changed.body) == (before.status, &before.body) && changed.status.is_success() {
            return Ok(());
        }
        let after = trial.request(plain.clone()).await?;
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
    SVC_CORS = "SVC-CORS" (choice):
        "A page from another origin may read: preflights are answered and answers allow the origin.";
    check!("service-other-origins" [Read; Rest] other_origins:
        "sends preflights and reads as a page of another origin would");
}
pub(super) async fn other_origins(trial: &Trial<'_>) -> Verdict {
    const ORIGIN: &str = "https://client.launchpad.example.org";
    for request in reads(trial).await? {
        let method = request.method.to_string();
        let with_type = request.body.is_some();
        let mut preflight =
            Request { method: Method::OPTIONS, body: None, headers: Vec::new(), ..request.clone() }
                .header("origin", ORIGIN)
                .header("access-control-request-method", &method);
        if with_type {
            preflight = preflight.header("access-control-request-headers", "content-type");
        }
        let response = trial.request(preflight).await?;
        allowed(trial, &response, ORIGIN)?;
        lists(
            trial,
            &response,
            "access-control-allow-methods",
            &method,
            method == "GET" || method == "POST",
        )?;
        if with_type {
            lists(trial, &response, "access-control-allow-headers", "content-type", false)?;
        }
        allowed(trial, &trial.request(request.header("origin", ORIGIN)).await?, ORIGIN)?;
    }
    let refusal = get(trial.rest()?, OWNER, &[]).header("origin", ORIGIN);
    let refused = trial.request(refusal).await?;
    origin_allowed(trial, &refused, ORIGIN)?;
    Ok(())
}

/// The answer succeeds and may be read by a page of the origin.
fn allowed(trial: &Trial<'_>, response: &Response, origin: &str) -> Verdict {
    trial.shows(response, response.status.is_success(), "success for a page of another origin")?;
    origin_allowed(trial, response, origin)
}

fn origin_allowed(trial: &Trial<'_>, response: &Response, origin: &str) -> Verdict {
    let reported = response.header("access-control-allow-origin").unwrap_or_default();
    trial.holds(
        response,
        reported == "*" || reported == origin,
        "Access-Control-Allow-Origin for any page",
        || format!("{reported:?}"),
    )
}

/// A header of the preflight lists a value, or everything; `simple` values need not be listed.
fn lists(trial: &Trial<'_>, response: &Response, header: &str, value: &str, simple: bool) -> Verdict {
    let reported = response.header(header);
    let listed = reported.is_some_and(|reported| {
        reported.split(',').map(str::trim).any(|one| one == "*" || one.eq_ignore_ascii_case(value))
    });
    trial.holds(response, listed || (simple && reported.is_none()), &format!("{value} in {header}"), || {
        format!("{reported:?}")
    })
}
