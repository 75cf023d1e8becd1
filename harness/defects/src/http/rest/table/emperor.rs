//! Defects of `GET /api/eoti`, `GET /api/koti` and `GET /api/stocks/quote-assets`.
use serde_json::json;

use super::super::{requests, responses};
use crate::http::consistent::at;
use crate::http::exchange::remove;
use crate::http::mutation::Mutation::{Comparison, Request, Response};
use crate::http::mutation::{MutationRow, row};
use crate::json::{change_text, items, round};

const EOTI: &str = "/api/eoti";
const KOTI: &str = "/api/koti";
const STOCKS: &str = "/api/stocks/quote-assets";

#[rustfmt::skip]
pub(in crate::http) const ROWS: &[MutationRow] = &[
    row!(Rest, "eoti-hour-missing", &["EOTI-SHAPE"], "the metrics of the last hour are left out", Response(EOTI, |_, response| for field in ["volume_1h", "price_change_1h", "txns_1h_buys", "txns_1h_sells"] { remove(&mut response.body, field); })),
    row!(Rest, "eoti-progress-text", &["EOTI-SHAPE"], "funding_progress is text", Response(EOTI, |request, response| at(request, response, EOTI, "funding_progress", |progress| *progress = progress.to_string().into()))),
    row!(Rest, "eoti-bids-unasked", &["EOTI-BID"], "bidData comes unasked", Request(EOTI, |request| request.set("includeBidData", "true"))),
    row!(Rest, "eoti-last-bid-in-wei", &["EOTI-BID"], "lastBid.amount is in wei", Response(EOTI, responses::last_bid_in_wei)),
    row!(Rest, "eoti-yesterdays", &["EOTI-CHAIN"], "the token is yesterday's", Comparison(EOTI, |request| Some(request.query_with("includeBidData", "true")), |response, with_bids| if response.is_ok() { response.body["address"] = with_bids.body["bidData"]["lastBoostedToken"].clone() })),
    row!(Rest, "eoti-price-rounded-down", &["EOTI-CHAIN"], "the price of the second is a wei too low", Response(EOTI, |request, response| at(request, response, EOTI, "currentBid", |price| change_text(price, |text| text.parse::<u128>().map_or_else(|_| text.to_owned(), |price| price.saturating_sub(1).to_string()))))),
    row!(Rest, "eoti-never-taken", &["EOTI-EPOCH"], "isEpochTaken stays false", Response(EOTI, |request, response| at(request, response, EOTI, "isEpochTaken", |taken| *taken = json!(false)))),
    row!(Rest, "eoti-next-untold", &["EOTI-EPOCH"], "tomorrow's token is not returned", Response(EOTI, |request, response| at(request, response, EOTI, "nextBoostedToken", |next| *next = json!("0x0000000000000000000000000000000000000000")))),
    row!(Rest, "koti-progress-coarse", &["KOTI-TOP"], "funding_progress is rounded to two decimals", Response(KOTI, |request, response| at(request, response, KOTI, "funding_progress", |progress| round(progress, 100.0)))),
    row!(Rest, "koti-none-null", &["KOTI-TOP"], "without a King the answer is null with 200", Response(KOTI, responses::not_found_is_null)),
    row!(Rest, "stocks-any-chain", &["STOCK-ASSETS"], "an unknown chain is taken for the primary one", Request(STOCKS, requests::any_chain)),
    row!(Rest, "stocks-hook-of-none", &["STOCK-ASSETS"], "each asset names its own token as its hook", Response(STOCKS, |_, response| items(&mut response.body, "quoteAssets").for_each(|asset| asset["hook"] = asset["address"].clone()))),
    row!(Rest, "stocks-decimals-6", &["STOCK-ASSETS"], "every asset has 6 decimals", Response(STOCKS, |_, response| items(&mut response.body, "quoteAssets").for_each(|asset| asset["decimals"] = json!(6)))),
];
