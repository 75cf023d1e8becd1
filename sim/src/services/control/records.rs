//! What needs no machine: the journal, the defects, and where the faults are.
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
use crate::services::parameters::{Field, Parameters, whole};

const AFTER: Field =
    Field { name: "after", cause: "control-after", rule: "must be a whole number of at least 0" };

/// The paths over what the dialects share.
pub(super) fn paths(api: &Arc<Api>) -> Router {
    Router::new()
        .route("/_sim/journal", endpoint(get(journal), GET))
        .route("/_sim/defects", endpoint(get(defects), GET))
        .route("/_sim/defects/{id}", endpoint(get(defect).put(turn_on).delete(turn_off), GET_AND_SWITCH))
        .route("/_sim/faults", endpoint(get(faults::all), GET))
        .route(
            "/_sim/faults/{name}",
            endpoint(get(faults::one).put(faults::order).delete(faults::withdraw), GET_AND_SWITCH),
        )
        .with_state(Arc::clone(api))
}

async fn journal(State(api): State<Arc<Api>>, uri: Uri) -> Result<Response, Refusal> {
    let parameters = Parameters::of(&uri)?;
    let after = parameters.read(AFTER, whole)?.unwrap_or(0);
    let (mut entries, dropped) = api.journal.after(after);
    if let Some(id) = parameters.text("requestId")? {
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
