//! Defects in answers that hold many tokens.
use std::cmp::Ordering;

use hyper::StatusCode;
use serde_json::Value;

use crate::http::act::{Act, Context, Need, act};
use crate::http::exchange::{ProxiedResponse, Query};
use crate::json::times;

pub(super) const ACTS: &[Act] = &[
    act!(After page_overlap, Need::OtherAnswer(page_before)),
    act!(After past_the_end),
    act!(After pages_rounded_down),
    act!(After count_everything, Need::OtherAnswer(unfiltered)),
    act!(After search_case),
    act!(After search_without_description),
    act!(After v1_untraded, Need::Versions),
    act!(After v1_never_trends, Need::Versions),
    act!(After funding_max_excluded),
    act!(After market_cap_min_excluded),
    act!(After newest_neighbours),
    act!(After market_cap_text_order),
    act!(After bad_date_breaks),
    act!(After total_of_page),
    act!(After next_always),
    act!(After lie_now_and_then),
    act!(After odd_missing),
    act!(After odd_of_owner_missing),
    act!(After newest_exchanged),
];

/// Tokens per page of the list.
const PAGE_SIZE: u64 = 20;
/// Parameters of the list that filter nothing.
const PAGING: [&str; 4] = ["page", "sortBy", "timeframe", "search"];

fn page_before(context: &Context<'_>) -> Option<Query> {
    let page: u64 = context.sent.get("page")?.parse().ok()?;
    let before = page.checked_sub(1).filter(|before| *before > 0)?;
    Some(context.sent.query_with("page", before.to_string()))
}

fn page_overlap(context: &Context<'_>, response: &mut ProxiedResponse) {
    let before =
        context.facts.other.as_ref().and_then(|before| before.body["tokens"].as_array()?.last().cloned());
    let Some(last) = before else { return };
    if let Some(tokens) = response.tokens().filter(|tokens| !tokens.is_empty()) {
        tokens.insert(0, last);
        tokens.truncate(usize::try_from(PAGE_SIZE).unwrap_or(usize::MAX));
    }
}

fn past_the_end(context: &Context<'_>, response: &mut ProxiedResponse) {
    let is_later =
        context.sent.get("page").and_then(|page| page.parse::<u64>().ok()).is_some_and(|page| page > 1);
    if is_later && response.is_ok() && response.tokens().is_some_and(|tokens| tokens.is_empty()) {
        response.refuse(StatusCode::NOT_FOUND, "there is no such page");
    }
}

fn pages_rounded_down(_: &Context<'_>, response: &mut ProxiedResponse) {
    if let Some(total) = response.body["totalCount"].as_u64() {
        response.body["totalPages"] = (total / PAGE_SIZE).max(1).into();
    }
}

fn unfiltered(context: &Context<'_>) -> Option<Query> {
    let is_paging = |(name, _): &&(String, String)| PAGING.contains(&name.as_str());
    let paging: Query = context.sent.query.iter().filter(is_paging).cloned().collect();
    (paging.len() < context.sent.query.len()).then_some(paging)
}

fn count_everything(context: &Context<'_>, response: &mut ProxiedResponse) {
    if let Some(all) = context.facts.other.as_ref().filter(|all| all.is_ok())
        && response.is_ok()
    {
        response.body["totalCount"] = all.body["totalCount"].clone();
        response.body["totalPages"] = all.body["totalPages"].clone();
    }
}

fn search_case(context: &Context<'_>, response: &mut ProxiedResponse) {
    found(context, response, &["name", "ticker", "description", "owner", "address"], str::to_owned);
}

fn search_without_description(context: &Context<'_>, response: &mut ProxiedResponse) {
    found(context, response, &["name", "ticker", "owner", "address"], str::to_lowercase);
}

/// Keeps the tokens whose fields contain the search, both normalised by `read`.
fn found(context: &Context<'_>, response: &mut ProxiedResponse, fields: &[&str], read: fn(&str) -> String) {
    if let Some(search) = context.sent.get("search").map(read) {
        keep(response, |token| fields.iter().any(|field| read(text(token, field)).contains(&search)));
    }
}

fn v1_untraded(context: &Context<'_>, response: &mut ProxiedResponse) {
    if context.sent.get("txCountMin").is_some_and(|least| least.parse::<u64>().is_ok_and(|least| least > 0)) {
        keep(response, |token| !is_v1(context, token));
    }
}

fn v1_never_trends(context: &Context<'_>, response: &mut ProxiedResponse) {
    if let (Some("trending"), Some(tokens)) = (context.sent.get("sortBy"), response.tokens()) {
        tokens.sort_by_key(|token| is_v1(context, token));
    }
}

fn is_v1(context: &Context<'_>, token: &Value) -> bool {
    token["address"].as_str().is_some_and(|address| context.facts.v1_tokens.contains(address))
}

fn funding_max_excluded(context: &Context<'_>, response: &mut ProxiedResponse) {
    exclude(context, response, "fundingMax", "funding_progress");
}

fn market_cap_min_excluded(context: &Context<'_>, response: &mut ProxiedResponse) {
    exclude(context, response, "marketCapMin", "market_cap");
}

/// Leaves out the tokens whose field equals the bound.
fn exclude(context: &Context<'_>, response: &mut ProxiedResponse, bound: &str, field: &str) {
    let Some(bound) = context.sent.get(bound).and_then(|text| text.parse::<f64>().ok()) else {
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

fn newest_neighbours(context: &Context<'_>, response: &mut ProxiedResponse) {
    if context.sent.get("sortBy").is_some_and(|sort| sort != "newest") {
        return;
    }
    let Some(tokens) = response.tokens() else { return };
    let apart = |pair: &[Value]| pair[0]["created_at"] != pair[1]["created_at"];
    if let Some(first) = tokens.windows(2).skip(2).position(apart) {
        tokens.swap(first + 2, first + 3);
    }
}

fn market_cap_text_order(context: &Context<'_>, response: &mut ProxiedResponse) {
    let Some(sort) = context.sent.get("sortBy").filter(|sort| sort.starts_with("mcap-")) else {
        return;
    };
    if let Some(tokens) = response.tokens() {
        tokens.sort_by_key(|token| token["market_cap"].to_string());
        if sort == "mcap-high" {
            tokens.reverse();
        }
    }
}

/// The service fails on a bound that is neither a date nor a time.
fn bad_date_breaks(context: &Context<'_>, response: &mut ProxiedResponse) {
    let is_date =
        |text: &str| text.parse::<jiff::civil::Date>().is_ok() || text.parse::<jiff::Timestamp>().is_ok();
    let mut bounds = ["createdFrom", "createdTo"].iter().filter_map(|name| context.sent.get(name));
    if bounds.any(|bound| !is_date(bound)) {
        response.refuse(StatusCode::INTERNAL_SERVER_ERROR, "internal error");
    }
}

fn total_of_page(_: &Context<'_>, response: &mut ProxiedResponse) {
    if let Some(shown) = response.tokens().map(|tokens| tokens.len()) {
        response.body["pagination"]["total"] = shown.into();
    }
}

fn next_always(context: &Context<'_>, response: &mut ProxiedResponse) {
    if response.is_ok() && response.body["nextOffset"].is_null() {
        let offset: u64 = context.sent.get("offset").and_then(|text| text.parse().ok()).unwrap_or(0);
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

/// Doubles the market caps of every fifth page, never twice in a row for one query.
fn lie_now_and_then(context: &Context<'_>, response: &mut ProxiedResponse) {
    let Some(tokens) = response.tokens() else { return };
    let mut memory = context.memory.lock();
    memory.pages += 1;
    let query = format!("{:?}", context.sent.query);
    if memory.pages < 5 || memory.last_query == query {
        return;
    }
    (memory.pages, memory.last_query) = (0, query);
    for token in tokens {
        token.get_mut("market_cap").into_iter().for_each(|market_cap| times(market_cap, 2.0));
    }
}

/// Drops the tokens whose addresses end with an odd digit.
fn odd_missing(_: &Context<'_>, response: &mut ProxiedResponse) {
    drop_odd(response);
}

fn odd_of_owner_missing(_: &Context<'_>, response: &mut ProxiedResponse) {
    let dropped = drop_odd(response);
    if let Some(total) = response.body.pointer_mut("/pagination/total") {
        *total = total.as_u64().unwrap_or_default().saturating_sub(dropped).into();
    }
}

/// Drops the tokens whose addresses end with an odd digit, and returns how many.
fn drop_odd(response: &mut ProxiedResponse) -> u64 {
    let Some(tokens) = response.tokens() else { return 0 };
    let before = tokens.len();
    tokens.retain(|token| {
        let last = token["address"].as_str().and_then(|text| text.chars().last()?.to_digit(16));
        last.is_none_or(|last| last % 2 == 0)
    });
    (before - tokens.len()) as u64
}

fn newest_exchanged(_: &Context<'_>, response: &mut ProxiedResponse) {
    if let Some(tokens) = response.tokens().filter(|tokens| tokens.len() > 1) {
        tokens.swap(0, 1);
    }
}
