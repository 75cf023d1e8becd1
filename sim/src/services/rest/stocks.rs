//! `GET /api/stocks/quote-assets`: the quote assets of launches on a chain besides the native coin, each with its own hook.
use std::sync::Arc;

use axum::extract::State;
use axum::http::Uri;
use axum::response::Response;
use schemars::JsonSchema;
use serde::Serialize;

use crate::api::Api;
use crate::api::capabilities::{CHAINS, ListedAsset, UNPLACED};
use crate::api::refusal::Refusal;
use crate::services::http::json;
use crate::services::input::{Input, KnownChain, Query, Required};
use crate::services::openapi::{Operation, Schemas};

const CHAIN: Input<KnownChain, Required> = Input {
    name: "chainId",
    cause: "stocks-chain",
    meaning: "chain of the assets",
    kind: KnownChain,
    presence: Required,
};

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct QuoteAssets<'a> {
    #[schemars(extend("enum" = CHAINS))]
    chain_id: u64,
    quote_assets: Vec<ListedAsset<'a>>,
}

pub(super) fn operation(schemas: &mut Schemas) -> Operation {
    Operation::get("getQuoteAssets", "Quote assets of launches on a chain, besides the native coin")
        .takes(&CHAIN)
        .serves("the assets, each with its hook", schemas.of::<QuoteAssets<'_>>())
        .fails(503, UNPLACED, &[UNPLACED])
}

pub(super) async fn get(State(api): State<Arc<Api>>, uri: Uri) -> Result<Response, Refusal> {
    let chain_id = Query::decode(&uri)?.read(&CHAIN)?;
    Ok(json(&QuoteAssets { chain_id, quote_assets: api.quote_assets(chain_id)? }))
}
