//! Defects in refusals, headers, batches, single tokens and capabilities.
use axum::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN, ALLOW,
    AUTHORIZATION, CACHE_CONTROL, CONTENT_TYPE,
};
use axum::http::{HeaderValue, Method, StatusCode};
use serde_json::{Value, json};

use super::exchange::{Asked, Told};
use crate::api::address;

/// Parameters of the list.
const LIST_PARAMETERS: [&str; 14] = [
    "page",
    "search",
    "status",
    "sortBy",
    "timeframe",
    "socials",
    "fundingMin",
    "fundingMax",
    "marketCapMin",
    "marketCapMax",
    "txCountMin",
    "txCountMax",
    "createdFrom",
    "createdTo",
];
/// Fields of a batch request.
const BATCH_FIELDS: [&str; 4] = ["addresses", "includeMetrics", "includeHolders", "includeSocials"];
/// Fields of a batch answer that hang on its flags.
const METRICS: [&str; 4] = ["volume_24h", "price_change_24h", "txns_24h_buys", "txns_24h_sells"];
const SOCIALS: [&str; 3] = ["messenger", "microblog", "website"];
/// Seconds for which a new token is not there yet.
const LAG: u64 = 30;

/// Refusals say that they are plain text.
pub(super) fn refusals_as_text(_: &Asked, told: &mut Told) {
    if told.is_refusal() {
        told.headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    }
}

/// Refusals tell where in the source they come from.
pub(super) fn refusals_with_source(asked: &Asked, told: &mut Told) {
    if told.is_refusal() && told.body.is_object() {
        told.body["details"] =
            format!("Error: refused\n    at handle (/srv/service/src{}.ts:118:11)", asked.path).into();
    }
}

/// Refusals lack their status.
pub(super) fn refusals_without_status(_: &Asked, told: &mut Told) {
    if told.is_refusal() {
        Told::remove(&mut told.body, "status");
    }
}

/// A wrong method is not told the right ones. The header stays without a value: the router would fill in an absent one.
pub(super) fn no_allow(_: &Asked, told: &mut Told) {
    if told.status == StatusCode::METHOD_NOT_ALLOWED {
        told.headers.insert(ALLOW, HeaderValue::from_static(""));
    }
}

/// A wrong method is taken for a wrong path.
pub(super) fn method_not_found(_: &Asked, told: &mut Told) {
    if told.status == StatusCode::METHOD_NOT_ALLOWED {
        told.refuse(StatusCode::NOT_FOUND, "no such path");
    }
}

/// Whoever shows a credential must show a good one.
pub(super) fn junk_authorization(asked: &Asked, told: &mut Told) {
    if asked.headers().contains_key(AUTHORIZATION) && told.is_ok() {
        told.refuse(StatusCode::UNAUTHORIZED, "invalid token");
    }
}

/// Unknown parameters are refused.
pub(super) fn unknown_parameter(asked: &Asked, told: &mut Told) {
    if asked.query.iter().any(|(name, _)| !LIST_PARAMETERS.contains(&name.as_str())) && told.is_ok() {
        told.refuse(StatusCode::BAD_REQUEST, "unknown parameter");
    }
}

/// Unknown body fields are refused.
pub(super) fn unknown_field(asked: &Asked, told: &mut Told) {
    let unknown = |name: &String| !BATCH_FIELDS.contains(&name.as_str());
    if told.is_ok() && asked.body.as_object().is_some_and(|fields| fields.keys().any(unknown)) {
        told.refuse(StatusCode::BAD_REQUEST, "unknown field");
    }
}

/// Round amounts are written with an exponent.
pub(super) fn amount_with_exponent(_: &Asked, told: &mut Told) {
    if let Some(digits) =
        told.body["target_raise"].as_str().and_then(|text| text.strip_suffix("000000000000000000"))
    {
        told.body["target_raise"] = format!("{digits}e18").into();
    }
}

/// Times do not say their zone.
pub(super) fn time_without_zone(_: &Asked, told: &mut Told) {
    let strip = |token: &mut Value| {
        if let Some(time) = token["created_at"].as_str().map(|text| text.trim_end_matches('Z').to_owned()) {
            token["created_at"] = time.into();
        }
    };
    strip(&mut told.body);
    told.tokens().into_iter().flatten().for_each(strip);
}

/// Preflights are not told what is allowed.
pub(super) fn preflight_without_methods(asked: &Asked, told: &mut Told) {
    if *asked.method() == Method::OPTIONS {
        told.headers.remove(ACCESS_CONTROL_ALLOW_METHODS);
        told.headers.remove(ACCESS_CONTROL_ALLOW_HEADERS);
    }
}

/// Refusals cannot be read from another origin.
pub(super) fn refusals_without_origin(_: &Asked, told: &mut Told) {
    if told.is_refusal() {
        told.headers.remove(ACCESS_CONTROL_ALLOW_ORIGIN);
    }
}

/// An empty array of errors is left out.
pub(super) fn errors_missing(_: &Asked, told: &mut Told) {
    if told.body["errors"] == json!([]) {
        Told::remove(&mut told.body, "errors");
    }
}

/// Of more than ten addresses the last that is found is lost.
pub(super) fn last_of_many_lost(asked: &Asked, told: &mut Told) {
    if asked.body["addresses"].as_array().is_some_and(|addresses| addresses.len() > 10)
        && let Some(tokens) = told.tokens()
    {
        tokens.pop();
    }
}

/// Malformed addresses are not mentioned.
pub(super) fn malformed_unmentioned(_: &Asked, told: &mut Told) {
    if let Some(addresses) = told.body.get_mut("notFound").and_then(Value::as_array_mut) {
        addresses.retain(|text| text.as_str().is_some_and(|text| address::parse(text).is_some()));
    }
}

/// Metrics that were not asked for are null.
pub(super) fn metrics_null(asked: &Asked, told: &mut Told) {
    if asked.body["includeMetrics"] == json!(false) {
        for token in told.tokens().into_iter().flatten() {
            METRICS.iter().for_each(|field| token[*field] = Value::Null);
        }
    }
}

/// The number of holders is shown although it was not asked for.
pub(super) fn holders_kept(asked: &Asked, told: &mut Told) {
    if asked.body["includeHolders"] == json!(false) {
        told.tokens().into_iter().flatten().for_each(|token| token["total_holders"] = json!(0));
    }
}

/// Links that a token lacks are left out.
pub(super) fn null_links_missing(_: &Asked, told: &mut Told) {
    for token in told.tokens().into_iter().flatten() {
        for field in SOCIALS {
            if token[field].is_null() {
                Told::remove(token, field);
            }
        }
    }
}

/// The GET form leaves the links out.
pub(super) fn get_without_links(asked: &Asked, told: &mut Told) {
    if *asked.method() == Method::GET {
        for token in told.tokens().into_iter().flatten() {
            SOCIALS.iter().for_each(|field| Told::remove(token, field));
        }
    }
}

/// A token's own record shows a coarser market cap than the lists.
pub(super) fn coarse_market_cap(_: &Asked, told: &mut Told) {
    if let Some(market_cap) = told.body["market_cap"].as_f64() {
        told.body["market_cap"] = json!((market_cap * 100_000.0).round() / 100_000.0);
    }
}

/// An unknown token is null.
pub(super) fn unknown_is_null(_: &Asked, told: &mut Told) {
    if told.status == StatusCode::NOT_FOUND {
        told.serve(Value::Null);
    }
}

/// A malformed address is not found.
pub(super) fn malformed_not_found(asked: &Asked, told: &mut Told) {
    if told.status == StatusCode::BAD_REQUEST && asked.has("address") {
        told.refuse(StatusCode::NOT_FOUND, "token not found");
    }
}

/// A new token is not there for a while.
pub(super) fn new_token_late(asked: &Asked, told: &mut Told) {
    let created = told.body["created_at"].as_str().and_then(|text| text.parse::<jiff::Timestamp>().ok());
    let seconds = created.and_then(|time| u64::try_from(time.as_second()).ok());
    if seconds.is_some_and(|created| created + LAG > asked.now) {
        told.refuse(StatusCode::NOT_FOUND, "no token has this address");
    }
}

/// One of the v4 contracts is left out.
pub(super) fn permit2_missing(_: &Asked, told: &mut Told) {
    if let Some(contracts) = told.body.pointer_mut("/activeCreationDeployment/v4") {
        Told::remove(contracts, "permit2");
    }
}

/// The answer may be kept for a minute.
pub(super) fn cacheable(_: &Asked, told: &mut Told) {
    if told.is_ok() {
        told.headers.insert(CACHE_CONTROL, HeaderValue::from_static("private, max-age=60"));
    }
}

/// The hash is that of no code.
pub(super) fn hash_of_nothing(_: &Asked, told: &mut Told) {
    if let Some(hash) = told.body.pointer_mut("/activeCreationDeployment/runtimeHash") {
        *hash = "0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470".into();
    }
}

/// A pause of creation is not told.
pub(super) fn pause_untold(_: &Asked, told: &mut Told) {
    if told.is_ok() {
        told.body["flags"]["create"] = json!(true);
        told.body["activeCreationDeployment"]["status"] = "active".into();
    }
}

/// Only hooks of the past are listed for trading.
pub(super) fn current_hook_unlisted(_: &Asked, told: &mut Told) {
    let hook = told.body["activeCreationDeployment"]["hook"].clone();
    if let Some(deployments) = told.body.get_mut("tradeableDeployments").and_then(Value::as_array_mut) {
        deployments.retain(|deployment| deployment["hook"] != hook);
    }
}
