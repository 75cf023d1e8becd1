//! `POST` and `GET /api/tokens/batch`: several tokens by address.
//!
//! A request is limited by the addresses it sends, repeated ones counted; each distinct address is answered once.
use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, Uri};
use axum::response::Response;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json as value};

use super::row::{BATCH, HOLDERS, METRICS, Row, SOCIALS, Shown, rows};
use crate::api::Api;
use crate::api::refusal::Refusal;
use crate::api::tokens::batch::{MAXIMUM, batch};
use crate::services::body;
use crate::services::form::{Parameter, Read, Required};
use crate::services::http::json;
use crate::services::openapi::{Operation, Shapes};
use crate::services::parameters::{Field, Parameters};

/// Largest body that is read, in bytes.
const BODY_LIMIT: usize = 64 * 1024;

const ADDRESSES: Field =
    Field { name: "addresses", cause: "batch-addresses", rule: "must be an array of strings" };
const ADDRESSES_QUERY: Parameter<Read<Vec<String>>, Required> = Parameter {
    name: "addresses",
    cause: "batch-addresses",
    meaning: "token addresses",
    form: Read {
        read: |text| (!text.is_empty()).then(|| text.split(',').map(str::to_owned).collect()),
        rule: "must be addresses with commas between",
        schema: addresses_schema,
    },
    absent: Required,
};

fn addresses_schema() -> Value {
    value!({ "type": "array", "items": { "type": "string" }, "maxItems": MAXIMUM })
}

pub(super) fn get_described(shapes: &mut Shapes) -> Operation {
    let mut addresses = ADDRESSES_QUERY.described();
    addresses["schema"]["minItems"] = 1.into();
    Operation::get("getTokensInBatch", "Several tokens by address, with all of their fields")
        .takes_written(addresses)
        .serves("what was found", shapes.of::<Answer<'_>>())
}

pub(super) fn post_described(shapes: &mut Shapes) -> Operation {
    let mut properties = Map::new();
    properties.insert(ADDRESSES.name.to_owned(), addresses_schema());
    for (name, _) in FLAGS {
        properties.insert(name.to_owned(), value!({ "type": "boolean", "default": true }));
    }
    let body = value!({ "type": "object", "properties": properties, "required": [ADDRESSES.name] });
    Operation::post("postTokensInBatch", "Several tokens by address")
        .body("application/json", body, BODY_LIMIT)
        .serves("what was found", shapes.of::<Answer<'_>>())
}

/// The include flags in the order of the documentation, each with the answer it adds.
const FLAGS: [(&str, u8); 3] =
    [("includeMetrics", METRICS), ("includeHolders", HOLDERS), ("includeSocials", SOCIALS)];

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "TokenBatch")]
struct Answer<'a> {
    #[schemars(with = "Vec<Shown<BATCH, { METRICS | HOLDERS | SOCIALS }>>")]
    tokens: Vec<Row<'a>>,
    /// Addresses that are malformed or of no token, as they were sent.
    not_found: &'a [String],
    /// What went wrong on the way; empty.
    #[schemars(with = "Vec<String>")]
    errors: [&'static str; 0],
}

pub(super) async fn get(State(api): State<Arc<Api>>, uri: Uri) -> Result<Response, Refusal> {
    let addresses = Parameters::of(&uri)?.take(&ADDRESSES_QUERY)?;
    answer(&api, &addresses, BATCH | METRICS | HOLDERS | SOCIALS)
}

pub(super) async fn post(
    State(api): State<Arc<Api>>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Refusal> {
    let request = body::json_object(&headers, body, BODY_LIMIT).await?;
    let addresses = addresses(&request)?;
    let mut answers = BATCH;
    for (name, fields) in FLAGS {
        if included(&request, name)? {
            answers |= fields;
        }
    }
    answer(&api, &addresses, answers)
}

fn answer(api: &Api, addresses: &[String], answers: u8) -> Result<Response, Refusal> {
    if addresses.len() > MAXIMUM {
        return Err(Refusal::bad_input("batch-max", format!("addresses must be at most {MAXIMUM}"))
            .with_details(format!("got {}", addresses.len())));
    }
    let batch = batch(&api.read(), api.clock.now(), addresses);
    Ok(json(&Answer { tokens: rows(&batch.found, answers), not_found: &batch.not_found, errors: [] }))
}

fn addresses(request: &Map<String, Value>) -> Result<Vec<String>, Refusal> {
    let Some(value) = request.get(ADDRESSES.name) else {
        return Err(ADDRESSES.missing());
    };
    let texts = value
        .as_array()
        .and_then(|items| items.iter().map(|item| item.as_str().map(str::to_owned)).collect());
    texts.ok_or_else(|| ADDRESSES.refuse(&value.to_string()))
}

fn included(request: &Map<String, Value>, name: &'static str) -> Result<bool, Refusal> {
    match request.get(name) {
        None => Ok(true),
        Some(Value::Bool(included)) => Ok(*included),
        Some(other) => {
            Err(Field { name, cause: "batch-include", rule: "must be true or false" }
                .refuse(&other.to_string()))
        }
    }
}
