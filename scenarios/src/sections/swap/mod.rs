//! The swap service: quotes, routes, built transactions, lists.
mod alone;
pub(super) mod calldata;
mod curve;
mod laws;
pub(super) mod listed;
mod listings;
pub(super) mod market;
mod quotes;
mod routes;
mod transactions;
pub(super) mod units;

use crate::prelude::*;

section! {
    quotes::QUOTE_REQ, quotes::QUOTE_ONE_AMOUNT, quotes::QUOTE_SLIP, quotes::QUOTE_READING, quotes::QUOTE_SHAPE,
    routes::QUOTE_EXACT_IN, routes::QUOTE_EXACT_OUT, quotes::QUOTE_MIN_OUT, quotes::QUOTE_MAX_IN,
    routes::QUOTE_ROUTE, quotes::QUOTE_RATES, units::QUOTE_UNITS, quotes::QUOTE_WRAP, quotes::QUOTE_NATIVE,
    transactions::QUOTE_BUILD, transactions::QUOTE_REASON, calldata::QUOTE_CALL, calldata::QUOTE_DEADLINE, quotes::QUOTE_NO_ROUTE, curve::QUOTE_CURVE, listings::PAIRS, listings::PAIRS_LISTED, listings::SWAP_TOKENS,
}
