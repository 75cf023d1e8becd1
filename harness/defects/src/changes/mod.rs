//! Defects and variants as data: the rows of `scenarios/changes`, and what they may say.
mod change;
mod edit;
mod file;
mod on;
mod place;

use std::sync::LazyLock;

pub(crate) use change::{Change, Step};
pub use file::FileError;
pub(crate) use file::Rows;

use file::Origin;

/// The name and the text of a file of ours.
macro_rules! source {
    ($file:literal) => {
        (concat!("scenarios/changes/", $file), include_str!(concat!("../../../../scenarios/changes/", $file)))
    };
}

/// Our files, in the order of the catalogue.
const FILES: &[(&str, &str)] = &[
    source!("nodes.toml"),
    source!("rest.toml"),
    source!("lies.toml"),
    source!("variants.toml"),
    source!("tool.toml"),
    source!("swap.toml"),
];

/// The rows of our files.
pub(crate) fn ours() -> &'static Rows {
    static OURS: LazyLock<Rows> = LazyLock::new(|| {
        let mut all = Rows::default();
        for (name, text) in FILES {
            let rows = file::read(name, text, Origin::Ours, &all);
            all.extend(rows.unwrap_or_else(|error| unreachable!("a file of the program is wrong: {error}")));
        }
        all
    });
    &OURS
}

/// The change of a defect of ours; none where the contracts are changed.
pub(crate) fn of_defect(id: &str) -> Option<&'static Change> {
    ours().defects.iter().find(|row| row.defect.id == id).map(|row| &row.change)
}

/// The change of a variant of ours.
pub(crate) fn of_variant(id: &str) -> Option<&'static Change> {
    ours().variants.iter().find(|row| row.variant.id == id).map(|row| &row.change)
}

#[cfg(test)]
mod tests;
