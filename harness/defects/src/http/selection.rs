//! Which defects the proxies apply now; it is exchanged as a whole while they run.
use std::sync::Arc;

use arc_swap::ArcSwap;

use super::mutation::Row;
use super::{consistent, rest, rpc, swap};
use crate::{Defect, Defects, Layer};

/// The selection in force.
#[derive(Debug, Default)]
pub(in crate::http) struct Selection(ArcSwap<Defects>);

impl Selection {
    pub(in crate::http) fn contains(&self, defect: &Defect) -> bool {
        self.0.load().contains(defect.id)
    }

    pub(in crate::http) fn turn(&self, defect: &Defect, selected: bool) {
        self.0.rcu(|current| Arc::new(current.with(defect, selected)));
    }

    /// The selected rows of a layer that concern a path, in the order of the tables.
    pub(in crate::http) fn rows(&self, layer: Layer, path: &str) -> Vec<&'static Row> {
        let selected = self.0.load();
        if selected.is_empty() {
            return Vec::new();
        }
        rows(layer).filter(|row| selected.contains(row.defect.id) && row.mutation.concerns(path)).collect()
    }
}

/// The rows of one proxied layer; of the others there are none.
pub(in crate::http) fn rows(layer: Layer) -> impl Iterator<Item = &'static Row> {
    let tables: &[&[Row]] = match layer {
        Layer::Node => &[rpc::ROWS],
        Layer::Rest => rest::TABLES,
        Layer::Swap => &[swap::ROWS, consistent::SWAP],
        Layer::Chain | Layer::ToolServer => &[],
    };
    tables.iter().copied().flatten()
}
