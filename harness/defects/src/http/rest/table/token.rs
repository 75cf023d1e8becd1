//! Defects of `GET /api/token`.
use hyper::StatusCode;
use serde_json::json;

use super::super::responses;
use crate::http::consistent::at;
use crate::http::exchange::remove;
use crate::http::mutation::Mutation::{InformedResponse, Response};
use crate::http::mutation::Need::Clock;
use crate::http::mutation::{MutationRow, row};
use crate::json::round;

const TOKEN: &str = "/api/token";

#[rustfmt::skip]
pub(in crate::http) const ROWS: &[MutationRow] = &[
    row!(Rest, "token-market-cap-coarse", &["FIG-ALIKE"], "market_cap of a single token is rounded to five decimals", Response(TOKEN, |request, response| at(request, response, TOKEN, "market_cap", |market_cap| round(market_cap, 100_000.0)))),
    row!(Rest, "token-holders-missing", &["TOKEN-FIELDS"], "total_holders is left out", Response(TOKEN, |_, response| remove(&mut response.body, "total_holders"))),
    row!(Rest, "token-unknown-null", &["TOKEN-BAD"], "an unknown token is null with 200", Response(TOKEN, responses::not_found_is_null)),
    row!(Rest, "token-malformed-404", &["TOKEN-BAD"], "a malformed address is 404", Response(TOKEN, |request, response| if response.status == StatusCode::BAD_REQUEST && request.has("address") { response.refuse(StatusCode::NOT_FOUND, "token not found") })),
    row!(Rest, "token-new-late", &["TOKEN-AFTER-LAUNCH"], "a token is unknown for the first thirty seconds of its life", InformedResponse(TOKEN, Clock, responses::new_token_late)),
    row!(Rest, "token-first-version-unknown", &["TOKEN-ONE", "CH-V1"], "V1 tokens are unknown", Response(TOKEN, |_, response| if response.body["version"] == "v1" { response.refuse(StatusCode::NOT_FOUND, "no token has this address") })),
    row!(Rest, "token-first-version-progress", &["TOKEN-ONE"], "V1 tokens show no progress", Response(TOKEN, |_, response| if response.body["version"] == "v1" { response.body["funding_progress"] = json!(0) })),
];
