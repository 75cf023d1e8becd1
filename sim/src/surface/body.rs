//! Request bodies, read up to a limit and only as what they say they are.
use axum::body::Body;
use axum::http::{HeaderMap, header};
use futures::StreamExt;
use serde_json::{Map, Value};

use crate::api::refusal::Refusal;

/// A body that says it is JSON and is an object of at most `limit` bytes.
pub async fn json_object(
    headers: &HeaderMap,
    body: Body,
    limit: usize,
) -> Result<Map<String, Value>, Refusal> {
    if !says_json(headers) {
        return Err(Refusal::unsupported_media(
            "body-content-type",
            "Content-Type must be application/json",
        ));
    }
    let announced = headers
        .get(header::CONTENT_LENGTH)
        .and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
    if announced.is_some_and(|length| length > limit) {
        return Err(too_large(limit));
    }
    let bytes = bounded(body, limit).await?;
    match serde_json::from_slice(&bytes) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err(Refusal::bad_input("body-json", "the body must be a JSON object")),
        Err(error) => {
            Err(Refusal::bad_input("body-json", "the body is not JSON").with_details(error.to_string()))
        }
    }
}

fn says_json(headers: &HeaderMap) -> bool {
    let value = headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok());
    let essence = value.map(|value| value.split(';').next().unwrap_or_default().trim());
    essence.is_some_and(|essence| essence.eq_ignore_ascii_case("application/json"))
}

/// The bytes of a body, at most `limit`.
pub async fn bounded(body: Body, limit: usize) -> Result<Vec<u8>, Refusal> {
    let mut bytes = Vec::new();
    let mut chunks = body.into_data_stream();
    while let Some(chunk) = chunks.next().await {
        let chunk =
            chunk.map_err(|_| Refusal::bad_input("body-broken", "the body ended before it was complete"))?;
        if bytes.len() + chunk.len() > limit {
            return Err(too_large(limit));
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}

fn too_large(limit: usize) -> Refusal {
    Refusal::too_large("body-size", format!("the body is larger than {limit} bytes"))
}
