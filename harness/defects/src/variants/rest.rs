//! Variants of the REST service.
use hyper::header::CONTENT_TYPE;
use hyper::header::HeaderValue;
use serde_json::json;

use super::Ground::Choice;
use super::{Row, variant};
use crate::http::exchange::{ProxiedResponse, RequestParts};
use crate::http::mutation::Mutation::Anywhere;

/// The tables of this layer.
pub(super) const TABLES: &[&[Row]] = &[ROWS];

const ROWS: &[Row] = &[variant!(
    Rest,
    "errors-as-messages",
    Choice("SVC-ERR"),
    "refusals have a body with one member, `message`",
    Anywhere(message_bodies),
)];

fn message_bodies(_: &RequestParts, response: &mut ProxiedResponse) {
    if response.is_refusal() {
        let message = response.body["error"].take();
        response.body = json!({ "message": message });
        response.headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json; charset=utf-8"));
    }
}
