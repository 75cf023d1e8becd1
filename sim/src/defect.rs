//! Seeded defects: one deliberate fault each, addressable by id, absent from every path while off.
//!
//! A layer keeps all of its defects in one table and applies them in one place; this module only names and selects them.
use std::collections::BTreeSet;
use std::fmt;
use std::sync::LazyLock;

use slipway_contracts::artifacts::chain_defects;
use std::sync::Arc;

use arc_swap::ArcSwap;

/// The layer that carries a defect and applies it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Layer {
    /// The node of a chain, chosen at its start.
    Node,
    /// Mutated contracts, put in the place of the sound ones at the start.
    Chain,
    /// The REST dialect, switchable while running.
    Rest,
    /// The swap dialect, switchable while running.
    Swap,
}

/// One deliberate fault of the platform.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Defect {
    /// Stable id, given to `--defect`; never reused.
    pub id: &'static str,
    /// Where the fault sits.
    pub layer: Layer,
    /// What goes wrong, in one sentence.
    pub summary: &'static str,
    /// Clauses whose checks must turn red.
    pub clauses: &'static [&'static str],
}

/// A selection of defects by id.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Defects(BTreeSet<String>);

/// The id names no defect of the platform.
#[derive(Debug, thiserror::Error)]
#[error("no defect has the id {id:?}; `slipway list --defects` names them all")]
pub struct UnknownDefect {
    /// What was asked for.
    pub id: String,
}

impl Defects {
    /// Selects by id; refuses an id that is not in the catalogue.
    pub fn select<I: IntoIterator<Item = S>, S: Into<String>>(ids: I) -> Result<Self, UnknownDefect> {
        let ids: BTreeSet<String> = ids.into_iter().map(Into::into).collect();
        // Whoever selects none does not wait for the catalogue to be read.
        if ids.is_empty() {
            return Ok(Self::default());
        }
        let known: BTreeSet<&str> = catalogue().into_iter().map(|defect| defect.id).collect();
        match ids.iter().find(|id| !known.contains(id.as_str())) {
            Some(unknown) => Err(UnknownDefect { id: unknown.clone() }),
            None => Ok(Self(ids)),
        }
    }

    /// Whether the defect of this id is on.
    #[must_use]
    pub fn on(&self, id: &str) -> bool {
        self.0.contains(id)
    }

    /// Whether none is on.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The selected ids of one layer, in order.
    pub fn of_layer(&self, layer: Layer) -> impl Iterator<Item = &str> {
        let known = if self.is_empty() { Vec::new() } else { catalogue() };
        let of_layer: BTreeSet<&str> =
            known.into_iter().filter(|defect| defect.layer == layer).map(|defect| defect.id).collect();
        self.ids().filter(move |id| of_layer.contains(id))
    }

    /// The selected ids in order.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}

impl fmt::Display for Defects {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0.iter().map(String::as_str).collect::<Vec<_>>().join(","))
    }
}

/// The selection in force, exchanged as a whole while the platform runs.
#[derive(Debug, Default)]
pub struct DefectSwitch(ArcSwap<Defects>);

impl DefectSwitch {
    /// Starts with this selection.
    #[must_use]
    pub fn new(defects: Defects) -> Self {
        Self(ArcSwap::from_pointee(defects))
    }

    /// The selection now.
    pub fn load(&self) -> Arc<Defects> {
        self.0.load_full()
    }

    /// Whether none is on; cheap enough for every request.
    pub fn is_off(&self) -> bool {
        self.0.load().is_empty()
    }

    /// Turns one defect on or off; refuses an id that is not in the catalogue.
    pub fn turn(&self, id: &str, on: bool) -> Result<(), UnknownDefect> {
        Defects::select([id])?;
        self.0.rcu(|current| {
            let mut next = Defects::clone(current);
            if on {
                next.0.insert(id.to_owned());
            } else {
                next.0.remove(id);
            }
            next
        });
        Ok(())
    }

    /// Turns every defect off.
    pub fn clear(&self) {
        self.0.store(Arc::default());
    }
}

/// The defects of the contracts: they are listed beside the sources they mutate.
static CHAIN: LazyLock<Vec<Defect>> = LazyLock::new(|| {
    let row = |defect: &'static slipway_contracts::artifacts::ChainDefect| Defect {
        id: &defect.id,
        layer: Layer::Chain,
        summary: &defect.summary,
        // Leaked once: the list lives as long as the program.
        clauses: defect.clauses.iter().map(String::as_str).collect::<Vec<_>>().leak(),
    };
    chain_defects().iter().map(row).collect()
});

/// The node says that it serves another chain.
pub(crate) const OTHER_CHAIN_ID: Defect = Defect {
    id: "node-other-chain-id",
    layer: Layer::Node,
    summary: "the nodes report chain ids that are one too high",
    clauses: &["CH-ID"],
};

/// Every defect the platform can carry, layer by layer.
#[must_use]
pub fn catalogue() -> Vec<Defect> {
    std::iter::once(&OTHER_CHAIN_ID)
        .chain(CHAIN.iter())
        .chain(crate::services::DEFECTS.iter().copied().flatten())
        .cloned()
        .collect()
}
