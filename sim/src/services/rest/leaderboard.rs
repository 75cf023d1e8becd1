//! `GET /api/leaderboard`: the wallets with the most points.
use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::Api;
use crate::api::leaderboard::{DEFAULT_LIMIT, LeaderboardEntry, MAXIMUM_LIMIT};
use crate::api::schema::{Instant, instant};
use crate::services::http::json;
use crate::services::input::Parameters;
use crate::services::input::kinds::Whole;
use crate::services::openapi::{Operation, Schemas};

#[derive(Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct LeaderboardParameters {
    /// rows of the answer
    #[schemars(extend("x-cause" = "leaderboard-limit"))]
    limit: Whole<1, MAXIMUM_LIMIT, DEFAULT_LIMIT>,
}

pub(super) fn operation(schemas: &mut Schemas) -> Operation {
    Operation::get("getLeaderboard", "The wallets with the most points")
        .asks::<LeaderboardParameters>()
        .serves("wallets by rank", schemas.of::<Leaderboard>())
}

#[derive(Serialize, JsonSchema)]
struct Leaderboard {
    leaderboard: Vec<LeaderboardEntry>,
    updated_at: Instant,
}

pub(super) async fn get(
    State(api): State<Arc<Api>>,
    Parameters(query): Parameters<LeaderboardParameters>,
) -> Response {
    json(&Leaderboard { leaderboard: api.leaderboard(query.limit.0), updated_at: instant(api.now()) })
}
