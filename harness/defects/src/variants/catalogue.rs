//! The list of all variants.
use std::sync::LazyLock;

use super::rows;
use crate::{Layer, tool};

/// What allows a platform to be so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ground {
    /// A clause that is a choice of this project: its id.
    Choice(&'static str),
    /// A public standard, cited by name and section.
    Standard(&'static str),
    /// A statement of the interface that leaves it open: its id.
    Interface(&'static str),
}

impl Ground {
    /// As reports show it: the id of a clause or of a statement, or the citation of a standard.
    pub fn text(self) -> &'static str {
        match self {
            Self::Choice(text) | Self::Standard(text) | Self::Interface(text) => text,
        }
    }
}

/// One way in which a conforming platform may differ from ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variant {
    /// Stable id; never reused.
    pub id: &'static str,
    /// Where it is applied: at each of these layers.
    pub layers: &'static [Layer],
    /// What allows it.
    pub rests_on: Ground,
    /// What is different, in one sentence.
    pub summary: &'static str,
    /// Whether it can be in force with all others of which this is true.
    pub together: bool,
    /// Source file that defines it, relative to the workspace.
    pub file: &'static str,
    /// Line in that file.
    pub line: u32,
}

impl Variant {
    /// The names of its layers, as reports show them.
    pub fn layer(&self) -> String {
        self.layers.iter().map(|layer| layer.name()).collect::<Vec<_>>().join("+")
    }
}

/// Every variant, layer by layer, in the order of the tables.
pub fn catalogue() -> &'static [Variant] {
    static CATALOGUE: LazyLock<Vec<Variant>> =
        LazyLock::new(|| rows().map(|row| row.variant).chain(tool::variants()).collect());
    &CATALOGUE
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
            assert!(variant.line > 0 && variant.file.contains("variants"), "{}", variant.id);
            assert!(crate::catalogue().iter().all(|defect| defect.id != variant.id), "{}", variant.id);
        }
    }
}
