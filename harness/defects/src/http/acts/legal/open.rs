//! Acts of variants in what the interface leaves open: the spelling of absent values, pages beyond the last, captchas.
use hyper::StatusCode;
use serde_json::{Map, Value, json};

use crate::http::act::{Act, Context, Need, act};
use crate::http::exchange::{ProxiedResponse, Query};
use crate::json::items;

pub(super) const ACTS: &[Act] = &[
    act!(After no_next_after_the_last, Need::OtherAnswer(launches_after)),
    act!(After nothing_of_the_malformed),
    act!(After first_page_beyond, Need::OtherAnswer(first_page)),
    act!(After null_emperor),
    act!(After dead_pair_first),
    act!(After pairs_of_a_subgraph),
    act!(After another_deployment),
    act!(After deployments_by_contract),
    act!(After captchas_of_refusals),
    act!(Instead spent_captchas),
    act!(Instead no_webp),
];

fn is_address(text: &str) -> bool {
    text.strip_prefix("0x")
        .is_some_and(|digits| digits.len() == 40 && digits.bytes().all(|digit| digit.is_ascii_hexdigit()))
}

/// Asks for the launches that follow a page.
fn launches_after(context: &Context<'_>) -> Option<Query> {
    let number = |name, usual| context.sent.get(name).map_or(Some(usual), |text| text.parse::<u64>().ok());
    let after = number("offset", 0)? + number("limit", 10)?;
    Some(context.sent.query_with("offset", after.to_string()))
}

/// A full page that is the last one has no next offset.
fn no_next_after_the_last(context: &Context<'_>, response: &mut ProxiedResponse) {
    let after = context.facts.other.as_ref().and_then(|after| after.body["tokens"].as_array());
    if after.is_some_and(Vec::is_empty) {
        response.body["nextOffset"] = Value::Null;
    }
}

/// A malformed owner has no tokens, and a malformed token no messages.
fn nothing_of_the_malformed(context: &Context<'_>, response: &mut ProxiedResponse) {
    let malformed = |name: &str| context.sent.get(name).is_some_and(|text| !is_address(text));
    let is_refusal = response.status == StatusCode::BAD_REQUEST;
    match context.sent.path.as_str() {
        "/api/tokens/by-owner" if is_refusal && malformed("owner") => {
            let pagination = json!({ "page": 1, "limit": 20, "total": 0, "totalPages": 0 });
            response.succeed(json!({ "tokens": [], "pagination": pagination }));
        }
        "/api/chat" if is_refusal && malformed("tokenAddress") => response.succeed(json!([])),
        _ => {}
    }
}

fn first_page(context: &Context<'_>) -> Option<Query> {
    let is_other = context.sent.get("page").is_some_and(|page| page != "1");
    is_other.then(|| context.sent.query_with("page", "1"))
}

/// A page beyond the last one is answered with the first page, and says so.
fn first_page_beyond(context: &Context<'_>, response: &mut ProxiedResponse) {
    let is_beyond = response.is_ok() && response.tokens().is_some_and(|tokens| tokens.is_empty());
    if let Some(first) = context.facts.other.as_ref().filter(|first| is_beyond && first.is_ok()) {
        response.body = first.body.clone();
    }
}

fn null_emperor(_: &Context<'_>, response: &mut ProxiedResponse) {
    if response.status == StatusCode::NOT_FOUND {
        response.succeed(Value::Null);
    }
}

/// The exchange lists a pair without reserves before all others.
fn dead_pair_first(_: &Context<'_>, response: &mut ProxiedResponse) {
    if let Some(pairs) = response.body.as_array_mut()
        && let Some(mut dead) = pairs.first().cloned()
    {
        for (place, digit) in [("/pair_address", '1'), ("/token0/address", '2'), ("/token1/address", '3')] {
            if let Some(address) = dead.pointer_mut(place) {
                *address = json!(format!("0x{}", digit.to_string().repeat(40)));
            }
        }
        for name in ["reserve0", "reserve1"] {
            dead[name] = json!("0");
        }
        pairs.insert(0, dead);
    }
}

/// Pairs in the shape of exchange subgraphs.
fn pairs_of_a_subgraph(_: &Context<'_>, response: &mut ProxiedResponse) {
    let token = |token: &Value| json!({ "id": token["address"], "symbol": token["symbol"] });
    let pair = |pair: &Value| json!({ "id": pair["pair_address"], "token0": token(&pair["token0"]), "token1": token(&pair["token1"]) });
    if let Some(pairs) = response.body.as_array() {
        let pairs: Vec<Value> = pairs.iter().map(pair).collect();
        response.body = json!({ "data": { "pairs": pairs } });
    }
}

/// Adds a tradeable deployment whose contract takes other calls.
fn another_deployment(_: &Context<'_>, response: &mut ProxiedResponse) {
    let mut other = response.body["activeCreationDeployment"].clone();
    if let Some(contract) = other.pointer("/v4/permit2").cloned() {
        other["hook"] = contract;
        other["version"] = json!("3.0");
        other["abiFamily"] = json!("launchpad-v3");
        if let Some(deployments) = response.body["tradeableDeployments"].as_array_mut() {
            deployments.push(other);
        }
    }
}

/// Tradeable deployments name their contract by another key than the active one.
fn deployments_by_contract(_: &Context<'_>, response: &mut ProxiedResponse) {
    for deployment in items(&mut response.body, "tradeableDeployments").filter_map(Value::as_object_mut) {
        let members: Map<String, Value> = std::mem::take(deployment);
        deployment.extend(
            members
                .into_iter()
                .map(|(name, member)| (if name == "hook" { "contract".to_owned() } else { name }, member)),
        );
    }
}

/// The captcha token of a message or of an upload.
fn captcha(context: &Context<'_>) -> Option<String> {
    const FIELD: &str = "name=\"captchaToken\"\r\n\r\n";
    match context.sent.path.as_str() {
        "/api/chat" => context.sent.body["token"].as_str().map(str::to_owned),
        "/api/upload" => {
            let form = String::from_utf8_lossy(&context.sent.bytes);
            let (_, rest) = form.split_once(FIELD)?;
            Some(rest.split("\r\n").next()?.to_owned())
        }
        _ => None,
    }
}

/// A refusal uses up the captcha of the refused request.
fn captchas_of_refusals(context: &Context<'_>, response: &mut ProxiedResponse) {
    if response.is_refusal() {
        context.memory.lock().tokens.extend(captcha(context));
    }
}

fn spent_captchas(context: &Context<'_>) -> Option<ProxiedResponse> {
    let captcha = captcha(context).filter(|captcha| !captcha.is_empty())?;
    let is_spent = context.memory.lock().tokens.contains(&captcha);
    is_spent.then(|| {
        let mut response = ProxiedResponse::refusal(StatusCode::FORBIDDEN, "captcha refused");
        response.body["details"] = json!("timeout-or-duplicate");
        response
    })
}

/// A file whose first bytes are those of WebP is no image here.
fn no_webp(context: &Context<'_>) -> Option<ProxiedResponse> {
    let is_webp = context.sent.bytes.windows(7).any(|part| part == b"WEBPVP8");
    is_webp.then(|| ProxiedResponse::refusal(StatusCode::BAD_REQUEST, "no PNG and no JPEG"))
}
