//! Request variations that must not change the answer, and the headers of answers.
use reqwest::Method;

use super::endpoints::{REGISTER, reads};
use crate::answers::reads::{CHAT, EOTI, KOTI, LIST, OWNER, REFERRERS, page};
use crate::model::shown::readable;
use crate::prelude::*;
use crate::sections::referral::registering::is_refused;
use crate::truth::steady::no_verdict_on;

/// How often two answers are compared again if the market moves.
const ATTEMPTS: usize = 16;

clause! {
    SVC_JSON = "SVC-JSON" (S1, S153): "A body is JSON and says so in its content type.";
    check!("service-json" [Read; Rest] json: "looks at the content type and body of the answers of every endpoint");
}
pub(super) async fn json(trial: &Trial<'_>) -> Verdict {
    for request in reads(trial).await? {
        let response = trial.request(request).await?;
        trial.ok_json(&response)?;
        is_json(trial, &response)?;
    }
    Ok(())
}

pub(super) fn is_json(trial: &Trial<'_>, response: &Response) -> Verdict {
    let shown = || readable(&response.header("content-type").unwrap_or_default());
    trial.require_or(response, response.is_json(), "Content-Type: application/json", shown)
}

clause! {
    SVC_NOAUTH = "SVC-NOAUTH" (S109, S202, S203, S291, S292):
        "Reading and registering a referral need no credential, and a registration takes both of its fields.";
    check!("service-no-credential" [Read; Rest; S109, S203, S291] no_credential:
        "reads every endpoint without a credential, the chat, the Emperor, the King and the referrers too");
    check!("service-registration-open" [Write; Rest; S109, S202, S203, S292] registration_open:
        "registers a wallet by an unknown code and by half of a body, and reads chat, Emperor, King and referrers, all openly");
}
pub(super) async fn no_credential(trial: &Trial<'_>) -> Verdict {
    // Without a swap service, that statement is only half covered.
    trial.looks_at(["S109", "S203"].into_iter().chain(trial.has(Need::Swap).then_some("S291")));
    all_open(trial, reads(trial).await?).await
}

/// These requests, and those for the Emperor and the King, need no credential.
async fn all_open(trial: &Trial<'_>, requests: Vec<Request>) -> Verdict {
    let rest = trial.rest()?;
    for request in requests.into_iter().chain([get(rest, EOTI, &[]), get(rest, KOTI, &[])]) {
        let response = trial.request(request).await?;
        // The status for a day without an Emperor or a market without a King is left open.
        let may_be_nothing = [EOTI, KOTI].iter().any(|path| response.request.url.path().ends_with(path));
        let open = if may_be_nothing {
            ![401, 403, 407].contains(&response.code())
        } else {
            response.status.is_success()
        };
        trial.require(&response, open, "an answer without a credential")?;
    }
    Ok(())
}

pub(super) async fn registration_open(trial: &Trial<'_>) -> Verdict {
    let wallet = Address::from_word(trial.choices("service-registration-open").word()).to_string();
    let body = json!({ "referral_code": "REF-NOBODYXX", "wallet_address": wallet });
    let response = trial.request(Request::post_json(trial.rest()?, REGISTER, &body)).await?;
    let open = ![401, 403].contains(&response.code());
    trial.require(&response, open, "no refusal for want of a credential")?;
    for half in [json!({ "referral_code": "REF-NOBODYXX" }), json!({ "wallet_address": wallet })] {
        let response = trial.request(Request::post_json(trial.rest()?, REGISTER, &half)).await?;
        trial.require(&response, is_refused(&response), "a refusal of half a body")?;
    }
    // One page is enough: other checks launch tokens in the meantime, which would disturb a full walk.
    let (response, _) = trial.read_json(LIST, &[]).await.map_err(no_verdict_on)?;
    let listed = page(trial, &response).map_err(no_verdict_on)?;
    let token = listed.tokens.first().and_then(|row| row.address("address"));
    let rest = trial.rest()?;
    let mut others = vec![get(rest, REFERRERS, &[])];
    others.extend(token.map(|token| get(rest, CHAT, &[param("tokenAddress", token.to_string())])));
    all_open(trial, others).await
}

clause! {
    SVC_JUNK_AUTH = "SVC-JUNK-AUTH" (choice S109, S291):
        "Where no credential is needed, a meaningless Authorization header changes nothing.";
    check!("service-junk-credential" [Read; Rest] junk_credential:
        "repeats every read with meaningless Authorization headers and compares");
}
pub(super) async fn junk_credential(trial: &Trial<'_>) -> Verdict {
    let junk = ["Bearer junk", "Basic anVuazpqdW5r", "Wallet 0x0:0:0x", "junk"];
    for (at, request) in reads(trial).await?.into_iter().enumerate() {
        let other = request.clone().header("authorization", junk[at % junk.len()]);
        same(trial, &request, &other).await?;
    }
    Ok(())
}

clause! {
    SVC_EXTRA = "SVC-EXTRA" (choice S330): "Unknown query parameters and body fields change nothing.";
    check!("service-extra" [Read; Rest] extra:
        "repeats every read with unknown parameters and fields and compares");
}
pub(super) async fn extra(trial: &Trial<'_>) -> Verdict {
    let mut choices = trial.choices("service-extra");
    let word = choices.word().to_string();
    let names = ["utm_source", "Page", "__proto__", "x[]", "api_key", &word[2..12]];
    for request in reads(trial).await? {
        let mut other = request.clone();
        let name: &str = choices.pick::<&str>(&names);
        other.url.query_pairs_mut().append_pair(name, "1").append_pair(&word[2..10], "");
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

/// Returns the body without the time at which the answer was made.
fn undated(response: &Response) -> String {
    let text = String::from_utf8_lossy(&response.body).into_owned();
    let made = response.json().and_then(|body| Some(body["updated_at"].as_str()?.to_owned()));
    made.map_or(text.clone(), |made| text.replace(&made, ""))
}

/// Two requests succeed with the same body; they are compared again if the plain one has changed in between.
pub(super) async fn same(trial: &Trial<'_>, plain: &Request, other: &Request) -> Verdict {
    let mut before = trial.request(plain.clone()).await?;
    for _ in 0..ATTEMPTS {
        let changed = trial.request(other.clone()).await?;
        if (changed.status, undated(&changed)) == (before.status, undated(&before))
            && changed.status.is_success()
        {
            return Ok(());
        }
        let after = trial.request(plain.clone()).await?;
        if (after.status, undated(&after)) == (before.status, undated(&before)) {
            let expected = format!("the answer of `{}`: {}", plain.reproduce(), before.excerpt());
            return Err(trial.failure(&changed, expected, changed.excerpt()));
        }
        before = after;
    }
    let shown = plain.reproduce();
    Err(no_material(format!("the answer of `{shown}` changed during each of {ATTEMPTS} attempts")))
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
        let simple = method == "GET" || method == "POST";
        lists(trial, &response, "access-control-allow-methods", &method, simple)?;
        if with_type {
            lists(trial, &response, "access-control-allow-headers", "content-type", false)?;
        }
        allowed(trial, &trial.request(request.header("origin", ORIGIN)).await?, ORIGIN)?;
    }
    let refusal = get(trial.rest()?, OWNER, &[]).header("origin", ORIGIN);
    origin_allowed(trial, &trial.request(refusal).await?, ORIGIN)
}

/// The answer succeeds, and a page of the origin may read it.
fn allowed(trial: &Trial<'_>, response: &Response, origin: &str) -> Verdict {
    trial.require(response, response.status.is_success(), "success for a page of another origin")?;
    origin_allowed(trial, response, origin)
}

fn origin_allowed(trial: &Trial<'_>, response: &Response, origin: &str) -> Verdict {
    let reported = response.header("access-control-allow-origin").unwrap_or_default();
    let open = reported == "*" || reported == origin;
    trial.require_or(response, open, "Access-Control-Allow-Origin for any page", || readable(&reported))
}

/// A header of the preflight lists a value or a wildcard; `simple` values need not be listed.
fn lists(trial: &Trial<'_>, response: &Response, header: &str, value: &str, simple: bool) -> Verdict {
    let reported = response.header(header);
    let listed = reported.is_some_and(|reported| {
        reported.split(',').map(str::trim).any(|one| one == "*" || one.eq_ignore_ascii_case(value))
    });
    let fits = listed || (simple && reported.is_none());
    trial.require_or(response, fits, &format!("{value} in {header}"), || readable(&reported))
}
