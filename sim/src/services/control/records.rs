//! Records: the journal of answered requests, and transactions in words.
use std::sync::Arc;

use alloy::primitives::B256;
use axum::extract::State;
use axum::response::Response;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::api::Api;
use crate::api::refusal::Refusal;
use crate::services::http::{PathParameter, Served, json as answer};
use crate::services::input::Parameters;
use crate::services::input::kinds::Whole;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct JournalParameters {
    /// number of the last entry that the caller knows
    #[serde(default)]
    #[schemars(extend("x-cause" = "control-after"))]
    after: Whole,
    /// only the entries of this request
    #[schemars(extend("x-cause" = "control-request-id", "x-rule" = "must be the id of a request"))]
    request_id: Option<String>,
}

/// The journal's entries after a number.
pub(super) async fn journal(
    State(api): State<Arc<Api>>,
    Parameters(query): Parameters<JournalParameters>,
) -> Response {
    let (entries, dropped) = api.requests_after(query.after.0, query.request_id.as_deref());
    answer(&json!({ "entries": entries, "last": api.recorded().requests, "dropped": dropped }))
}

/// A mined transaction of either chain.
pub(super) async fn transaction(State(api): State<Arc<Api>>, PathParameter(hash): PathParameter) -> Served {
    let hash: B256 = hash.parse().map_err(|_| {
        Refusal::bad_input(
            "control-transaction",
            "hash must be a transaction's: 0x and 64 hexadecimal digits",
        )
    })?;
    let unknown =
        || Refusal::not_found("control-transaction", "no chain has a mined transaction of this hash");
    Ok(answer(&api.explain(hash).await?.ok_or_else(unknown)?))
}
