//! Defects of the referral programme and of the leaderboard.
use std::collections::BTreeSet;

use hyper::StatusCode;
use hyper::header::AUTHORIZATION;
use serde_json::{Value, json};

use crate::http::exchange::{ProxiedResponse, RequestParts};
use crate::http::mutation::Facts;
use crate::json::{items, list, times};

const CODE_RECORD: &str = r#"{"code":"REF-AAAAAAAA","created_at":"2026-03-04T12:00:00Z","total_referrals":0,"active_referrals":0,"total_points_earned":0}"#;

/// The code of somebody.
pub(super) fn code(response: &mut ProxiedResponse) {
    response.succeed(serde_json::from_str(CODE_RECORD).unwrap_or_default());
}

pub(super) fn any_bearer(request: &RequestParts, response: &mut ProxiedResponse) {
    let header = request.headers().get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    if response.status == StatusCode::UNAUTHORIZED
        && header.is_some_and(|header| header.starts_with("Bearer "))
    {
        code(response);
    }
}

pub(super) fn created_now(facts: &Facts, _: &RequestParts, response: &mut ProxiedResponse) {
    if response.is_ok() {
        let now = i64::try_from(facts.now).ok().and_then(|now| jiff::Timestamp::from_second(now).ok());
        response.body["created_at"] = now.map(|now| now.to_string()).into();
    }
}

pub(super) fn unlimited(_: &RequestParts, response: &mut ProxiedResponse) {
    if response.status == StatusCode::TOO_MANY_REQUESTS {
        code(response);
    }
}

pub(super) fn total_without_creations(_: &RequestParts, response: &mut ProxiedResponse) {
    let stats = &mut response.body["stats"];
    let parts = ["points_from_trading", "points_from_milestones"];
    if stats.is_object() {
        let sum: f64 = parts.iter().filter_map(|name| stats[*name].as_f64()).sum();
        stats["total_points_earned"] = json!(sum);
    }
}

pub(super) fn nobody_is_unknown(request: &RequestParts, response: &mut ProxiedResponse) {
    if request.has("address") && response.body["stats"]["total_referrals"] == json!(0) {
        response.refuse(StatusCode::NOT_FOUND, "no wallet has this address");
    }
}

pub(super) fn registered(request: &RequestParts, response: &mut ProxiedResponse) {
    response.succeed(
        json!({ "success": true, "message": "registered", "referrer": request.body["wallet_address"] }),
    );
}

pub(super) fn rank_from_zero(_: &RequestParts, response: &mut ProxiedResponse) {
    for row in rows(response) {
        row["rank"] = row["rank"].as_u64().map(|rank| rank.saturating_sub(1)).into();
    }
}

pub(super) fn points_without_referrals(_: &RequestParts, response: &mut ProxiedResponse) {
    for row in rows(response) {
        let parts = ["trading_points", "creation_points"];
        let sum: f64 = parts.iter().filter_map(|name| row[*name].as_f64()).sum();
        row["points"] = json!(sum);
    }
}

/// Multiplies a sum of the stats.
pub(super) fn scale(response: &mut ProxiedResponse, name: &str, factor: f64) {
    multiply(&mut response.body["stats"], name, factor);
}

pub(super) fn multiply(object: &mut Value, name: &str, factor: f64) {
    object.get_mut(name).into_iter().for_each(|number| times(number, factor));
}

pub(super) fn rows(response: &mut ProxiedResponse) -> impl Iterator<Item = &mut Value> {
    items(&mut response.body, "leaderboard")
}

pub(super) fn a_day_longer(facts: &Facts, request: &RequestParts, response: &mut ProxiedResponse) {
    for (period, days) in [("24h", 2), ("7d", 8), ("30d", 31)] {
        shorten(period, days * 24, facts, request, response);
    }
}

pub(super) fn shorten(
    period: &str,
    hours: u64,
    facts: &Facts,
    request: &RequestParts,
    response: &mut ProxiedResponse,
) {
    let since = facts.now.saturating_sub(hours * 3_600);
    let second = |row: &Value| row["timestamp"].as_str()?.parse::<jiff::Timestamp>().ok();
    if request.get("period") == Some(period) {
        keep_activity(&mut response.body, |row| {
            second(row).and_then(|time| u64::try_from(time.as_second()).ok()) >= Some(since)
        });
    }
}

pub(super) fn first_trades(_: &RequestParts, response: &mut ProxiedResponse) {
    let mut traded = BTreeSet::new();
    // The latest come first.
    let mut later = BTreeSet::new();
    let rows = response.body["recent_activity"].as_array().into_iter().flatten().rev();
    for row in rows.filter(|row| row["type"] == "trade") {
        if !traded.insert(row["referral_address"].to_string()) {
            later.insert(row.to_string());
        }
    }
    keep_activity(&mut response.body, |row| !later.contains(&row.to_string()));
}

/// Leaves out the other rows of recent activity, and their points in every sum.
fn keep_activity(stats: &mut Value, keep: impl Fn(&Value) -> bool) {
    let Some(rows) = list(stats, "recent_activity") else { return };
    let (kept, left): (Vec<Value>, Vec<Value>) = std::mem::take(rows).into_iter().partition(keep);
    *rows = kept;
    for row in left {
        let points = row["points_earned"].as_f64().unwrap_or_default();
        let part = match row["type"].as_str() {
            Some("token_creation") => "points_from_token_creation",
            Some("milestone") => "points_from_milestones",
            _ => "points_from_trading",
        };
        for name in [part, "total_points_earned"] {
            add(&mut stats["stats"][name], -points);
        }
        let of_row = |referral: &&mut Value| referral["address"] == row["referral_address"];
        if let Some(referral) = items(stats, "top_referrals").find(of_row) {
            add(&mut referral["points_generated"], -points);
        }
    }
}

fn add(number: &mut Value, more: f64) {
    if let Some(before) = number.as_f64() {
        *number = json!(before + more);
    }
}

pub(super) fn another_wallet(request: &mut RequestParts) {
    if let Some(wallet) = request.body["wallet_address"].as_str() {
        let mut wallet = wallet.to_lowercase();
        let last = if wallet.pop() == Some('0') { '1' } else { '0' };
        wallet.push(last);
        request.body["wallet_address"] = json!(wallet);
    }
}
