//! The list of all defects and selections from it by id; how a defect is applied is defined elsewhere.
use std::collections::BTreeSet;
use std::fmt;
use std::sync::LazyLock;

use crate::defect::{Defect, Layer};
use crate::{chain, changes};

/// Every defect, layer by layer, in the order of the tables.
pub fn catalogue() -> &'static [Defect] {
    static CATALOGUE: LazyLock<Vec<Defect>> = LazyLock::new(|| {
        let rows = changes::ours().defects.iter().copied();
        let (nodes, others): (Vec<Defect>, Vec<Defect>) =
            rows.partition(|defect| defect.layer == Layer::Node);
        nodes.into_iter().chain(chain::defects()).chain(others).collect()
    });
    &CATALOGUE
}

/// The id names no defect.
#[derive(Debug, thiserror::Error)]
#[error("no defect has the id {id:?}; `slipway explain --list defects` lists them all")]
pub struct UnknownDefect {
    /// The id that was given.
    pub id: String,
}

/// A selection of defects by id.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Defects(BTreeSet<&'static str>);

impl Defects {
    /// Selects by id.
    ///
    /// # Errors
    /// If an id is not in the catalogue.
    pub fn select<S: AsRef<str>>(ids: impl IntoIterator<Item = S>) -> Result<Self, UnknownDefect> {
        let known = |id: S| {
            let id = id.as_ref();
            let found = catalogue().iter().find(|defect| defect.id == id);
            found.map(|defect| defect.id).ok_or_else(|| UnknownDefect { id: id.to_owned() })
        };
        ids.into_iter().map(known).collect::<Result<_, _>>().map(Self)
    }

    /// Whether the defect of this id is selected.
    pub fn contains(&self, id: &str) -> bool {
        self.0.contains(id)
    }

    /// Whether none is selected.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The selected defects of one layer, in the order of the catalogue.
    pub fn of_layer(&self, layer: Layer) -> impl Iterator<Item = &'static Defect> {
        catalogue().iter().filter(move |defect| defect.layer == layer && self.contains(defect.id))
    }

    /// The selected ids, sorted.
    pub fn ids(&self) -> impl Iterator<Item = &'static str> {
        self.0.iter().copied()
    }

    /// The selection with a defect of the catalogue added or removed.
    pub fn with(&self, defect: &Defect, selected: bool) -> Self {
        let mut next = self.clone();
        if selected {
            next.0.insert(defect.id);
        } else {
            next.0.remove(defect.id);
        }
        next
    }
}

impl fmt::Display for Defects {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.ids().collect::<Vec<_>>().join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_unique_and_rows_complete() {
        let ids: BTreeSet<_> = catalogue().iter().map(|defect| defect.id).collect();
        assert_eq!(ids.len(), catalogue().len());
        for defect in catalogue() {
            assert!(!defect.clauses.is_empty() && !defect.summary.is_empty(), "{}", defect.id);
            assert!(defect.line > 0 && !defect.file.is_empty(), "{}", defect.id);
        }
        assert_eq!(Defects::select(ids).unwrap().ids().count(), catalogue().len());
        assert!(Defects::select(["no-such-defect"]).is_err());
    }
}
