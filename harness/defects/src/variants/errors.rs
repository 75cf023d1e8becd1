//! Variants of the REST and the swap service in what they refuse, and how.
use hyper::header::HeaderValue;
use hyper::{Method, StatusCode};
use serde_json::{Value, json};

use super::Ground::Choice;
use super::{VariantRow, variant};
use crate::http::exchange::{ProxiedResponse, RequestParts, remove};
use crate::http::mutation::Mutation::{Anywhere, Exchange, Instead, Request, Response};
use crate::http::rest::{LIST_PARAMETERS, cut_at_fifty, past_the_end};

/// The tables of these layers.
pub(super) const TABLES: &[&[VariantRow]] = &[BODIES, STATUSES, LENIENT, STRICT];

#[rustfmt::skip]
const BODIES: &[VariantRow] = &[
    variant!(Rest Swap, "errors-as-messages", Choice("SVC-ERR"), "a refusal has a body with one member, `message`", Anywhere(|_, response| errors(response, |text| json!({ "message": text })))),
    variant!(Rest Swap, "errors-as-problems", Choice("SVC-ERR"), "a refusal is a problem of RFC 9457", Anywhere(|_, response| problem(response)), alone),
    variant!(Rest Swap, "errors-as-objects", Choice("SVC-ERR"), "a refusal has an object `error` with code and message", Anywhere(|_, response| errors(response, |text| json!({ "success": false, "error": { "code": "BAD", "message": text } }))), alone),
    variant!(Rest Swap, "errors-as-lists", Choice("SVC-ERR"), "a refusal has a list `errors`", Anywhere(|_, response| errors(response, |text| json!({ "errors": [{ "detail": text }] }))), alone),
    variant!(Rest Swap, "errors-as-text", Choice("SVC-ERR"), "a refusal is plain text", Anywhere(|_, response| plain(response, "text/plain; charset=utf-8", "refused")), alone),
    variant!(Rest Swap, "errors-as-pages", Choice("SVC-ERR"), "a refusal is a page in HTML", Anywhere(|_, response| plain(response, "text/html", "<html><body><h1>Refused</h1></body></html>")), alone),
    variant!(Rest Swap, "errors-without-body", Choice("SVC-ERR"), "a refusal has no body", Anywhere(|_, response| plain(response, "text/plain", "")), alone),
];

#[rustfmt::skip]
const STATUSES: &[VariantRow] = &[
    variant!(Rest, "bad-input-as-422", Choice("LIST-BAD"), "bad input is 422 where the interface gives no status", Anywhere(|request, response| status(request, response, 400, 422))),
    variant!(Rest, "not-found-as-400", Choice("TOKEN-BAD"), "what is unknown is 400", Anywhere(|request, response| status(request, response, 404, 400)), alone),
    variant!(Rest, "not-found-as-410", Choice("TOKEN-BAD"), "what is unknown is 410", Anywhere(|request, response| status(request, response, 404, 410))),
    variant!(Rest, "no-credential-as-403", Choice("REF-CREDENTIAL"), "a missing or wrong credential is 403", Anywhere(|request, response| status(request, response, 401, 403))),
    variant!(Rest, "conflicts-as-400", Choice("REF-REG"), "a second registration is 400", Anywhere(|request, response| status(request, response, 409, 400))),
    variant!(Rest Swap, "other-methods-as-404", Choice("SVC-METHOD"), "a wrong method on a known path is 404", Anywhere(|_, response| other_method(response))),
    variant!(Rest Swap, "no-head", Choice("SVC-METHOD"), "HEAD is 405, and so is OPTIONS", Instead(no_head)),
];

#[rustfmt::skip]
const LENIENT: &[VariantRow] = &[
    variant!(Rest, "list-bad-values-ignored", Choice("LIST-BAD"), "what means nothing in a query of the list counts as absent", Request("/api/tokens", ignore_in_list), alone),
    variant!(Rest, "chat-bad-values-ignored", Choice("CHAT-GET-BAD"), "a limit or an offset that means nothing counts as absent", Request("/api/chat", ignore_in_chat)),
    variant!(Rest, "recent-bad-offset-ignored", Choice("RECENT-ORDER"), "an offset that means nothing counts as absent", Request("/api/tokens/recent-v2", |request| ignore(request, "offset", whole))),
    variant!(Rest, "referral-bad-period-ignored", Choice("REF-BAD"), "an unknown period of the leaderboard counts as all, and a limit out of bounds as absent", Request("/api/referral/leaderboard", ignore_in_referral)),
    variant!(Rest, "batch-cut-to-fifty", Choice("BATCH-STRICT"), "a batch of more than 50 addresses answers the first 50", Request("/api/tokens/batch", cut_at_fifty)),
    variant!(Rest, "owner-limit-at-nearest-bound", Choice("OWNER-BAD"), "a limit of an owner's page out of bounds is taken for the nearest bound", Request("/api/tokens/by-owner", |request| request.change_number("limit", |limit: u64| limit.clamp(1, 100)))),
    variant!(Rest, "credential-in-authorization", Choice("CHAT-CRED-HEADER"), "the operator's credential may be a bearer token as well", Request("/api/chat", bearer_is_operator)),
    variant!(Rest, "claimed-sender-ignored", Choice("CHAT-SIG-TEXT"), "a sender that a post claims is ignored", Request("/api/chat", |request| remove(&mut request.body, "senderAddress"))),
    variant!(Swap, "slippage-cut-to-whole-points", Choice("QUOTE-READING"), "a fraction of a basis point is cut off", Request("/api/quote", cut_slippage)),
    variant!(Rest, "registered-again", Choice("REF-REG"), "a second registration of a wallet answers success", Response("/api/referral/register", registered_again), alone),
];

#[rustfmt::skip]
const STRICT: &[VariantRow] = &[
    variant!(Rest, "unknown-parameters-refused", Choice("SVC-EXTRA"), "a query parameter that no endpoint has is 400", Instead(refuse_unknown), alone),
    variant!(Rest, "junk-authorization-refused", Choice("SVC-JUNK-AUTH"), "a meaningless Authorization header is 401 everywhere", Instead(refuse_junk)),
    variant!(Rest, "list-beyond-last-page-missing", Choice("LIST-NOTHING"), "a page beyond the last of the list is 404", Response("/api/tokens", past_the_end)),
    variant!(Rest, "owner-beyond-last-page-missing", Choice("OWNER-NOTHING"), "a page beyond the last of an owner is 404", Response("/api/tokens/by-owner", past_the_end)),
    variant!(Rest, "token-address-as-shown", Choice("SVC-ADDR"), "an address in small letters only names no token", Exchange("/api/token", |_| {}, as_shown)),
    variant!(Rest, "chat-length-in-utf16", Choice("CHAT-LEN-UNIT"), "characters of a message are UTF-16 units", Instead(refuse_long)),
    variant!(Rest, "stats-by-address-need-a-credential", Choice("REF-STATS-ADDR"), "stats by address take an Authorization header as well", Instead(refuse_by_address)),
    variant!(Swap, "quotes-refused-without-a-reason", Choice("QUOTE-REASON"), "what a node refuses is refused without its reason", Response("/api/quote", |_, response| if response.status == StatusCode::INTERNAL_SERVER_ERROR { response.refuse(StatusCode::INTERNAL_SERVER_ERROR, "no quote") })),
];

/// The text of a refusal of the service.
fn text_of(response: &ProxiedResponse) -> String {
    let texts = ["error", "details"].iter().filter_map(|name| response.body[*name].as_str());
    texts.collect::<Vec<_>>().join(": ")
}

fn errors(response: &mut ProxiedResponse, body: fn(&str) -> Value) {
    if response.is_refusal() && response.body.is_object() {
        response.body = body(&text_of(response));
    }
}

fn problem(response: &mut ProxiedResponse) {
    if response.is_refusal() && response.body.is_object() {
        let text = text_of(response);
        response.body = json!({ "type": "about:blank", "title": "Refused", "status": response.status.as_u16(), "detail": text });
        response.header("content-type", "application/problem+json");
    }
}

fn plain(response: &mut ProxiedResponse, kind: &'static str, text: &str) {
    if response.is_refusal() && response.body.is_object() {
        // The reason of a refused captcha is in the interface.
        let details = response.body["details"].as_str().filter(|details| *details == "timeout-or-duplicate");
        response.body = json!(details.unwrap_or(text));
        response.header("content-type", kind);
    }
}

/// Another status of a refusal, where the interface gives none.
fn status(request: &RequestParts, response: &mut ProxiedResponse, from: u16, to: u16) {
    let is_given = request.path == "/api/upload";
    if response.status.as_u16() == from && !is_given {
        response.status = StatusCode::from_u16(to).unwrap_or(response.status);
        if response.body.get("status").is_some() {
            response.body["status"] = json!(to);
        }
        response.headers.remove("www-authenticate");
    }
}

fn other_method(response: &mut ProxiedResponse) {
    if response.status == StatusCode::METHOD_NOT_ALLOWED {
        response.refuse(StatusCode::NOT_FOUND, "there is nothing here");
        response.headers.remove("allow");
    }
}

fn no_head(request: &RequestParts, _: usize) -> Option<ProxiedResponse> {
    matches!(*request.method(), Method::HEAD | Method::OPTIONS).then(|| {
        let mut response = ProxiedResponse::of(StatusCode::METHOD_NOT_ALLOWED, &json!({}));
        response.header("allow", "GET, POST");
        response
    })
}

/// A parameter that is not as it should be is left out.
fn ignore(request: &mut RequestParts, name: &str, means: impl Fn(&str) -> bool) {
    let (one, several) = (
        request.get(name).map(str::to_owned),
        request.query.iter().filter(|(key, _)| key == name).count() > 1,
    );
    if several || one.is_some_and(|value| !means(&value)) {
        request.drop(name);
    }
}

fn whole(text: &str) -> bool {
    text.is_empty() || text.parse::<u32>().is_ok()
}

fn ignore_in_list(request: &mut RequestParts) {
    let word = |words: &'static [&'static str]| {
        move |text: &str| text.split(',').all(|part| words.contains(&part.trim()))
    };
    ignore(request, "page", |text| whole(text) && text != "0");
    ignore(request, "status", word(&["live", "funding", ""]));
    ignore(request, "socials", word(&["messenger", "microblog", "website", ""]));
    ignore(request, "sortBy", |text| {
        ["newest", "oldest", "trending", "mcap-high", "mcap-low", ""].contains(&text)
    });
    ignore(request, "timeframe", |text| ["5m", "1h", "6h", "24h", ""].contains(&text));
}

fn ignore_in_chat(request: &mut RequestParts) {
    ignore(request, "limit", |text| whole(text) && text != "0");
    ignore(request, "offset", whole);
}

fn ignore_in_referral(request: &mut RequestParts) {
    ignore(request, "period", |text| ["24h", "7d", "30d", "all", ""].contains(&text));
    ignore(request, "limit", |text| {
        text.is_empty() || text.parse::<u32>().is_ok_and(|limit| (1..=100).contains(&limit))
    });
}

fn bearer_is_operator(request: &mut RequestParts) {
    let bearer = request
        .headers()
        .get("authorization")
        .and_then(|header| header.to_str().ok()?.strip_prefix("Bearer "));
    let key = bearer.and_then(|key| HeaderValue::try_from(key).ok());
    if let Some(key) = key.filter(|_| !request.headers().contains_key("x-operator-key")) {
        request.headers_mut().insert("x-operator-key", key);
    }
}

fn cut_slippage(request: &mut RequestParts) {
    request.change("slippage", |text| match text.split_once('.') {
        Some((whole, places)) if whole.parse::<u32>().is_ok() && places.parse::<u32>().is_ok() => {
            whole.to_owned()
        }
        _ => text.to_owned(),
    });
}

fn registered_again(request: &RequestParts, response: &mut ProxiedResponse) {
    if response.status == StatusCode::CONFLICT {
        response.succeed(json!({ "success": true, "message": "registered before", "referrer": request.body["wallet_address"] }));
    }
}

/// The query parameters of the interface, besides those of the list.
const KNOWN: [&str; 12] = [
    "owner",
    "limit",
    "sort",
    "includeInactive",
    "addresses",
    "chainId",
    "offset",
    "address",
    "includeBidData",
    "tokenAddress",
    "period",
    "via",
];

fn refuse_unknown(request: &RequestParts, _: usize) -> Option<ProxiedResponse> {
    let is_known = |name: &str| LIST_PARAMETERS.contains(&name) || KNOWN.contains(&name);
    let unknown = request.path.starts_with("/api/") && request.query.iter().any(|(name, _)| !is_known(name));
    unknown.then(|| ProxiedResponse::refusal(StatusCode::BAD_REQUEST, "unknown parameter"))
}

fn unauthorized() -> ProxiedResponse {
    let mut response = ProxiedResponse::refusal(StatusCode::UNAUTHORIZED, "no such credential");
    response.header("www-authenticate", "Bearer");
    response
}

fn refuse_junk(request: &RequestParts, _: usize) -> Option<ProxiedResponse> {
    let header = request.headers().get("authorization").map(HeaderValue::as_bytes);
    let is_junk = |header: &[u8]| !header.starts_with(b"Bearer ") && !header.starts_with(b"Wallet ");
    header.is_some_and(is_junk).then(unauthorized)
}

fn refuse_by_address(request: &RequestParts, _: usize) -> Option<ProxiedResponse> {
    let bare = request.path == "/api/referral/stats"
        && request.has("address")
        && !request.headers().contains_key("authorization");
    bare.then(unauthorized)
}

fn as_shown(request: &RequestParts, response: &mut ProxiedResponse) {
    let small = |address: &str| !address.contains(|letter: char| letter.is_ascii_uppercase());
    let has_letters = |address: &str| {
        address.get(2..).is_some_and(|digits| digits.contains(|letter: char| letter.is_ascii_alphabetic()))
    };
    if response.is_ok()
        && request.get("address").is_some_and(|address| small(address) && has_letters(address))
    {
        response.refuse(StatusCode::NOT_FOUND, "no token has this address");
    }
}

fn refuse_long(request: &RequestParts, _: usize) -> Option<ProxiedResponse> {
    let message = request.body["message"].as_str().filter(|_| request.path == "/api/chat")?;
    (message.encode_utf16().count() > 500)
        .then(|| ProxiedResponse::refusal(StatusCode::BAD_REQUEST, "too long"))
}
