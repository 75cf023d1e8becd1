//! `GET /api/stocks/quote-assets`: what launches of a chain are sold for beside the native coin, each with its own hook.
use std::sync::Arc;

use axum::extract::State;
use axum::http::Uri;
use axum::response::Response;
use serde::Serialize;

use super::recent::chain;
use crate::api::Api;
use crate::api::capabilities::{ListedAsset, quote_assets};
use crate::api::refusal::Refusal;
use crate::surface::http::json;
use crate::surface::parameters::{Field, Parameters};

const CHAIN: Field = Field {
    name: "chainId",
    cause: "stocks-chain",
    rule: "must be 57073 or 4663",
};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Answer<'a> {
    chain_id: u64,
    quote_assets: Vec<ListedAsset<'a>>,
}

pub(super) async fn get(State(api): State<Arc<Api>>, uri: Uri) -> Result<Response, Refusal> {
    let chain_id = Parameters::of(&uri)?.require(CHAIN, chain)?;
    let deployments = api
        .deployments
        .get(&chain_id)
        .ok_or_else(|| Refusal::unavailable("stocks-deployment", "nothing is deployed on this chain"))?;
    let quote_assets = quote_assets(&api.read(), chain_id, deployments);
    Ok(json(&Answer {
        chain_id,
        quote_assets,
    }))
}
