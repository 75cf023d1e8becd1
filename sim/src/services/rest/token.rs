//! `GET /api/token`: the full record of one token.
//!
//! `chainId` selects between tokens with the same address on both chains; without it the primary chain's token is returned.
use std::sync::Arc;

use axum::extract::State;
use schemars::JsonSchema;
use serde::Deserialize;

use super::row::{RECORD, Shown, row};
use crate::api::Api;
use crate::api::refusal::Refusal;
use crate::services::http::{Served, json};
use crate::services::input::Parameters;
use crate::services::input::kinds::{AccountAddress, KnownChain};
use crate::services::openapi::{Operation, Schemas};

/// Clause: TOKEN-BAD
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct TokenParameters {
    /// token address, of either version
    #[schemars(extend("x-cause" = "token-address"))]
    address: AccountAddress,
    /// chooses between tokens of one address on both chains
    #[schemars(extend("x-cause" = "token-chain"))]
    chain_id: Option<KnownChain>,
}

pub(super) fn operation(schemas: &mut Schemas) -> Operation {
    Operation::get("getToken", "The whole record of one token")
        .asks::<TokenParameters>()
        .serves("the token", schemas.of::<Shown<RECORD>>())
        .refuses(404, "no token has this address")
}

/// Clause: TOKEN-ONE, TOKEN-AFTER-LAUNCH, TOKEN-FIELDS
pub(super) async fn get(
    State(api): State<Arc<Api>>,
    Parameters(query): Parameters<TokenParameters>,
) -> Served {
    let AccountAddress(address) = query.address;
    let view = api.token(query.chain_id.map(|chain| chain.0), address).ok_or_else(|| {
        Refusal::not_found("token-unknown", "no token has this address").with_details(address.to_string())
    })?;
    Ok(json(&row(&view, RECORD)))
}
