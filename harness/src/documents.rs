//! The documents of the project, which this program embeds.
use slipway_sim::Documents;

/// All of them, with their pictures.
pub(crate) const DOCUMENTS: Documents = Documents(include!(concat!(env!("OUT_DIR"), "/documents.in")));
