//! Exports the requests of the timeline as an HTTP Archive, version 1.2 (w3c.github.io/web-performance/specs/HAR/Overview.html).
use std::sync::Arc;

use axum::extract::State;
use axum::http::{StatusCode, Uri, header};
use axum::response::IntoResponse;
use serde_json::{Value, json};

use super::timeline::Filter;
use super::{Console, opened};
use crate::api::record::{Exchange, Message};
use crate::services::http::Served;
use crate::services::input::query;

/// Unknown sizes in the format.
const UNKNOWN: i64 = -1;

/// The exchanges with the services that the timeline's filter accepts, oldest first.
pub(super) async fn get(State(console): State<Arc<Console>>, uri: Uri) -> Served {
    let filter: Filter = query(&uri)?;
    let all = console.api.latest_requests();
    let entries = all.iter().filter(|exchange| filter.accepts(exchange));
    let log = json!({
        "log": {
            "version": "1.2",
            "creator": { "name": "slipway", "version": env!("CARGO_PKG_VERSION") },
            "entries": entries.map(|exchange| entry(&console, exchange)).collect::<Vec<_>>(),
        },
    });
    let kinds = [
        (header::CONTENT_TYPE, "application/json"),
        (header::CONTENT_DISPOSITION, "attachment; filename=\"timeline.har\""),
    ];
    Ok((kinds, log.to_string()).into_response())
}

fn entry(console: &Console, exchange: &Exchange) -> Value {
    let Exchange { entry, request, response, calls, .. } = exchange;
    let url = opened::url(console, exchange);
    // Whole microseconds, as milliseconds with three digits.
    let milliseconds: Value =
        serde_json::from_str(&format!("{}.{:03}", entry.microseconds / 1000, entry.microseconds % 1000))
            .unwrap_or_default();
    let pairs = url::form_urlencoded::parse(url.split_once('?').map_or("", |(_, query)| query).as_bytes());
    let query: Vec<_> = pairs.map(|(name, value)| json!({ "name": name, "value": value })).collect();
    let mut sent = json!({
        "method": entry.method,
        "url": url,
        "httpVersion": "HTTP/1.1",
        "cookies": [],
        "headers": headers(request),
        "queryString": query,
        "headersSize": UNKNOWN,
        "bodySize": size(request),
    });
    if !request.body.is_empty() {
        sent["postData"] = json!({ "mimeType": kind(request), "text": text(request) });
    }
    let calls = calls.calls.iter().map(|call| {
        json!({ "chainId": call.chain_id, "method": call.method, "params": call.params,
            "microseconds": call.microseconds, "error": call.error })
    });
    json!({
        "startedDateTime": opened::began(exchange).unwrap_or_default().to_string(),
        "time": milliseconds,
        "request": sent,
        "response": {
            "status": entry.status,
            "statusText": StatusCode::from_u16(entry.status).ok().and_then(|status| status.canonical_reason()).unwrap_or(""),
            "httpVersion": "HTTP/1.1",
            "cookies": [],
            "headers": headers(response),
            "content": { "size": response.size.unwrap_or_default(), "mimeType": kind(response), "text": text(response) },
            "redirectURL": response.header("location").unwrap_or(""),
            "headersSize": UNKNOWN,
            "bodySize": size(response),
        },
        "cache": {},
        "timings": { "send": 0, "wait": milliseconds, "receive": 0 },
        "_service": entry.service,
        "_cause": entry.cause,
        "_requestId": entry.request_id,
        "_platformTime": entry.at,
        "_nodeCalls": calls.collect::<Vec<_>>(),
    })
}

fn headers(message: &Message) -> Value {
    message.headers().map(|(name, value)| json!({ "name": name, "value": value })).collect()
}

fn size(message: &Message) -> i64 {
    message.size.and_then(|size| i64::try_from(size).ok()).unwrap_or(UNKNOWN)
}

fn kind(message: &Message) -> &str {
    message.header("content-type").unwrap_or("")
}

fn text(message: &Message) -> String {
    String::from_utf8_lossy(&message.body).into_owned()
}
