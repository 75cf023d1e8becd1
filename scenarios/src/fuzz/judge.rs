//! Holding an answer to the document: its status, its headers, its media type and its body.
use reqwest::Method;
use serde_json::Value;

use super::document::{Document, ResponseSpec};
use super::plan::{Expected, Plan};
use crate::client::message::Response;

/// Statuses that report a wrong form of a request.
const FORM: [u16; 8] = [400, 405, 406, 411, 413, 414, 415, 422];

/// What the document demands, and what came instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mismatch {
    pub(super) expected: String,
    pub(super) actual: String,
}

pub(super) fn judge(document: &Document, plan: &Plan, answer: &Response) -> Result<(), Mismatch> {
    let status = answer.status.as_u16();
    if let Expected::Unrouted(methods) = &plan.expected {
        return unrouted(document, methods, answer);
    }
    let responses = &document.operations[plan.operation].responses;
    let Some(response) = responses.get(&status) else {
        let declared: Vec<String> = responses.keys().map(u16::to_string).collect();
        return mismatch(answer, format!("one of the declared statuses {}", declared.join(", ")));
    };
    let beyond_form = || answer.json().is_some_and(|body| beyond(response, &body));
    match plan.expected {
        Expected::Taken if FORM.contains(&status) && !beyond_form() => {
            return mismatch(answer, "that a request as the document has it is not refused for its form");
        }
        Expected::Refused if !(400..500).contains(&status) => {
            return mismatch(answer, "a refusal, a status from 400 to 499");
        }
        Expected::Unproven if !matches!(status, 401 | 403) => {
            return mismatch(answer, "401 or 403, as the proof is missing");
        }
        _ => {}
    }
    form(response, plan.method == Method::HEAD, answer)
}

fn beyond(response: &ResponseSpec, body: &Value) -> bool {
    body["error"].as_str().is_some_and(|message| response.beyond_form.contains(message))
}

fn unrouted(document: &Document, methods: &[String], answer: &Response) -> Result<(), Mismatch> {
    let status = answer.status.as_u16();
    if !matches!(status, 404 | 405) {
        return mismatch(answer, "404 or 405, as no operation is there");
    }
    if !methods.is_empty() {
        if status != 405 {
            return mismatch(answer, "405, as the path takes other methods");
        }
        let allow = answer.header("allow").unwrap_or_default();
        let reported: Vec<&str> = allow.split(',').map(str::trim).collect();
        let implied = |method: &str| {
            methods.iter().any(|one| one == method)
                || method == "OPTIONS"
                || (method == "HEAD" && methods.iter().any(|one| one == "GET"))
        };
        if methods.iter().any(|method| !reported.contains(&method.as_str()))
            || !reported.iter().all(|method| implied(method))
        {
            return mismatch(
                answer,
                format!("an Allow header that names {}, and not {allow:?}", methods.join(", ")),
            );
        }
    }
    document.unrouted.get(&status).map_or(Ok(()), |response| form(response, false, answer))
}

/// Headers, media type and body of an answer.
fn form(response: &ResponseSpec, only_head: bool, answer: &Response) -> Result<(), Mismatch> {
    for header in &response.headers {
        let Some(text) = answer.header(&header.name) else {
            if header.required {
                return mismatch(answer, format!("the header {}", header.name));
            }
            continue;
        };
        let number = text.parse::<i64>().ok().map(Value::from);
        let fits = header.shape.validator.is_valid(&text.into())
            || number.is_some_and(|number| header.shape.validator.is_valid(&number));
        if !fits {
            return mismatch(answer, format!("the header {} of another form than {text:?}", header.name));
        }
    }
    if only_head {
        return if answer.body.is_empty() {
            Ok(())
        } else {
            mismatch(answer, "no body, as only the head was asked for")
        };
    }
    if response.content.is_empty() {
        return if answer.body.is_empty() { Ok(()) } else { mismatch(answer, "no body") };
    }
    let reported = answer.header("content-type").unwrap_or_default();
    let media_type = reported.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let Some(validator) = response.content.get(&media_type) else {
        let declared: Vec<&str> = response.content.keys().map(String::as_str).collect();
        return mismatch(answer, format!("a body of {}, and not of {reported:?}", declared.join(", ")));
    };
    if !media_type.ends_with("json") {
        return Ok(());
    }
    let Some(body) = answer.json() else {
        return mismatch(answer, "a body that is JSON");
    };
    match validator.validate(&body) {
        Ok(()) => Ok(()),
        Err(error) => {
            let place = error.instance_path().to_string();
            let reason: String = error.to_string().chars().take(300).collect();
            mismatch(answer, format!("a body as its schema has it; at {place:?}: {reason}"))
        }
    }
}

fn mismatch(answer: &Response, expected: impl Into<String>) -> Result<(), Mismatch> {
    Err(Mismatch { expected: expected.into(), actual: answer.excerpt() })
}
