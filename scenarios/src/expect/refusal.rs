//! Refusals: the status, the one error body of the service, and what no refusal may give away.
use serde_json::Value;

use crate::check::Verdict;
use crate::client::http::Response;
use crate::trial::Trial;

/// Marks of traces, source files, folders of the host and databases.
const TRACES: &[&[&str]] = &[
    &["panicked at", "stack backtrace", "Traceback (most recent", "RUST_BACKTRACE", "node_modules"],
    &[".rs:", ".js:", ".ts:", ".py:"],
    &["/home/", "/root/", "/usr/", "/var/", "/tmp/"],
    &["SELECT ", "sqlite"],
];

/// The body is `error` in words, `status` as the number, and `details` in words if at all.
pub(crate) fn body(trial: &Trial<'_>, response: &Response, code: u16) -> Verdict<Value> {
    let body = response
        .json()
        .ok_or_else(|| trial.failure(response, "an error body in JSON", response.excerpt()))?;
    let message = body.get("error").and_then(Value::as_str).unwrap_or_default();
    let details = body.get("details").is_none_or(Value::is_string);
    let repeated = body.get("status").and_then(Value::as_u64) == Some(u64::from(code));
    let expected = format!("an error body {{\"error\": text, \"details\"?: text, \"status\": {code}}}");
    trial.shows(response, !message.trim().is_empty() && details && repeated, &expected)?;
    Ok(body)
}

/// The answer holds no trace, path or any of the given secrets.
pub(crate) fn discreet<'a>(
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
    // The secret itself stays out of the report as well.
    trial.holds(response, !secrets.into_iter().any(reported), "no secret in a refusal", || {
        "a secret of the target is in the body".to_owned()
    })
}
