//! `POST` and `GET /api/tokens/batch`: several tokens by address.
//!
//! The limit of a request counts the addresses it sends, including duplicates; each distinct address is answered once.
use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, Uri};
use axum::response::Response;
use schemars::JsonSchema;
use serde::Serialize;

use super::row::{BATCH, HOLDERS, METRICS, SOCIALS, Shown, TokenRow, rows};
use crate::api::Api;
use crate::api::refusal::Refusal;
use crate::api::tokens::batch::MAXIMUM;
use crate::services::body;
use crate::services::http::json;
use crate::services::input::{Boolean, DefaultTo, Fields, Input, Query, Required, Strings, body_schema};
use crate::services::openapi::{Operation, Schemas};

/// Largest accepted body, in bytes.
const BODY_LIMIT: usize = 64 * 1024;

const QUERY_ADDRESSES: Input<Strings, Required> = addresses("must be addresses with commas between");
/// Clause: BATCH-REQ, BATCH-STRICT
const BODY_ADDRESSES: Input<Strings, Required> = addresses("must be an array of strings");
/// Clause: BATCH-METRICS
const INCLUDE_METRICS: Input<Boolean, DefaultTo<bool>> =
    include("includeMetrics", "include volume, price change and transaction counts");
/// Clause: BATCH-HOLDERS
const INCLUDE_HOLDERS: Input<Boolean, DefaultTo<bool>> =
    include("includeHolders", "include holder count and distribution");
/// Clause: BATCH-SOCIALS
const INCLUDE_SOCIALS: Input<Boolean, DefaultTo<bool>> = include("includeSocials", "include social links");

const fn addresses(rule: &'static str) -> Input<Strings, Required> {
    Input {
        name: "addresses",
        cause: "batch-addresses",
        meaning: "token addresses",
        kind: Strings { rule, max_items: MAXIMUM },
        presence: Required,
    }
}

const fn include(name: &'static str, meaning: &'static str) -> Input<Boolean, DefaultTo<bool>> {
    Input { name, cause: "batch-include", meaning, kind: Boolean, presence: DefaultTo(true) }
}

pub(super) fn get_operation(schemas: &mut Schemas) -> Operation {
    let mut addresses = QUERY_ADDRESSES.parameter();
    // An empty list and a list of one empty text are written alike, and neither is taken.
    addresses["schema"]["minItems"] = 1.into();
    addresses["schema"]["items"]["minLength"] = 1.into();
    Operation::get("getTokensInBatch", "Several tokens by address, with all of their fields")
        .takes_written(addresses)
        .serves("what was found", schemas.of::<TokenBatch<'_>>())
}

pub(super) fn post_operation(schemas: &mut Schemas) -> Operation {
    let body = body_schema(&[&BODY_ADDRESSES, &INCLUDE_METRICS, &INCLUDE_HOLDERS, &INCLUDE_SOCIALS]);
    Operation::post("postTokensInBatch", "Several tokens by address")
        .body("application/json", body, BODY_LIMIT)
        .serves("what was found", schemas.of::<TokenBatch<'_>>())
}

/// Clause: BATCH-SHAPE, BATCH-ERRORS
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct TokenBatch<'a> {
    #[schemars(with = "Vec<Shown<BATCH, { METRICS | HOLDERS | SOCIALS }>>")]
    tokens: Vec<TokenRow<'a>>,
    /// Addresses that are malformed or of no token, as they were sent.
    not_found: &'a [String],
    /// What went wrong on the way; empty.
    #[schemars(with = "Vec<String>")]
    errors: [&'static str; 0],
}

/// Clause: BATCH-GET, BATCH-LISTED
pub(super) async fn get(State(api): State<Arc<Api>>, uri: Uri) -> Result<Response, Refusal> {
    let addresses = Query::decode(&uri)?.read(&QUERY_ADDRESSES)?;
    answer(&api, &addresses, BATCH | METRICS | HOLDERS | SOCIALS)
}

/// Clause: BATCH-FLAGS
pub(super) async fn post(
    State(api): State<Arc<Api>>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Refusal> {
    let request = Fields::new(body::json_object(&headers, body, BODY_LIMIT).await?);
    let addresses = request.read(&BODY_ADDRESSES)?;
    let mut answers = BATCH;
    for (input, fields) in
        [(&INCLUDE_METRICS, METRICS), (&INCLUDE_HOLDERS, HOLDERS), (&INCLUDE_SOCIALS, SOCIALS)]
    {
        if request.read(input)? {
            answers |= fields;
        }
    }
    answer(&api, &addresses, answers)
}

/// Clause: BATCH-MAX
fn answer(api: &Api, addresses: &[String], answers: u8) -> Result<Response, Refusal> {
    if addresses.len() > MAXIMUM {
        return Err(Refusal::bad_input("batch-max", format!("addresses must be at most {MAXIMUM}"))
            .with_details(format!("got {}", addresses.len())));
    }
    let batch = api.batch(addresses);
    Ok(json(&TokenBatch { tokens: rows(&batch.found, answers), not_found: &batch.not_found, errors: [] }))
}
