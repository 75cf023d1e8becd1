//! Defects in answers that hold many tokens.
use std::cmp::Ordering;

use axum::http::StatusCode;
use serde_json::{Value, json};

use super::exchange::{Asked, Query, Told};
use crate::api::Api;
use crate::state::token::Version;

/// Tokens a page of the list.
const PAGE_SIZE: u64 = 20;
/// Parameters of the list that filter nothing.
const PAGING: [&str; 4] = ["page", "sortBy", "timeframe", "search"];

/// The last token of a page lacks its holders.
pub(super) fn holders_missing(_: &Asked, told: &mut Told) {
    if let Some(last) = told.tokens().and_then(|tokens| tokens.last_mut()) {
        Told::remove(last, "total_holders");
    }
}

/// Market caps are written as text.
pub(super) fn market_cap_as_text(_: &Asked, told: &mut Told) {
    for token in told.tokens().into_iter().flatten() {
        token["market_cap"] = token["market_cap"].to_string().into();
    }
}

/// The query for the page before this one.
pub(super) fn page_before(asked: &Asked) -> Option<Query> {
    let page: u64 = asked.get("page")?.parse().ok()?;
    let mut query = asked.query_without(&["page"]);
    query.push(("page".into(), page.checked_sub(1).filter(|before| *before > 0)?.to_string()));
    Some(query)
}

/// A page begins with the last token of the page before.
pub(super) fn overlap(told: &mut Told, before: &Told) {
    let Some(last) = before.body["tokens"].as_array().and_then(|tokens| tokens.last()).cloned() else {
        return;
    };
    if let Some(tokens) = told.tokens().filter(|tokens| !tokens.is_empty()) {
        tokens.insert(0, last);
        tokens.truncate(usize::try_from(PAGE_SIZE).unwrap_or(usize::MAX));
    }
}

/// A page past the end is not found.
pub(super) fn past_the_end(asked: &Asked, told: &mut Told) {
    let empty = told.tokens().is_some_and(|tokens| tokens.is_empty());
    if told.is_ok() && empty && asked.get("page").is_some_and(|page| page != "1") {
        told.refuse(StatusCode::NOT_FOUND, "page not found");
    }
}

/// A page that is not full does not count.
pub(super) fn pages_rounded_down(_: &Asked, told: &mut Told) {
    if let Some(total) = told.body["totalCount"].as_u64() {
        told.body["totalPages"] = (total / PAGE_SIZE).max(1).into();
    }
}

/// The query without its filters.
pub(super) fn unfiltered(asked: &Asked) -> Option<Query> {
    let filtered = asked.query.iter().any(|(name, _)| !PAGING.contains(&name.as_str()));
    filtered
        .then(|| asked.query.iter().filter(|(name, _)| PAGING.contains(&name.as_str())).cloned().collect())
}

/// The whole market is counted, whatever was filtered.
pub(super) fn count_everything(told: &mut Told, all: &Told) {
    if told.is_ok() && all.is_ok() {
        told.body["totalCount"] = all.body["totalCount"].clone();
        told.body["totalPages"] = all.body["totalPages"].clone();
    }
}

/// Letter case counts in a search.
pub(super) fn search_by_case(asked: &Asked, told: &mut Told) {
    let Some(search) = asked.get("search").map(str::to_owned) else {
        return;
    };
    let fields = ["name", "ticker", "description", "owner", "address"];
    keep(told, |token| fields.iter().any(|field| text(token, field).contains(&search)));
}

/// A search does not look into descriptions.
pub(super) fn search_without_description(asked: &Asked, told: &mut Told) {
    let Some(search) = asked.get("search").map(str::to_lowercase) else {
        return;
    };
    let fields = ["name", "ticker", "owner", "address"];
    keep(told, |token| fields.iter().any(|field| text(token, field).to_lowercase().contains(&search)));
}

/// The upper bound of progress is left out of the range.
pub(super) fn funding_max_excluded(asked: &Asked, told: &mut Told) {
    exclude(asked, told, "fundingMax", "funding_progress");
}

/// The lower bound of the market cap is left out of the range.
pub(super) fn market_cap_min_excluded(asked: &Asked, told: &mut Told) {
    exclude(asked, told, "marketCapMin", "market_cap");
}

/// Tokens of the first version count as never traded where a least number of trades is asked for.
pub(super) fn v1_untraded(api: &Api, asked: &Asked, told: &mut Told) {
    if asked.get("txCountMin").is_some_and(|least| least.parse::<u64>().is_ok_and(|least| least > 0)) {
        keep(told, |token| !is_v1(api, token));
    }
}

/// Tokens of the first version stand behind the others of a page of what is trending, as if nobody traded them.
pub(super) fn v1_never_trends(api: &Api, asked: &Asked, told: &mut Told) {
    if let (Some("trending"), Some(tokens)) = (asked.get("sortBy"), told.tokens()) {
        tokens.sort_by_key(|token| is_v1(api, token));
    }
}

fn is_v1(api: &Api, token: &Value) -> bool {
    let address = token["address"].as_str().and_then(|text| text.parse().ok());
    let state = api.read();
    address
        .and_then(|address| state.token(address))
        .is_some_and(|token| token.launch.version == Version::First)
}

fn exclude(asked: &Asked, told: &mut Told, bound: &str, field: &str) {
    let Some(bound) = asked.get(bound).and_then(|text| text.parse::<f64>().ok()) else {
        return;
    };
    keep(told, |token| number(token, field).total_cmp(&bound) != Ordering::Equal);
}

fn keep(told: &mut Told, test: impl Fn(&Value) -> bool) {
    let Some(tokens) = told.tokens() else { return };
    let before = tokens.len();
    tokens.retain(test);
    let dropped = (before - tokens.len()) as u64;
    if let Some(total) = told.body["totalCount"].as_u64() {
        told.body["totalCount"] = (total - dropped).into();
        told.body["totalPages"] = (total - dropped).div_ceil(PAGE_SIZE).into();
    }
}

/// Two neighbours of the newest change places, not the first of the page and not of one second.
pub(super) fn newest_neighbours(asked: &Asked, told: &mut Told) {
    if asked.get("sortBy").is_some_and(|sort| sort != "newest") {
        return;
    }
    let Some(tokens) = told.tokens() else { return };
    let apart = |pair: &[Value]| pair[0]["created_at"] != pair[1]["created_at"];
    if let Some(first) = tokens.windows(2).skip(2).position(apart) {
        tokens.swap(first + 2, first + 3);
    }
}

/// Each page by itself is turned around.
pub(super) fn page_turned(asked: &Asked, told: &mut Told) {
    if let (Some("oldest"), Some(tokens)) = (asked.get("sortBy"), told.tokens()) {
        tokens.reverse();
    }
}

/// Market caps are compared as text.
pub(super) fn market_cap_text_order(asked: &Asked, told: &mut Told) {
    let Some(sort) = asked.get("sortBy").filter(|sort| sort.starts_with("mcap-")) else {
        return;
    };
    if let Some(tokens) = told.tokens() {
        tokens.sort_by_key(|token| token["market_cap"].to_string());
        if sort == "mcap-high" {
            tokens.reverse();
        }
    }
}

/// Bounds upside down keep nothing.
pub(super) fn bad_date_breaks(asked: &Asked, told: &mut Told) {
    let dated = asked.has("createdFrom") || asked.has("createdTo");
    if dated && told.status == StatusCode::BAD_REQUEST && told.body["error"].to_string().contains("ISO") {
        told.refuse(StatusCode::INTERNAL_SERVER_ERROR, "internal error");
    }
}

/// Without an owner there are no tokens.
pub(super) fn owner_missing(asked: &Asked, told: &mut Told) {
    if !asked.has("owner") {
        told.serve(
            json!({ "tokens": [], "pagination": { "page": 1, "limit": 20, "total": 0, "totalPages": 0 } }),
        );
    }
}

/// The pages are counted under another name.
pub(super) fn total_pages_renamed(_: &Asked, told: &mut Told) {
    if let Some(pagination) = told.body.get_mut("pagination").and_then(Value::as_object_mut)
        && let Some(pages) = pagination.shift_remove("totalPages")
    {
        pagination.insert("total_pages".into(), pages);
    }
}

/// Owners' tokens do not say whether they are graduated while they are not.
pub(super) fn graduated_missing(_: &Asked, told: &mut Told) {
    for token in told.tokens().into_iter().flatten().filter(|token| token["is_graduated"] == json!(false)) {
        Told::remove(token, "is_graduated");
    }
}

/// The total is that of the page.
pub(super) fn total_of_page(_: &Asked, told: &mut Told) {
    if let Some(shown) = told.tokens().map(|tokens| tokens.len()) {
        told.body["pagination"]["total"] = shown.into();
    }
}

/// An unknown owner is not found.
pub(super) fn unknown_owner(_: &Asked, told: &mut Told) {
    if told.body["pagination"]["total"] == json!(0) {
        told.refuse(StatusCode::NOT_FOUND, "owner not found");
    }
}

/// A short page says where to go on.
pub(super) fn next_always(asked: &Asked, told: &mut Told) {
    if told.is_ok() && told.body["nextOffset"].is_null() {
        let offset: u64 = asked.get("offset").and_then(|text| text.parse().ok()).unwrap_or(0);
        let shown = told.tokens().map_or(0, |tokens| tokens.len() as u64);
        told.body["nextOffset"] = (offset + shown).into();
    }
}

/// Launch ids are text.
pub(super) fn launch_id_as_text(_: &Asked, told: &mut Told) {
    for token in told.tokens().into_iter().flatten() {
        token["launch_id"] = token["launch_id"].to_string().into();
    }
}

fn text<'a>(token: &'a Value, field: &str) -> &'a str {
    token[field].as_str().unwrap_or_default()
}

fn number(token: &Value, field: &str) -> f64 {
    token[field].as_f64().unwrap_or(f64::NAN)
}
