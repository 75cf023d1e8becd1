//! Variants of the RPC of a chain: nodes, rollups and gateways that speak JSON-RPC and the execution API in their own way.
use serde_json::Value;

use super::Ground::Standard;
use super::{Row, variant};
use crate::http::exchange::{ProxiedResponse, RequestParts};
use crate::http::mutation::Mutation::Anywhere;

/// The tables of this layer.
pub(super) const TABLES: &[&[Row]] = &[ROWS];

const ROWS: &[Row] = &[variant!(
    Node,
    "node-upper-case-data",
    Standard("execution API, hex encoded bytes"),
    "bytes and hashes are written with capital hexadecimal digits",
    Anywhere(upper_case_data),
)];

/// Data of more than 32 digits gets capital digits; quantities stay.
fn upper_case_data(_: &RequestParts, response: &mut ProxiedResponse) {
    each_text(&mut response.body, &mut |text| {
        if let Some(digits) = text.strip_prefix("0x").filter(|digits| digits.len() >= 32) {
            *text = format!("0x{}", digits.to_ascii_uppercase());
        }
    });
}

/// Visits every text of a JSON value.
fn each_text(value: &mut Value, visit: &mut impl FnMut(&mut String)) {
    match value {
        Value::String(text) => visit(text),
        Value::Array(items) => items.iter_mut().for_each(|item| each_text(item, visit)),
        Value::Object(members) => members.values_mut().for_each(|member| each_text(member, visit)),
        _ => {}
    }
}
