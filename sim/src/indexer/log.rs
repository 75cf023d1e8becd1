//! The event log: every indexed block of each chain in order, and the state folded from it; it calls no node.
use std::collections::BTreeMap;
use std::sync::Arc;

use alloy::primitives::B256;

use super::Watched;
use crate::chain::Head;
use crate::event::Event;
use crate::fact::Fact;
use crate::state::State;
use crate::state::exchange::ExchangeState;
use crate::state::shared_list::SharedList;

#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct IndexedBlock {
    pub(crate) number: u64,
    pub(crate) hash: B256,
    pub(crate) timestamp: u64,
    pub(crate) events: Vec<Event>,
}

impl IndexedBlock {
    pub(crate) fn new(head: Head, events: Vec<Event>) -> Self {
        Self { number: head.number, hash: head.hash, timestamp: head.timestamp, events }
    }
}

/// The blocks of one chain from the first one on, without gaps.
pub(crate) type Blocks = Vec<Arc<IndexedBlock>>;

/// Everything indexed so far. A copy shares its content until either changes.
#[derive(Clone, Debug, Default)]
pub(crate) struct EventLog {
    chains: BTreeMap<u64, SharedList<Arc<IndexedBlock>>>,
    facts: SharedList<(i64, Fact)>,
    /// Contracts learned from all events of a chain, by chain id.
    learned: BTreeMap<u64, Arc<Watched>>,
}

impl EventLog {
    /// The blocks of a chain.
    pub(crate) fn blocks(&self, chain_id: u64) -> SharedList<Arc<IndexedBlock>> {
        self.chains.get(&chain_id).cloned().unwrap_or_default()
    }

    /// Contracts learned from the events of a chain.
    pub(crate) fn learned(&self, chain_id: u64) -> Watched {
        self.learned.get(&chain_id).map(|learned| Watched::clone(learned)).unwrap_or_default()
    }

    /// Contracts learned from the events of a chain up to this block.
    pub(crate) fn learned_up_to(&self, chain_id: u64, last: Option<u64>) -> Watched {
        let mut learned = Watched::default();
        learned.learn(self.blocks_up_to(chain_id, last).iter().flat_map(|block| &block.events));
        learned
    }

    pub(crate) fn tip(&self, chain_id: u64) -> Option<&IndexedBlock> {
        self.chains.get(&chain_id)?.last().map(Arc::as_ref)
    }

    /// The number of the last folded fact, 0 if there is none.
    pub(crate) fn last_fact(&self) -> i64 {
        self.facts.last().map_or(0, |(number, _)| *number)
    }

    /// The last indexed block number of each chain.
    pub(crate) fn heights(&self) -> BTreeMap<u64, u64> {
        let tip = |(chain_id, blocks): (&u64, &SharedList<Arc<IndexedBlock>>)| {
            Some((*chain_id, blocks.last()?.number))
        };
        self.chains.iter().filter_map(tip).collect()
    }

    pub(crate) fn push(&mut self, chain_id: u64, block: Arc<IndexedBlock>) {
        if block.events.iter().any(Watched::learns_from) {
            Arc::make_mut(self.learned.entry(chain_id).or_default()).learn(&block.events);
        }
        self.chains.entry(chain_id).or_default().push(block);
    }

    pub(crate) fn push_fact(&mut self, number: i64, fact: Fact) {
        self.facts.push((number, fact));
    }

    pub(crate) fn replace_facts(&mut self, facts: Vec<(i64, Fact)>) {
        self.facts = facts.into_iter().collect();
    }

    /// The blocks of a chain up to this number; empty for `None`.
    pub(crate) fn blocks_up_to(&self, chain_id: u64, last: Option<u64>) -> SharedList<Arc<IndexedBlock>> {
        let mut blocks = self.blocks(chain_id);
        blocks.truncate(blocks.partition_point(|block| Some(block.number) <= last));
        blocks
    }

    pub(crate) fn holds(&self, chain_id: u64, head: Head) -> bool {
        self.chains.get(&chain_id).is_some_and(|blocks| {
            let place = blocks.partition_point(|block| block.number < head.number);
            blocks.get(place).is_some_and(|block| (block.number, block.hash) == (head.number, head.hash))
        })
    }

    /// Replaces the blocks of a chain above this number, all of them for `None`.
    pub(crate) fn replace_after(&mut self, chain_id: u64, last: Option<u64>, branch: Blocks) {
        let mut blocks = self.blocks_up_to(chain_id, last);
        branch.into_iter().for_each(|block| blocks.push(block));
        self.chains.insert(chain_id, blocks);
        let learned = self.learned_up_to(chain_id, Some(u64::MAX));
        self.learned.insert(chain_id, Arc::new(learned));
    }

    /// Folds everything, starting from `blank`.
    pub(crate) fn fold(&self, blank: &Folds) -> Folds {
        let mut folds = blank.clone();
        folds.apply(self.chains.values().flat_map(SharedList::iter).flat_map(|block| &block.events));
        for (_, fact) in self.facts.iter() {
            folds.state.apply_fact(fact);
        }
        folds
    }
}

/// The states that events and facts are folded into.
#[derive(Clone, Debug, Default)]
pub(crate) struct Folds {
    pub(crate) state: State,
    pub(crate) exchange: ExchangeState,
}

impl Folds {
    /// Folds events; those of one chain must be in order.
    fn apply<'a>(&mut self, events: impl Iterator<Item = &'a Event>) {
        for event in events {
            self.state.apply(event);
            self.exchange.apply(event);
        }
    }
}
