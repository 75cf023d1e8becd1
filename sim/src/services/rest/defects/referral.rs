//! Defects of the referral programme and of the leaderboard.
use axum::http::StatusCode;
use axum::http::header::AUTHORIZATION;
use serde_json::{Value, json};

use super::exchange::{Asked, Told};

const CODE_RECORD: &str = r#"{"code":"REF-AAAAAAAA","created_at":"2026-03-04T12:00:00Z","total_referrals":0,"active_referrals":0,"total_points_earned":0}"#;

/// A token that nobody issued is good enough.
pub(super) fn any_bearer(asked: &Asked, told: &mut Told) {
    let header = asked.headers().get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    if told.status == StatusCode::UNAUTHORIZED && header.is_some_and(|header| header.starts_with("Bearer ")) {
        told.serve(serde_json::from_str(CODE_RECORD).unwrap_or_default());
    }
}

/// A missing credential is bad input.
pub(super) fn missing_is_bad_input(asked: &Asked, told: &mut Told) {
    if told.status == StatusCode::UNAUTHORIZED && !asked.headers().contains_key(AUTHORIZATION) {
        told.refuse(StatusCode::BAD_REQUEST, "an Authorization header is required");
    }
}

/// The code is always as if it had just been made.
pub(super) fn created_now(asked: &Asked, told: &mut Told) {
    if told.is_ok() {
        let now = i64::try_from(asked.now).ok().and_then(|now| jiff::Timestamp::from_second(now).ok());
        told.body["created_at"] = now.map(|now| now.to_string()).into();
    }
}

/// A limit is told and not kept.
pub(super) fn unlimited(_: &Asked, told: &mut Told) {
    if told.status == StatusCode::TOO_MANY_REQUESTS {
        told.serve(serde_json::from_str(CODE_RECORD).unwrap_or_default());
    }
}

/// A limit refuses without saying for how long.
pub(super) fn no_retry_after(_: &Asked, told: &mut Told) {
    if told.status == StatusCode::TOO_MANY_REQUESTS {
        told.headers.remove("retry-after");
    }
}

/// The total leaves launches out.
pub(super) fn total_without_creations(_: &Asked, told: &mut Told) {
    let stats = &mut told.body["stats"];
    let parts = ["points_from_trading", "points_from_milestones"];
    if stats.is_object() {
        let sum: f64 = parts.iter().filter_map(|name| stats[*name].as_f64()).sum();
        stats["total_points_earned"] = json!(sum);
    }
}

/// An unknown period is taken for all.
pub(super) fn any_period(asked: &mut Asked) {
    if asked.get("period").is_some_and(|period| !["24h", "7d", "30d", "all"].contains(&period)) {
        asked.drop("period");
    }
}

/// The period is passed over.
pub(super) fn no_period(asked: &mut Asked) {
    asked.drop("period");
}

/// A wallet without referrals is not found.
pub(super) fn nobody_is_unknown(asked: &Asked, told: &mut Told) {
    if asked.has("address") && told.body["stats"]["total_referrals"] == json!(0) {
        told.refuse(StatusCode::NOT_FOUND, "no wallet has this address");
    }
}

/// Whoever refers oneself is registered.
pub(super) fn oneself(asked: &Asked, told: &mut Told) {
    if told.body["error"].to_string().contains("own referrer") {
        registered(asked, told);
    }
}

/// Whoever registers again is registered.
pub(super) fn again(asked: &Asked, told: &mut Told) {
    if told.status == StatusCode::CONFLICT {
        registered(asked, told);
    }
}

fn registered(asked: &Asked, told: &mut Told) {
    told.serve(json!({ "success": true, "message": "registered", "referrer": asked.body["wallet_address"] }));
}

/// Ranks begin at zero.
pub(super) fn rank_from_zero(_: &Asked, told: &mut Told) {
    for row in rows(told) {
        row["rank"] = row["rank"].as_u64().map(|rank| rank.saturating_sub(1)).into();
    }
}

/// A limit above the most is taken for the most.
pub(super) fn clamp_to_hundred(asked: &mut Asked) {
    let above = |text: &str| text.parse::<u64>().is_ok_and(|limit| limit > 100);
    if asked.get("limit").is_some_and(above) {
        asked.set("limit", "100");
    }
}

/// Points of referrals are left out of the sum.
pub(super) fn points_without_referrals(_: &Asked, told: &mut Told) {
    for row in rows(told) {
        let parts = ["trading_points", "creation_points"];
        let sum: f64 = parts.iter().filter_map(|name| row[*name].as_f64()).sum();
        row["points"] = json!(sum);
    }
}

/// Volume is told net of its fees.
pub(super) fn volume_net(_: &Asked, told: &mut Told) {
    for row in rows(told) {
        scale(row, "volume_eth", 0.98);
    }
}

/// Trades earn by what remains after the fees.
pub(super) fn trades_net(_: &Asked, told: &mut Told) {
    scale(&mut told.body["stats"], "points_from_trading", 0.98);
}

/// A launch earns its whole points.
pub(super) fn whole_creation(_: &Asked, told: &mut Told) {
    scale(&mut told.body["stats"], "points_from_token_creation", 10.0);
}

/// Milestones earn a tenth.
pub(super) fn tenth_of_milestone(_: &Asked, told: &mut Told) {
    scale(&mut told.body["stats"], "points_from_milestones", 0.1);
}

fn scale(object: &mut Value, name: &str, factor: f64) {
    if let Some(number) = object.get(name).and_then(Value::as_f64) {
        object[name] = json!(number * factor);
    }
}

fn rows(told: &mut Told) -> impl Iterator<Item = &mut Value> {
    let rows = told.body.get_mut("leaderboard").and_then(Value::as_array_mut);
    rows.into_iter().flatten()
}
