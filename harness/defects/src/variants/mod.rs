//! Legal variants: platforms that follow the interface and public standards and chose differently where both leave a choice. They are
//! applied where the seeded defects are; the judge must pass each one. How a variant is applied is defined elsewhere.
mod variant;

pub use hyper::{Request, Response};
pub use variant::{Ground, Variant};

use crate::changes::{self, Change};
use crate::http::exchange::{ProxiedResponse, RequestParts};

/// Every variant, in the order of the files.
pub fn catalogue() -> &'static [Variant] {
    &changes::ours().variants
}

/// Whether a variant refuses or redirects requests instead of a service; a client that waits for it may move the platform's clock.
pub fn answers_itself(variant: &Variant) -> bool {
    variant.change.is_some_and(Change::answers_itself)
}

/// Whether a variant only delays answers.
pub fn delays(variant: &Variant) -> bool {
    variant.change.is_some_and(Change::delays)
}

/// A platform with this variant has no control plane, which would report what is indexed.
const LAGGING: &str = "lags-a-second";

/// Whether a platform with this variant cannot have a control plane, since that reports what is indexed.
pub fn has_no_control_plane(variant: &Variant) -> bool {
    variant.id == LAGGING
}

/// An exchange recorded in front of a proxied service.
pub struct Exchange {
    request: RequestParts,
    response: ProxiedResponse,
}

impl Exchange {
    /// Builds the exchange of a request and its response.
    pub fn new(request: Request<Vec<u8>>, response: Response<Vec<u8>>) -> Self {
        let (request, body) = request.into_parts();
        let (response, answer) = response.into_parts();
        let response = ProxiedResponse::new(response, answer.into());
        Self { request: RequestParts::new(request, body.into()), response }
    }

    /// Whether the variant would change it.
    pub fn is_changed_by(&self, variant: &Variant) -> bool {
        variant.change.is_some_and(|change| change.changes(&self.request, &self.response))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn ids_are_unique_and_rows_complete() {
        let ids: BTreeSet<_> = catalogue().iter().map(|variant| variant.id).collect();
        assert_eq!(ids.len(), catalogue().len());
        for variant in catalogue() {
            assert!(!variant.rests_on.text().is_empty() && !variant.summary.is_empty(), "{}", variant.id);
            assert!(variant.line > 0 && !variant.file.is_empty(), "{}", variant.id);
            assert!(crate::catalogue().iter().all(|defect| defect.id != variant.id), "{}", variant.id);
        }
    }
}
