//! `GET /api/token`: the full record of one token.
//!
//! `chainId` selects between tokens with the same address on both chains; without it the primary chain's token is returned.
use std::sync::Arc;

use axum::extract::State;
use axum::http::Uri;
use axum::response::Response;

use super::row::{RECORD, Shown, row};
use crate::api::Api;
use crate::api::refusal::Refusal;
use crate::services::http::json;
use crate::services::input::{ACCOUNT_ADDRESS, AccountAddress, Input, KnownChain, Optional, Query, Required};
use crate::services::openapi::{Operation, Schemas};

/// Clause: TOKEN-BAD
const ADDRESS: Input<AccountAddress, Required> = Input {
    name: "address",
    cause: "token-address",
    meaning: "token address, of either version",
    kind: ACCOUNT_ADDRESS,
    presence: Required,
};
const CHAIN: Input<KnownChain, Optional> = Input {
    name: "chainId",
    cause: "token-chain",
    meaning: "chooses between tokens of one address on both chains",
    kind: KnownChain,
    presence: Optional,
};

pub(super) fn operation(schemas: &mut Schemas) -> Operation {
    Operation::get("getToken", "The whole record of one token")
        .takes(&ADDRESS)
        .takes(&CHAIN)
        .serves("the token", schemas.of::<Shown<RECORD>>())
        .refuses(404, "no token has this address")
}

/// Clause: TOKEN-ONE, TOKEN-AFTER-LAUNCH, TOKEN-FIELDS
pub(super) async fn get(State(api): State<Arc<Api>>, uri: Uri) -> Result<Response, Refusal> {
    let parameters = Query::decode(&uri)?;
    let address = parameters.read(&ADDRESS)?;
    let chain_id = parameters.read(&CHAIN)?;
    let view = api.token(chain_id, address).ok_or_else(|| {
        Refusal::not_found("token-unknown", "no token has this address").with_details(address.to_string())
    })?;
    Ok(json(&row(&view, RECORD)))
}
