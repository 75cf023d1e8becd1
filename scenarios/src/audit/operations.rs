//! The operations of both services with the form of their answers: bodies (from the table of fields), headers, refusals.
use std::sync::LazyLock;

use crate::answers::fields::shape::{Shape, chosen, optional};
use crate::answers::fields::{self, Place};
use crate::client::kept::Service::{self, Rest, Swap};
use crate::model::verdict::Binding;

#[derive(Clone, Copy, Debug)]
pub(super) struct Header {
    pub(super) name: &'static str,
    pub(super) form: Form,
    pub(super) binding: Binding,
}

/// The required form of a header's value.
#[derive(Clone, Copy, Debug)]
pub(super) enum Form {
    /// Present, with any value.
    Present,
    Number,
    /// A list with these directives.
    Directives(&'static [&'static str]),
}

/// An operation that succeeds with 200.
#[derive(Debug)]
pub(super) struct Operation {
    pub(super) service: Service,
    pub(super) method: &'static str,
    pub(super) path: &'static str,
    pub(super) body: Shape,
    pub(super) headers: Vec<Header>,
}

pub(super) const fn header(name: &'static str, form: Form, binding: Binding) -> Header {
    Header { name, form, binding }
}

const PRIVATE: Form = Form::Directives(&["private", "no-store"]);
/// Headers of an answer that counts towards a limit.
pub(super) const LIMITED: [Header; 3] = [
    header("x-ratelimit-limit", Form::Number, Binding::Choice),
    header("x-ratelimit-remaining", Form::Number, Binding::Choice),
    header("x-ratelimit-reset", Form::Number, Binding::Choice),
];
/// The operations that a limit counts.
const COUNTED: [&str; 6] = [
    "POST /api/chat",
    "POST /api/upload",
    "GET /api/referral/code",
    "GET /api/referral/stats",
    "POST /api/referral/register",
    "GET /api/referral/leaderboard",
];

/// Headers of single operations, besides those of limits.
const HEADERS: [(&str, Header); 4] = [
    ("POST /api/upload", header("x-service-image-storage", Form::Present, Binding::Interface)),
    ("GET /api/capabilities", header("cache-control", PRIVATE, Binding::Interface)),
    ("GET /api/referral/code", header("cache-control", PRIVATE, Binding::Choice)),
    ("GET /api/referral/stats", header("cache-control", PRIVATE, Binding::Choice)),
];

/// The body of a refusal; a 429 also says when to retry.
pub(super) const REFUSAL: Shape = Shape::Object(&[
    chosen("error", Shape::Text),
    chosen("status", Shape::Count),
    optional("details", Shape::Text),
]);

/// Statuses of refusals and failures; a choice of this project.
pub(super) const STATUSES: [u16; 13] = [400, 401, 403, 404, 405, 408, 409, 413, 414, 415, 429, 500, 503];

pub(super) static OPERATIONS: LazyLock<Vec<Operation>> =
    LazyLock::new(|| fields::operations().into_iter().filter_map(operation).collect());

fn operation((service, name): (&'static str, &'static str)) -> Option<Operation> {
    let (method, path) = name.split_once(' ')?;
    let counted = LIMITED.into_iter().filter(|_| COUNTED.contains(&name));
    let own = HEADERS.into_iter().filter(|(of, _)| *of == name).map(|(_, header)| header);
    let headers = own.chain(counted).collect();
    let body = fields::body(service, name);
    Some(Operation { service: if service == "rest" { Rest } else { Swap }, method, path, body, headers })
}

/// The batch flags with the fields that they add to each token.
pub(super) const FLAGGED: [(&str, Place); 3] = [
    ("includeMetrics", Place::Metrics),
    ("includeHolders", Place::Holders),
    ("includeSocials", Place::Socials),
];
