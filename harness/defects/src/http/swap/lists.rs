//! Mutations of the lists of pairs and tokens.
use crate::http::exchange::{ProxiedResponse, RequestParts};
use crate::json::exchange;

pub(super) fn latest_missing(_: &RequestParts, response: &mut ProxiedResponse) {
    if let Some(rows) = response.body.as_array_mut() {
        rows.pop();
    }
}

pub(super) fn reserves_exchanged(_: &RequestParts, response: &mut ProxiedResponse) {
    let pairs = response.body.as_array_mut().into_iter().flatten();
    pairs.for_each(|pair| exchange(pair, "reserve0", "reserve1"));
}
