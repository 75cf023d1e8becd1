//! Mutations of the lists of pairs and tokens.
use serde_json::Value;

use crate::http::exchange::{ProxiedResponse, RequestParts};

pub(super) fn latest_missing(_: &RequestParts, response: &mut ProxiedResponse) {
    if let Some(rows) = response.body.as_array_mut() {
        rows.pop();
    }
}

pub(super) fn reserves_exchanged(_: &RequestParts, response: &mut ProxiedResponse) {
    for pair in rows(response) {
        let first = pair["reserve0"].take();
        pair["reserve0"] = pair["reserve1"].take();
        pair["reserve1"] = first;
    }
}

fn rows(response: &mut ProxiedResponse) -> impl Iterator<Item = &mut Value> {
    response.body.as_array_mut().into_iter().flatten()
}
