//! What the operator signs or decides: captcha proofs, disabled tokens, paused creation.
use alloy::primitives::Address;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::Uri;
use axum::response::Response;
use serde::Deserialize;
use serde_json::json;

use super::time::{CHAIN, chain};
use super::{Desk, order};
use crate::api::refusal::Refusal;
use crate::api::{access, address};
use crate::machine::MachineError;
use crate::store::Fact;
use crate::surface::http::json as answer;
use crate::surface::parameters::Parameters;

/// How long a captcha token is good for unless told, and at most, seconds.
const CAPTCHA_LIFE: u64 = 300;
const LONGEST_CAPTCHA_LIFE: u64 = 24 * 60 * 60;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Proof {
    chain_id: u64,
    trader: Address,
    launch_id: u64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Captcha {
    ttl_seconds: Option<u64>,
}

pub(super) async fn captcha(State(desk): State<Desk>, body: Body) -> Result<Response, Refusal> {
    let Captcha { ttl_seconds } = order(body).await?;
    let life = ttl_seconds.unwrap_or(CAPTCHA_LIFE);
    if !(1..=LONGEST_CAPTCHA_LIFE).contains(&life) {
        return Err(Refusal::bad_input(
            "control-captcha-life",
            format!("ttlSeconds must be from 1 to {LONGEST_CAPTCHA_LIFE}"),
        ));
    }
    let api = &desk.api;
    let now = api.clock.now();
    let expires_at = now + life;
    let token = api.store.mint_captcha(&api.operator_key, expires_at, now).await?;
    Ok(answer(&json!({ "token": token, "expiresAt": expires_at })))
}

#[derive(Deserialize)]
pub(super) struct Bearer {
    address: Address,
}

pub(super) async fn bearer(State(desk): State<Desk>, body: Body) -> Result<Response, Refusal> {
    let Bearer { address } = order(body).await?;
    let token = access::issue(&desk.api, address).await?;
    Ok(answer(&json!({ "token": token })))
}

pub(super) async fn captcha_auth(State(desk): State<Desk>, body: Body) -> Result<Response, Refusal> {
    let Proof {
        chain_id,
        trader,
        launch_id,
    } = order(body).await?;
    Ok(answer(
        &desk.machine.captcha_auth(chain_id, trader, launch_id).await?,
    ))
}

pub(super) async fn disable(
    State(desk): State<Desk>,
    Path(token): Path<String>,
) -> Result<Response, Refusal> {
    set_disabled(&desk, &token, true).await
}

pub(super) async fn enable(State(desk): State<Desk>, Path(token): Path<String>) -> Result<Response, Refusal> {
    set_disabled(&desk, &token, false).await
}

async fn set_disabled(desk: &Desk, text: &str, disabled: bool) -> Result<Response, Refusal> {
    let known = address::parse(text).filter(|token| desk.api.read().token(*token).is_some());
    let token = known.ok_or_else(|| Refusal::not_found("control-token", "no token has this address"))?;
    let fact = Fact::TokenDisabled { token, disabled };
    desk.machine
        .store()
        .append(&fact, desk.machine.clock().now())
        .await
        .map_err(MachineError::from)?;
    desk.machine.catch_up().await?;
    Ok(answer(
        &json!({ "token": token.to_string(), "disabled": disabled }),
    ))
}

pub(super) async fn pause(State(desk): State<Desk>, uri: Uri) -> Result<Response, Refusal> {
    set_paused(&desk, &uri, true).await
}

pub(super) async fn resume(State(desk): State<Desk>, uri: Uri) -> Result<Response, Refusal> {
    set_paused(&desk, &uri, false).await
}

async fn set_paused(desk: &Desk, uri: &Uri, paused: bool) -> Result<Response, Refusal> {
    let chain_id = Parameters::of(uri)?.require(CHAIN, chain)?;
    let block = desk.machine.pause_creation(chain_id, paused).await?;
    desk.machine.catch_up().await?;
    Ok(answer(
        &json!({ "chainId": chain_id, "paused": paused, "block": block }),
    ))
}
