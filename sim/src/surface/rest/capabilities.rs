//! `GET /api/capabilities`: what a client may do on one chain, never cached by anybody else.
use std::sync::Arc;

use axum::extract::State;
use axum::http::header::CACHE_CONTROL;
use axum::http::{HeaderValue, Uri};
use axum::response::Response;

use super::recent::chain;
use crate::api::Api;
use crate::api::capabilities::capabilities;
use crate::api::refusal::Refusal;
use crate::surface::http::json;
use crate::surface::parameters::{Field, Parameters};

const CHAIN: Field = Field {
    name: "chainId",
    cause: "capabilities-chain",
    rule: "must be 57073 or 4663",
};

pub(super) async fn get(State(api): State<Arc<Api>>, uri: Uri) -> Result<Response, Refusal> {
    let chain_id = Parameters::of(&uri)?.require(CHAIN, chain)?;
    let deployments = api.deployments.get(&chain_id).ok_or_else(|| {
        Refusal::unavailable("capabilities-deployment", "nothing is deployed on this chain")
    })?;
    let answer = capabilities(&api.read(), chain_id, deployments, &api.release_commit);
    let mut response = json(&answer);
    response
        .headers_mut()
        .insert(CACHE_CONTROL, HeaderValue::from_static("private, no-store"));
    Ok(response)
}
