//! Defects of `GET /api/tokens/recent-v2`.
use serde_json::Value;

use super::super::{lists, requests};
use crate::http::mutation::Mutation::{Request, Response};
use crate::http::mutation::{MutationRow, row};

const RECENT: &str = "/api/tokens/recent-v2";

#[rustfmt::skip]
pub(in crate::http) const ROWS: &[MutationRow] = &[
    row!(Rest, "recent-chain-default", &["RECENT-CHAIN"], "without a chain the primary one is meant", Request(RECENT, |request| request.default("chainId", "57073"))),
    row!(Rest, "recent-chain-any", &["RECENT-CHAIN"], "an unknown chain is taken for the primary one", Request(RECENT, requests::any_chain)),
    row!(Rest, "recent-limit-clamped", &["RECENT-ORDER"], "a limit above 50 is taken for 50", Request(RECENT, |request| requests::clamp(request, 50))),
    row!(Rest, "recent-limit-default", &["RECENT-LIMIT"], "twenty rows are shown by default", Request(RECENT, |request| request.default("limit", "20"))),
    row!(Rest, "recent-offset-late", &["RECENT-OFFSET"], "every page but the first begins one row too late", Request(RECENT, requests::late_offset)),
    row!(Rest, "recent-oldest-first", &["RECENT-ORDER"], "each page begins with its oldest launch", Response(RECENT, |_, response| response.tokens().into_iter().for_each(|tokens| tokens.reverse()))),
    row!(Rest, "recent-next-always", &["RECENT-NEXT"], "a page that is not full has a nextOffset", Response(RECENT, lists::next_always)),
    row!(Rest, "recent-launch-id-text", &["RECENT-SHAPE"], "launch_id is text", Response(RECENT, |_, response| response.each_token(|token| token["launch_id"] = token["launch_id"].to_string().into()))),
    row!(Rest, "recent-first-version", &["RECENT-CHAIN"], "a V1 token is among recent launches", Response(RECENT, |_, response| response.last_token(|token| token["version"] = "v1".into()))),
    row!(Rest, "recent-quote-asset-untold", &["STOCK-ASSETS"], "launches for stocks do not name their quote asset", Response(RECENT, |_, response| response.each_token(|token| token["quote_asset"] = Value::Null))),
];
