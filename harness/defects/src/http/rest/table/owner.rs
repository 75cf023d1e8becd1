//! Defects of `GET /api/tokens/by-owner`.
use hyper::StatusCode;
use serde_json::json;

use super::super::{lists, requests};
use crate::http::exchange::remove;
use crate::http::mutation::Mutation::{Request, Response};
use crate::http::mutation::{MutationRow, row};

const OWNER: &str = "/api/tokens/by-owner";

#[rustfmt::skip]
pub(in crate::http) const ROWS: &[MutationRow] = &[
    row!(Rest, "owner-missing-empty", &["OWNER-REQ"], "without an owner the answer is an empty list", Response(OWNER, |request, response| if !request.has("owner") { response.succeed(json!({ "tokens": [], "pagination": { "page": 1, "limit": 20, "total": 0, "totalPages": 0 } })) })),
    row!(Rest, "owner-total-pages-renamed", &["OWNER-SHAPE"], "pagination has total_pages instead of totalPages", Response(OWNER, lists::total_pages_renamed)),
    row!(Rest, "owner-graduated-missing", &["OWNER-SHAPE"], "is_graduated is left out while it is false", Response(OWNER, |_, response| response.each_token(|token| if token["is_graduated"] == json!(false) { remove(token, "is_graduated") }))),
    row!(Rest, "owner-limit-clamped", &["OWNER-BAD"], "a limit above 100 is taken for 100", Request(OWNER, |request| requests::clamp(request, 100))),
    row!(Rest, "owner-limit-default", &["OWNER-LIMIT"], "ten tokens are shown by default", Request(OWNER, |request| request.default("limit", "10"))),
    row!(Rest, "owner-total-of-page", &["OWNER-PAGE"], "total counts the tokens of the page", Response(OWNER, lists::total_of_page)),
    row!(Rest, "owner-volume-as-mcap", &["OWNER-SORT"], "volume_24h_desc orders by market cap", Request(OWNER, |request| request.replace("sort", "volume_24h_desc", "market_cap_desc"))),
    row!(Rest, "owner-unknown-404", &["OWNER-NOTHING"], "an owner without tokens is 404", Response(OWNER, |_, response| if response.body["pagination"]["total"] == json!(0) { response.refuse(StatusCode::NOT_FOUND, "owner not found") })),
    row!(Rest, "owner-foreign", &["OWNER-ONLY"], "the last token of a page is of another owner", Response(OWNER, |_, response| response.last_token(|token| token["owner"] = "0x000000000000000000000000000000000000dEaD".into()))),
    row!(Rest, "owner-inactive-always", &["OWNER-INACTIVE"], "disabled tokens are always shown", Request(OWNER, |request| if request.get("includeInactive").is_none_or(|text| text == "false") { request.set("includeInactive", "true") })),
];
