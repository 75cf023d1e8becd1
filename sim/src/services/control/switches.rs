//! Signatures and switches of the operator: conventions, captcha proofs, disabled tokens, paused creation.
use alloy::primitives::Address;
use axum::body::Body;
use axum::extract::State;
use axum::http::Uri;
use axum::response::Response;
use serde_json::json;

use super::ControlState;
use super::order;
use super::time::CHAIN;
use crate::address;
use crate::api::refusal::Refusal;
use crate::api::{access, chat};
use crate::services::http::{PathParameter, json as answer};
use crate::services::input::{
    ACCOUNT_ADDRESS, ANY_NUMBER, AccountAddress, Custom, DefaultTo, Input, Optional, Query, Required,
    WholeNumber,
};

/// Default and longest lifetime of a captcha token, seconds.
const CAPTCHA_LIFE: u64 = 300;
const LONGEST_CAPTCHA_LIFE: u64 = 24 * 60 * 60;

pub(super) const TTL: Input<WholeNumber, DefaultTo<u64>> = Input {
    name: "ttlSeconds",
    cause: "control-captcha-life",
    meaning: "how long the captcha token is valid",
    kind: WholeNumber { min: 1, max: LONGEST_CAPTCHA_LIFE },
    presence: DefaultTo(CAPTCHA_LIFE),
};
pub(super) const ADDRESS: Input<AccountAddress, Required> = Input {
    name: "address",
    cause: "control-address",
    meaning: "the wallet that the token speaks for",
    kind: ACCOUNT_ADDRESS,
    presence: Required,
};
pub(super) const TRADER: Input<AccountAddress, Required> = Input {
    name: "trader",
    cause: "control-trader",
    meaning: "the account that trades",
    kind: ACCOUNT_ADDRESS,
    presence: Required,
};
pub(super) const LAUNCH: Input<WholeNumber, Required> = Input {
    name: "launchId",
    cause: "control-launch",
    meaning: "the launch on its hook",
    kind: ANY_NUMBER,
    presence: Required,
};
pub(super) const HOOK: Input<Custom<Address>, Optional> = Input {
    name: "hook",
    cause: "control-hook",
    meaning: "the launch hook; the one of native launches when absent",
    kind: Custom { rule: "must be the address of a launch hook of that chain", ..ACCOUNT_ADDRESS },
    presence: Optional,
};

/// How the platform does what the interface leaves open, for clients that sign.
pub(super) async fn conventions() -> Response {
    answer(&json!({
        "chatMessage": chat::signed_text("{token-lower}", "{captcha}", "{message}"),
        "operatorHeader": chat::OPERATOR_HEADER,
        "walletMessage": access::signed_text("{address}", "{issued-at}"),
        "walletAuthorization": "Wallet {address}:{issued-at}:{signature}",
    }))
}

pub(super) async fn captcha(State(control): State<ControlState>, body: Body) -> Result<Response, Refusal> {
    let life = order(body, &[&TTL]).await?.read(&TTL)?;
    let captcha = control.api.mint_captcha(life).await?;
    Ok(answer(&json!({ "token": captcha.token, "expiresAt": captcha.expires_at })))
}

pub(super) async fn bearer(State(control): State<ControlState>, body: Body) -> Result<Response, Refusal> {
    let address = order(body, &[&ADDRESS]).await?.read(&ADDRESS)?;
    let token = access::issue(&control.api, address).await?;
    Ok(answer(&json!({ "token": token })))
}

pub(super) async fn captcha_auth(
    State(control): State<ControlState>,
    body: Body,
) -> Result<Response, Refusal> {
    let order = order(body, &[&CHAIN, &TRADER, &LAUNCH, &HOOK]).await?;
    let (chain_id, trader) = (order.read(&CHAIN)?, order.read(&TRADER)?);
    let (launch_id, hook) = (order.read(&LAUNCH)?, order.read(&HOOK)?);
    Ok(answer(&control.api.captcha_auth(chain_id, hook, trader, launch_id)?))
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
    let known = address::parse(text).filter(|token| control.api.market(None, *token).is_some());
    let token = known.ok_or_else(|| Refusal::not_found("control-token", "no token has this address"))?;
    control.api.set_disabled(token, disabled).await?;
    Ok(answer(&json!({ "token": token.to_string(), "disabled": disabled })))
}

pub(super) async fn pause(State(control): State<ControlState>, uri: Uri) -> Result<Response, Refusal> {
    set_paused(&control, &uri, true).await
}

pub(super) async fn resume(State(control): State<ControlState>, uri: Uri) -> Result<Response, Refusal> {
    set_paused(&control, &uri, false).await
}

async fn set_paused(control: &ControlState, uri: &Uri, paused: bool) -> Result<Response, Refusal> {
    let query = Query::decode(uri)?;
    let chain_id = query.read(&CHAIN)?;
    let hook = query.read(&HOOK)?;
    let (hook, block) = control.api.set_creation_paused(chain_id, hook, paused).await?;
    Ok(answer(&json!({ "chainId": chain_id, "hook": hook.to_string(), "paused": paused, "block": block })))
}
