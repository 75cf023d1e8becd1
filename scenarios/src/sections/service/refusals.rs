//! Refusals of every endpoint: their bodies, leaked details, wrong methods and unknown paths.
use std::collections::BTreeMap;

use reqwest::Method;
use url::Url;

use super::http_semantics::is_json;
use crate::answers::fields;
use crate::answers::reads::{BATCH, LIST, OWNER, QUOTE, TOKEN};
use crate::answers::refusals::{Refused, UNLIMITED};
use crate::model::shown::readable;
use crate::model::target::PrivateKey;
use crate::prelude::*;

/// Further queries that must be refused, besides the rows of `answers::refusals`.
const BAD: &[(&str, &[(&str, &str)])] = &[
    (LIST, &[("fundingMin", "0.9"), ("fundingMax", "0.1")]),
    (OWNER, &[("owner", WALLET), ("limit", "101")]),
    (OWNER, &[("owner", WALLET), ("page", "0")]),
    (OWNER, &[("owner", WALLET), ("sort", "best")]),
    (OWNER, &[("owner", WALLET), ("includeInactive", "perhaps")]),
    (BATCH, &[]),
    (TOKEN, &[("address", WALLET)]),
    ("/api/no-such-path", &[]),
    ("/no-such-path", &[]),
];

/// Further refused queries of the swap service.
const BAD_QUOTES: &[(&str, &[(&str, &str)])] = &[
    (QUOTE, &[]),
    (QUOTE, &[("tokenIn", WALLET), ("tokenOut", WALLET)]),
    (QUOTE, &[("tokenIn", NATIVE), ("tokenOut", WALLET), ("amount", "1"), ("amountOut", "1")]),
    (QUOTE, &[("tokenIn", NATIVE), ("tokenOut", WALLET), ("amount", "1"), ("slippage", "10001")]),
    (QUOTE, &[("tokenIn", NATIVE), ("tokenOut", WALLET), ("amount", "1000")]),
    ("/api/no-such-path", &[]),
];

/// An unused address.
const WALLET: &str = "0x6b8a1c2d3e4f5061728394a5b6c7d8e9fa0b1c2d";
const NATIVE: &str = "0x0000000000000000000000000000000000000000";

/// Marks of stack traces, source files, host folders and databases.
const TRACES: &[&[&str]] = &[
    &["panicked at", "stack backtrace", "Traceback (most recent", "RUST_BACKTRACE", "node_modules"],
    &[".rs:", ".js:", ".ts:", ".py:"],
    &["/home/", "/root/", "/usr/", "/var/", "/tmp/"],
    &["SELECT ", "sqlite"],
];

clause! {
    SVC_ERR = "SVC-ERR" (choice S1, S304):
        "A refusal has the one error body of the service, in JSON, and reveals no trace, file path or secret.";
    check!("service-refusals" [Read; Rest] bodies:
        "has every endpoint refuse and checks that the error bodies have their form and leak nothing");
}
pub(super) async fn bodies(trial: &Trial<'_>) -> Verdict {
    let rest = trial.rest()?;
    let mut requests: Vec<Request> =
        BAD.iter().map(|(path, query)| Request::get(rest, path, query)).collect();
    for row in UNLIMITED.iter().copied().flatten() {
        requests.extend(row.queries(&[]).into_iter().take(1).map(|query| get(rest, row.path, &query)));
    }
    let many: Vec<&str> = std::iter::repeat_n(WALLET, 51).collect();
    for body in [json!({}), json!({ "addresses": 7 }), json!({ "addresses": many })] {
        requests.push(Request::post_json(rest, BATCH, &body));
    }
    let cut = Some(b"{\"addresses\": [".to_vec());
    requests.push(Request { body: cut, ..Request::post_json(rest, BATCH, &json!({})) });
    if trial.has(Need::Swap) {
        let swap = trial.swap()?;
        requests.extend(BAD_QUOTES.iter().map(|(path, query)| Request::get(swap, path, query)));
    }
    requests.push(Request { method: Method::DELETE, ..get(rest, LIST, &[]) });
    let mut refused = 0;
    for request in requests {
        // A quote without a route is a 500 according to the interface.
        let may_fail = request.url.path().ends_with(QUOTE);
        refused += usize::from(judge(trial, request, may_fail).await?);
    }
    need_material(refused != 0, "nothing was refused")
}

async fn judge(trial: &Trial<'_>, request: Request, may_fail: bool) -> Verdict<bool> {
    let response = trial.request(request).await?;
    // Whether it should have refused is left to the endpoint's own checks.
    if response.status.is_success() {
        return Ok(false);
    }
    if !may_fail {
        trial.no_server_error(&response)?;
    }
    is_json(trial, &response)?;
    error_body(trial, &response, response.code())?;
    // Secrets that were given to the harness must not appear in answers.
    let target = trial.target();
    let secrets = target.private_keys.iter().map(PrivateKey::expose).chain(target.operator_key.as_deref());
    discreet(trial, &response, secrets)?;
    trial.has_a_cause(&response).await?;
    Ok(true)
}

clause! {
    SVC_METHOD = "SVC-METHOD" (choice S108):
        "A wrong method on a known path is 405 and lists the allowed ones in Allow; an unknown path is 404.";
    check!("service-methods" [Read; Rest] methods:
        "sends wrong methods to every path and asks for paths that are none");
}
pub(super) async fn methods(trial: &Trial<'_>) -> Verdict {
    wrong_methods(trial, trial.rest()?, "rest").await?;
    unknown_paths(trial, trial.rest()?).await?;
    if trial.has(Need::Swap) {
        wrong_methods(trial, trial.swap()?, "swap").await?;
        unknown_paths(trial, trial.swap()?).await?;
    }
    Ok(())
}

/// Each path of a service refuses every method except those of its operations.
async fn wrong_methods(trial: &Trial<'_>, origin: &Url, service: &str) -> Verdict {
    let mut paths: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let operations = fields::operations().into_iter().filter(|(of, _)| *of == service);
    for (method, path) in operations.filter_map(|(_, operation)| operation.split_once(' ')) {
        paths.entry(path).or_default().push(method);
    }
    for (path, right) in paths {
        for method in [Method::POST, Method::PUT, Method::PATCH, Method::DELETE] {
            if right.contains(&method.as_str()) {
                continue;
            }
            let response = trial.request(Request { method, ..get(origin, path, &[]) }).await?;
            trial.status(&response, 405)?;
            error_body(trial, &response, 405)?;
            let allow = response.header("allow").unwrap_or_default().to_uppercase();
            let listed: Vec<&str> = allow.split(',').map(str::trim).collect();
            let extra = listed.iter().find(|one| !right.contains(one) && !["HEAD", "OPTIONS"].contains(one));
            let complete = right.iter().all(|one| listed.contains(one)) && extra.is_none();
            let expected = format!("Allow: {}", right.join(", "));
            trial.require_or(&response, complete, &expected, || readable(&allow))?;
            trial.has_a_cause(&response).await?;
        }
    }
    Ok(())
}

async fn unknown_paths(trial: &Trial<'_>, origin: &Url) -> Verdict {
    let word = trial.choices("service-methods").word().to_string();
    for path in
        ["/api", "/api/tokens/nothing", "/api/token/x", "/API/TOKENS", &format!("/api/{}", &word[2..10])]
    {
        let response = trial.request(get(origin, path, &[])).await?;
        trial.status(&response, 404)?;
        error_body(trial, &response, 404)?;
        trial.has_a_cause(&response).await?;
    }
    Ok(())
}

impl Trial<'_> {
    /// The answer is not a server error (5xx).
    pub(crate) fn no_server_error(&self, response: &Response) -> Verdict {
        self.by(&SVC_ERR).require(response, !response.status.is_server_error(), "no 5xx on any input")
    }

    /// Requires a refusal, whose cause (if the platform keeps a journal) is one of these, or any if none is given. Its status is a choice,
    /// and so is its body if causes are given. Returns the body.
    pub(crate) async fn refused(&self, response: &Response, code: u16, causes: &[&str]) -> Verdict<Value> {
        self.is_refusal(response, code)?;
        if causes.is_empty() {
            self.has_a_cause(response).await?;
            return Ok(response.json().unwrap_or_default());
        }
        let body = error_body(&self.by(&SVC_ERR), response, code)?;
        let meant = |cause: Option<&str>| cause.is_some_and(|cause| causes.contains(&cause));
        self.cause_fits(response, &format!("a refusal by {}", readable(&causes)), meant).await?;
        Ok(body)
    }

    /// Requires a refusal. Its status is a choice, judged by the trial's clause if that is a choice, else by [`SVC_ERR`].
    fn is_refusal(&self, response: &Response, code: u16) -> Verdict {
        let refused = response.status.is_client_error() || response.status.is_server_error();
        self.require(response, refused, "a refusal")?;
        self.by_choice(&SVC_ERR).status(response, code)
    }

    /// Sends a GET to the REST service, which must be refused with one of these causes. The status is a choice.
    pub(crate) async fn refuses(&self, path: &str, query: &Params, code: u16, causes: &[&str]) -> Verdict {
        self.refused(&self.read(path, query).await?, code, causes).await.map(drop)
    }

    /// Sends every value of these rows along with these parameters; each must be refused with 400.
    pub(crate) async fn refuses_each(&self, rows: &[Refused], beside: &Params) -> Verdict {
        for row in rows {
            let origin = if row.path == QUOTE { self.swap()? } else { self.rest()? };
            for query in row.queries(beside) {
                let response = self.request(get(origin, row.path, &query)).await?;
                self.refused(&response, 400, row.causes).await?;
            }
        }
        Ok(())
    }

    /// Without a parameter that these rows require, a request must be refused. An invalid value must be refused too; an empty result
    /// instead is a difference.
    pub(crate) async fn refuses_each_or_has(&self, rows: &[Refused], nothing: fn(&Value) -> bool) -> Verdict {
        for row in rows {
            for query in row.queries(&[]) {
                let response = self.read(row.path, &query).await?;
                let is_nothing =
                    response.status.is_success() && response.json().is_some_and(|body| nothing(&body));
                if is_nothing && query.iter().any(|(name, _)| *name == row.name) {
                    self.by_choice(&SVC_ERR).require(&response, false, "a refusal")?;
                } else {
                    self.refused(&response, 400, row.causes).await?;
                }
            }
        }
        Ok(())
    }
}

/// Requires a body with the text `error`, the number `status` and optionally the text `details`.
fn error_body(trial: &Trial<'_>, response: &Response, code: u16) -> Verdict<Value> {
    let body = response.json().unwrap_or_default();
    let message = body.get("error").and_then(Value::as_str).unwrap_or_default();
    let details = body.get("details").is_none_or(Value::is_string);
    let repeated = body.get("status").and_then(Value::as_u64) == Some(u64::from(code));
    let expected = format!("an error body {{\"error\": text, \"details\"?: text, \"status\": {code}}}");
    trial.require(response, !message.trim().is_empty() && details && repeated, &expected)?;
    Ok(body)
}

/// The answer contains no trace, no path and none of the given secrets.
fn discreet<'a>(
    trial: &Trial<'_>,
    response: &Response,
    secrets: impl IntoIterator<Item = &'a str>,
) -> Verdict {
    let text = String::from_utf8_lossy(&response.body);
    if let Some(mark) = TRACES.iter().copied().flatten().find(|mark| text.contains(**mark)) {
        let actual = format!("{mark:?} in {}", response.excerpt());
        return Err(trial.failure(response, "no trace, path or query in a refusal", actual));
    }
    let lower = text.to_lowercase();
    let reported = |secret: &str| {
        let bare = secret.trim_start_matches("0x").to_lowercase();
        bare.len() >= 8 && lower.contains(&bare)
    };
    // The report must not contain the secret either.
    trial.require_or(response, !secrets.into_iter().any(reported), "no secret in a refusal", || {
        "a secret of the target is in the body".to_owned()
    })
}
