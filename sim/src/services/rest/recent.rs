//! `GET /api/tokens/recent-v2`: the latest launches of one chain, with the full record of each.
use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::row::{RECORD, Shown, TokenRow, rows};
use crate::api::Api;
use crate::api::capabilities::CHAINS;
use crate::api::tokens::recent::{DEFAULT_LIMIT, MAXIMUM_LIMIT};
use crate::services::http::json;
use crate::services::input::Parameters;
use crate::services::input::kinds::{KnownChain, Whole};
use crate::services::openapi::{Operation, Schemas};

/// Clause: RECENT-CHAIN, RECENT-IDENTITY, RECENT-LIMIT, RECENT-OFFSET, RECENT-ORDER
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct RecentParameters {
    /// chain of the launches
    #[schemars(extend("x-cause" = "recent-chain"))]
    chain_id: KnownChain,
    /// rows of the answer
    #[serde(default)]
    #[schemars(extend("x-cause" = "recent-limit"))]
    limit: Whole<1, MAXIMUM_LIMIT, DEFAULT_LIMIT>,
    /// rows to skip
    #[serde(default)]
    #[schemars(extend("x-cause" = "recent-offset"))]
    offset: Whole,
}

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
        .asks::<RecentParameters>()
        .serves("launches, the latest first", schemas.of::<RecentLaunches<'_>>())
}

pub(super) async fn get(
    State(api): State<Arc<Api>>,
    Parameters(query): Parameters<RecentParameters>,
) -> Response {
    let chain_id = query.chain_id.0;
    let recent = api.recent(chain_id, query.limit.0, query.offset.0);
    json(&RecentLaunches { chain_id, tokens: rows(&recent.tokens, RECORD), next_offset: recent.next_offset })
}
