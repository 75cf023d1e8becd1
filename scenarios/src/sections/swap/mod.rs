//! The swap service: quotes, routes, built transactions, lists.
mod calldata;
mod laws;
mod listings;
mod market;
mod quotes;
mod routes;
mod transactions;

use crate::prelude::*;

pub(in crate::sections) use calldata::is_the_quoted_trade;
pub(in crate::sections) use market::{asks, built_for, router};

section! {
    quotes::QUOTE_REQ, quotes::QUOTE_ONE_AMOUNT, quotes::QUOTE_SLIP, quotes::QUOTE_READING, quotes::QUOTE_SHAPE,
    routes::QUOTE_EXACT_IN, routes::QUOTE_EXACT_OUT, quotes::QUOTE_MIN_OUT, quotes::QUOTE_MAX_IN,
    routes::QUOTE_ROUTE, quotes::QUOTE_RATES, quotes::QUOTE_WRAP, quotes::QUOTE_NATIVE,
    transactions::QUOTE_BUILD, transactions::QUOTE_REASON, calldata::QUOTE_CALL, calldata::QUOTE_DEADLINE, quotes::QUOTE_NO_ROUTE, listings::PAIRS, listings::SWAP_TOKENS,
}
