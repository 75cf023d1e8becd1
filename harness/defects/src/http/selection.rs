//! Which defects and variants the proxies apply now; each selection is exchanged as a whole while they run.
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use arc_swap::ArcSwap;

use super::mutation::{Mutation, MutationRow};
use super::{consistent, rest, rpc, swap};
use crate::variants::{self, Variant};
use crate::{Defect, Defects, Layer};

#[derive(Debug, Default)]
pub(in crate::http) struct Selection {
    defects: ArcSwap<Defects>,
    variants: ArcSwap<Vec<&'static str>>,
    requests: AtomicUsize,
}

impl Selection {
    pub(in crate::http) fn contains(&self, defect: &Defect) -> bool {
        self.defects.load().contains(defect.id)
    }

    pub(in crate::http) fn turn(&self, defect: &Defect, selected: bool) {
        self.defects.rcu(|current| Arc::new(current.with(defect, selected)));
    }

    /// Puts these variants in force, and no others.
    pub(in crate::http) fn vary(&self, variants: &[&'static Variant]) {
        self.variants.store(Arc::new(variants.iter().map(|variant| variant.id).collect()));
    }

    /// The number of a request to a service with something in force.
    pub(in crate::http) fn number(&self) -> usize {
        self.requests.fetch_add(1, Ordering::Relaxed)
    }

    /// What is selected of a layer and concerns a path: defects, then variants, in the order of their tables.
    pub(in crate::http) fn mutations(&self, layer: Layer, path: &str) -> Vec<Mutation> {
        let (defects, varied) = (self.defects.load(), self.variants.load());
        let mut mutations = Vec::new();
        if !defects.is_empty() {
            let selected = rows(layer).filter(|row| defects.contains(row.defect.id));
            mutations.extend(selected.map(|row| row.mutation));
        }
        if !varied.is_empty() {
            let selected = variants::rows()
                .filter(|row| row.variant.layers.contains(&layer) && varied.contains(&row.variant.id));
            mutations.extend(selected.map(|row| row.mutation));
        }
        mutations.retain(|mutation| mutation.concerns(path));
        mutations
    }
}

/// The rows of one proxied layer; of the others there are none.
pub(in crate::http) fn rows(layer: Layer) -> impl Iterator<Item = &'static MutationRow> {
    let tables: &[&[MutationRow]] = match layer {
        Layer::Node => &[rpc::ROWS],
        Layer::Rest => rest::TABLES,
        Layer::Swap => &[swap::ROWS, consistent::SWAP],
        Layer::Chain | Layer::ToolServer => &[],
    };
    tables.iter().copied().flatten()
}
