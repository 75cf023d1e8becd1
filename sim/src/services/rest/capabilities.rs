//! `GET /api/capabilities`: what a client may do on one chain, never cached.
use std::sync::Arc;

use axum::extract::State;
use axum::http::header::CACHE_CONTROL;
use axum::http::{HeaderValue, Uri};
use axum::response::Response;

use crate::api::Api;
use crate::api::capabilities::{Capabilities, UNPLACED, UNREACHABLE};
use crate::api::refusal::Refusal;
use crate::services::http::json;
use crate::services::input::{Input, KnownChain, Query, Required};
use crate::services::openapi::{Operation, Schemas};

/// Clause: CAP-CHAIN
const CHAIN: Input<KnownChain, Required> = Input {
    name: "chainId",
    cause: "capabilities-chain",
    meaning: "chain that is asked about",
    kind: KnownChain,
    presence: Required,
};
/// The answer is only for this caller and this moment.
///
/// Clause: CAP-CACHE
const NO_STORE: &str = "private, no-store";

pub(super) fn operation(schemas: &mut Schemas) -> Operation {
    Operation::get("getCapabilities", "What a client may do on a chain and with which contracts")
        .takes(&CHAIN)
        .serves("the capabilities object", schemas.of::<Capabilities>())
        .with_header(
            CACHE_CONTROL.as_str(),
            "not stored by any cache",
            &serde_json::json!({ "const": NO_STORE }),
        )
        .fails(503, UNPLACED, &[UNPLACED])
        .fails(503, UNREACHABLE, &[UNREACHABLE])
}

pub(super) async fn get(State(api): State<Arc<Api>>, uri: Uri) -> Result<Response, Refusal> {
    let chain_id = Query::decode(&uri)?.read(&CHAIN)?;
    let mut response = json(&api.capabilities(chain_id).await?);
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static(NO_STORE));
    Ok(response)
}
