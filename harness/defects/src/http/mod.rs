//! Defects of the HTTP services, applied by a reverse proxy in front of each.
use crate::Defect;

/// The defects of all proxied services.
pub(crate) fn defects() -> impl Iterator<Item = Defect> {
    std::iter::empty()
}
