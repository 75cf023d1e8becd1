//! Which defects and variants are on, replaced as a whole while the proxies run, and how to switch one.
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use arc_swap::ArcSwap;
use parking_lot::Mutex;

use super::act::Memory;
use super::facts::Learner;
use crate::chain::{Mutants, SwitchError};
use crate::changes::Change;
use crate::variants::Variant;
use crate::{Defect, Layer};

const TOOL_SERVER: &str = "a defect of the tool server is chosen when its wrapper starts";
const NO_RPC_PROXY: &str = "the RPC is proxied only when a defect of the node is selected at the start";

/// State shared by all proxies of a platform.
pub(in crate::http) struct Switch {
    defects: ArcSwap<Vec<Arc<Active>>>,
    variants: ArcSwap<Vec<Arc<Active>>>,
    requests: AtomicUsize,
    pub(in crate::http) learner: Learner,
    /// The contracts, if an RPC was given.
    mutants: Mutants,
    /// Whether the RPC is proxied too.
    rpc_proxied: bool,
}

/// A defect or a variant that is on.
pub(in crate::http) struct Active {
    id: &'static str,
    layers: Vec<Layer>,
    /// `None` for a defect of the contracts.
    change: Option<&'static Change>,
    pub(in crate::http) memory: Mutex<Memory>,
}

/// A change that applies to a request, with its memory.
pub(in crate::http) struct Selected {
    pub(in crate::http) change: &'static Change,
    active: Arc<Active>,
}

impl Selected {
    pub(in crate::http) fn memory(&self) -> &Mutex<Memory> {
        &self.active.memory
    }
}

impl Switch {
    pub(in crate::http) fn new(learner: Learner, mutants: Mutants, rpc_proxied: bool) -> Self {
        let (defects, variants, requests) = Default::default();
        Self { defects, variants, requests, learner, mutants, rpc_proxied }
    }

    /// Switches a defect on or off.
    pub(in crate::http) async fn turn(&self, defect: &Defect, on: bool) -> Result<(), SwitchError> {
        match defect.layer {
            Layer::Rest | Layer::Swap => {}
            Layer::Node if self.rpc_proxied => {}
            Layer::Chain => self.mutants.turn(defect, on).await?,
            Layer::Node => return Err(SwitchError(NO_RPC_PROXY.to_owned())),
            Layer::ToolServer => return Err(SwitchError(TOOL_SERVER.to_owned())),
        }
        let active = on.then(|| {
            let (change, memory) = (defect.change, Mutex::default());
            Arc::new(Active { id: defect.id, layers: vec![defect.layer], change, memory })
        });
        self.defects.rcu(|current| {
            let others = current.iter().filter(|other| other.id != defect.id);
            others.chain(&active).cloned().collect::<Vec<_>>()
        });
        Ok(())
    }

    /// Whether a defect can be switched while the platform runs.
    pub(in crate::http) fn can_turn(&self, defect: &Defect) -> bool {
        match defect.layer {
            Layer::Rest | Layer::Swap | Layer::Chain => true,
            Layer::Node => self.rpc_proxied,
            Layer::ToolServer => false,
        }
    }

    pub(in crate::http) fn is_on(&self, defect: &Defect) -> bool {
        self.defects.load().iter().any(|active| active.id == defect.id)
    }

    /// Switches these variants on and all others off.
    pub(in crate::http) fn vary(&self, variants: &[&'static Variant]) {
        let active = variants.iter().map(|variant| {
            let (change, memory) = (variant.change, Mutex::default());
            Arc::new(Active { id: variant.id, layers: variant.layers.to_vec(), change, memory })
        });
        self.variants.store(Arc::new(active.collect()));
    }

    /// Restores the sound contracts.
    pub(in crate::http) async fn restore_contracts(&self) -> Result<(), SwitchError> {
        self.mutants.restore_all().await
    }

    /// Returns the next number for a request to a service with a change switched on.
    pub(in crate::http) fn number(&self) -> usize {
        self.requests.fetch_add(1, Ordering::Relaxed)
    }

    /// The changes that are on at a layer and apply to a path: defects, then variants, in the order in which they were switched on.
    pub(in crate::http) fn selected(&self, layer: Layer, path: &str) -> Vec<Selected> {
        let (defects, variants) = (self.defects.load(), self.variants.load());
        let concerned = |active: &Arc<Active>| {
            let change =
                active.change.filter(|change| active.layers.contains(&layer) && change.concerns(path));
            change.map(|change| Selected { change, active: Arc::clone(active) })
        };
        defects.iter().chain(variants.iter()).filter_map(concerned).collect()
    }
}
