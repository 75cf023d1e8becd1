//! `GET /api/eoti`, the token of the day with the auction of the next, and `GET /api/koti`, the token that leads its curve.
use std::sync::Arc;

use axum::extract::State;
use axum::http::Uri;
use axum::response::Response;
use serde::Serialize;

use super::row::{EMPEROR, RECORD, Row, instant, row};
use crate::api::Api;
use crate::api::emperor::{BidData, bid_data, emperor, king};
use crate::api::refusal::Refusal;
use crate::surface::http::json;
use crate::surface::parameters::{Field, Parameters, boolean};

const BID_DATA: Field = Field {
    name: "includeBidData",
    cause: "eoti-bid-data",
    rule: "must be true or false",
};

#[derive(Serialize)]
struct Answer<'a> {
    #[serde(flatten)]
    token: Row<'a>,
    #[serde(rename = "bidData", skip_serializing_if = "Option::is_none")]
    bid_data: Option<BidData>,
}

pub(super) async fn eoti(State(api): State<Arc<Api>>, uri: Uri) -> Result<Response, Refusal> {
    let with_bids = Parameters::of(&uri)?.read(BID_DATA, boolean)?.unwrap_or(false);
    let (view, bid_data) = {
        let (state, now) = (api.read(), api.clock.now());
        let bids = with_bids.then(|| bid_data(&state, now, instant));
        (emperor(&state, now), bids)
    };
    let view = view.ok_or_else(|| Refusal::not_found("eoti-none", "today belongs to no token"))?;
    Ok(json(&Answer {
        token: row(&view, EMPEROR),
        bid_data,
    }))
}

pub(super) async fn koti(State(api): State<Arc<Api>>) -> Result<Response, Refusal> {
    let view = king(&api.read(), api.clock.now());
    let view = view.ok_or_else(|| Refusal::not_found("koti-none", "no token is on its curve"))?;
    Ok(json(&row(&view, RECORD)))
}
