//! Defects of `/api/tokens/batch`.
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::{Method, StatusCode};
use serde_json::{Value, json};

use super::super::{requests, responses};
use crate::http::exchange::remove;
use crate::http::mutation::Mutation::{Request, Response};
use crate::http::mutation::{MutationRow, row};

const BATCH: &str = "/api/tokens/batch";

#[rustfmt::skip]
pub(in crate::http) const ROWS: &[MutationRow] = &[
    row!(Rest, "batch-any-content-type", &["BATCH-STRICT"], "a body without the content type of JSON is read", Request(BATCH, |request| _ = request.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json")))),
    row!(Rest, "batch-cut-at-50", &["BATCH-STRICT"], "addresses beyond the fiftieth are cut off instead of refused", Request(BATCH, requests::cut_at_fifty)),
    row!(Rest, "batch-addresses-optional", &["BATCH-REQ"], "without addresses the answer is an empty one", Response(BATCH, |request, response| if response.status == StatusCode::BAD_REQUEST && !request.body["addresses"].is_array() { response.succeed(json!({ "tokens": [], "notFound": [], "errors": [] })) })),
    row!(Rest, "batch-most-49", &["BATCH-MAX"], "fifty addresses are refused", Response(BATCH, |request, response| if request.body["addresses"].as_array().is_some_and(|addresses| addresses.len() == 50) { response.refuse(StatusCode::BAD_REQUEST, "at most 49 addresses") })),
    row!(Rest, "batch-errors-missing", &["BATCH-SHAPE"], "errors is left out while it is empty", Response(BATCH, |_, response| if response.body["errors"] == json!([]) { remove(&mut response.body, "errors") })),
    row!(Rest, "batch-errors-of-unknown", &["BATCH-ERRORS"], "addresses that were not found are errors as well", Response(BATCH, |_, response| responses::errors_of_unknown(response, |address| json!({ "address": address, "error": "not found" })))),
    row!(Rest, "batch-last-lost", &["BATCH-FOUND"], "of more than ten addresses the last that is found is lost", Response(BATCH, responses::last_of_many_lost)),
    row!(Rest, "batch-malformed-unmentioned", &["BATCH-INVALID"], "malformed addresses are not in notFound", Response(BATCH, responses::malformed_unmentioned)),
    row!(Rest, "batch-metrics-null", &["BATCH-METRICS"], "metrics that were not asked for are null", Response(BATCH, |request, response| if request.body["includeMetrics"] == json!(false) { response.each_token(|token| responses::METRICS.iter().for_each(|field| token[*field] = Value::Null)) })),
    row!(Rest, "batch-holders-kept", &["BATCH-HOLDERS"], "total_holders is there although it was not asked for", Response(BATCH, |request, response| if request.body["includeHolders"] == json!(false) { response.each_token(|token| token["total_holders"] = json!(0)) })),
    row!(Rest, "batch-null-links-missing", &["BATCH-SOCIALS"], "links that a token lacks are left out", Response(BATCH, |_, response| response.each_token(|token| for field in responses::SOCIALS { if token[field].is_null() { remove(token, field) } }))),
    row!(Rest, "batch-flags-linked", &["BATCH-FLAGS"], "two flags off turn off the third", Request(BATCH, requests::linked_flags)),
    row!(Rest, "batch-get-without-links", &["BATCH-GET"], "the GET form leaves the links out", Response(BATCH, |request, response| if *request.method() == Method::GET { response.each_token(|token| responses::SOCIALS.iter().for_each(|field| remove(token, field))) })),
];
