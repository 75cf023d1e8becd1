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
use serde::{Deserialize, Serialize};
use serde_json::json as value;

use super::limit::{Caller, with_limit};
use crate::api::referral::stats::{self, Period};
use crate::api::refusal::Refusal;
use crate::api::schema::{AddressText, Instant, instant};
use crate::api::{Api, access, referral};
use crate::services::http::json;
use crate::services::input::kinds::{AccountAddress, Text, Whole};
use crate::services::input::{Parameters, json_body, query};
use crate::services::openapi::{Operation, Schemas};

/// Largest accepted body, in bytes.
const BODY_LIMIT: usize = 8 * 1024;

#[derive(Default, Deserialize, JsonSchema)]
#[serde(default)]
struct Counted {
    /// period of the counted activity
    #[schemars(extend("x-cause" = "referral-period"))]
    period: Period,
}

/// Clause: REF-STATS-ADDR
#[derive(Deserialize, JsonSchema)]
pub(super) struct StatsOf {
    /// the wallet; by default the credential's
    #[schemars(extend("x-cause" = "referral-address"))]
    address: Option<AccountAddress>,
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(default)]
struct BoardRows {
    /// rows of the answer
    #[schemars(extend("x-cause" = "referral-limit"))]
    limit: Whole<1, { stats::MAXIMUM_LIMIT }, { stats::DEFAULT_LIMIT }>,
}

#[derive(Deserialize, JsonSchema)]
struct RegistrationRequest {
    /// code or address of the referrer
    #[schemars(extend("x-cause" = "referral-code", "x-rule" = "must be a string that is not empty"))]
    referral_code: Text<1>,
    /// the wallet to register
    #[schemars(extend("x-cause" = "referral-wallet"))]
    wallet_address: AccountAddress,
}

#[derive(Serialize, JsonSchema)]
struct Registration {
    success: bool,
    message: &'static str,
    referrer: AddressText,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ReferrerBoard")]
struct ReferralLeaderboard {
    leaderboard: Vec<stats::Referrer>,
    updated_at: Instant,
}

/// Responses for one wallet are not cached.
const NO_STORE: &str = "private, no-store";
/// Authentication schemes.
const CHALLENGE: &str = "Bearer, Wallet";

/// Adds the parts that every operation with an `Authorization` header shares.
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
            .serves("the code", schemas.of::<referral::Code>());
    with_authentication(operation).fails(503, referral::NO_CODE, &[referral::NO_CODE])
}

pub(super) fn stats_operation(schemas: &mut Schemas) -> Operation {
    let operation = Operation::get("getReferralStats", "What a wallet's referrals have earned it")
        .proven_by(&["bearer", "wallet", ""])
        .asks::<Counted>()
        .asks::<StatsOf>()
        .serves("the stats", schemas.of::<stats::Stats>());
    with_authentication(operation)
}

pub(super) fn leaderboard_operation(schemas: &mut Schemas) -> Operation {
    Operation::get("getReferralLeaderboard", "The wallets whose referrals earned them most")
        .asks::<Counted>()
        .asks::<BoardRows>()
        .serves("wallets by rank", schemas.of::<ReferralLeaderboard>())
        .limited()
        .stored()
}

pub(super) fn register_operation(schemas: &mut Schemas) -> Operation {
    Operation::post("registerReferral", "Registers a wallet with its referrer")
        .sends::<RegistrationRequest>("application/json", BODY_LIMIT)
        .serves("the registration", schemas.of::<Registration>())
        .limited()
        .refuses(400, referral::ONESELF)
        .refuses(400, referral::CIRCLE)
        .refuses(400, referral::NO_WALLET)
        .refuses(400, referral::NO_REFERRER)
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
        Ok(json(&referral::code(&api, wallet).await?))
    });
    no_store(answer.await)
}

/// `GET /api/referral/stats`.
pub(super) async fn stats(
    State(api): State<Arc<Api>>,
    caller: Caller,
    headers: HeaderMap,
    Parameters(of): Parameters<StatsOf>,
    uri: Uri,
) -> Response {
    let (wallet, key) = match of.address {
        Some(AccountAddress(wallet)) => (wallet, caller.0.to_string()),
        None => match authenticated_wallet(&api, &headers) {
            Ok(wallet) => (wallet, wallet.to_string()),
            Err(refusal) => return unauthorized(refusal),
        },
    };
    let answer = with_limit(&api, &referral::STATS_RULE, &key, async {
        let counted: Counted = query(&uri)?;
        Ok(json(&api.referral_stats(wallet, counted.period)))
    });
    no_store(answer.await)
}

/// `GET /api/referral/leaderboard`.
pub(super) async fn leaderboard(State(api): State<Arc<Api>>, caller: Caller, uri: Uri) -> Response {
    let key = caller.0.to_string();
    with_limit(&api, &referral::LEADERBOARD_RULE, &key, async {
        let (counted, rows): (Counted, BoardRows) = (query(&uri)?, query(&uri)?);
        let (leaderboard, at) = api.referrers(counted.period, rows.limit.0);
        Ok(json(&ReferralLeaderboard { leaderboard, updated_at: instant(at) }))
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
        let request: RegistrationRequest = json_body(&headers, body, BODY_LIMIT).await?;
        let referrer = referral::register(&api, request.wallet_address.0, &request.referral_code.0).await?;
        Ok(json(&Registration {
            success: true,
            message: "the wallet is registered with its referrer",
            referrer: AddressText(referrer),
        }))
    })
    .await
}

/// The wallet that the only `Authorization` header authenticates.
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
