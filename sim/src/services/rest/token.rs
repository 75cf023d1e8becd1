//! `GET /api/token`: the whole record of one token.
//!
//! `chainId` may be added to choose between tokens of one address on both chains; without it the primary chain's answers.
use std::sync::Arc;

use axum::extract::State;
use axum::http::Uri;
use axum::response::Response;

use super::row::{RECORD, Shown, row};
use crate::api::Api;
use crate::api::refusal::Refusal;
use crate::api::tokens::view::TokenView;
use crate::services::form::{Account, Chain, Optional, Parameter, Required};
use crate::services::http::json;
use crate::services::openapi::{Operation, Shapes};
use crate::services::parameters::Parameters;

const ADDRESS: Parameter<Account, Required> = Parameter {
    name: "address",
    cause: "token-address",
    meaning: "token address, of either version",
    form: Account,
    absent: Required,
};
const CHAIN: Parameter<Chain, Optional> = Parameter {
    name: "chainId",
    cause: "token-chain",
    meaning: "chooses between tokens of one address on both chains",
    form: Chain,
    absent: Optional,
};

pub(super) fn described(shapes: &mut Shapes) -> Operation {
    Operation::get("getToken", "The whole record of one token")
        .takes(&ADDRESS)
        .takes(&CHAIN)
        .serves("the token", shapes.of::<Shown<RECORD>>())
        .refuses(404, "no token has this address")
}

pub(super) async fn get(State(api): State<Arc<Api>>, uri: Uri) -> Result<Response, Refusal> {
    let parameters = Parameters::of(&uri)?;
    let address = parameters.take(&ADDRESS)?;
    let chain_id = parameters.take(&CHAIN)?;
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
