//! Legal variants: platforms that keep the interface and public standards and chose otherwise where both leave a choice. Each is
//! applied where the seeded defects are; the judge must let every one pass. Leaves out how one is applied.
mod cache;
mod catalogue;
mod errors;
mod figures;
mod http;
pub(crate) mod node;
mod shapes;
mod swap;

pub use catalogue::{Ground, Variant, catalogue};
pub use hyper::{Request, Response};

use crate::http::exchange::{ProxiedResponse, RequestParts};
use crate::http::mutation::Mutation;

/// A variant with its mutation.
pub(crate) struct VariantRow {
    pub(crate) variant: Variant,
    pub(crate) mutation: Mutation,
}

/// A row of a table of variants: `variant!(Rest, "id", Choice("CLAUSE"), "summary", mutation)`; it records its own line. A row
/// that cannot be in force together with others ends in `alone`, and one of both HTTP services begins with `Rest Swap`.
macro_rules! variant {
    (@row $($layer:ident)+, $id:expr, $rests_on:expr, $summary:expr, $mutation:expr, $together:expr) => {
        $crate::variants::VariantRow {
            variant: $crate::variants::Variant {
                id: $id,
                layers: &[$($crate::Layer::$layer),+],
                rests_on: $rests_on,
                summary: $summary,
                together: $together,
                file: file!(),
                line: line!(),
            },
            mutation: $mutation,
        }
    };
    ($($layer:ident)+, $id:expr, $rests_on:expr, $summary:expr, $mutation:expr $(,)?) => {
        variant!(@row $($layer)+, $id, $rests_on, $summary, $mutation, true)
    };
    ($($layer:ident)+, $id:expr, $rests_on:expr, $summary:expr, $mutation:expr, alone $(,)?) => {
        variant!(@row $($layer)+, $id, $rests_on, $summary, $mutation, false)
    };
}
pub(crate) use variant;

/// Every row of the proxied layers, in the order of the tables.
pub(crate) fn rows() -> impl Iterator<Item = &'static VariantRow> {
    [node::TABLES, cache::TABLES, http::TABLES, errors::TABLES, figures::TABLES, shapes::TABLES, swap::TABLES]
        .into_iter()
        .flatten()
        .copied()
        .flatten()
}

fn mutation_of(variant: &Variant) -> Option<&'static Mutation> {
    rows().find(|row| row.variant.id == variant.id).map(|row| &row.mutation)
}

/// Whether a variant refuses or redirects requests in the place of a service: what waits for it may move the clock of the platform.
pub fn answers_itself(variant: &Variant) -> bool {
    matches!(mutation_of(variant), Some(Mutation::Instead(_)))
}

/// Whether a variant only delays what is answered.
pub fn delays(variant: &Variant) -> bool {
    matches!(mutation_of(variant), Some(Mutation::Delay(_)))
}

/// Whether a platform with this variant cannot have a control plane, which reports what is indexed.
pub fn has_no_control_plane(variant: &Variant) -> bool {
    variant.id == cache::LAGGING
}

/// An exchange that was recorded in front of a proxied service.
pub struct Exchange {
    request: RequestParts,
    response: ProxiedResponse,
}

impl Exchange {
    /// A request and the response to it.
    pub fn new(request: Request<Vec<u8>>, response: Response<Vec<u8>>) -> Self {
        let (request, body) = request.into_parts();
        let (response, answer) = response.into_parts();
        let response = ProxiedResponse::new(response, answer.into());
        Self { request: RequestParts::new(request, body.into()), response }
    }

    /// Whether it would be another one with this variant in force.
    pub fn is_changed_by(&self, variant: &Variant) -> bool {
        mutation_of(variant).is_some_and(|mutation| mutation.changes(&self.request, &self.response))
    }
}
