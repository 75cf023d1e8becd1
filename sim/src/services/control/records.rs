//! The calls that need no engine: the journal, the defects and the faults.
use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::Uri;
use axum::response::Response;
use axum::routing::get;
use serde_json::{Value, json};

use super::{GET, GET_AND_SWITCH, faults};
use crate::api::Api;
use crate::api::refusal::Refusal;
use crate::defect::{Defect, Layer, catalogue};
use crate::services::http::{PathParameter, endpoint, json as answer};
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

/// The paths over what the dialects share.
pub(super) fn paths(api: &Arc<Api>) -> Router {
    Router::new()
        .route("/_sim/journal", endpoint(get(journal), GET))
        .route("/_sim/defects", endpoint(get(defects), GET))
        .route("/_sim/defects/{id}", endpoint(get(defect).put(turn_on).delete(turn_off), GET_AND_SWITCH))
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

async fn defects(State(api): State<Arc<Api>>) -> Response {
    let rows: Vec<_> = catalogue().iter().map(|defect| row(&api, defect)).collect();
    answer(&json!({ "defects": rows }))
}

async fn defect(State(api): State<Arc<Api>>, PathParameter(id): PathParameter) -> Result<Response, Refusal> {
    Ok(answer(&row(&api, &known(&id)?)))
}

async fn turn_on(State(api): State<Arc<Api>>, PathParameter(id): PathParameter) -> Result<Response, Refusal> {
    turn(&api, &id, true)
}

async fn turn_off(
    State(api): State<Arc<Api>>,
    PathParameter(id): PathParameter,
) -> Result<Response, Refusal> {
    turn(&api, &id, false)
}

fn turn(api: &Api, id: &str, on: bool) -> Result<Response, Refusal> {
    let defect = known(id)?;
    if !matches!(defect.layer, Layer::Rest | Layer::Swap) {
        return Err(Refusal::new(409, "defect-fixed", "this defect is chosen when its layer starts"));
    }
    api.defects.turn(id, on).map_err(|_| unknown())?;
    Ok(answer(&row(api, &defect)))
}

fn known(id: &str) -> Result<Defect, Refusal> {
    catalogue().into_iter().find(|defect| defect.id == id).ok_or_else(unknown)
}

fn unknown() -> Refusal {
    Refusal::not_found("defect-unknown", "no defect has this id")
}

fn row(api: &Api, defect: &Defect) -> Value {
    let layer = match defect.layer {
        Layer::Node => "node",
        Layer::Chain => "chain",
        Layer::Rest => "rest",
        Layer::Swap => "swap",
    };
    json!({
        "id": defect.id,
        "layer": layer,
        "summary": defect.summary,
        "clauses": defect.clauses,
        "on": api.defects.load().on(defect.id),
    })
}
