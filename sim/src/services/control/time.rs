//! Readiness, the clock, checkpoints, and waiting for the index.
use std::time::Duration;

use axum::body::Body;
use axum::extract::State;
use axum::http::Uri;
use axum::response::Response;
use serde_json::json;
use tokio::time::timeout;

use super::ControlState;
use super::order;
use crate::api::refusal::{Reason, Refusal};
use crate::services::http::{PathParameter, json as answer};
use crate::services::input::kind::whole_number;
use crate::services::input::{
    ANY_NUMBER, COUNT, Custom, Input, KnownChain, Optional, Query, Required, WholeNumber,
};

/// How long a request waits for a part of the platform to respond, or for a block to be indexed.
const WAIT_LIMIT: Duration = Duration::from_secs(10);

/// Longest name of a checkpoint, in characters.
const LONGEST_NAME: usize = 100;

pub(super) const CHAIN: Input<KnownChain, Required> =
    Input { name: "chainId", cause: "control-chain", meaning: "chain", kind: KnownChain, presence: Required };
pub(super) const BLOCK: Input<WholeNumber, Required> = Input {
    name: "block",
    cause: "control-block",
    meaning: "block to wait for",
    kind: COUNT,
    presence: Required,
};
pub(super) const FILE: Input<Custom<String>, Optional> = Input {
    name: "file",
    cause: "export-file",
    meaning: "name of the export in the folder of `--export`; its file when absent",
    kind: Custom {
        parse: |text| is_bare_name(text).then(|| text.to_owned()),
        rule: "must be a bare file name: a letter or digit, then letters, digits, dots, dashes and underscores, at most 100",
        schema: || json!({ "type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$" }),
    },
    presence: Optional,
};
pub(super) const SECONDS: Input<WholeNumber, Required> = Input {
    name: "seconds",
    cause: "clock-seconds",
    meaning: "how far the clock moves",
    kind: ANY_NUMBER,
    presence: Required,
};
pub(super) const NAME: Input<Custom<String>, Optional> = Input {
    name: "name",
    cause: "checkpoint-name",
    meaning: "what the checkpoint is called",
    kind: Custom {
        parse: |text| (1..=LONGEST_NAME).contains(&text.chars().count()).then(|| text.to_owned()),
        rule: "must have 1 to 100 characters",
        schema: || json!({ "type": "string", "minLength": 1, "maxLength": LONGEST_NAME }),
    },
    presence: Optional,
};
pub(super) const TIMESTAMP: Input<WholeNumber, Required> = Input {
    name: "timestamp",
    cause: "clock-timestamp",
    meaning: "what the clock shall show, Unix seconds",
    kind: ANY_NUMBER,
    presence: Required,
};

pub(super) async fn ready(State(control): State<ControlState>) -> Result<Response, Refusal> {
    let chains = timeout(WAIT_LIMIT, control.api.ready()).await;
    match chains {
        Ok(Ok(chains)) => Ok(answer(&json!({ "ready": true, "chains": chains }))),
        Ok(Err(report)) => Err(Refusal::unavailable("not-ready", report)),
        Err(_) => Err(Refusal::unavailable("not-ready", "a chain does not answer in time")),
    }
}

pub(super) async fn platform(State(control): State<ControlState>) -> Response {
    answer(&*control.line)
}

pub(super) async fn read(State(control): State<ControlState>) -> Response {
    now(control.api.now())
}

pub(super) async fn advance(State(control): State<ControlState>, body: Body) -> Result<Response, Refusal> {
    let seconds = order(body, &[&SECONDS]).await?.read(&SECONDS)?;
    moved(SECONDS.name, control.api.advance(seconds).await)
}

pub(super) async fn set(State(control): State<ControlState>, body: Body) -> Result<Response, Refusal> {
    let timestamp = order(body, &[&TIMESTAMP]).await?.read(&TIMESTAMP)?;
    moved(TIMESTAMP.name, control.api.set_time(timestamp).await)
}

/// The clock's time after an order, or a refusal that contains the field.
fn moved(field: &str, shows: Result<u64, Refusal>) -> Result<Response, Refusal> {
    shows.map(now).map_err(|refusal| {
        if refusal.reason == Reason::BadInput {
            return Refusal { message: format!("{field}: {}", refusal.message), ..refusal };
        }
        refusal
    })
}

fn now(seconds: u64) -> Response {
    answer(&json!({ "now": seconds }))
}

pub(super) async fn checkpoint(State(control): State<ControlState>, body: Body) -> Result<Response, Refusal> {
    let name = order(body, &[&NAME]).await?.read(&NAME)?;
    let id = control.api.checkpoint(name).await?;
    Ok(answer(&json!({ "id": id })))
}

pub(super) async fn checkpoints(State(control): State<ControlState>) -> Response {
    answer(&json!({
        "checkpoints": control.api.checkpoints().await,
        "imported": control.api.imported_checkpoints().await,
    }))
}

pub(super) async fn revert(
    State(control): State<ControlState>,
    PathParameter(id): PathParameter,
) -> Result<Response, Refusal> {
    let id = checkpoint_id(&id)?;
    control.api.revert(id).await?;
    Ok(answer(&json!({ "id": id })))
}

pub(super) async fn discard(
    State(control): State<ControlState>,
    PathParameter(id): PathParameter,
) -> Result<Response, Refusal> {
    let id = checkpoint_id(&id)?;
    control.api.discard(id).await?;
    Ok(answer(&json!({ "id": id })))
}

fn checkpoint_id(text: &str) -> Result<u64, Refusal> {
    whole_number(text).ok_or_else(|| Refusal::not_found("checkpoint-unknown", "no checkpoint has this id"))
}

/// Whether this is a file name without a folder.
fn is_bare_name(text: &str) -> bool {
    text.len() <= 100
        && text.starts_with(|first: char| first.is_ascii_alphanumeric())
        && text.chars().all(|each| each.is_ascii_alphanumeric() || "._-".contains(each))
}

pub(super) async fn export(State(control): State<ControlState>, body: Body) -> Result<Response, Refusal> {
    let name = order(body, &[&FILE]).await?.read(&FILE)?;
    let (file, bytes) = control.api.export(name.as_deref()).await?;
    Ok(answer(&json!({ "file": file, "bytes": bytes })))
}

pub(super) async fn indexed(State(control): State<ControlState>, uri: Uri) -> Result<Response, Refusal> {
    let query = Query::decode(&uri)?;
    let chain_id = query.read(&CHAIN)?;
    let block = query.read(&BLOCK)?;
    if !control.api.indexed(chain_id, block, WAIT_LIMIT).await {
        return Err(Refusal::unavailable("not-indexed", "the block is not indexed yet"));
    }
    Ok(answer(&json!({ "chainId": chain_id, "block": block })))
}
