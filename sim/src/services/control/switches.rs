//! What the operator signs or decides: captcha proofs, disabled tokens, paused creation.
use axum::body::Body;
use axum::extract::State;
use axum::http::Uri;
use axum::response::Response;
use serde_json::{Value, json};

use super::ControlState;
use super::order::{Order, account, number_within};
use super::time::{CHAIN, chain};
use crate::api::capabilities::CHAINS;
use crate::api::refusal::Refusal;
use crate::api::{access, address};
use crate::engine::EngineError;
use crate::services::http::{PathParameter, json as answer};
use crate::services::parameters::{Field, Parameters};
use crate::store::Fact;

/// How long a captcha token is good for unless told, and at most, seconds.
const CAPTCHA_LIFE: u64 = 300;
const LONGEST_CAPTCHA_LIFE: u64 = 24 * 60 * 60;

const TTL: Field = Field {
    name: "ttlSeconds",
    cause: "control-captcha-life",
    rule: "must be a whole number from 1 to 86400",
};
const ADDRESS: Field = Field {
    name: "address",
    cause: "control-address",
    rule: "must be an address: 0x and 40 hexadecimal digits",
};
const TRADER: Field = Field {
    name: "trader",
    cause: "control-trader",
    rule: "must be an address: 0x and 40 hexadecimal digits",
};
const LAUNCH: Field =
    Field { name: "launchId", cause: "control-launch", rule: "must be a whole number of at least 0" };
const HOOK: Field =
    Field { name: "hook", cause: "control-hook", rule: "must be the address of a launch hook of that chain" };

pub(super) async fn captcha(State(control): State<ControlState>, body: Body) -> Result<Response, Refusal> {
    let order = Order::of(body, &[&TTL]).await?;
    let life = order.read(&TTL, number_within(1, LONGEST_CAPTCHA_LIFE))?;
    let life = life.unwrap_or(CAPTCHA_LIFE);
    let api = &control.api;
    let now = api.clock.now();
    let expires_at = now + life;
    let token = api.store.mint_captcha(&api.operator_key, expires_at, now).await?;
    Ok(answer(&json!({ "token": token, "expiresAt": expires_at })))
}

pub(super) async fn bearer(State(control): State<ControlState>, body: Body) -> Result<Response, Refusal> {
    let address = Order::of(body, &[&ADDRESS]).await?.require(&ADDRESS, account)?;
    let token = access::issue(&control.api, address).await?;
    Ok(answer(&json!({ "token": token })))
}

pub(super) async fn captcha_auth(
    State(control): State<ControlState>,
    body: Body,
) -> Result<Response, Refusal> {
    let order = Order::of(body, &[&CHAIN, &TRADER, &LAUNCH, &HOOK]).await?;
    let chain_id = order.require(&CHAIN, |value| value.as_u64().filter(|id| CHAINS.contains(id)))?;
    let (trader, launch_id) = (order.require(&TRADER, account)?, order.require(&LAUNCH, Value::as_u64)?);
    let hook = order.read(&HOOK, account)?;
    let signed = control.engine.captcha_auth(chain_id, hook, trader, launch_id).await;
    Ok(answer(&signed?))
}

pub(super) async fn disable(
    State(control): State<ControlState>,
    PathParameter(token): PathParameter,
) -> Result<Response, Refusal> {
    set_disabled(&control, &token, true).await
}

pub(super) async fn enable(
    State(control): State<ControlState>,
    PathParameter(token): PathParameter,
) -> Result<Response, Refusal> {
    set_disabled(&control, &token, false).await
}

async fn set_disabled(control: &ControlState, text: &str, disabled: bool) -> Result<Response, Refusal> {
    let known = address::parse(text).filter(|token| control.api.read().token(*token).is_some());
    let token = known.ok_or_else(|| Refusal::not_found("control-token", "no token has this address"))?;
    let fact = Fact::TokenDisabled { token, disabled };
    control.engine.store().append(&fact, control.engine.clock().now()).await.map_err(EngineError::from)?;
    control.engine.catch_up().await?;
    Ok(answer(&json!({ "token": token.to_string(), "disabled": disabled })))
}

pub(super) async fn pause(State(control): State<ControlState>, uri: Uri) -> Result<Response, Refusal> {
    set_paused(&control, &uri, true).await
}

pub(super) async fn resume(State(control): State<ControlState>, uri: Uri) -> Result<Response, Refusal> {
    set_paused(&control, &uri, false).await
}

async fn set_paused(control: &ControlState, uri: &Uri, paused: bool) -> Result<Response, Refusal> {
    let parameters = Parameters::of(uri)?;
    let chain_id = parameters.require(CHAIN, chain)?;
    let hook = parameters.read(HOOK, address::parse)?;
    let (hook, block) = control.engine.pause_creation(chain_id, hook, paused).await?;
    control.engine.catch_up().await?;
    Ok(answer(&json!({ "chainId": chain_id, "hook": hook, "paused": paused, "block": block })))
}
