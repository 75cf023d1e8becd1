//! Readiness, the clock, checkpoints, and waiting for the index.
use std::time::Duration;

use axum::body::Body;
use axum::extract::State;
use axum::http::Uri;
use axum::response::Response;
use serde_json::{Value, json};
use tokio::time::timeout;

use super::ControlState;
use super::order::Order;
use crate::api::capabilities::CHAINS;
use crate::api::refusal::Refusal;
use crate::engine::EngineError;
use crate::services::http::{PathParameter, json as answer};
use crate::services::parameters::{Field, Parameters, whole};

/// How long a caller is kept waiting for a part to answer or for a block to be indexed.
const LIMIT: Duration = Duration::from_secs(10);

pub(super) const CHAIN: Field =
    Field { name: "chainId", cause: "control-chain", rule: "must be 57073 or 4663" };
const BLOCK: Field =
    Field { name: "block", cause: "control-block", rule: "must be a whole number of at least 0" };

const SECONDS: Field =
    Field { name: "seconds", cause: "clock-seconds", rule: "must be a whole number of at least 0" };
const TIMESTAMP: Field =
    Field { name: "timestamp", cause: "clock-timestamp", rule: "must be a whole number of Unix seconds" };

/// A chain of the platform by its id.
pub(super) fn chain(text: &str) -> Option<u64> {
    whole(text).filter(|id| CHAINS.contains(id))
}

pub(super) async fn ready(State(control): State<ControlState>) -> Result<Response, Refusal> {
    let chains = timeout(LIMIT, control.engine.answering()).await;
    match chains {
        Ok(Ok(chains)) => Ok(answer(&json!({ "ready": true, "chains": chains }))),
        Ok(Err(error)) => Err(Refusal::unavailable("not-ready", not_ready(&error))),
        Err(_) => Err(Refusal::unavailable("not-ready", "a chain does not answer in time")),
    }
}

fn not_ready(error: &EngineError) -> String {
    match error {
        EngineError::Chain(error) => format!("chain {} does not answer", error.chain_id()),
        EngineError::Store(_) => "the store does not answer".to_owned(),
        _ => "a part does not answer".to_owned(),
    }
}

pub(super) async fn read(State(control): State<ControlState>) -> Response {
    now(control.engine.clock().now())
}

pub(super) async fn advance(State(control): State<ControlState>, body: Body) -> Result<Response, Refusal> {
    let order = Order::of(body, &[&SECONDS]).await?;
    let seconds = order.require(&SECONDS, Value::as_u64)?;
    moved(SECONDS, control.engine.advance(seconds).await)
}

pub(super) async fn set(State(control): State<ControlState>, body: Body) -> Result<Response, Refusal> {
    let order = Order::of(body, &[&TIMESTAMP]).await?;
    let timestamp = order.require(&TIMESTAMP, Value::as_u64)?;
    moved(TIMESTAMP, control.engine.set_time(timestamp).await)
}

/// What the clock shows after an order of this field, or why it was not moved.
fn moved(field: Field, shows: Result<u64, EngineError>) -> Result<Response, Refusal> {
    shows.map(now).map_err(|error| {
        let refusal = Refusal::from(error);
        if refusal.status == 400 {
            return Refusal { message: format!("{}: {}", field.name, refusal.message), ..refusal };
        }
        refusal
    })
}

fn now(seconds: u64) -> Response {
    answer(&json!({ "now": seconds }))
}

pub(super) async fn checkpoint(State(control): State<ControlState>) -> Result<Response, Refusal> {
    let id = control.engine.checkpoint().await?;
    Ok(answer(&json!({ "id": id })))
}

pub(super) async fn revert(
    State(control): State<ControlState>,
    PathParameter(id): PathParameter,
) -> Result<Response, Refusal> {
    let unknown = || Refusal::not_found("checkpoint-unknown", "no checkpoint has this id");
    let id = whole(&id).ok_or_else(unknown)?;
    control.engine.revert(id).await?;
    Ok(answer(&json!({ "id": id })))
}

pub(super) async fn indexed(State(control): State<ControlState>, uri: Uri) -> Result<Response, Refusal> {
    let parameters = Parameters::of(&uri)?;
    let chain_id = parameters.require(CHAIN, chain)?;
    let block = parameters.require(BLOCK, whole)?;
    let mut heights = control.engine.heights();
    let reached = heights.wait_for(|heights| heights.get(&chain_id).is_some_and(|height| *height >= block));
    match timeout(LIMIT, reached).await {
        Ok(Ok(_)) => Ok(answer(&json!({ "chainId": chain_id, "block": block }))),
        Ok(Err(_)) | Err(_) => Err(Refusal::unavailable("not-indexed", "the block is not indexed yet")),
    }
}
