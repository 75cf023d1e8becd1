//! `GET /api/tokens/recent-v2`: the latest launches of one chain, with the whole record of each.
use std::sync::Arc;

use axum::extract::State;
use axum::http::Uri;
use axum::response::Response;
use serde::Serialize;

use super::row::{RECORD, Row, rows};
use crate::api::Api;
use crate::api::capabilities::CHAINS;
use crate::api::refusal::Refusal;
use crate::api::tokens::recent::{DEFAULT_LIMIT, MAXIMUM_LIMIT, recent};
use crate::surface::http::json;
use crate::surface::parameters::{Field, Parameters, whole, whole_within};

const CHAIN: Field = Field {
    name: "chainId",
    cause: "recent-chain",
    rule: "must be 57073 or 4663",
};
const LIMIT: Field = Field {
    name: "limit",
    cause: "recent-limit",
    rule: "must be a whole number from 1 to 50",
};
const OFFSET: Field = Field {
    name: "offset",
    cause: "recent-offset",
    rule: "must be a whole number of at least 0",
};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Answer<'a> {
    chain_id: u64,
    tokens: Vec<Row<'a>>,
    next_offset: Option<u64>,
}

pub(super) async fn get(State(api): State<Arc<Api>>, uri: Uri) -> Result<Response, Refusal> {
    let parameters = Parameters::of(&uri)?;
    let chain_id = parameters.require(CHAIN, chain)?;
    let limit = parameters
        .read(LIMIT, whole_within(1, MAXIMUM_LIMIT))?
        .unwrap_or(DEFAULT_LIMIT);
    let offset = parameters.read(OFFSET, whole)?.unwrap_or(0);
    let recent = recent(&api.read(), api.clock.now(), chain_id, limit, offset);
    Ok(json(&Answer {
        chain_id,
        tokens: rows(&recent.tokens, RECORD),
        next_offset: recent.next_offset,
    }))
}

/// A chain of the platform by its id.
pub(super) fn chain(text: &str) -> Option<u64> {
    whole(text).filter(|id| CHAINS.contains(id))
}
