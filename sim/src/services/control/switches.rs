//! Signatures and switches of the operator: conventions, captcha proofs, disabled tokens, paused creation.
use axum::extract::State;
use axum::response::Response;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{ControlState, Order};
use crate::address;
use crate::api::actions::no_token;
use crate::api::{access, chat};
use crate::services::http::{PathParameter, Served, json as answer};
use crate::services::input::Parameters;
use crate::services::input::kinds::{AccountAddress, KnownChain, Whole};

/// Default and longest lifetime of a captcha token, seconds.
const CAPTCHA_LIFE: u64 = 300;
const LONGEST_CAPTCHA_LIFE: u64 = 24 * 60 * 60;

#[derive(Default, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct CaptchaOrder {
    /// how long the captcha token is valid
    #[schemars(extend("x-cause" = "control-captcha-life"))]
    ttl_seconds: Whole<1, LONGEST_CAPTCHA_LIFE, CAPTCHA_LIFE>,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct BearerOrder {
    /// the wallet that the token authenticates
    #[schemars(extend("x-cause" = "control-address"))]
    address: AccountAddress,
}

/// the launch hook; the one of native launches when absent
#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-cause" = "control-hook", "x-rule" = "must be the address of a launch hook of that chain"))]
struct Hook(AccountAddress);

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct CaptchaAuthOrder {
    /// chain
    #[schemars(extend("x-cause" = "control-chain"))]
    chain_id: KnownChain,
    /// the account that trades
    #[schemars(extend("x-cause" = "control-trader"))]
    trader: AccountAddress,
    /// the launch on its hook
    #[schemars(extend("x-cause" = "control-launch"))]
    launch_id: Whole<0, { u64::MAX }>,
    hook: Option<Hook>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct PauseParameters {
    /// chain
    #[schemars(extend("x-cause" = "control-chain"))]
    chain_id: KnownChain,
    hook: Option<Hook>,
}

/// Describes how the platform implements what the interface leaves open, for clients that sign.
pub(super) async fn conventions() -> Response {
    answer(&json!({
        "chatMessage": chat::signed_text("{token-lower}", "{captcha}", "{message}"),
        "operatorHeader": chat::OPERATOR_HEADER,
        "walletMessage": access::signed_text("{address}", "{issued-at}"),
        "walletAuthorization": "Wallet {address}:{issued-at}:{signature}",
    }))
}

pub(super) async fn captcha(
    State(control): State<ControlState>,
    Order(order): Order<CaptchaOrder>,
) -> Served {
    let captcha = control.api.mint_captcha(order.ttl_seconds.0).await?;
    Ok(answer(&json!({ "token": captcha.token, "expiresAt": captcha.expires_at })))
}

pub(super) async fn bearer(State(control): State<ControlState>, Order(order): Order<BearerOrder>) -> Served {
    let token = access::issue(&control.api, order.address.0).await?;
    Ok(answer(&json!({ "token": token })))
}

pub(super) async fn captcha_auth(
    State(control): State<ControlState>,
    Order(order): Order<CaptchaAuthOrder>,
) -> Served {
    let hook = order.hook.map(|Hook(hook)| hook.0);
    let signed = control.api.captcha_auth(order.chain_id.0, hook, order.trader.0, order.launch_id.0)?;
    Ok(answer(&signed))
}

pub(super) async fn disable(
    State(control): State<ControlState>,
    PathParameter(token): PathParameter,
) -> Served {
    set_disabled(&control, &token, true).await
}

pub(super) async fn enable(
    State(control): State<ControlState>,
    PathParameter(token): PathParameter,
) -> Served {
    set_disabled(&control, &token, false).await
}

async fn set_disabled(control: &ControlState, text: &str, disabled: bool) -> Served {
    let token = address::parse(text).ok_or_else(no_token)?;
    control.api.set_disabled(token, disabled).await?;
    Ok(answer(&json!({ "token": token.to_string(), "disabled": disabled })))
}

pub(super) async fn pause(
    State(control): State<ControlState>,
    Parameters(query): Parameters<PauseParameters>,
) -> Served {
    set_paused(&control, query, true).await
}

pub(super) async fn resume(
    State(control): State<ControlState>,
    Parameters(query): Parameters<PauseParameters>,
) -> Served {
    set_paused(&control, query, false).await
}

async fn set_paused(control: &ControlState, query: PauseParameters, paused: bool) -> Served {
    let (chain_id, hook) = (query.chain_id.0, query.hook.map(|Hook(hook)| hook.0));
    let (hook, block) = control.api.set_creation_paused(chain_id, hook, paused).await?;
    Ok(answer(&json!({ "chainId": chain_id, "hook": hook.to_string(), "paused": paused, "block": block })))
}
