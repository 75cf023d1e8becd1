//! `GET /api/leaderboard`: the wallets with the most points.
use std::sync::Arc;

use axum::extract::State;
use axum::http::Uri;
use axum::response::Response;
use serde::Serialize;

use super::row::instant;
use crate::api::Api;
use crate::api::leaderboard::{DEFAULT_LIMIT, MAXIMUM_LIMIT, leaderboard};
use crate::api::refusal::Refusal;
use crate::state::figure::Figure;
use crate::surface::http::json;
use crate::surface::parameters::{Field, Parameters, whole_within};

const LIMIT: Field = Field {
    name: "limit",
    cause: "leaderboard-limit",
    rule: "must be a whole number from 1 to 100",
};

#[derive(Serialize)]
struct Answer {
    leaderboard: Vec<Entry>,
    updated_at: String,
}

#[derive(Serialize)]
struct Entry {
    rank: u64,
    address: String,
    points: Figure,
    trading_points: Figure,
    creation_points: Figure,
    referral_points: Figure,
    volume_eth: Figure,
}

pub(super) async fn get(State(api): State<Arc<Api>>, uri: Uri) -> Result<Response, Refusal> {
    let limit = Parameters::of(&uri)?
        .read(LIMIT, whole_within(1, MAXIMUM_LIMIT))?
        .unwrap_or(DEFAULT_LIMIT);
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
    Ok(json(&Answer {
        leaderboard: entries.collect(),
        updated_at: instant(api.clock.now()),
    }))
}
