//! How a defect or a variant changes an exchange between a client and a service. It knows no path and no connection.
use std::collections::BTreeSet;
use std::time::Duration;

use super::exchange::{ProxiedResponse, Query, RequestParts};
use crate::Defect;

/// Of so many requests one at least is answered in the place of the service, where any is.
const MOST_APART: usize = 64;

/// What a defect or a variant does; one that names a path leaves every other path alone.
#[derive(Clone, Copy)]
pub(crate) enum Mutation {
    /// Changes a request before the service sees it.
    Request(&'static str, fn(&mut RequestParts)),
    /// Changes a request with the help of what was learnt of the platform.
    InformedRequest(&'static str, Need, fn(&Facts, &mut RequestParts)),
    /// Changes a request, and the response to it.
    Exchange(&'static str, fn(&mut RequestParts), fn(&RequestParts, &mut ProxiedResponse)),
    /// Changes a request, and the response to it with the help of what was learnt of the platform.
    InformedExchange(
        &'static str,
        Need,
        fn(&mut RequestParts),
        fn(&Facts, &RequestParts, &mut ProxiedResponse),
    ),
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
    /// Answers in the place of the service, where there is an answer; the requests of a layer are numbered.
    Instead(fn(&RequestParts, usize) -> Option<ProxiedResponse>),
    /// Holds every request back for this long.
    Delay(Duration),
}

impl Mutation {
    /// Whether it may change an exchange on this path.
    pub(crate) fn concerns(&self, path: &str) -> bool {
        match self {
            Self::Anywhere(_) | Self::Lie(..) | Self::Instead(_) | Self::Delay(_) => true,
            Self::Request(of, _)
            | Self::InformedRequest(of, ..)
            | Self::Exchange(of, ..)
            | Self::InformedExchange(of, ..)
            | Self::Response(of, _)
            | Self::InformedResponse(of, ..)
            | Self::Comparison(of, ..) => *of == path,
        }
    }

    /// Whether it changes this exchange, as far as that is known without the platform.
    pub(crate) fn changes(&self, sent: &RequestParts, answered: &ProxiedResponse) -> bool {
        if !self.concerns(&sent.path) {
            return false;
        }
        let (mut request, mut response) = (sent.clone(), answered.clone());
        match *self {
            Self::Request(_, change) => change(&mut request),
            Self::Exchange(_, before, after) | Self::Lie(before, after) => {
                before(&mut request);
                after(sent, &mut response);
            }
            Self::Response(_, change) | Self::Anywhere(change) => change(sent, &mut response),
            Self::Instead(answer) => return (0..MOST_APART).any(|number| answer(sent, number).is_some()),
            Self::Comparison(_, other, _) => return other(sent).is_some(),
            Self::InformedRequest(..)
            | Self::InformedExchange(..)
            | Self::InformedResponse(..)
            | Self::Delay(_) => return true,
        }
        request.is_changed() || request.headers() != sent.headers() || response.is_changed()
    }
}

/// A fact that takes other requests to the platform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    /// What time the platform has.
    Clock,
    /// Which tokens of the response are V1 tokens.
    Versions,
    /// The wrapped form of the native coin.
    WrappedNative,
}

/// What was learnt of the platform for one mutation; what it did not need is empty.
#[derive(Clone, Debug, Default)]
pub(crate) struct Facts {
    /// The platform's time, Unix seconds.
    pub(crate) now: u64,
    /// Addresses of V1 tokens as the response writes them.
    pub(crate) v1_tokens: BTreeSet<String>,
    pub(crate) wrapped_native: String,
}

pub(crate) struct MutationRow {
    pub(crate) defect: Defect,
    pub(crate) mutation: Mutation,
}

/// `row!(Rest, "id", &["CLAUSE"], "summary", mutation)`.
macro_rules! row {
    ($layer:ident, $id:expr, $clauses:expr, $summary:expr, $mutation:expr $(,)?) => {
        $crate::http::mutation::MutationRow {
            defect: $crate::defect::defect!($layer, $id, $clauses, $summary),
            mutation: $mutation,
        }
    };
}
pub(crate) use row;
