//! How a defect changes an exchange between a client and a service. It knows no path and no connection.
use std::collections::BTreeSet;

use super::exchange::{ProxiedResponse, Query, RequestParts};
use crate::Defect;

/// What a defect does; one that names a path leaves every other path alone.
#[derive(Clone, Copy)]
pub(in crate::http) enum Mutation {
    /// Changes a request before the service sees it.
    Request(&'static str, fn(&mut RequestParts)),
    /// Changes a request with the help of what was learnt of the platform.
    InformedRequest(&'static str, Need, fn(&Facts, &mut RequestParts)),
    /// Changes a request, and the response to it.
    Exchange(&'static str, fn(&mut RequestParts), fn(&RequestParts, &mut ProxiedResponse)),
    /// Changes a response; the request is the one the client sent.
    Response(&'static str, fn(&RequestParts, &mut ProxiedResponse)),
    /// Changes a response with the help of what was learnt of the platform.
    InformedResponse(&'static str, Need, fn(&Facts, &RequestParts, &mut ProxiedResponse)),
    /// Changes a response with the help of the response to another query on the same path.
    Comparison(&'static str, fn(&RequestParts) -> Option<Query>, fn(&mut ProxiedResponse, &ProxiedResponse)),
    /// Changes the response of any path.
    Anywhere(fn(&RequestParts, &mut ProxiedResponse)),
    /// Changes the response of any path, and every request so that its filters match what responses show.
    Lie(fn(&mut RequestParts), fn(&RequestParts, &mut ProxiedResponse)),
}

impl Mutation {
    /// Whether it may change an exchange on this path.
    pub(in crate::http) fn concerns(&self, path: &str) -> bool {
        match self {
            Self::Anywhere(_) | Self::Lie(..) => true,
            Self::Request(of, _)
            | Self::InformedRequest(of, ..)
            | Self::Exchange(of, ..)
            | Self::Response(of, _)
            | Self::InformedResponse(of, ..)
            | Self::Comparison(of, ..) => *of == path,
        }
    }
}

/// Something that only other requests to the platform can tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::http) enum Need {
    /// What time the platform has.
    Clock,
    /// Which tokens of the response are V1 tokens.
    Versions,
    /// The wrapped form of the native coin.
    WrappedNative,
}

/// What was learnt of the platform for one mutation; what it did not need is empty.
#[derive(Clone, Debug, Default)]
pub(in crate::http) struct Facts {
    /// The platform's time, Unix seconds.
    pub(in crate::http) now: u64,
    /// Addresses of V1 tokens as the response writes them.
    pub(in crate::http) v1_tokens: BTreeSet<String>,
    /// Address of the wrapped native coin.
    pub(in crate::http) wrapped_native: String,
}

/// A defect with its mutation.
pub(in crate::http) struct Row {
    pub(in crate::http) defect: Defect,
    pub(in crate::http) mutation: Mutation,
}

/// `row!(Rest, "id", &["CLAUSE"], "summary", mutation)`.
macro_rules! row {
    ($layer:ident, $id:expr, $clauses:expr, $summary:expr, $mutation:expr $(,)?) => {
        $crate::http::mutation::Row {
            defect: $crate::catalogue::defect!($layer, $id, $clauses, $summary),
            mutation: $mutation,
        }
    };
}
pub(in crate::http) use row;
