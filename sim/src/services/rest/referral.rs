//! The four referral endpoints: code and stats of an authenticated wallet, registration, and the leaderboard.
//!
//! Points are numbers, exact to fifteen significant digits. Stats can also be read by `address`, without authentication.
use std::sync::Arc;

use alloy::primitives::Address;
use axum::body::Body;
use axum::extract::State;
use axum::http::header::{AUTHORIZATION, CACHE_CONTROL, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, HeaderValue, Uri};
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json as value;

use super::limit::{Caller, with_rate_limit};
use super::row::instant;
use crate::api::referral::stats::{self, Period};
use crate::api::refusal::Refusal;
use crate::api::schema::{AddressText, Instant};
use crate::api::{Api, RateLimit, access, referral};
use crate::services::body;
use crate::services::http::json;
use crate::services::input::{
    AccountAddress, Custom, DefaultTo, Fields, Input, OneOf, Optional, Query, Required, WholeNumber,
    body_schema,
};
use crate::services::openapi::{Operation, Schemas};
use crate::state::figure::Figure;
use crate::state::referrals::PointSource;

/// Largest accepted body, in bytes.
const BODY_LIMIT: usize = 8 * 1024;

const PERIOD: Input<OneOf<Period>, DefaultTo<Period>> = Input {
    name: "period",
    cause: "referral-period",
    meaning: "what counts by its age",
    kind: OneOf(&Period::NAMES),
    presence: DefaultTo(Period::All),
};
const LIMIT: Input<WholeNumber, DefaultTo<u64>> = Input {
    name: "limit",
    cause: "referral-limit",
    meaning: "rows of the answer",
    kind: WholeNumber { min: 1, max: stats::MAXIMUM_LIMIT },
    presence: DefaultTo(stats::DEFAULT_LIMIT),
};
/// Clause: REF-STATS-ADDR
const ADDRESS: Input<AccountAddress, Optional> = Input {
    name: "address",
    cause: "referral-address",
    meaning: "the wallet; without it that of the credential",
    kind: AccountAddress,
    presence: Optional,
};
const CODE: Input<Custom<String>, Required> = Input {
    name: "referral_code",
    cause: "referral-code",
    meaning: "code or address of the referrer",
    kind: Custom {
        parse: |text| (!text.is_empty()).then(|| text.to_owned()),
        rule: "must be a string that is not empty",
        schema: || value!({ "type": "string", "minLength": 1 }),
    },
    presence: Required,
};
const WALLET: Input<AccountAddress, Required> = Input {
    name: "wallet_address",
    cause: "referral-wallet",
    meaning: "the wallet to register",
    kind: AccountAddress,
    presence: Required,
};

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ReferralCode")]
struct Code {
    code: String,
    #[schemars(with = "Instant")]
    created_at: String,
    total_referrals: u64,
    active_referrals: u64,
    total_points_earned: Figure,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ReferralStats")]
struct Stats {
    referral_code: String,
    stats: StatsTotals,
    #[schemars(length(max = stats::RECENT))]
    recent_activity: Vec<Activity>,
    #[schemars(length(max = stats::TOP))]
    top_referrals: Vec<TopReferral>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ReferralSums")]
struct StatsTotals {
    total_referrals: u64,
    active_referrals: u64,
    total_points_earned: Figure,
    points_from_trading: Figure,
    points_from_token_creation: Figure,
    points_from_milestones: Figure,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ReferralActivity")]
struct Activity {
    #[schemars(extend("enum" = [TRADE, CREATION, MILESTONE]))]
    r#type: &'static str,
    #[schemars(with = "AddressText")]
    referral_address: String,
    points_earned: Figure,
    #[schemars(with = "Instant")]
    timestamp: String,
}

#[derive(Serialize, JsonSchema)]
struct TopReferral {
    #[schemars(with = "AddressText")]
    address: String,
    points_generated: Figure,
    #[schemars(with = "Instant")]
    joined_at: String,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Registration")]
struct Registration {
    success: bool,
    message: &'static str,
    #[schemars(with = "AddressText")]
    referrer: String,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ReferrerBoard")]
struct ReferralLeaderboard {
    leaderboard: Vec<Entry>,
    #[schemars(with = "Instant")]
    updated_at: String,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Referrer")]
struct Entry {
    #[schemars(range(min = 1))]
    rank: u64,
    #[schemars(with = "AddressText")]
    address: String,
    referral_code: String,
    total_referrals: u64,
    points_earned: Figure,
}

/// Kinds of activity.
const TRADE: &str = "trade";
const CREATION: &str = "token_creation";
const MILESTONE: &str = "milestone";

/// Responses for one wallet are not cached.
const NO_STORE: &str = "private, no-store";
/// Authentication schemes.
const CHALLENGE: &str = "Bearer, Wallet";

/// Adds what every operation with an `Authorization` header has in common.
fn with_authentication(operation: Operation) -> Operation {
    let unkept = value!({ "const": NO_STORE });
    operation
        .with_header(CACHE_CONTROL.as_str(), "not stored by any cache", &unkept)
        .limited()
        .refuses(401, "the credential is absent or proves nothing")
        .refused_with_header(401, CACHE_CONTROL.as_str(), "not stored by any cache", unkept)
        .refused_with_header(
            401,
            WWW_AUTHENTICATE.as_str(),
            "ways to prove oneself",
            value!({ "const": CHALLENGE }),
        )
        .stored()
}

pub(super) fn code_operation(schemas: &mut Schemas) -> Operation {
    let operation =
        Operation::get("getReferralCode", "The code of the caller's wallet, made when it has none")
            .proven_by(&["bearer", "wallet"])
            .serves("the code", schemas.of::<Code>());
    with_authentication(operation).fails(503, referral::NO_CODE, &[referral::NO_CODE])
}

pub(super) fn stats_operation(schemas: &mut Schemas) -> Operation {
    let operation = Operation::get("getReferralStats", "What a wallet's referrals have earned it")
        .proven_by(&["bearer", "wallet", ""])
        .takes(&PERIOD)
        .takes(&ADDRESS)
        .serves("the stats", schemas.of::<Stats>());
    with_authentication(operation)
}

pub(super) fn leaderboard_operation(schemas: &mut Schemas) -> Operation {
    Operation::get("getReferralLeaderboard", "The wallets whose referrals earned them most")
        .takes(&PERIOD)
        .takes(&LIMIT)
        .serves("wallets by rank", schemas.of::<ReferralLeaderboard>())
        .limited()
        .stored()
}

pub(super) fn register_operation(schemas: &mut Schemas) -> Operation {
    let body = body_schema(&[&CODE, &WALLET]);
    Operation::post("registerReferral", "Registers a wallet with its referrer")
        .body("application/json", body, BODY_LIMIT)
        .serves("the registration", schemas.of::<Registration>())
        .limited()
        .refuses_beyond_form(referral::ONESELF)
        .refuses_beyond_form(referral::CIRCLE)
        .refuses_beyond_form(referral::NO_WALLET)
        .refuses_beyond_form(referral::NO_REFERRER)
        .refuses(404, "no wallet has this referral code")
        .refuses(409, "the wallet is registered already")
        .stored()
}

/// `GET /api/referral/code`.
pub(super) async fn code(State(api): State<Arc<Api>>, headers: HeaderMap) -> Response {
    let wallet = match authenticated_wallet(&api, &headers) {
        Ok(wallet) => wallet,
        Err(refusal) => return unauthorized(refusal),
    };
    let key = wallet.to_string();
    let answer = with_limit(&api, &referral::CODE_RULE, &key, async {
        let record = referral::code(&api, wallet).await?;
        Ok(json(&Code {
            code: record.code,
            created_at: instant(record.created_at),
            total_referrals: record.totals.total_referrals,
            active_referrals: record.totals.active_referrals,
            total_points_earned: record.totals.points().shown(),
        }))
    });
    no_store(answer.await)
}

/// `GET /api/referral/stats`.
pub(super) async fn stats(
    State(api): State<Arc<Api>>,
    caller: Caller,
    headers: HeaderMap,
    uri: Uri,
) -> Response {
    let parameters = match Query::decode(&uri) {
        Ok(parameters) => parameters,
        Err(refusal) => return refusal.into_response(),
    };
    let (wallet, key) = match parameters.read(&ADDRESS) {
        Ok(Some(wallet)) => (wallet, caller.0.to_string()),
        Ok(None) => match authenticated_wallet(&api, &headers) {
            Ok(wallet) => (wallet, wallet.to_string()),
            Err(refusal) => return unauthorized(refusal),
        },
        Err(refusal) => return refusal.into_response(),
    };
    let answer = with_limit(&api, &referral::STATS_RULE, &key, async {
        let period = parameters.read(&PERIOD)?;
        let stats = stats::stats(&api.read(), api.clock.now(), wallet, period);
        Ok(json(&stats_answer(stats)))
    });
    no_store(answer.await)
}

/// `GET /api/referral/leaderboard`.
pub(super) async fn leaderboard(State(api): State<Arc<Api>>, caller: Caller, uri: Uri) -> Response {
    let key = caller.0.to_string();
    with_limit(&api, &referral::LEADERBOARD_RULE, &key, async {
        let parameters = Query::decode(&uri)?;
        let period = parameters.read(&PERIOD)?;
        let limit = parameters.read(&LIMIT)?;
        let now = api.clock.now();
        let rows = stats::leaderboard(&api.read(), now, period, limit);
        Ok(json(&ReferralLeaderboard {
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
    with_limit(&api, &referral::REGISTER_RULE, &key, async {
        let (wallet, code) = registration(&headers, body).await?;
        let referrer = referral::register(&api, wallet, &code).await?;
        Ok(json(&Registration {
            success: true,
            message: "the wallet is registered with its referrer",
            referrer: referrer.to_string(),
        }))
    })
    .await
}

/// Counts a request under a rate limit and answers it with the rate-limit headers.
async fn with_limit(
    api: &Api,
    rule: &RateLimit,
    key: &str,
    answer: impl Future<Output = Result<Response, Refusal>>,
) -> Response {
    match api.store.take(rule, key, api.clock.now()).await {
        Ok(Ok(status)) => with_rate_limit(answer.await.into_response(), status),
        Ok(Err(limited)) => Refusal::from(limited).into_response(),
        Err(error) => Refusal::from(error).into_response(),
    }
}

async fn registration(headers: &HeaderMap, body: Body) -> Result<(Address, String), Refusal> {
    let request = Fields::new(body::json_object(headers, body, BODY_LIMIT).await?);
    let code = request.read(&CODE)?;
    Ok((request.read(&WALLET)?, code))
}

/// The wallet that the one `Authorization` header authenticates.
fn authenticated_wallet(api: &Api, headers: &HeaderMap) -> Result<Address, Refusal> {
    let mut sent = headers.get_all(AUTHORIZATION).iter();
    let header = sent.next();
    if sent.next().is_some() {
        return Err(Refusal::unauthenticated("access-repeated", "Authorization is sent more than once"));
    }
    access::wallet(api, header.map(HeaderValue::as_bytes))
}

fn unauthorized(refusal: Refusal) -> Response {
    let mut response = refusal.into_response();
    response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static(CHALLENGE));
    no_store(response)
}

fn no_store(mut response: Response) -> Response {
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static(NO_STORE));
    response
}

fn stats_answer(stats: stats::Stats) -> Stats {
    let totals = stats.totals;
    let activity = stats.recent.iter().map(|(place, earning)| Activity {
        r#type: match earning.source {
            PointSource::Trade { .. } => TRADE,
            PointSource::Creation => CREATION,
            PointSource::Milestone => MILESTONE,
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
        stats: StatsTotals {
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

fn entry(row: stats::ReferrerRow) -> Entry {
    Entry {
        rank: row.rank,
        address: row.address.to_string(),
        referral_code: row.code,
        total_referrals: row.total_referrals,
        points_earned: row.points.shown(),
    }
}
