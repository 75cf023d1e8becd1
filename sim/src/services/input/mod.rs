//! Inputs of operations: each structure declares query parameters, or fields of a JSON object or a form, only once. Requests are read into
//! it, and the OpenAPI document and the refusals are derived from it.
mod inputs;
pub(crate) mod kinds;
mod query;
mod reader;
pub(crate) mod time;

use axum::body::Body;
use axum::http::HeaderMap;
pub(crate) use inputs::{Declared, Inputs, without_citations};
pub(crate) use kinds::LARGEST;
pub(crate) use query::{Parameters, query};
pub(crate) use reader::{Sent, Values, read, whole_number};
use serde::Serialize;
use serde_json::{Map, Value};

use super::body;
use crate::api::refusal::Refusal;

/// Maximum number of characters of a refused value or name quoted to the caller.
const EXCERPT: usize = 80;

/// The part of a sent text that is quoted to the caller.
fn excerpt(text: &str) -> String {
    text.chars().take(EXCERPT).collect()
}

/// Reads a JSON body.
pub(crate) async fn json_body<T: Declared>(
    headers: &HeaderMap,
    body: Body,
    limit: usize,
) -> Result<T, Refusal> {
    read(&body::json_object(headers, body, limit).await?)
}

/// Reads an order of the control plane, or an object in it, and refuses other fields; null counts as absent. `prefix` is the path of the
/// object in the body, with a final point.
pub(crate) fn strict<T: Declared>(prefix: &str, mut members: Map<String, Value>) -> Result<T, Refusal> {
    let names: Vec<&str> = Inputs::of::<T>().names().collect();
    if let Some(other) = members.keys().find(|name| !names.contains(&name.as_str())) {
        let message = format!("{prefix}{} is not a field of this call", excerpt(other));
        return Err(Refusal::bad_input("control-field", message)
            .with_details(format!("it takes {}", names.join(", "))));
    }
    members.retain(|_, value| !value.is_null());
    read(&members).map_err(|refusal| Refusal { message: format!("{prefix}{}", refusal.message), ..refusal })
}

/// The word with which a value is sent.
pub(crate) fn word<T: Serialize>(value: T) -> String {
    serde_json::to_value(value).ok().and_then(|word| word.as_str().map(str::to_owned)).unwrap_or_default()
}
