//! Acts of variants in which requests the services refuse, and in the form of refusals.
use hyper::header::HeaderValue;
use hyper::{Method, StatusCode};
use serde_json::{Value, json};

use crate::http::act::{Act, Context, act};
use crate::http::acts::rest::LIST_PARAMETERS;
use crate::http::exchange::{ProxiedResponse, RequestParts};

pub(super) const ACTS: &[Act] = &[
    act!(After errors_as_messages),
    act!(After errors_as_problems),
    act!(After errors_as_objects),
    act!(After errors_as_lists),
    act!(After errors_as_text),
    act!(After errors_as_pages),
    act!(After errors_without_body),
    act!(After bad_input_as_422),
    act!(After not_found_as_400),
    act!(After not_found_as_410),
    act!(After no_credential_as_403),
    act!(After conflicts_as_400),
    act!(Instead no_head),
    act!(Before ignore_in_list),
    act!(Before ignore_in_chat),
    act!(Before ignore_in_recent),
    act!(Before ignore_in_referral),
    act!(Before bearer_is_operator),
    act!(Before cut_slippage),
    act!(Instead refuse_unknown),
    act!(Instead refuse_junk),
    act!(After as_shown),
    act!(Instead refuse_long),
    act!(Instead refuse_nul),
    act!(Instead refuse_by_address),
];

/// The error text of a refusal.
fn text_of(response: &ProxiedResponse) -> String {
    let texts = ["error", "details"].iter().filter_map(|name| response.body[*name].as_str());
    texts.collect::<Vec<_>>().join(": ")
}

fn errors_as_messages(_: &Context<'_>, response: &mut ProxiedResponse) {
    errors(response, |text| json!({ "message": text }));
}

fn errors_as_objects(_: &Context<'_>, response: &mut ProxiedResponse) {
    errors(response, |text| json!({ "success": false, "error": { "code": "BAD", "message": text } }));
}

fn errors_as_lists(_: &Context<'_>, response: &mut ProxiedResponse) {
    errors(response, |text| json!({ "errors": [{ "detail": text }] }));
}

fn errors_as_text(_: &Context<'_>, response: &mut ProxiedResponse) {
    plain(response, "text/plain; charset=utf-8", "refused");
}

fn errors_as_pages(_: &Context<'_>, response: &mut ProxiedResponse) {
    plain(response, "text/html", "<html><body><h1>Refused</h1></body></html>");
}

fn errors_without_body(_: &Context<'_>, response: &mut ProxiedResponse) {
    plain(response, "text/plain", "");
}

fn errors(response: &mut ProxiedResponse, body: fn(&str) -> Value) {
    if response.is_refusal() && response.body.is_object() {
        response.body = body(&text_of(response));
    }
}

fn errors_as_problems(_: &Context<'_>, response: &mut ProxiedResponse) {
    if response.is_refusal() && response.body.is_object() {
        let text = text_of(response);
        response.body = json!({ "type": "about:blank", "title": "Refused", "status": response.status.as_u16(), "detail": text });
        response.header("content-type", "application/problem+json");
    }
}

fn plain(response: &mut ProxiedResponse, kind: &'static str, text: &str) {
    if response.is_refusal() && response.body.is_object() {
        // The interface gives the reason of a refused captcha.
        let details = response.body["details"].as_str().filter(|details| *details == "timeout-or-duplicate");
        response.body = json!(details.unwrap_or(text));
        response.header("content-type", kind);
    }
}

fn bad_input_as_422(context: &Context<'_>, response: &mut ProxiedResponse) {
    status(context, response, 400, StatusCode::UNPROCESSABLE_ENTITY);
}

fn not_found_as_400(context: &Context<'_>, response: &mut ProxiedResponse) {
    status(context, response, 404, StatusCode::BAD_REQUEST);
}

fn not_found_as_410(context: &Context<'_>, response: &mut ProxiedResponse) {
    status(context, response, 404, StatusCode::GONE);
}

fn no_credential_as_403(context: &Context<'_>, response: &mut ProxiedResponse) {
    status(context, response, 401, StatusCode::FORBIDDEN);
}

fn conflicts_as_400(context: &Context<'_>, response: &mut ProxiedResponse) {
    status(context, response, 409, StatusCode::BAD_REQUEST);
}

/// Replaces the status of a refusal where the interface prescribes none.
fn status(context: &Context<'_>, response: &mut ProxiedResponse, from: u16, to: StatusCode) {
    let is_given = context.sent.path == "/api/upload";
    if response.status == from && !is_given {
        response.status = to;
        if response.body.get("status").is_some() {
            response.body["status"] = json!(to.as_u16());
        }
        response.headers.remove("www-authenticate");
    }
}

fn no_head(context: &Context<'_>) -> Option<ProxiedResponse> {
    matches!(*context.sent.method(), Method::HEAD | Method::OPTIONS).then(|| {
        let mut response = ProxiedResponse::of(StatusCode::METHOD_NOT_ALLOWED, &json!({}));
        response.header("allow", "GET, POST");
        response
    })
}

/// Drops a parameter whose value is malformed.
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

fn ignore_in_list(_: &Context<'_>, request: &mut RequestParts) {
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

fn ignore_in_chat(_: &Context<'_>, request: &mut RequestParts) {
    ignore(request, "limit", |text| whole(text) && text != "0");
    ignore(request, "offset", whole);
}

fn ignore_in_recent(_: &Context<'_>, request: &mut RequestParts) {
    ignore(request, "offset", whole);
}

fn ignore_in_referral(_: &Context<'_>, request: &mut RequestParts) {
    ignore(request, "period", |text| ["24h", "7d", "30d", "all", ""].contains(&text));
    ignore(request, "limit", |text| {
        text.is_empty() || text.parse::<u32>().is_ok_and(|limit| (1..=100).contains(&limit))
    });
}

fn bearer_is_operator(_: &Context<'_>, request: &mut RequestParts) {
    let bearer = request
        .headers()
        .get("authorization")
        .and_then(|header| header.to_str().ok()?.strip_prefix("Bearer "));
    let key = bearer.and_then(|key| HeaderValue::try_from(key).ok());
    if let Some(key) = key.filter(|_| !request.headers().contains_key("x-operator-key")) {
        request.headers_mut().insert("x-operator-key", key);
    }
}

fn cut_slippage(_: &Context<'_>, request: &mut RequestParts) {
    request.change("slippage", |text| match text.split_once('.') {
        Some((whole, places)) if whole.parse::<u32>().is_ok() && places.parse::<u32>().is_ok() => {
            whole.to_owned()
        }
        _ => text.to_owned(),
    });
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

fn refuse_unknown(context: &Context<'_>) -> Option<ProxiedResponse> {
    let is_known = |name: &str| LIST_PARAMETERS.contains(&name) || KNOWN.contains(&name);
    let unknown =
        context.sent.path.starts_with("/api/") && context.sent.query.iter().any(|(name, _)| !is_known(name));
    unknown.then(|| ProxiedResponse::refusal(StatusCode::BAD_REQUEST, "unknown parameter"))
}

fn unauthorized() -> ProxiedResponse {
    let mut response = ProxiedResponse::refusal(StatusCode::UNAUTHORIZED, "no such credential");
    response.header("www-authenticate", "Bearer");
    response
}

fn refuse_junk(context: &Context<'_>) -> Option<ProxiedResponse> {
    let header = context.sent.headers().get("authorization").map(HeaderValue::as_bytes);
    let is_junk = |header: &[u8]| {
        let scheme = header.split(|byte| *byte == b' ').next().unwrap_or_default();
        !scheme.eq_ignore_ascii_case(b"bearer") && !scheme.eq_ignore_ascii_case(b"wallet")
    };
    header.is_some_and(is_junk).then(unauthorized)
}

fn refuse_by_address(context: &Context<'_>) -> Option<ProxiedResponse> {
    let bare = context.sent.path == "/api/referral/stats"
        && context.sent.has("address")
        && !context.sent.headers().contains_key("authorization");
    bare.then(unauthorized)
}

fn as_shown(context: &Context<'_>, response: &mut ProxiedResponse) {
    let small = |address: &str| !address.contains(|letter: char| letter.is_ascii_uppercase());
    let has_letters = |address: &str| {
        address.get(2..).is_some_and(|digits| digits.contains(|letter: char| letter.is_ascii_alphabetic()))
    };
    if response.is_ok()
        && context.sent.get("address").is_some_and(|address| small(address) && has_letters(address))
    {
        response.refuse(StatusCode::NOT_FOUND, "no token has this address");
    }
}

fn refuse_long(context: &Context<'_>) -> Option<ProxiedResponse> {
    refuse_message(context, "too long", |message| message.encode_utf16().count() > 500)
}

fn refuse_nul(context: &Context<'_>) -> Option<ProxiedResponse> {
    refuse_message(context, "U+0000 cannot be stored", |message| message.contains('\0'))
}

fn refuse_message(
    context: &Context<'_>,
    reason: &str,
    is_refused: impl Fn(&str) -> bool,
) -> Option<ProxiedResponse> {
    let message = context.sent.body["message"].as_str().filter(|_| context.sent.path == "/api/chat")?;
    is_refused(message).then(|| ProxiedResponse::refusal(StatusCode::BAD_REQUEST, reason))
}
