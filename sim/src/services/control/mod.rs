//! The control plane under `/_sim`: what an operator of the platform may do and no user can. It takes no requests from web
//! pages, and its refusals have the form of the services'. `docs/control.md` tells of every call, its shapes and refusals.
mod faults;
mod order;
mod records;
mod switches;
mod time;

use std::sync::Arc;

use axum::Router;
use axum::routing::{get, post, put};

use super::http::{Origins, endpoint, layers};
use crate::api::Api;
use crate::api::refusal::Refusal;
use crate::engine::{Engine, EngineError};

const GET: &str = "GET, HEAD, OPTIONS";
const POST: &str = "POST, OPTIONS";
const GET_AND_SWITCH: &str = "GET, HEAD, PUT, DELETE, OPTIONS";
const SWITCH: &str = "PUT, DELETE, OPTIONS";

/// What the control plane works on.
#[derive(Clone, Debug)]
struct ControlState {
    api: Arc<Api>,
    engine: Engine,
}

/// The control plane over a machine and its dialects.
pub fn router(api: &Arc<Api>, engine: Engine) -> Router {
    let control = ControlState { api: Arc::clone(api), engine };
    let paths = Router::new()
        .route("/_sim/ready", endpoint(get(time::ready), GET))
        .route("/_sim/clock", endpoint(get(time::read), GET))
        .route("/_sim/clock/advance", endpoint(post(time::advance), POST))
        .route("/_sim/clock/set", endpoint(post(time::set), POST))
        .route("/_sim/checkpoints", endpoint(post(time::checkpoint), POST))
        .route("/_sim/checkpoints/{id}/revert", endpoint(post(time::revert), POST))
        .route("/_sim/indexed", endpoint(get(time::indexed), GET))
        .route("/_sim/bearers", endpoint(post(switches::bearer), POST))
        .route("/_sim/captchas", endpoint(post(switches::captcha), POST))
        .route("/_sim/captcha-auths", endpoint(post(switches::captcha_auth), POST))
        .route(
            "/_sim/tokens/{address}/disabled",
            endpoint(put(switches::disable).delete(switches::enable), SWITCH),
        )
        .route("/_sim/creation-paused", endpoint(put(switches::pause).delete(switches::resume), SWITCH))
        .with_state(control)
        .merge(records::paths(api));
    layers(paths, Arc::clone(api), "control", Origins::None)
}

impl From<EngineError> for Refusal {
    fn from(error: EngineError) -> Self {
        let message = error.to_string();
        match error {
            EngineError::BackwardTime { .. } => Self::bad_input("clock-backward", message),
            EngineError::BeyondTime { .. } => Self::bad_input("clock-range", message),
            EngineError::UnknownCheckpoint { .. } => Self::not_found("checkpoint-unknown", message),
            EngineError::UnknownChain { .. } => Self::bad_input("control-chain", message),
            EngineError::UnknownHook { .. } => Self::bad_input("control-hook", message),
            EngineError::Reverted { .. } => Self::internal("operator-reverted", message),
            EngineError::Chain(_) => Self::unavailable("chain-out-of-reach", "a chain is out of reach"),
            EngineError::Store(error) => error.into(),
        }
    }
}
