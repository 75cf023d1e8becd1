//! Defects of the service as a whole.
use hyper::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN, AUTHORIZATION,
};
use hyper::{Method, StatusCode};
use serde_json::Value;

use super::super::{requests, responses};
use crate::http::consistent::at;
use crate::http::exchange::remove;
use crate::http::mutation::Mutation::{Anywhere, Request, Response};
use crate::http::mutation::{MutationRow, row};
use crate::json::change_text;

const LIST: &str = "/api/tokens";
const BATCH: &str = "/api/tokens/batch";
const TOKEN: &str = "/api/token";
const EOTI: &str = "/api/eoti";

#[rustfmt::skip]
pub(in crate::http) const ROWS: &[MutationRow] = &[
    row!(Rest, "svc-refusal-as-text", &["SVC-ERR"], "refusals are sent as text/plain", Anywhere(|_, response| if response.is_refusal() { response.header("content-type", "text/plain; charset=utf-8") })),
    row!(Rest, "svc-refusal-with-source", &["SVC-ERR"], "refusals carry a trace with a path of the host", Anywhere(|request, response| if response.is_refusal() && response.body.is_object() { response.body["details"] = format!("Error: refused\n    at handle (/srv/service/src{}.ts:118:11)", request.path).into() })),
    row!(Rest, "svc-refusal-without-status", &["SVC-ERR"], "the body of a refusal lacks its status", Anywhere(|_, response| if response.is_refusal() { remove(&mut response.body, "status") })),
    row!(Rest, "svc-method-without-allow", &["SVC-METHOD"], "405 comes with an Allow header that names nothing", Anywhere(|_, response| if response.status == StatusCode::METHOD_NOT_ALLOWED { response.header("allow", "") })),
    row!(Rest, "svc-method-not-found", &["SVC-METHOD"], "a wrong method on a known path is 404", Anywhere(|_, response| if response.status == StatusCode::METHOD_NOT_ALLOWED { response.refuse(StatusCode::NOT_FOUND, "no such path") })),
    row!(Rest, "svc-junk-authorization", &["SVC-JUNK-AUTH"], "a junk Authorization header is refused where none is needed", Anywhere(|request, response| if request.headers().contains_key(AUTHORIZATION) && response.is_ok() { response.refuse(StatusCode::UNAUTHORIZED, "invalid token") })),
    row!(Rest, "svc-answer-as-text", &["SVC-JSON"], "answers are sent as text/plain", Anywhere(|_, response| if response.is_ok() && response.body.is_object() { response.header("content-type", "text/plain; charset=utf-8") })),
    row!(Rest, "svc-credential-wanted", &["SVC-NOAUTH"], "Emperor, King, chat and referrers want a credential", Anywhere(responses::credential_wanted)),
    row!(Rest, "svc-unknown-parameter", &["SVC-EXTRA"], "the list refuses parameters that it does not know", Response(LIST, responses::unknown_parameter)),
    row!(Rest, "svc-unknown-field", &["SVC-EXTRA"], "the batch refuses body fields that it does not know", Response(BATCH, responses::unknown_field)),
    row!(Rest, "svc-amount-exponent", &["SVC-AMOUNT-CHOSEN"], "round amounts in wei are written with an exponent", Response(TOKEN, responses::amount_with_exponent)),
    row!(Rest, "svc-bid-exponent", &["SVC-AMOUNT"], "startBid is written with an exponent", Response(EOTI, |request, response| at(request, response, EOTI, "startBid", |bid| change_text(bid, |digits| format!("{digits}e0"))))),
    row!(Rest, "svc-time-without-zone", &["SVC-TIME-ZONE"], "created_at has no zone", Anywhere(responses::time_without_zone)),
    row!(Rest, "svc-time-with-space", &["SVC-TIME"], "created_at has a space between date and time", Anywhere(|_, response| response.each_token(|token| change_text(&mut token["created_at"], |time| time.replace('T', " "))))),
    row!(Rest, "svc-address-capitals", &["SVC-ADDR"], "an address in capital letters is unknown", Request(TOKEN, requests::capital_address)),
    row!(Rest, "svc-preflight-unanswered", &["SVC-CORS"], "a preflight does not get the allowed methods and headers", Anywhere(|request, response| if *request.method() == Method::OPTIONS { response.headers.remove(ACCESS_CONTROL_ALLOW_METHODS); response.headers.remove(ACCESS_CONTROL_ALLOW_HEADERS); })),
    row!(Rest, "svc-refusal-without-origin", &["SVC-CORS"], "refusals lack Access-Control-Allow-Origin", Anywhere(|_, response| if response.is_refusal() { response.headers.remove(ACCESS_CONTROL_ALLOW_ORIGIN); })),
    row!(Rest, "svc-search-without-description", &["SVC-FORM"], "the description of a token is null in what a search finds", Response(LIST, |request, response| if request.has("search") { response.each_token(|token| token["description"] = Value::Null) })),
    row!(Rest, "svc-order-with-volume-text", &["SVC-FORM"], "volume_24h is text in a list that is ordered by market cap", Response(LIST, |request, response| if request.get("sortBy") == Some("mcap-high") { response.each_token(|token| token["volume_24h"] = token["volume_24h"].to_string().into()) })),
];
