//! How the parts of one answer relate to each other and to the request: pages to totals, a batch to the requested addresses, a transaction
//! to its quote.
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use alloy::primitives::{Address, U256};
use serde_json::Value;

use crate::answers::fields::shape::Misshapen;
use crate::answers::members::excerpt;
use crate::answers::pages::Pagination;
use crate::answers::reads::{BATCH, LIST, OWNER, QUOTE, RECENT, REFERRAL_STATS, REFERRERS};
use crate::client::kept::{Seen, Service};
use crate::model::figure::Figure;
use crate::model::moment;
use crate::model::shown::readable;
use crate::model::verdict::Binding;
use crate::truth::ledger::launch;
use crate::truth::reference::points::referral_code;

type Judged = Option<Misshapen>;

/// The default and the maximum number of recent launches on a page.
const RECENT_LIMIT: u64 = 10;
const MOST_RECENT: u64 = 50;
const MOST_IN_A_BATCH: usize = 50;

/// Returns every law that the body of a successful answer breaks.
pub(super) fn judge(seen: &Seen, body: &Value) -> Vec<Misshapen> {
    let mut found = Vec::new();
    if seen.lists_tokens() {
        let laws = |row: &Value| priced(row).into_iter().chain(live(row));
        found.extend(laws(body));
        for (at, row) in items(body, "tokens").iter().enumerate() {
            found.extend(laws(row).map(|bad| bad.below(&at.to_string()).below("tokens")));
        }
    }
    let query: BTreeMap<String, String> = seen.response.request.url.query_pairs().into_owned().collect();
    match (seen.service, seen.path.as_str()) {
        (Service::Rest, LIST) => found.extend(list(&query, body).into_iter().chain(ordered(&query, body))),
        (Service::Rest, OWNER) => found.extend(owned(body)),
        (Service::Rest, BATCH) => found.extend(batch(&seen.response.asked(), body)),
        (Service::Rest, RECENT) => found.extend(recent(&query, body)),
        (Service::Rest, REFERRAL_STATS) => {
            let wallet = query.get("address").map(String::as_str);
            found.extend(coded(body, "/referral_code", wallet));
            found.extend(referrals(body));
        }
        (Service::Rest, REFERRERS) => {
            found.extend((0..items(body, "leaderboard").len()).filter_map(|at| {
                let wallet = body["leaderboard"][at]["address"].as_str();
                coded(body, &format!("/leaderboard/{at}/referral_code"), wallet)
            }));
        }
        (Service::Swap, QUOTE) => found.extend(quote(&query, body)),
        _ => {}
    }
    found
}

fn holds(fits: bool, pointer: &str, expected: impl Into<String>, body: &Value, binding: Binding) -> Judged {
    let actual = || body.pointer(pointer).map_or_else(|| "none".to_owned(), excerpt);
    (!fits).then(|| Misshapen {
        pointer: pointer.to_owned(),
        expected: expected.into(),
        actual: actual(),
        binding,
    })
}

fn number(body: &Value, pointer: &str) -> u64 {
    body.pointer(pointer).and_then(Value::as_u64).unwrap_or_default()
}

fn items<'v>(body: &'v Value, name: &str) -> &'v [Value] {
    body[name].as_array().map(Vec::as_slice).unwrap_or_default()
}

/// All pages but the last are full, and together they hold all tokens.
fn list(query: &BTreeMap<String, String>, body: &Value) -> Vec<Misshapen> {
    let (total, pages) = (number(body, "/totalCount"), number(body, "/totalPages"));
    let held = items(body, "tokens").len() as u64;
    let page = query.get("page").map_or(Some(1), |text| text.parse::<u64>().ok());
    let Some(page) = page.filter(|page| *page > 0) else { return Vec::new() };
    let of = |fits: bool, expected: String, binding| holds(fits, "/tokens", expected, body, binding);
    let empty = (total == 0) == (pages == 0);
    let none = holds(empty, "/totalPages", "0 where there are no tokens", body, Binding::Choice);
    let whole = match page.cmp(&pages) {
        Ordering::Less => {
            let fits = held > 0 && total.div_ceil(held) == pages;
            of(fits, format!("a full page of {pages} with {total} tokens"), Binding::Interface)
        }
        Ordering::Equal => {
            let before = total.saturating_sub(held);
            let full = before.checked_div(pages - 1);
            let fits =
                full.map_or(held == total, |full| full * (pages - 1) == before && (1..=full).contains(&held));
            let expected = format!("the rest of {total} tokens, after {} full pages", pages - 1);
            of(fits, expected, Binding::Interface)
        }
        Ordering::Greater => of(held == 0, "no tokens beyond the last page".to_owned(), Binding::Choice),
    };
    none.into_iter().chain(whole).collect()
}

/// A page of the list is in the requested order (newest first by default), if its rows show the sort key.
fn ordered(query: &BTreeMap<String, String>, body: &Value) -> Judged {
    let rows = items(body, "tokens");
    let times = || rows.iter().map(|row| row["created_at"].as_str().and_then(moment::nanoseconds));
    let caps = || rows.iter().map(|row| Figure::parse(&row["market_cap"].to_string()));
    let fits = match query.get("sortBy").map_or("newest", String::as_str) {
        "newest" => times().is_sorted_by(|one, next| one >= next),
        "oldest" => times().is_sorted(),
        "mcap-high" => caps().is_sorted_by(|one, next| one >= next),
        "mcap-low" => caps().is_sorted(),
        _ => true,
    };
    holds(fits, "/tokens", "tokens in the order asked for", body, Binding::Interface)
}

/// A page of an owner's tokens has as many rows as its position leaves, and the totals agree. That it is the requested page and size is
/// left to the checks that request one.
fn owned(body: &Value) -> Vec<Misshapen> {
    let Ok(pagination) = serde_json::from_value::<Pagination>(body["pagination"].clone()) else {
        return Vec::new();
    };
    let Pagination { page, limit, total, total_pages } = pagination;
    if page == 0 || limit == 0 {
        return Vec::new();
    }
    let (pages, left) = (pagination.filled(), pagination.left());
    // The page count of an empty listing, and pages beyond the last, are open.
    let binding = |open: bool| if open { Binding::Choice } else { Binding::Interface };
    let expected = format!("{pages}, of {total} tokens by {limit}");
    let totals = holds(total_pages == pages, "/pagination/totalPages", expected, body, binding(total == 0));
    let expected = format!("{left} tokens on page {page}");
    let fits = items(body, "tokens").len() as u64 == left;
    let rows = holds(fits, "/tokens", expected, body, binding(page > pages));
    totals.into_iter().chain(rows).collect()
}

/// Each posted address is found, not found or an error; that tokens come in the posted order is a choice. The GET form is left open.
fn batch(posted: &Value, body: &Value) -> Vec<Misshapen> {
    let asked = posted["addresses"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let asked: Vec<String> = asked.map(str::to_lowercase).collect();
    // A batch of more addresses than allowed is left open.
    if asked.len() > MOST_IN_A_BATCH {
        return Vec::new();
    }
    let found = items(body, "tokens").iter().filter_map(|token| token["address"].as_str());
    let found: Vec<String> = found.map(str::to_lowercase).collect();
    let missing = items(body, "notFound").iter().filter_map(Value::as_str).map(str::to_lowercase);
    let answered: BTreeSet<String> = found.iter().cloned().chain(missing).collect();
    let lost = asked.iter().find(|address| !answered.contains(*address));
    let lost = lost.filter(|_| items(body, "errors").is_empty());
    let expected = format!("{} found or not found", lost.map_or("each", String::as_str));
    let place = |address: &String| asked.iter().position(|one| one == address);
    let in_order = found.iter().map(place).is_sorted();
    let all = holds(lost.is_none(), "/tokens", expected, body, Binding::Interface);
    let order = holds(in_order, "/tokens", "tokens in the order asked for", body, Binding::Choice);
    all.into_iter().chain(order).collect()
}

fn recent(query: &BTreeMap<String, String>, body: &Value) -> Vec<Misshapen> {
    let asked = query.get("chainId").and_then(|text| text.parse::<u64>().ok());
    let fits = asked.is_none_or(|asked| number(body, "/chainId") == asked);
    let chain =
        holds(fits, "/chainId", format!("{}, as asked for", readable(&asked)), body, Binding::Interface);
    let limit = query.get("limit").map_or(Some(RECENT_LIMIT), |text| text.parse().ok());
    // Other spellings are left to the checks that send them.
    let next = limit.filter(|limit| (1..=MOST_RECENT).contains(limit)).and_then(|limit| {
        let is_full = items(body, "tokens").len() as u64 == limit;
        let next = &body["nextOffset"];
        if is_full {
            // It may be the last one, which is left open.
            return holds(
                next.is_number(),
                "/nextOffset",
                "a number after a full page",
                body,
                Binding::Choice,
            );
        }
        let expected = "null after a page that is not full";
        holds(next.is_null(), "/nextOffset", expected, body, Binding::Interface)
    });
    chain.into_iter().chain(next).collect()
}

/// A token is fully funded exactly when it has graduated.
fn live(row: &Value) -> Judged {
    let progress = Figure::parse(&row["funding_progress"].to_string())?;
    let fits = row["is_graduated"].as_bool()? == (progress == Figure::whole(1));
    holds(fits, "/funding_progress", "1 exactly when is_graduated is true", row, Binding::Interface)
}

/// A row has one price, and its market cap is price times supply; this is a choice.
fn priced(row: &Value) -> Judged {
    let figure = |name: &str| Figure::parse(&row[name].to_string());
    let (price, cap) = figure("price_eth").zip(figure("market_cap"))?;
    let expected = launch::price_of(&cap);
    // Formatting the expected text costs more than comparing.
    if expected.shown_by(&price) {
        return None;
    }
    holds(false, "/price_eth", format!("{expected}, as market_cap has it"), row, Binding::Choice)
}

/// The code of a wallet is derived from its address, or is the address; this is a choice.
fn coded(body: &Value, pointer: &str, wallet: Option<&str>) -> Judged {
    let wallet = wallet.and_then(|text| text.trim().parse::<Address>().ok())?;
    let codes = [referral_code(wallet), wallet.to_string()];
    let shown = body.pointer(pointer).and_then(Value::as_str);
    let fits = codes.iter().any(|code| shown == Some(code));
    holds(fits, pointer, codes.join(" or "), body, Binding::Choice)
}

/// At most all referrals are active, and the newest activity and the best referrals come first, without duplicates; this is a choice.
fn referrals(body: &Value) -> Vec<Misshapen> {
    let fits = number(body, "/stats/active_referrals") <= number(body, "/stats/total_referrals");
    let active = holds(fits, "/stats/active_referrals", "at most total_referrals", body, Binding::Choice);
    let times = items(body, "recent_activity")
        .iter()
        .map(|row| row["timestamp"].as_str().and_then(moment::nanoseconds));
    let newest_first = times.collect::<Vec<_>>().is_sorted_by(|one, next| one >= next);
    let newest = holds(newest_first, "/recent_activity", "the newest first", body, Binding::Choice);
    let best = items(body, "top_referrals");
    let points: Vec<Option<Figure>> =
        best.iter().map(|row| Figure::parse(&row["points_generated"].to_string())).collect();
    let distinct: BTreeSet<&str> = best.iter().filter_map(|row| row["address"].as_str()).collect();
    let fits = points.is_sorted_by(|one, next| one >= next) && distinct.len() == best.len();
    let expected = "the most points first, each address once";
    let best = holds(fits, "/top_referrals", expected, body, Binding::Choice);
    [active, newest, best].into_iter().flatten().collect()
}

/// A quote has the requested slippage, and its transaction carries the payable amount of the native coin, or nothing if a token is sold;
/// this is a choice.
fn quote(query: &BTreeMap<String, String>, body: &Value) -> Vec<Misshapen> {
    let given = |name: &str| query.get(name).map(|text| text.trim()).filter(|text| !text.is_empty());
    // Other spellings are left to the checks that send them.
    let slippage = given("slippage").map(str::parse::<u64>).transpose().ok().and_then(|slippage| {
        let reported = body.pointer("/metadata/slippageBps").and_then(Value::as_u64);
        let expected = format!("{}, as asked for", readable(&slippage));
        holds(reported == slippage, "/metadata/slippageBps", expected, body, Binding::Choice)
    });
    let token = given("tokenIn").and_then(|text| text.parse::<Address>().ok());
    let value = token.zip(body.pointer("/transaction/value")).and_then(|(token, value)| {
        let paid = [&body["maximumAmountIn"], &body["amountIn"]].into_iter().find_map(Value::as_str);
        let taken = paid.filter(|_| token == Address::ZERO).unwrap_or("0");
        // Decimal or hexadecimal: only the number counts.
        let units = |text: &str| text.parse::<U256>().ok();
        let fits = value.as_str().and_then(units).is_some_and(|value| units(taken) == Some(value));
        holds(fits, "/transaction/value", taken, body, Binding::Choice)
    });
    slippage.into_iter().chain(value).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use reqwest::StatusCode;
    use serde_json::json;

    use super::*;
    use crate::client::message::{Request, Response};

    /// Returns the first place that breaks a law in the answer to a query.
    fn broken(service: Service, path: &str, query: &str, body: &Value) -> String {
        let mut request = Request::get(&"http://service".parse().unwrap(), path, &[]);
        request.url.set_query(Some(query));
        let (status, headers) = (StatusCode::OK, Default::default());
        let response = Response { request, status, headers, body: Default::default(), exchange: None };
        let seen = Seen { service, path: path.to_owned(), response: Arc::new(response) };
        judge(&seen, body).into_iter().next().map(|bad| bad.pointer).unwrap_or_default()
    }

    #[test]
    fn what_an_answer_leaves_open_breaks_no_law() {
        let rows = |held: usize| vec![json!({}); held];
        let list =
            |held, total, pages| json!({"tokens": rows(held), "totalCount": total, "totalPages": pages});
        let born = |minute: u32| json!({"created_at": format!("2026-03-04T11:{minute:02}:00Z")});
        let ordered =
            |minutes: [u32; 2]| json!({"tokens": minutes.map(born), "totalCount": 2, "totalPages": 1});
        let owned = |held, page| json!({"tokens": rows(held), "pagination": {"page": page, "limit": 20, "total": 41, "totalPages": 3}});
        let recent = |held, next: Value| json!({"chainId": 57073, "tokens": rows(held), "nextOffset": next});
        let launched = |progress: Value, ended: bool| json!({"tokens": [{"funding_progress": progress, "is_graduated": ended}], "nextOffset": null});
        let batch = |found: &[&str]| {
            let tokens: Vec<Value> = found.iter().map(|address| json!({ "address": address })).collect();
            json!({"tokens": tokens, "notFound": ["0xb"], "errors": []})
        };
        let referrals = |code: &str, top: [&str; 2]| json!({"referral_code": code, "top_referrals": top.map(|address| json!({"address": address, "points_generated": 1}))});
        let wallet = "0x65dDBb8EB199b8152eB88a0D6B2075207D761eeE";
        let by_wallet = format!("address={wallet}");
        for (path, query, body, place) in [
            (LIST, "page=3", list(1, 41, 3), ""),
            (LIST, "page=5", list(0, 80, 4), ""),
            (LIST, "", list(0, 0, 0), ""),
            (LIST, "page=x", list(9, 1, 1), ""),
            (LIST, "", list(19, 80, 4), "/tokens"),
            (LIST, "page=4", list(19, 80, 4), "/tokens"),
            (LIST, "", list(0, 0, 1), "/totalPages"),
            (LIST, "", ordered([5, 5]), ""),
            (LIST, "sortBy=trending", ordered([3, 5]), ""),
            (LIST, "", ordered([3, 5]), "/tokens"),
            (LIST, "", json!({"tokens": [{"price_eth": 2e-9, "market_cap": 1}]}), "/tokens/0/price_eth"),
            (RECENT, "", launched(json!(1.0), true), ""),
            (RECENT, "", launched(json!(1), false), "/tokens/0/funding_progress"),
            (RECENT, "", launched(json!(0.9), true), "/tokens/0/funding_progress"),
            (OWNER, "page=3&limit=20", owned(1, 3), ""),
            (OWNER, "page=4", owned(0, 4), ""),
            (OWNER, "page=x&limit=1000", owned(20, 1), ""),
            (OWNER, "limit=10", owned(20, 1), ""),
            (OWNER, "page=9", owned(1, 3), ""),
            (OWNER, "page=3", owned(0, 3), "/tokens"),
            (RECENT, "limit=3", recent(2, Value::Null), ""),
            (RECENT, "limit=0", recent(2, json!(1)), ""),
            (RECENT, "limit=3&offset=9", recent(3, json!(10)), ""),
            (RECENT, "limit=3", recent(3, Value::Null), "/nextOffset"),
            (RECENT, "limit=3", recent(2, json!(3)), "/nextOffset"),
            (RECENT, "chainId=1", recent(0, Value::Null), "/chainId"),
            (BATCH, "addresses=0xA,0xb,0xc", batch(&["0xa"]), ""),
            (REFERRAL_STATS, &by_wallet, referrals(wallet, ["a", "b"]), ""),
            (REFERRAL_STATS, &by_wallet, referrals("REF-MXO3XDVR", ["a", "a"]), "/top_referrals"),
            (REFERRAL_STATS, &by_wallet, referrals("REF-mXO3XDVR", ["a", "b"]), "/referral_code"),
        ] {
            assert_eq!(broken(Service::Rest, path, query, &body), place, "{path} {query} {body}");
        }
    }

    #[test]
    fn what_is_posted_is_accounted_for() {
        let answer = |found: &[&str]| {
            let tokens: Vec<Value> = found.iter().map(|address| json!({ "address": address })).collect();
            json!({"tokens": tokens, "notFound": ["0xb"], "errors": []})
        };
        for (posted, found, broken) in [
            (&["0xA", "0xb", "0xc", "0xA"][..], &["0xa", "0xC"][..], false),
            (&["0xc"; 51], &[], false),
            (&["0xA", "0xb", "0xc"], &["0xa"], true),
            (&["0xA", "0xb", "0xc"], &["0xc", "0xa"], true),
        ] {
            let found = batch(&json!({ "addresses": posted }), &answer(found));
            assert_eq!(!found.is_empty(), broken, "{posted:?} {found:?}");
        }
    }

    #[test]
    fn quotes_carry_what_they_take() {
        let body = |most: Value, value: &str| json!({"amountIn": "5", "maximumAmountIn": most, "transaction": {"value": value}});
        let native = format!("tokenIn={}", Address::ZERO);
        let other = format!("tokenIn={}", Address::repeat_byte(1));
        for (query, body, place) in [
            (&*native, body(Value::Null, "5"), ""),
            (&native, body(json!("16"), "0x10"), ""),
            (&other, body(Value::Null, "0"), ""),
            ("tokenIn=ETH&slippage=x", body(Value::Null, "7"), ""),
            (&native, body(json!("6"), "5"), "/transaction/value"),
            (&other, body(Value::Null, "5"), "/transaction/value"),
            ("slippage=100", json!({}), "/metadata/slippageBps"),
            ("", json!({"metadata": {"slippageBps": 50}}), "/metadata/slippageBps"),
        ] {
            assert_eq!(broken(Service::Swap, QUOTE, query, &body), place, "{query} {body}");
        }
    }
}
