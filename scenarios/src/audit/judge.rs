//! Judging the form of one answer: its status, headers, fields and their types, whatever it answers.
use serde_json::Value;

use super::operations::{FLAGGED, Form, Header, LIMITED, OPERATIONS, Operation, REFUSAL, STATUSES};
use super::shape::{Misshapen, misspelled};
use super::{Seen, Service, laws, tool};
use crate::check::{Failure, Stop, Verdict};
use crate::clause::Binding;
use crate::client::http::Response;
use crate::expect::fields::excerpt;
use crate::expect::figure::Figure;
use crate::reads::{BATCH, REFERRAL_STATS};
use crate::reference::points;
use crate::trial::{Evidence, Trial};

/// Members that repeat what a caller wrote.
const ECHOES: [&str; 1] = ["notFound"];
/// Where this project's service has the images that were uploaded.
const UPLOADS: &str = "/cdn/";
/// Headers of an image.
const UPLOAD: [&str; 6] = [
    "cache-control",
    "content-security-policy",
    "content-type",
    "cross-origin-resource-policy",
    "etag",
    "x-content-type-options",
];
/// Asks what a page may do (the CORS protocol of the Fetch standard).
const PREFLIGHT: &str = "access-control-request-method";
/// The header of every answer of this project's services.
const REQUEST_ID: Header = Header { name: "x-request-id", form: Form::Present, binding: Binding::Choice };

/// The form of an answer is that of its endpoint and status.
pub(crate) fn form(trial: &Trial<'_>, seen: &Seen) -> Verdict {
    let response = &*seen.response;
    let known = OPERATIONS.iter().filter(|one| one.service == seen.service && one.path == seen.path);
    let method = response.request.method.as_str();
    let asked = if method == "HEAD" { "GET" } else { method };
    let operation = known.clone().find(|one| one.method == asked);
    has(trial, response, &REQUEST_ID)?;
    if LIMITED.iter().any(|header| response.header(header.name).is_some()) {
        LIMITED.iter().try_for_each(|header| has(trial, response, header))?;
    }
    if method == "OPTIONS" {
        if !response.status.is_success() {
            return Ok(());
        }
        status(trial, response, [200, 204].contains(&response.code()), "status 204")?;
        if response.request.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case(PREFLIGHT)) {
            has(trial, response, &choice("access-control-allow-methods", Form::Present))?;
        }
        return has(trial, response, &choice("allow", Form::Present));
    }
    if seen.service == Service::Rest && seen.path.starts_with(UPLOADS) && response.status.is_success() {
        status(trial, response, response.code() == 200, "status 200")?;
        return UPLOAD.iter().try_for_each(|name| has(trial, response, &choice(name, Form::Present)));
    }
    match (operation, response.status.is_success()) {
        (Some(operation), true) => success(trial, seen, operation, method == "HEAD"),
        (_, false) if (seen.path == "/api" || seen.path.starts_with("/api/")) => {
            refusal(trial, response, method == "HEAD")
        }
        (None, false) if refuses_endpoint(seen) && !is_page(response) => {
            bound(Binding::Choice, refusal(trial, response, method == "HEAD"))
        }
        _ => Ok(()),
    }
}

/// The answer of a tool server to a message has the form that the protocol gives it.
pub(crate) fn call(trial: &Trial<'_>, request: &[u8], answer: &[u8]) -> Verdict {
    let json = |bytes: &[u8]| serde_json::from_slice::<Value>(bytes).ok();
    let (Some(asked), Some(reported)) = (json(request), json(answer)) else { return Ok(()) };
    let evidence = String::from_utf8_lossy(request).trim().to_owned();
    tool::judge(&asked, &reported).map_err(|bad| misshapen(trial, &evidence, bad))
}

/// Whether an answer refuses a path or a method that the service does not have.
fn refuses_endpoint(seen: &Seen) -> bool {
    let known = OPERATIONS.iter().any(|one| one.service == seen.service && one.path == seen.path);
    let code = seen.response.code();
    code == 405 || (code == 404 && !known && !seen.path.starts_with(UPLOADS))
}

/// A tool server says the same of itself, of its versions and of its tools in all its answers.
pub(crate) fn calls_agree(trial: &Trial<'_>, calls: &[(Vec<u8>, Vec<u8>)]) -> Verdict {
    let json = |bytes: &[u8]| serde_json::from_slice::<Value>(bytes).unwrap_or_default();
    let calls: Vec<(Value, Value)> =
        calls.iter().map(|(asked, reported)| (json(asked), json(reported))).collect();
    tool::agree(&calls).map_err(|bad| misshapen(trial, "what a tool server says of itself", bad))
}

fn success(trial: &Trial<'_>, seen: &Seen, operation: &Operation, only_head: bool) -> Verdict {
    let response = &*seen.response;
    status(trial, response, response.code() == 200, "status 200")?;
    is_json(trial, response)?;
    operation.headers.iter().try_for_each(|header| has(trial, response, header))?;
    if only_head {
        return Ok(());
    }
    let body = body(trial, response)?;
    let judged = operation.body.judge(&body);
    judged
        .and_then(|()| misspelled(&body, &ECHOES).map_or(Ok(()), Err))
        .and_then(|()| laws::judge(seen, &body))
        .map_err(|bad| misshapen(trial, response, bad))?;
    match operation.path {
        BATCH => flagged(trial, response, &body),
        REFERRAL_STATS => summed(trial, response, &body["stats"]),
        _ => Ok(()),
    }
}

/// Points of a referrer are the sum of their parts.
fn summed(trial: &Trial<'_>, response: &Response, stats: &Value) -> Verdict {
    let part = |name: &str| trial.number(response, stats, name);
    let total = part("total_points_earned")?;
    let parts = ["points_from_trading", "points_from_token_creation", "points_from_milestones"];
    let parts: Vec<Figure> = parts.into_iter().map(part).collect::<Verdict<_>>()?;
    let sum = parts.iter().map(Figure::value).sum();
    trial.holds(response, points::shows(&total, &sum), &format!("total_points_earned = {sum}"), || {
        total.text().to_owned()
    })
}

/// The fields of a flag are in every token of a batch that was not asked to leave them out, and in none that was.
fn flagged(trial: &Trial<'_>, response: &Response, body: &Value) -> Verdict {
    let asked = response.asked();
    for (flag, fields) in FLAGGED {
        let wanted = match &asked[flag] {
            Value::Null => true,
            Value::Bool(wanted) => *wanted,
            // What else a flag may be is for the checks of the batch.
            _ => continue,
        };
        let tokens = body["tokens"].as_array().into_iter().flatten().filter_map(Value::as_object);
        for (token, field) in tokens.flat_map(|token| fields.iter().map(move |field| (token, field))) {
            let reported = token.get(field.name);
            let fits = reported.map_or(!wanted, |value| wanted && field.kind.admits(value));
            trial.holds(response, fits, &format!("{} where {flag} is {wanted}", field.name), || {
                reported.map_or_else(|| "none".to_owned(), excerpt)
            })?;
        }
    }
    Ok(())
}

/// A refusal, or a failure of the service.
fn refusal(trial: &Trial<'_>, response: &Response, only_head: bool) -> Verdict {
    let code = response.code();
    status(trial, response, STATUSES.contains(&code), "a status of the interface")?;
    is_json(trial, response)?;
    match code {
        405 => has(trial, response, &choice("allow", Form::Present))?,
        429 => has(trial, response, &choice("retry-after", Form::Number))?,
        _ => {}
    }
    if only_head {
        return Ok(());
    }
    let body = body(trial, response)?;
    REFUSAL.judge(&body).map_err(|bad| misshapen(trial, response, bad))?;
    let says = |name: &str| body[name].as_u64();
    by_choice(trial, response, says("status") == Some(u64::from(code)), "the status in the body")?;
    let words = body["error"].as_str().is_some_and(|text| !text.trim().is_empty());
    by_choice(trial, response, words, "an error in words")?;
    let waits = code != 429 || says("retryAfter") == response.header_number("retry-after");
    by_choice(trial, response, waits, "retryAfter as Retry-After has it")
}

const fn choice(name: &'static str, form: Form) -> Header {
    Header { name, form, binding: Binding::Choice }
}

fn body(trial: &Trial<'_>, response: &Response) -> Verdict<Value> {
    response.json().ok_or_else(|| trial.failure(response, "a JSON body", response.excerpt()))
}

/// What people read has the form of people.
fn is_page(response: &Response) -> bool {
    response.header("content-type").is_some_and(|reported| reported.to_lowercase().starts_with("text/html"))
}

fn is_json(trial: &Trial<'_>, response: &Response) -> Verdict {
    let reported = response.header("content-type").unwrap_or_default();
    let essence = reported.split(';').next().unwrap_or_default().trim();
    trial.holds(
        response,
        essence.eq_ignore_ascii_case("application/json"),
        "content-type: application/json",
        || format!("{reported:?}"),
    )
}

fn has(trial: &Trial<'_>, response: &Response, header: &Header) -> Verdict {
    let reported = response.header(header.name);
    let fits = match header.form {
        Form::Present => reported.is_some_and(|text| !text.is_empty()),
        Form::Number => response.header_number(header.name).is_some(),
        Form::Directives(directives) => reported.is_some_and(|text| {
            let mut reported: Vec<String> = text.split(',').map(|one| one.trim().to_lowercase()).collect();
            reported.sort();
            let mut right = directives.to_vec();
            right.sort_unstable();
            reported == right
        }),
    };
    bound(
        header.binding,
        trial.holds(response, fits, &format!("the header {}", header.name), || format!("{reported:?}")),
    )
}

fn status(trial: &Trial<'_>, response: &Response, fits: bool, expected: &str) -> Verdict {
    by_choice(trial, response, fits, expected)
}

fn by_choice(trial: &Trial<'_>, response: &Response, fits: bool, expected: &str) -> Verdict {
    bound(Binding::Choice, trial.shows(response, fits, expected))
}

fn misshapen(trial: &Trial<'_>, evidence: &(impl Evidence + ?Sized), bad: Misshapen) -> Stop {
    let place = if bad.pointer.is_empty() { "the body".to_owned() } else { bad.pointer };
    let stop =
        trial.failure(evidence, format!("{place}: {}", bad.expected), format!("{place} = {}", bad.actual));
    with_binding(bad.binding, stop)
}

fn bound(binding: Binding, verdict: Verdict) -> Verdict {
    verdict.map_err(|stop| with_binding(binding, stop))
}

fn with_binding(binding: Binding, stop: Stop) -> Stop {
    match stop {
        Stop::Failed(failure) => Failure { binding, ..*failure }.into(),
        other => other,
    }
}

/// Whether a service lists tokens in an answer of this kind.
pub(crate) fn tells_tokens(seen: &Seen) -> bool {
    seen.service == Service::Rest
        && seen.response.code() == 200
        && (seen.path.starts_with("/api/tokens")
            || ["/api/token", "/api/koti", "/api/eoti"].contains(&&*seen.path))
}
