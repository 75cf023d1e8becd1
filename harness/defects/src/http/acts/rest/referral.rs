//! Acts of the referral programme and of the leaderboard.
use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::http::act::{Act, Context, Need, act};
use crate::http::exchange::{ProxiedResponse, RequestParts};
use crate::json::{items, list};

pub(super) const ACTS: &[Act] = &[
    act!(After created_now, Need::Clock),
    act!(After total_without_creations),
    act!(After own_code_taken),
    act!(After registered),
    act!(After points_without_referrals),
    act!(After a_day_longer, Need::Clock),
    act!(After an_hour_short, Need::Clock),
    act!(After first_trades),
    act!(Before another_wallet),
];

fn created_now(context: &Context<'_>, response: &mut ProxiedResponse) {
    if response.is_ok() {
        let now =
            i64::try_from(context.facts.now).ok().and_then(|now| jiff::Timestamp::from_second(now).ok());
        response.body["created_at"] = now.map(|now| now.to_string()).into();
    }
}

fn total_without_creations(_: &Context<'_>, response: &mut ProxiedResponse) {
    let stats = &mut response.body["stats"];
    let parts = ["points_from_trading", "points_from_milestones"];
    if stats.is_object() {
        let sum: f64 = parts.iter().filter_map(|name| stats[*name].as_f64()).sum();
        stats["total_points_earned"] = json!(sum);
    }
}

/// Confirms the registration of a wallet by its own address.
fn own_code_taken(context: &Context<'_>, response: &mut ProxiedResponse) {
    let text = |name: &str| context.sent.body[name].as_str().map(str::to_lowercase);
    if text("referral_code").is_some_and(|code| Some(code) == text("wallet_address")) {
        registered(context, response);
    }
}

fn registered(context: &Context<'_>, response: &mut ProxiedResponse) {
    let referrer = &context.sent.body["wallet_address"];
    response.succeed(json!({ "success": true, "message": "registered", "referrer": referrer }));
}

fn points_without_referrals(_: &Context<'_>, response: &mut ProxiedResponse) {
    for row in items(&mut response.body, "leaderboard") {
        let parts = ["trading_points", "creation_points"];
        let sum: f64 = parts.iter().filter_map(|name| row[*name].as_f64()).sum();
        row["points"] = json!(sum);
    }
}

/// The hours of a period of the stats; `None` for all time.
fn hours(period: &str) -> Option<u64> {
    match period {
        "24h" => Some(24),
        "7d" => Some(7 * 24),
        "30d" => Some(30 * 24),
        _ => None,
    }
}

/// Cuts the longer stats to a day more than the period.
fn a_day_longer(context: &Context<'_>, response: &mut ProxiedResponse) {
    keep_hours(context, response, |hours| hours + 24);
}

/// Cuts the stats to an hour less than the period.
fn an_hour_short(context: &Context<'_>, response: &mut ProxiedResponse) {
    keep_hours(context, response, |hours| hours - 1);
}

fn keep_hours(context: &Context<'_>, response: &mut ProxiedResponse, kept: fn(u64) -> u64) {
    let Some(hours) = context.sent.get("period").and_then(hours).map(kept) else { return };
    let since = context.facts.now.saturating_sub(hours * 3_600);
    let second = |row: &Value| row["timestamp"].as_str()?.parse::<jiff::Timestamp>().ok();
    keep_activity(&mut response.body, |row| {
        second(row).and_then(|time| u64::try_from(time.as_second()).ok()) >= Some(since)
    });
}

fn first_trades(_: &Context<'_>, response: &mut ProxiedResponse) {
    let mut traded = BTreeSet::new();
    // The newest come first.
    let mut later = BTreeSet::new();
    let rows = response.body["recent_activity"].as_array().into_iter().flatten().rev();
    for row in rows.filter(|row| row["type"] == "trade") {
        if !traded.insert(row["referral_address"].to_string()) {
            later.insert(row.to_string());
        }
    }
    keep_activity(&mut response.body, |row| !later.contains(&row.to_string()));
}

/// Drops the other rows of recent activity, and subtracts their points from every sum.
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

fn another_wallet(_: &Context<'_>, request: &mut RequestParts) {
    if let Some(wallet) = request.body["wallet_address"].as_str() {
        let mut wallet = wallet.to_lowercase();
        let last = if wallet.pop() == Some('0') { '1' } else { '0' };
        wallet.push(last);
        request.body["wallet_address"] = json!(wallet);
    }
}
