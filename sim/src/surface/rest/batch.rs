//! `POST` and `GET /api/tokens/batch`: several tokens by address.
//!
//! A request is limited by the addresses it sends, repeated ones counted; each distinct address is answered once.
use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, Uri};
use axum::response::Response;
use serde::Serialize;
use serde_json::{Map, Value};

use super::row::{BATCH, HOLDERS, METRICS, Row, SOCIALS, rows};
use crate::api::Api;
use crate::api::refusal::Refusal;
use crate::api::tokens::batch::{MAXIMUM, batch};
use crate::surface::body;
use crate::surface::http::json;
use crate::surface::parameters::{Field, Parameters};

/// Largest body that is read, in bytes.
const BODY_LIMIT: usize = 64 * 1024;

const ADDRESSES: Field = Field {
    name: "addresses",
    cause: "batch-addresses",
    rule: "must be an array of strings",
};
const ADDRESSES_QUERY: Field = Field {
    name: "addresses",
    cause: "batch-addresses",
    rule: "must be addresses with commas between",
};

/// The include flags in the order of the documentation, each with the answer it adds.
const FLAGS: [(&str, u8); 3] = [
    ("includeMetrics", METRICS),
    ("includeHolders", HOLDERS),
    ("includeSocials", SOCIALS),
];

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Answer<'a> {
    tokens: Vec<Row<'a>>,
    not_found: &'a [String],
    errors: [&'static str; 0],
}

pub(super) async fn get(State(api): State<Arc<Api>>, uri: Uri) -> Result<Response, Refusal> {
    let parameters = Parameters::of(&uri)?;
    let text = parameters.text(ADDRESSES_QUERY.name)?.unwrap_or_default();
    if text.is_empty() {
        return Err(ADDRESSES_QUERY.missing());
    }
    let addresses: Vec<_> = text.split(',').map(str::to_owned).collect();
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
        return Err(
            Refusal::bad_input("batch-max", format!("addresses must be at most {MAXIMUM}"))
                .with_details(format!("got {}", addresses.len())),
        );
    }
    let batch = batch(&api.read(), api.clock.now(), addresses);
    Ok(json(&Answer {
        tokens: rows(&batch.found, answers),
        not_found: &batch.not_found,
        errors: [],
    }))
}

fn addresses(request: &Map<String, Value>) -> Result<Vec<String>, Refusal> {
    let Some(value) = request.get(ADDRESSES.name) else {
        return Err(ADDRESSES.missing());
    };
    let texts = value.as_array().and_then(|items| {
        items
            .iter()
            .map(|item| item.as_str().map(str::to_owned))
            .collect()
    });
    texts.ok_or_else(|| ADDRESSES.refuse(&value.to_string()))
}

fn included(request: &Map<String, Value>, name: &'static str) -> Result<bool, Refusal> {
    match request.get(name) {
        None => Ok(true),
        Some(Value::Bool(included)) => Ok(*included),
        Some(other) => Err(Field {
            name,
            cause: "batch-include",
            rule: "must be true or false",
        }
        .refuse(&other.to_string())),
    }
}
