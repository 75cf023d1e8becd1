//! Readiness, the clock, checkpoints, and waiting for the index.
use std::time::Duration;

use axum::extract::State;
use axum::response::Response;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use tokio::time::timeout;

use super::{ControlState, Order};
use crate::api::refusal::{Reason, Refusal};
use crate::services::http::{PathParameter, Served, json as answer};
use crate::services::input::kinds::{KnownChain, Text, Whole};
use crate::services::input::{Parameters, whole_number};

/// Time limit for a part of the platform to respond, or for a block to be indexed.
const WAIT_LIMIT: Duration = Duration::from_secs(10);

/// Longest name of a checkpoint, in characters.
const LONGEST_NAME: usize = 100;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct IndexedParameters {
    /// chain
    #[schemars(extend("x-cause" = "control-chain"))]
    chain_id: KnownChain,
    /// block to wait for
    #[schemars(extend("x-cause" = "control-block"))]
    block: Whole,
}

const FILE_NAME: &str = "must be a bare file name: a letter or digit, then letters, digits, dots, dashes and underscores, at most 100";

/// The name of a file without a folder.
#[derive(Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(with = "String", extend("pattern" = "^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$", "x-rule" = FILE_NAME))]
struct BareName(String);

impl TryFrom<String> for BareName {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        if is_bare_name(&text) { Ok(Self(text)) } else { Err(FILE_NAME) }
    }
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct ExportOrder {
    /// name of the export in the folder of `--export`; its file when absent
    #[schemars(extend("x-cause" = "export-file"))]
    file: Option<BareName>,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct AdvanceOrder {
    /// number of seconds by which the clock moves
    #[schemars(extend("x-cause" = "clock-seconds"))]
    seconds: Whole<0, { u64::MAX }>,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct CheckpointOrder {
    /// name of the checkpoint
    #[schemars(extend("x-cause" = "checkpoint-name", "x-rule" = "must have 1 to 100 characters"))]
    name: Option<Text<1, LONGEST_NAME>>,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct TimeOrder {
    /// new time of the clock, Unix seconds
    #[schemars(extend("x-cause" = "clock-timestamp"))]
    timestamp: Whole<0, { u64::MAX }>,
}

pub(super) async fn ready(State(control): State<ControlState>) -> Served {
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

pub(super) async fn advance(
    State(control): State<ControlState>,
    Order(order): Order<AdvanceOrder>,
) -> Served {
    moved("seconds", control.api.advance(order.seconds.0).await)
}

pub(super) async fn set(State(control): State<ControlState>, Order(order): Order<TimeOrder>) -> Served {
    moved("timestamp", control.api.set_time(order.timestamp.0).await)
}

/// The clock's new time, or the refusal with the name of the field.
fn moved(field: &str, shows: Result<u64, Refusal>) -> Served {
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

pub(super) async fn checkpoint(
    State(control): State<ControlState>,
    Order(order): Order<CheckpointOrder>,
) -> Served {
    let id = control.api.checkpoint(order.name.map(|name| name.0)).await?;
    Ok(answer(&json!({ "id": id })))
}

pub(super) async fn checkpoints(State(control): State<ControlState>) -> Response {
    answer(&json!({
        "checkpoints": control.api.checkpoints().await,
        "imported": control.api.imported_checkpoints().await,
    }))
}

pub(super) async fn revert(State(control): State<ControlState>, PathParameter(id): PathParameter) -> Served {
    let id = checkpoint_id(&id)?;
    control.api.revert(id).await?;
    Ok(answer(&json!({ "id": id })))
}

pub(super) async fn discard(State(control): State<ControlState>, PathParameter(id): PathParameter) -> Served {
    let id = checkpoint_id(&id)?;
    control.api.discard(id).await?;
    Ok(answer(&json!({ "id": id })))
}

fn checkpoint_id(text: &str) -> Result<u64, Refusal> {
    whole_number(text).ok_or_else(|| Refusal::not_found("checkpoint-unknown", "no checkpoint has this id"))
}

/// Whether a text is a file name without a folder.
fn is_bare_name(text: &str) -> bool {
    text.len() <= 100
        && text.starts_with(|first: char| first.is_ascii_alphanumeric())
        && text.chars().all(|each| each.is_ascii_alphanumeric() || "._-".contains(each))
}

pub(super) async fn export(State(control): State<ControlState>, Order(order): Order<ExportOrder>) -> Served {
    let (file, bytes) = control.api.export(order.file.as_ref().map(|name| &*name.0)).await?;
    Ok(answer(&json!({ "file": file, "bytes": bytes })))
}

pub(super) async fn indexed(
    State(control): State<ControlState>,
    Parameters(query): Parameters<IndexedParameters>,
) -> Served {
    let (chain_id, block) = (query.chain_id.0, query.block.0);
    if !control.api.indexed(chain_id, block, WAIT_LIMIT).await {
        return Err(Refusal::unavailable("not-indexed", "the block is not indexed yet"));
    }
    Ok(answer(&json!({ "chainId": chain_id, "block": block })))
}
