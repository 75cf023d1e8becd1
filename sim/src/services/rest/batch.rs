//! `POST` and `GET /api/tokens/batch`: several tokens by address.
//!
//! The limit of a request counts the addresses it sends, including duplicates; each distinct address is answered once.
use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::HeaderMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::row::{BATCH, HOLDERS, METRICS, SOCIALS, Shown, TokenRow, rows};
use crate::api::Api;
use crate::api::refusal::Refusal;
use crate::api::tokens::batch::MAXIMUM;
use crate::services::http::{Served, json};
use crate::services::input::{Inputs, Parameters, json_body};
use crate::services::openapi::{Operation, Schemas};

/// Largest accepted body, in bytes.
const BODY_LIMIT: usize = 64 * 1024;

#[derive(Deserialize, JsonSchema)]
pub(super) struct BatchParameters {
    /// token addresses
    #[schemars(inner(length(min = 1)))]
    // An empty list is written like a list of one empty text, and both are refused.
    #[schemars(extend(
        "maxItems" = MAXIMUM,
        "minItems" = 1,
        "x-cause" = "batch-addresses",
        "x-rule" = "must be addresses with commas between"
    ))]
    addresses: Vec<String>,
}

/// Clause: BATCH-REQ, BATCH-STRICT, BATCH-METRICS, BATCH-HOLDERS, BATCH-SOCIALS
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct BatchRequest {
    /// token addresses
    #[schemars(length(max = MAXIMUM))]
    #[schemars(extend("x-cause" = "batch-addresses", "x-rule" = "must be an array of strings"))]
    addresses: Vec<String>,
    /// include volume, price change and transaction counts
    #[serde(default = "yes")]
    #[schemars(extend("x-cause" = "batch-include"))]
    include_metrics: bool,
    /// include holder count and distribution
    #[serde(default = "yes")]
    #[schemars(extend("x-cause" = "batch-include"))]
    include_holders: bool,
    /// include social links
    #[serde(default = "yes")]
    #[schemars(extend("x-cause" = "batch-include"))]
    include_socials: bool,
}

fn yes() -> bool {
    true
}

pub(super) fn get_operation(schemas: &mut Schemas) -> Operation {
    Operation::get("getTokensInBatch", "Several tokens by address, with all of their fields")
        .asks::<BatchParameters>()
        .serves("what was found", schemas.of::<TokenBatch<'_>>())
}

pub(super) fn post_operation(schemas: &mut Schemas) -> Operation {
    Operation::post("postTokensInBatch", "Several tokens by address")
        .sends::<BatchRequest>("application/json", BODY_LIMIT)
        .serves("what was found", schemas.of::<TokenBatch<'_>>())
}

/// Clause: BATCH-SHAPE, BATCH-ERRORS
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct TokenBatch<'a> {
    #[schemars(with = "Vec<Shown<BATCH, { METRICS | HOLDERS | SOCIALS }>>")]
    tokens: Vec<TokenRow<'a>>,
    /// Malformed and unknown addresses, as they were sent.
    not_found: &'a [String],
    /// Errors on the way; always empty.
    #[schemars(with = "Vec<String>")]
    errors: [&'static str; 0],
}

/// Clause: BATCH-GET, BATCH-LISTED
pub(super) async fn get(
    State(api): State<Arc<Api>>,
    Parameters(query): Parameters<BatchParameters>,
) -> Served {
    if query.addresses.is_empty() {
        return Err(Inputs::of::<BatchParameters>().missing("addresses"));
    }
    answer(&api, &query.addresses, BATCH | METRICS | HOLDERS | SOCIALS)
}

/// Clause: BATCH-FLAGS
pub(super) async fn post(State(api): State<Arc<Api>>, headers: HeaderMap, body: Body) -> Served {
    let request: BatchRequest = json_body(&headers, body, BODY_LIMIT).await?;
    let included = |is_included: bool, fields| if is_included { fields } else { 0 };
    let answers = BATCH
        | included(request.include_metrics, METRICS)
        | included(request.include_holders, HOLDERS)
        | included(request.include_socials, SOCIALS);
    answer(&api, &request.addresses, answers)
}

/// Clause: BATCH-MAX
fn answer(api: &Api, addresses: &[String], answers: u8) -> Served {
    if addresses.len() > MAXIMUM {
        return Err(Refusal::bad_input("batch-max", format!("addresses must be at most {MAXIMUM}"))
            .with_details(format!("got {}", addresses.len())));
    }
    let batch = api.batch(addresses);
    Ok(json(&TokenBatch { tokens: rows(&batch.found, answers), not_found: &batch.not_found, errors: [] }))
}
