//! What has happened: the journal of answered requests, and transactions in words.
use std::sync::Arc;

use alloy::primitives::B256;
use axum::extract::State;
use axum::http::Uri;
use axum::response::Response;
use serde_json::json;

use crate::api::Api;
use crate::api::refusal::Refusal;
use crate::services::http::{PathParameter, json as answer};
use crate::services::input::{COUNT, Custom, DefaultTo, Input, Optional, Query, WholeNumber, text};

pub(super) const AFTER: Input<WholeNumber, DefaultTo<u64>> = Input {
    name: "after",
    cause: "control-after",
    meaning: "number of the last entry that the caller knows",
    kind: COUNT,
    presence: DefaultTo(0),
};
pub(super) const REQUEST_ID: Input<Custom<String>, Optional> = Input {
    name: "requestId",
    cause: "control-request-id",
    meaning: "only the entries of this request",
    kind: text("must be the id of a request", || json!({ "type": "string" })),
    presence: Optional,
};

/// The entries after a number.
pub(super) async fn journal(State(api): State<Arc<Api>>, uri: Uri) -> Result<Response, Refusal> {
    let query = Query::decode(&uri)?;
    let after = query.read(&AFTER)?;
    let (mut entries, dropped) = api.requests_after(after);
    if let Some(id) = query.read(&REQUEST_ID)? {
        entries.retain(|entry| entry.request_id == *id);
    }
    Ok(answer(&json!({ "entries": entries, "last": api.recorded().requests, "dropped": dropped })))
}

/// A mined transaction of either chain.
pub(super) async fn transaction(
    State(api): State<Arc<Api>>,
    PathParameter(hash): PathParameter,
) -> Result<Response, Refusal> {
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
