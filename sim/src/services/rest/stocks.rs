//! `GET /api/stocks/quote-assets`: the quote assets of launches on a chain other than the native coin, each with its own hook.
use std::sync::Arc;

use axum::extract::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::Api;
use crate::api::capabilities::{CHAINS, ListedAsset, UNPLACED};
use crate::services::http::{Served, json};
use crate::services::input::Parameters;
use crate::services::input::kinds::KnownChain;
use crate::services::openapi::{Operation, Schemas};

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct AssetsOf {
    /// chain of the assets
    #[schemars(extend("x-cause" = "stocks-chain"))]
    chain_id: KnownChain,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct QuoteAssets<'a> {
    #[schemars(extend("enum" = CHAINS))]
    chain_id: u64,
    quote_assets: Vec<ListedAsset<'a>>,
}

pub(super) fn operation(schemas: &mut Schemas) -> Operation {
    Operation::get("getQuoteAssets", "Quote assets of launches on a chain, besides the native coin")
        .asks::<AssetsOf>()
        .serves("the assets, each with its hook", schemas.of::<QuoteAssets<'_>>())
        .fails(503, UNPLACED, &[UNPLACED])
}

pub(super) async fn get(State(api): State<Arc<Api>>, Parameters(of): Parameters<AssetsOf>) -> Served {
    let chain_id = of.chain_id.0;
    Ok(json(&QuoteAssets { chain_id, quote_assets: api.quote_assets(chain_id)? }))
}
