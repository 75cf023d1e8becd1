//! `GET /api/leaderboard`: the wallets with the most points.
use std::sync::Arc;

use axum::extract::State;
use axum::http::Uri;
use axum::response::Response;
use schemars::JsonSchema;
use serde::Serialize;

use super::row::instant;
use crate::api::Api;
use crate::api::leaderboard::{DEFAULT_LIMIT, MAXIMUM_LIMIT, leaderboard};
use crate::api::refusal::Refusal;
use crate::api::schema::{AddressText, Instant};
use crate::services::http::json;
use crate::services::input::{DefaultTo, Input, Query, WholeNumber};
use crate::services::openapi::{Operation, Schemas};
use crate::state::figure::Figure;

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
    leaderboard: Vec<Entry>,
    #[schemars(with = "Instant")]
    updated_at: String,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "LeaderboardEntry")]
struct Entry {
    #[schemars(range(min = 1))]
    rank: u64,
    #[schemars(with = "AddressText")]
    address: String,
    points: Figure,
    trading_points: Figure,
    creation_points: Figure,
    referral_points: Figure,
    volume_eth: Figure,
}

pub(super) async fn get(State(api): State<Arc<Api>>, uri: Uri) -> Result<Response, Refusal> {
    let limit = Query::decode(&uri)?.read(&LIMIT)?;
    let rows = leaderboard(&api.read(), limit);
    let entries = rows.into_iter().map(|row| Entry {
        rank: row.rank,
        address: row.address.to_string(),
        points: row.score.total().shown(),
        trading_points: row.score.trading.shown(),
        creation_points: row.score.creation.shown(),
        referral_points: row.score.referral.shown(),
        volume_eth: Figure::of_units(row.score.volume),
    });
    Ok(json(&Leaderboard { leaderboard: entries.collect(), updated_at: instant(api.clock.now()) }))
}
