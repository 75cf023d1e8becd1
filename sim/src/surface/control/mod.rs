//! The control plane under `/_sim`: what an operator of the platform may do and no user can. It takes no requests from web
//! pages, and its refusals have the form of the services'.
//!
//! | call | answer |
//! |---|---|
//! | `GET /_sim/ready` | `{ready, chains}` once every part answers, else 503 |
//! | `GET /_sim/clock`, `POST /_sim/clock/advance {seconds}`, `POST /_sim/clock/set {timestamp}` | `{now}` |
//! | `POST /_sim/checkpoints`, `POST /_sim/checkpoints/{id}/revert` | `{id}` |
//! | `POST /_sim/captchas {ttlSeconds?}` | `{token, expiresAt}`; 300 seconds unless told, at most a day |
//! | `POST /_sim/bearers {address}` | `{token}`, which speaks for that wallet |
//! | `POST /_sim/captcha-auths {chainId, trader, launchId}` | `{deadline, nonce, signature}` |
//! | `GET /_sim/indexed?chainId=&block=` | `{chainId, block}` once that block is indexed, else 503 |
//! | `PUT`, `DELETE /_sim/tokens/{address}/disabled` | `{token, disabled}` |
//! | `PUT`, `DELETE /_sim/creation-paused?chainId=` | `{chainId, paused, block}`; a transaction of the hook's owner |
//! | `GET /_sim/journal?after=&requestId=` | `{entries, last, dropped}` |
//! | `GET /_sim/defects`, `GET`, `PUT`, `DELETE /_sim/defects/{id}` | the catalogue, or one defect, with `on` |
//! | `GET /_sim/faults`, `GET`, `PUT`, `DELETE /_sim/faults/{name}` | ordered faults with `matched` and `hits` |
mod records;
mod switches;
mod time;

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::routing::{get, post, put};
use serde::de::DeserializeOwned;

use super::body;
use super::http::{Origins, edge, endpoint};
use crate::api::Api;
use crate::api::refusal::Refusal;
use crate::machine::{Machine, MachineError};

/// Largest body that is read, in bytes.
const BODY_LIMIT: usize = 16 * 1024;

const GET: &str = "GET, HEAD, OPTIONS";
const POST: &str = "POST, OPTIONS";
const GET_AND_SWITCH: &str = "GET, HEAD, PUT, DELETE, OPTIONS";
const SWITCH: &str = "PUT, DELETE, OPTIONS";

/// What the control plane works on.
#[derive(Clone, Debug)]
struct Desk {
    api: Arc<Api>,
    machine: Machine,
}

/// The control plane over a machine and its dialects.
pub fn router(api: &Arc<Api>, machine: Machine) -> Router {
    let desk = Desk {
        api: Arc::clone(api),
        machine,
    };
    let paths = Router::new()
        .route("/_sim/ready", endpoint(get(time::ready), GET))
        .route("/_sim/clock", endpoint(get(time::read), GET))
        .route("/_sim/clock/advance", endpoint(post(time::advance), POST))
        .route("/_sim/clock/set", endpoint(post(time::set), POST))
        .route("/_sim/checkpoints", endpoint(post(time::checkpoint), POST))
        .route(
            "/_sim/checkpoints/{id}/revert",
            endpoint(post(time::revert), POST),
        )
        .route("/_sim/indexed", endpoint(get(time::indexed), GET))
        .route("/_sim/bearers", endpoint(post(switches::bearer), POST))
        .route("/_sim/captchas", endpoint(post(switches::captcha), POST))
        .route(
            "/_sim/captcha-auths",
            endpoint(post(switches::captcha_auth), POST),
        )
        .route(
            "/_sim/tokens/{address}/disabled",
            endpoint(put(switches::disable).delete(switches::enable), SWITCH),
        )
        .route(
            "/_sim/creation-paused",
            endpoint(put(switches::pause).delete(switches::resume), SWITCH),
        )
        .with_state(desk)
        .merge(records::paths(api));
    edge(paths, Arc::clone(api), "control", Origins::None)
}

impl From<MachineError> for Refusal {
    fn from(error: MachineError) -> Self {
        let message = error.to_string();
        match error {
            MachineError::BackwardTime { .. } => Self::bad_input("clock-backward", message),
            MachineError::UnknownCheckpoint { .. } => Self::not_found("checkpoint-unknown", message),
            MachineError::UnknownChain { .. } => Self::bad_input("control-chain", message),
            MachineError::Reverted { .. } => Self::internal("operator-reverted", message),
            MachineError::Chain(_) => Self::unavailable("chain-out-of-reach", "a chain is out of reach"),
            MachineError::Store(error) => error.into(),
        }
    }
}

/// The body as an order; an empty one counts as an empty object, and the media type does not matter.
async fn order<T: DeserializeOwned>(body: Body) -> Result<T, Refusal> {
    let bytes = body::bounded(body, BODY_LIMIT).await?;
    let bytes: &[u8] = if bytes.is_empty() { b"{}" } else { &bytes };
    serde_json::from_slice(bytes).map_err(|error| {
        Refusal::bad_input("control-body", "the body is not what this call takes")
            .with_details(error.to_string())
    })
}
