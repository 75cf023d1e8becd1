//! `GET /api/token`: the whole record of one token.
//!
//! `chainId` may be added to choose between tokens of one address on both chains; without it the primary chain's answers.
use std::sync::Arc;

use axum::extract::State;
use axum::http::Uri;
use axum::response::Response;

use super::recent::chain;
use super::row::{RECORD, row};
use crate::api::Api;
use crate::api::refusal::Refusal;
use crate::api::tokens::view::TokenView;
use crate::surface::http::json;
use crate::surface::parameters::{Field, Parameters};

const ADDRESS: Field = Field {
    name: "address",
    cause: "token-address",
    rule: "must be an address: 0x and 40 hexadecimal digits",
};
const CHAIN: Field = Field {
    name: "chainId",
    cause: "token-chain",
    rule: "must be 57073 or 4663",
};

pub(super) async fn get(State(api): State<Arc<Api>>, uri: Uri) -> Result<Response, Refusal> {
    let parameters = Parameters::of(&uri)?;
    let address = parameters.require_address(ADDRESS)?;
    let chain_id = parameters.read(CHAIN, chain)?;
    let view = {
        let state = api.read();
        let token = match chain_id {
            Some(chain_id) => state.token_on(chain_id, address),
            None => state.token(address),
        };
        token.map(|token| TokenView::at(&state, token, api.clock.now()))
    };
    let view = view.ok_or_else(|| {
        Refusal::not_found("token-unknown", "no token has this address").with_details(address.to_string())
    })?;
    Ok(json(&row(&view, RECORD)))
}
