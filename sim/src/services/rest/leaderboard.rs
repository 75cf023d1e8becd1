//! `GET /api/leaderboard`: the wallets with the most points.
use std::sync::Arc;

use axum::extract::State;
use axum::http::Uri;
use axum::response::Response;
use schemars::JsonSchema;
use serde::Serialize;

use crate::api::Api;
use crate::api::leaderboard::{DEFAULT_LIMIT, LeaderboardEntry, MAXIMUM_LIMIT};
use crate::api::refusal::Refusal;
use crate::api::schema::{Instant, instant};
use crate::services::http::json;
use crate::services::input::{DefaultTo, Input, Query, WholeNumber};
use crate::services::openapi::{Operation, Schemas};

const LIMIT: Input<WholeNumber, DefaultTo<u64>> = Input {
    name: "limit",
    cause: "leaderboard-limit",
    meaning: "rows of the answer",
    kind: WholeNumber { min: 1, max: MAXIMUM_LIMIT },
    presence: DefaultTo(DEFAULT_LIMIT),
};

pub(super) fn operation(schemas: &mut Schemas) -> Operation {
    Operation::get("getLeaderboard", "The wallets with the most points")
        .takes(&LIMIT)
        .serves("wallets by rank", schemas.of::<Leaderboard>())
}

#[derive(Serialize, JsonSchema)]
struct Leaderboard {
    leaderboard: Vec<LeaderboardEntry>,
    updated_at: Instant,
}

pub(super) async fn get(State(api): State<Arc<Api>>, uri: Uri) -> Result<Response, Refusal> {
    let limit = Query::decode(&uri)?.read(&LIMIT)?;
    Ok(json(&Leaderboard { leaderboard: api.leaderboard(limit), updated_at: instant(api.now()) }))
}
