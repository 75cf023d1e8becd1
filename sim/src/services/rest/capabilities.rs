//! `GET /api/capabilities`: the capabilities of one chain, never cached.
use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderValue;
use axum::http::header::CACHE_CONTROL;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::api::Api;
use crate::api::capabilities::{Capabilities, UNPLACED, UNREACHABLE};
use crate::services::http::{Served, json};
use crate::services::input::Parameters;
use crate::services::input::kinds::KnownChain;
use crate::services::openapi::{Operation, Schemas};

/// Clause: CAP-CHAIN
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct CapabilitiesOf {
    /// chain of the capabilities
    #[schemars(extend("x-cause" = "capabilities-chain"))]
    chain_id: KnownChain,
}

/// The answer is valid only for this caller and this moment.
///
/// Clause: CAP-CACHE
const NO_STORE: &str = "private, no-store";

pub(super) fn operation(schemas: &mut Schemas) -> Operation {
    Operation::get("getCapabilities", "What a client may do on a chain and with which contracts")
        .asks::<CapabilitiesOf>()
        .serves("the capabilities object", schemas.of::<Capabilities>())
        .with_header(
            CACHE_CONTROL.as_str(),
            "not stored by any cache",
            &serde_json::json!({ "const": NO_STORE }),
        )
        .fails(503, UNPLACED, &[UNPLACED])
        .fails(503, UNREACHABLE, &[UNREACHABLE])
}

pub(super) async fn get(State(api): State<Arc<Api>>, Parameters(of): Parameters<CapabilitiesOf>) -> Served {
    let mut response = json(&api.capabilities(of.chain_id.0).await?);
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static(NO_STORE));
    Ok(response)
}
