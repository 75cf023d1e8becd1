//! `GET /api/tokens/recent-v2`: the latest launches of one chain, with the full record of each.
use std::sync::Arc;

use axum::extract::State;
use axum::http::Uri;
use axum::response::Response;
use schemars::JsonSchema;
use serde::Serialize;

use super::row::{RECORD, Shown, TokenRow, rows};
use crate::api::Api;
use crate::api::capabilities::CHAINS;
use crate::api::refusal::Refusal;
use crate::api::tokens::recent::{DEFAULT_LIMIT, MAXIMUM_LIMIT};
use crate::services::http::json;
use crate::services::input::{COUNT, DefaultTo, Input, KnownChain, Query, Required, WholeNumber};
use crate::services::openapi::{Operation, Schemas};

/// Clause: RECENT-CHAIN, RECENT-IDENTITY
const CHAIN: Input<KnownChain, Required> = Input {
    name: "chainId",
    cause: "recent-chain",
    meaning: "chain of the launches",
    kind: KnownChain,
    presence: Required,
};
/// Clause: RECENT-LIMIT
const LIMIT: Input<WholeNumber, DefaultTo<u64>> = Input {
    name: "limit",
    cause: "recent-limit",
    meaning: "rows of the answer",
    kind: WholeNumber { min: 1, max: MAXIMUM_LIMIT },
    presence: DefaultTo(DEFAULT_LIMIT),
};
/// Clause: RECENT-OFFSET, RECENT-ORDER
const OFFSET: Input<WholeNumber, DefaultTo<u64>> = Input {
    name: "offset",
    cause: "recent-offset",
    meaning: "rows to skip",
    kind: COUNT,
    presence: DefaultTo(0),
};

/// Clause: RECENT-SHAPE
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct RecentLaunches<'a> {
    #[schemars(extend("enum" = CHAINS))]
    chain_id: u64,
    #[schemars(with = "Vec<Shown<RECORD>>")]
    tokens: Vec<TokenRow<'a>>,
    /// Where the next page begins when this one is full.
    next_offset: Option<u64>,
}

pub(super) fn operation(schemas: &mut Schemas) -> Operation {
    Operation::get("getRecentLaunches", "The latest launches of a chain, with the whole record of each")
        .takes(&CHAIN)
        .takes(&LIMIT)
        .takes(&OFFSET)
        .serves("launches, the latest first", schemas.of::<RecentLaunches<'_>>())
}

pub(super) async fn get(State(api): State<Arc<Api>>, uri: Uri) -> Result<Response, Refusal> {
    let parameters = Query::decode(&uri)?;
    let chain_id = parameters.read(&CHAIN)?;
    let limit = parameters.read(&LIMIT)?;
    let offset = parameters.read(&OFFSET)?;
    let recent = api.recent(chain_id, limit, offset);
    Ok(json(&RecentLaunches {
        chain_id,
        tokens: rows(&recent.tokens, RECORD),
        next_offset: recent.next_offset,
    }))
}
