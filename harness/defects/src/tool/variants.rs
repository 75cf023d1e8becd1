//! Variants of the tool server, applied by the wrapper around its process.
use super::effect::Row;
use crate::Layer;
use crate::variants::{Ground, Variant};

/// A variant with its effects.
struct Varied {
    rests_on: Ground,
    row: Row,
    together: bool,
}

/// Every row.
pub(super) fn rows() -> impl Iterator<Item = &'static Row> {
    ROWS.iter().map(|varied| &varied.row)
}

/// The table as the catalogue shows it.
pub(crate) fn variants() -> impl Iterator<Item = Variant> {
    ROWS.iter().map(|Varied { rests_on, row, together }| Variant {
        id: row.id,
        layers: &[Layer::ToolServer],
        rests_on: *rests_on,
        summary: row.summary,
        together: *together,
        file: row.place.file(),
        line: row.place.line(),
    })
}

const ROWS: &[Varied] = &[];
