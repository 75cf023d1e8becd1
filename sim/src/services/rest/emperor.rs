//! `GET /api/eoti`, the token of the day with the auction for the next one, and `GET /api/koti`, the leading token on its curve.
use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::row::{EMPEROR, RECORD, Shown, TokenRow, row};
use crate::api::Api;
use crate::api::emperor::BidData;
use crate::api::refusal::Refusal;
use crate::services::http::{Served, json};
use crate::services::input::Parameters;
use crate::services::openapi::{Operation, Schemas};
use crate::services::refusal::{RefusalBody, status};

#[derive(Default, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct EmperorParameters {
    /// include the auction
    #[schemars(extend("x-cause" = "eoti-bid-data"))]
    include_bid_data: bool,
}

/// Clause: EOTI-SHAPE
#[derive(Serialize, JsonSchema)]
struct Emperor<'a> {
    #[serde(flatten)]
    #[schemars(with = "Shown<EMPEROR>")]
    token: TokenRow<'a>,
    /// The auction; present if requested.
    #[serde(rename = "bidData", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "BidData")]
    bid_data: Option<BidData>,
}

/// Body of the 404: the error and the auction.
#[derive(Serialize)]
struct NoEmperor<'a> {
    #[serde(flatten)]
    refusal: RefusalBody<'a>,
    #[serde(rename = "bidData")]
    bid_data: BidData,
}

pub(super) fn eoti_operation(schemas: &mut Schemas) -> Operation {
    Operation::get("getEmperor", "The token of the day, and the auction of the next")
        .asks::<EmperorParameters>()
        .serves("today's token", schemas.of::<Emperor<'_>>())
        .refuses(404, "there is no Emperor today")
        .refusal_may_carry(404, "bidData", schemas.of::<BidData>())
}

pub(super) fn koti_operation(schemas: &mut Schemas) -> Operation {
    Operation::get("getKing", "The token that leads its curve")
        .serves("the token", schemas.of::<Shown<RECORD>>())
        .refuses(404, "no token is on its curve")
}

/// Clause: EOTI-BID
pub(super) async fn eoti(
    State(api): State<Arc<Api>>,
    Parameters(query): Parameters<EmperorParameters>,
) -> Served {
    let (view, bid_data) = api.emperor();
    let bid_data = query.include_bid_data.then_some(bid_data);
    let Some(view) = view else {
        return Ok(no_emperor(bid_data));
    };
    Ok(json(&Emperor { token: row(&view, EMPEROR), bid_data }))
}

/// The refusal on a day without a token; it includes the auction, which clients need in order to bid.
fn no_emperor(bid_data: Option<BidData>) -> Response {
    let refusal = Refusal::not_found("eoti-none", "there is no Emperor today");
    let Some(bid_data) = bid_data else {
        return refusal.into_response();
    };
    let body = serde_json::to_vec(&NoEmperor {
        refusal: RefusalBody::new(&refusal, status(refusal.reason)),
        bid_data,
    });
    let body = body.expect("texts and numbers serialize");
    let mut response = refusal.into_response();
    *response.body_mut() = Body::from(body);
    response
}

pub(super) async fn koti(State(api): State<Arc<Api>>) -> Served {
    let view = api.king().ok_or_else(|| Refusal::not_found("koti-none", "no token is on its curve"))?;
    Ok(json(&row(&view, RECORD)))
}
