//! Defects of `GET /api/tokens/by-owner`.
use super::super::{lists, requests};
use crate::http::mutation::Mutation::{Request, Response};
use crate::http::mutation::{Row, row};

const OWNER: &str = "/api/tokens/by-owner";

#[rustfmt::skip]
pub(in crate::http) const ROWS: &[Row] = &[
    row!(Rest, "owner-missing-empty", &["OWNER-REQ"], "without an owner the answer is an empty list", Response(OWNER, lists::owner_missing)),
    row!(Rest, "owner-total-pages-renamed", &["OWNER-SHAPE"], "pagination has total_pages instead of totalPages", Response(OWNER, lists::total_pages_renamed)),
    row!(Rest, "owner-graduated-missing", &["OWNER-SHAPE"], "is_graduated is left out while it is false", Response(OWNER, lists::graduated_missing)),
    row!(Rest, "owner-limit-clamped", &["OWNER-BAD"], "a limit above 100 is taken for 100", Request(OWNER, |request| requests::clamp(request, 100))),
    row!(Rest, "owner-limit-default", &["OWNER-LIMIT"], "ten tokens are shown unless told", Request(OWNER, |request| request.default("limit", "10"))),
    row!(Rest, "owner-total-of-page", &["OWNER-PAGE"], "total counts the tokens of the page", Response(OWNER, lists::total_of_page)),
    row!(Rest, "owner-volume-as-mcap", &["OWNER-SORT"], "volume_24h_desc orders by market cap", Request(OWNER, |request| request.replace("sort", "volume_24h_desc", "market_cap_desc"))),
    row!(Rest, "owner-unknown-404", &["OWNER-NOTHING"], "an owner without tokens is 404", Response(OWNER, lists::unknown_owner)),
    row!(Rest, "owner-foreign", &["OWNER-ONLY"], "the last token of a page is of another owner", Response(OWNER, lists::of_another)),
    row!(Rest, "owner-inactive-always", &["OWNER-INACTIVE"], "disabled tokens are always shown", Request(OWNER, requests::always_inactive)),
];
