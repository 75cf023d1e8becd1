//! Defects in answers that hold many tokens.
use std::cmp::Ordering;

use hyper::StatusCode;
use parking_lot::Mutex;
use serde_json::Value;

use crate::http::exchange::{ProxiedResponse, Query, RequestParts};
use crate::http::mutation::Facts;
use crate::json::times;

/// Tokens a page of the list.
const PAGE_SIZE: u64 = 20;
/// Parameters of the list that filter nothing.
const PAGING: [&str; 4] = ["page", "sortBy", "timeframe", "search"];

pub(super) fn page_before(request: &RequestParts) -> Option<Query> {
    let page: u64 = request.get("page")?.parse().ok()?;
    let before = page.checked_sub(1).filter(|before| *before > 0)?;
    Some(request.query_with("page", before.to_string()))
}

pub(super) fn overlap(response: &mut ProxiedResponse, before: &ProxiedResponse) {
    let Some(last) = before.body["tokens"].as_array().and_then(|tokens| tokens.last()).cloned() else {
        return;
    };
    if let Some(tokens) = response.tokens().filter(|tokens| !tokens.is_empty()) {
        tokens.insert(0, last);
        tokens.truncate(usize::try_from(PAGE_SIZE).unwrap_or(usize::MAX));
    }
}

pub(crate) fn past_the_end(request: &RequestParts, response: &mut ProxiedResponse) {
    let is_later = request.get("page").and_then(|page| page.parse::<u64>().ok()).is_some_and(|page| page > 1);
    if is_later && response.is_ok() && response.tokens().is_some_and(|tokens| tokens.is_empty()) {
        response.refuse(StatusCode::NOT_FOUND, "there is no such page");
    }
}

pub(super) fn pages_rounded_down(_: &RequestParts, response: &mut ProxiedResponse) {
    if let Some(total) = response.body["totalCount"].as_u64() {
        response.body["totalPages"] = (total / PAGE_SIZE).max(1).into();
    }
}

pub(super) fn unfiltered(request: &RequestParts) -> Option<Query> {
    let filtered = request.query.iter().any(|(name, _)| !PAGING.contains(&name.as_str()));
    filtered
        .then(|| request.query.iter().filter(|(name, _)| PAGING.contains(&name.as_str())).cloned().collect())
}

pub(super) fn count_everything(response: &mut ProxiedResponse, all: &ProxiedResponse) {
    if response.is_ok() && all.is_ok() {
        response.body["totalCount"] = all.body["totalCount"].clone();
        response.body["totalPages"] = all.body["totalPages"].clone();
    }
}

/// Keeps the tokens that a search finds in these fields, both read in this way.
pub(super) fn found(
    request: &RequestParts,
    response: &mut ProxiedResponse,
    fields: &[&str],
    read: fn(&str) -> String,
) {
    if let Some(search) = request.get("search").map(read) {
        keep(response, |token| fields.iter().any(|field| read(text(token, field)).contains(&search)));
    }
}

pub(super) fn v1_untraded(facts: &Facts, request: &RequestParts, response: &mut ProxiedResponse) {
    if request.get("txCountMin").is_some_and(|least| least.parse::<u64>().is_ok_and(|least| least > 0)) {
        keep(response, |token| !is_v1(facts, token));
    }
}

pub(super) fn v1_never_trends(facts: &Facts, request: &RequestParts, response: &mut ProxiedResponse) {
    if let (Some("trending"), Some(tokens)) = (request.get("sortBy"), response.tokens()) {
        tokens.sort_by_key(|token| is_v1(facts, token));
    }
}

fn is_v1(facts: &Facts, token: &Value) -> bool {
    token["address"].as_str().is_some_and(|address| facts.v1_tokens.contains(address))
}

pub(super) fn exclude(request: &RequestParts, response: &mut ProxiedResponse, bound: &str, field: &str) {
    let Some(bound) = request.get(bound).and_then(|text| text.parse::<f64>().ok()) else {
        return;
    };
    keep(response, |token| number(token, field).total_cmp(&bound) != Ordering::Equal);
}

fn keep(response: &mut ProxiedResponse, test: impl Fn(&Value) -> bool) {
    let Some(tokens) = response.tokens() else { return };
    let before = tokens.len();
    tokens.retain(test);
    let dropped = (before - tokens.len()) as u64;
    if let Some(total) = response.body["totalCount"].as_u64() {
        response.body["totalCount"] = (total - dropped).into();
        response.body["totalPages"] = (total - dropped).div_ceil(PAGE_SIZE).into();
    }
}

pub(super) fn newest_neighbours(request: &RequestParts, response: &mut ProxiedResponse) {
    if request.get("sortBy").is_some_and(|sort| sort != "newest") {
        return;
    }
    let Some(tokens) = response.tokens() else { return };
    let apart = |pair: &[Value]| pair[0]["created_at"] != pair[1]["created_at"];
    if let Some(first) = tokens.windows(2).skip(2).position(apart) {
        tokens.swap(first + 2, first + 3);
    }
}

pub(super) fn page_turned(request: &RequestParts, response: &mut ProxiedResponse) {
    if let (Some("oldest"), Some(tokens)) = (request.get("sortBy"), response.tokens()) {
        tokens.reverse();
    }
}

pub(super) fn market_cap_text_order(request: &RequestParts, response: &mut ProxiedResponse) {
    let Some(sort) = request.get("sortBy").filter(|sort| sort.starts_with("mcap-")) else {
        return;
    };
    if let Some(tokens) = response.tokens() {
        tokens.sort_by_key(|token| token["market_cap"].to_string());
        if sort == "mcap-high" {
            tokens.reverse();
        }
    }
}

pub(super) fn bad_date_breaks(request: &RequestParts, response: &mut ProxiedResponse) {
    let dated = request.has("createdFrom") || request.has("createdTo");
    if dated
        && response.status == StatusCode::BAD_REQUEST
        && response.body["error"].to_string().contains("ISO")
    {
        response.refuse(StatusCode::INTERNAL_SERVER_ERROR, "internal error");
    }
}

pub(super) fn total_pages_renamed(_: &RequestParts, response: &mut ProxiedResponse) {
    if let Some(pagination) = response.body.get_mut("pagination").and_then(Value::as_object_mut)
        && let Some(pages) = pagination.shift_remove("totalPages")
    {
        pagination.insert("total_pages".into(), pages);
    }
}

pub(super) fn total_of_page(_: &RequestParts, response: &mut ProxiedResponse) {
    if let Some(shown) = response.tokens().map(|tokens| tokens.len()) {
        response.body["pagination"]["total"] = shown.into();
    }
}

pub(super) fn next_always(request: &RequestParts, response: &mut ProxiedResponse) {
    if response.is_ok() && response.body["nextOffset"].is_null() {
        let offset: u64 = request.get("offset").and_then(|text| text.parse().ok()).unwrap_or(0);
        let shown = response.tokens().map_or(0, |tokens| tokens.len() as u64);
        response.body["nextOffset"] = (offset + shown).into();
    }
}

fn text<'a>(token: &'a Value, field: &str) -> &'a str {
    token[field].as_str().unwrap_or_default()
}

fn number(token: &Value, field: &str) -> f64 {
    token[field].as_f64().unwrap_or(f64::NAN)
}

/// Pages of ordered lists since the last lie, and the query of that.
static PAGES: Mutex<(usize, String)> = Mutex::new((0, String::new()));

pub(super) fn lie_now_and_then(request: &RequestParts, response: &mut ProxiedResponse) {
    let Some(tokens) = response.tokens().filter(|_| request.has("sortBy")) else { return };
    let mut pages = PAGES.lock();
    pages.0 += 1;
    let query = format!("{:?}", request.query);
    if pages.0 < 5 || pages.1 == query {
        return;
    }
    *pages = (0, query);
    for token in tokens {
        token.get_mut("market_cap").into_iter().for_each(|market_cap| times(market_cap, 2.0));
    }
}
