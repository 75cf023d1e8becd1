//! The four referral endpoints: code and stats of a wallet that proves itself, registration, and the leaderboard.
//!
//! Points are numbers, exact to fifteen significant digits. Stats are also told by `address`, and then to anyone.
use std::sync::Arc;

use alloy::primitives::Address;
use axum::body::Body;
use axum::extract::State;
use axum::http::header::{AUTHORIZATION, CACHE_CONTROL, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, HeaderValue, Uri};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde_json::{Map, Value};

use super::limit::{Caller, told};
use super::row::instant;
use crate::api::referral::{self, stats};
use crate::api::refusal::Refusal;
use crate::api::{Api, access, address};
use crate::state::figure::Figure;
use crate::state::referrals::Deed;
use crate::store::Rule;
use crate::surface::body;
use crate::surface::http::json;
use crate::surface::parameters::{Field, Parameters, whole_within};

/// Largest body that is read, in bytes.
const BODY_LIMIT: usize = 8 * 1024;

const PERIOD: Field = Field {
    name: "period",
    cause: "referral-period",
    rule: "must be 24h, 7d, 30d or all",
};
const LIMIT: Field = Field {
    name: "limit",
    cause: "referral-limit",
    rule: "must be a whole number from 1 to 100",
};
const ADDRESS: Field = Field {
    name: "address",
    cause: "referral-address",
    rule: "must be an address: 0x and 40 hexadecimal digits",
};
const CODE: Field = Field {
    name: "referral_code",
    cause: "referral-code",
    rule: "must be a string that is not empty",
};
const WALLET: Field = Field {
    name: "wallet_address",
    cause: "referral-wallet",
    rule: "must be an address: 0x and 40 hexadecimal digits",
};

#[derive(Serialize)]
struct Code {
    code: String,
    created_at: String,
    total_referrals: u64,
    active_referrals: u64,
    total_points_earned: Figure,
}

#[derive(Serialize)]
struct Stats {
    referral_code: String,
    stats: Sums,
    recent_activity: Vec<Activity>,
    top_referrals: Vec<TopReferral>,
}

#[derive(Serialize)]
struct Sums {
    total_referrals: u64,
    active_referrals: u64,
    total_points_earned: Figure,
    points_from_trading: Figure,
    points_from_token_creation: Figure,
    points_from_milestones: Figure,
}

#[derive(Serialize)]
struct Activity {
    r#type: &'static str,
    referral_address: String,
    points_earned: Figure,
    timestamp: String,
}

#[derive(Serialize)]
struct TopReferral {
    address: String,
    points_generated: Figure,
    joined_at: String,
}

#[derive(Serialize)]
struct Registered {
    success: bool,
    message: &'static str,
    referrer: String,
}

#[derive(Serialize)]
struct Board {
    leaderboard: Vec<Entry>,
    updated_at: String,
}

#[derive(Serialize)]
struct Entry {
    rank: u64,
    address: String,
    referral_code: String,
    total_referrals: u64,
    points_earned: Figure,
}

/// `GET /api/referral/code`.
pub(super) async fn code(State(api): State<Arc<Api>>, headers: HeaderMap) -> Response {
    let wallet = match proven(&api, &headers) {
        Ok(wallet) => wallet,
        Err(refusal) => return unproven(refusal),
    };
    let key = wallet.to_string();
    let answer = within(&api, &referral::CODE_RULE, &key, async {
        let record = referral::code(&api, wallet).await?;
        Ok(json(&Code {
            code: record.code,
            created_at: instant(record.created_at),
            total_referrals: record.totals.total_referrals,
            active_referrals: record.totals.active_referrals,
            total_points_earned: record.totals.points().shown(),
        }))
    });
    personal(answer.await)
}

/// `GET /api/referral/stats`.
pub(super) async fn stats(
    State(api): State<Arc<Api>>,
    caller: Caller,
    headers: HeaderMap,
    uri: Uri,
) -> Response {
    let parameters = match Parameters::of(&uri) {
        Ok(parameters) => parameters,
        Err(refusal) => return refusal.into_response(),
    };
    let (wallet, key) = match parameters.read(ADDRESS, address::parse) {
        Ok(Some(wallet)) => (wallet, caller.0.to_string()),
        Ok(None) => match proven(&api, &headers) {
            Ok(wallet) => (wallet, wallet.to_string()),
            Err(refusal) => return unproven(refusal),
        },
        Err(refusal) => return refusal.into_response(),
    };
    let answer = within(&api, &referral::STATS_RULE, &key, async {
        let period = parameters.read(PERIOD, stats::Period::of)?.unwrap_or_default();
        let stats = stats::stats(&api.read(), api.clock.now(), wallet, period);
        Ok(json(&shown(stats)))
    });
    personal(answer.await)
}

/// `GET /api/referral/leaderboard`.
pub(super) async fn leaderboard(State(api): State<Arc<Api>>, caller: Caller, uri: Uri) -> Response {
    let key = caller.0.to_string();
    within(&api, &referral::LEADERBOARD_RULE, &key, async {
        let parameters = Parameters::of(&uri)?;
        let period = parameters.read(PERIOD, stats::Period::of)?.unwrap_or_default();
        let limit = parameters
            .read(LIMIT, whole_within(1, stats::MAXIMUM_LIMIT))?
            .unwrap_or(stats::DEFAULT_LIMIT);
        let now = api.clock.now();
        let rows = stats::leaderboard(&api.read(), now, period, limit);
        Ok(json(&Board {
            leaderboard: rows.into_iter().map(entry).collect(),
            updated_at: instant(now),
        }))
    })
    .await
}

/// `POST /api/referral/register`.
pub(super) async fn register(
    State(api): State<Arc<Api>>,
    caller: Caller,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let key = caller.0.to_string();
    within(&api, &referral::REGISTER_RULE, &key, async {
        let (wallet, code) = registration(&headers, body).await?;
        let referrer = referral::register(&api, wallet, &code).await?;
        Ok(json(&Registered {
            success: true,
            message: "the wallet is registered with its referrer",
            referrer: referrer.to_string(),
        }))
    })
    .await
}

/// The answer, served or refused, to a caller who is within a limit, with where the caller stands.
async fn within(
    api: &Api,
    rule: &Rule,
    key: &str,
    answer: impl Future<Output = Result<Response, Refusal>>,
) -> Response {
    match api.store.take(rule, key, api.clock.now()).await {
        Ok(Ok(standing)) => told(answer.await.into_response(), standing),
        Ok(Err(used_up)) => Refusal::from(used_up).into_response(),
        Err(error) => Refusal::from(error).into_response(),
    }
}

async fn registration(headers: &HeaderMap, body: Body) -> Result<(Address, String), Refusal> {
    let request = body::json_object(headers, body, BODY_LIMIT).await?;
    let code = text(&request, CODE)?;
    if code.is_empty() {
        return Err(CODE.refuse(code));
    }
    let wallet = text(&request, WALLET)?;
    let wallet = address::parse(wallet).ok_or_else(|| WALLET.refuse(wallet))?;
    Ok((wallet, code.to_owned()))
}

fn text(request: &Map<String, Value>, field: Field) -> Result<&str, Refusal> {
    let value = request.get(field.name).ok_or_else(|| field.missing())?;
    value.as_str().ok_or_else(|| field.refuse(&value.to_string()))
}

/// The wallet that the one `Authorization` header speaks for.
fn proven(api: &Api, headers: &HeaderMap) -> Result<Address, Refusal> {
    let mut sent = headers.get_all(AUTHORIZATION).iter();
    let header = sent.next();
    if sent.next().is_some() {
        return Err(Refusal::new(
            401,
            "access-repeated",
            "Authorization is sent more than once",
        ));
    }
    access::wallet(api, header.map(HeaderValue::as_bytes))
}

fn unproven(refusal: Refusal) -> Response {
    let mut response = refusal.into_response();
    response
        .headers_mut()
        .insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer, Wallet"));
    personal(response)
}

/// What one wallet is told is kept by nobody else.
fn personal(mut response: Response) -> Response {
    response
        .headers_mut()
        .insert(CACHE_CONTROL, HeaderValue::from_static("private, no-store"));
    response
}

fn shown(stats: stats::Stats) -> Stats {
    let totals = stats.totals;
    let activity = stats.recent.iter().map(|(place, earning)| Activity {
        r#type: match earning.deed {
            Deed::Trade { .. } => "trade",
            Deed::Creation => "token_creation",
            Deed::Milestone => "milestone",
        },
        referral_address: earning.wallet.to_string(),
        points_earned: earning.points.shown(),
        timestamp: instant(place.at),
    });
    let top = stats.top.iter().map(|referral| TopReferral {
        address: referral.address.to_string(),
        points_generated: referral.points.shown(),
        joined_at: instant(referral.joined_at),
    });
    Stats {
        referral_code: stats.code,
        stats: Sums {
            total_referrals: totals.total_referrals,
            active_referrals: totals.active_referrals,
            total_points_earned: totals.points().shown(),
            points_from_trading: totals.trading.shown(),
            points_from_token_creation: totals.creation.shown(),
            points_from_milestones: totals.milestones.shown(),
        },
        recent_activity: activity.collect(),
        top_referrals: top.collect(),
    }
}

fn entry(row: stats::Row) -> Entry {
    Entry {
        rank: row.rank,
        address: row.address.to_string(),
        referral_code: row.code,
        total_referrals: row.total_referrals,
        points_earned: row.points.shown(),
    }
}
