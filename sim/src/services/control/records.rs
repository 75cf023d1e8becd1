//! The calls that need no engine: the journal and the faults.
use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::Uri;
use axum::response::Response;
use axum::routing::get;
use serde_json::json;

use super::{GET, GET_AND_SWITCH, faults};
use crate::api::Api;
use crate::api::refusal::Refusal;
use crate::services::http::{endpoint, json as answer};
use crate::services::input::{COUNT, DefaultTo, Input, Optional, Query, Text, WholeNumber};

const AFTER: Input<WholeNumber, DefaultTo<u64>> = Input {
    name: "after",
    cause: "control-after",
    meaning: "number of the last entry that the caller knows",
    kind: COUNT,
    presence: DefaultTo(0),
};
const REQUEST_ID: Input<Text, Optional> = Input {
    name: "requestId",
    cause: "control-request-id",
    meaning: "only the entries of this request",
    kind: Text { rule: "must be the id of a request", schema: || json!({ "type": "string" }) },
    presence: Optional,
};

/// The paths that need the API only.
pub(super) fn paths(api: &Arc<Api>) -> Router {
    Router::new()
        .route("/_sim/journal", endpoint(get(journal), GET))
        .route("/_sim/faults", endpoint(get(faults::all), GET))
        .route(
            "/_sim/faults/{name}",
            endpoint(get(faults::one).put(faults::set).delete(faults::withdraw), GET_AND_SWITCH),
        )
        .with_state(Arc::clone(api))
}

async fn journal(State(api): State<Arc<Api>>, uri: Uri) -> Result<Response, Refusal> {
    let query = Query::decode(&uri)?;
    let after = query.read(&AFTER)?;
    let (mut entries, dropped) = api.journal.after(after);
    if let Some(id) = query.read(&REQUEST_ID)? {
        entries.retain(|entry| entry.request_id == *id);
    }
    Ok(answer(&json!({ "entries": entries, "last": api.journal.last(), "dropped": dropped })))
}
