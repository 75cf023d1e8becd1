//! Which tokens have a pair with which, and what every pair holds; a copy for readers costs two pointers.
use std::sync::Arc;

use alloy::primitives::Address;
use alloy::primitives::map::{AddressMap, HashMap};

use super::gain::{Gain, Logarithm};
use super::pair::MAX_RESERVE;

/// What a pair holds, in the order of its tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reserves {
    /// Units of the token with the lower address.
    pub reserve0: u128,
    /// Units of the token with the higher address.
    pub reserve1: u128,
}

/// A pair as it is listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PairView {
    /// The pair's contract.
    pub address: Address,
    /// The token with the lower address.
    pub token0: Address,
    /// The token with the higher address.
    pub token1: Address,
    /// What the pair holds.
    pub reserves: Reserves,
}

/// What cannot be folded into the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GraphError {
    /// The factory never does this.
    #[error("pair {pair} repeats a pair, or a token inside itself, or is not in the order of its addresses")]
    ImpossiblePair {
        /// The pair's contract.
        pair: Address,
    },
    /// Reserves of a pair nobody created.
    #[error("no pair has the address {pair}")]
    UnknownPair {
        /// What was named.
        pair: Address,
    },
    /// More than the field of a pair can hold.
    #[error("pair {pair} cannot hold {reserve} units")]
    ReserveTooLarge {
        /// The pair's contract.
        pair: Address,
        /// What it is said to hold.
        reserve: u128,
    },
}

/// Why no amount of a token can be promised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unquotable {
    /// It keeps a part of every transfer.
    FeeOnTransfer,
    /// Its rates would leave the integers they are computed in.
    Decimals,
}

/// One end of a pair, seen from a token.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    /// The token at the other end.
    pub(super) other: u32,
    pair: u32,
    /// Whether this end is the pair's first token.
    first: bool,
}

impl Edge {
    /// The same pair seen from its other end, which leads to `other`.
    pub(super) fn reversed(self, other: u32) -> Self {
        Self { other, pair: self.pair, first: !self.first }
    }
}

/// The pairs of one token, found by the place of the token at their other end.
pub(super) struct Ways<'graph> {
    token: u32,
    edges: &'graph [Edge],
    /// One more than the place in `edges`; zero where there is no pair.
    places: Vec<u32>,
}

impl Ways<'_> {
    /// The pair with the token, seen from `from`.
    pub(super) fn from(&self, from: u32) -> Option<Edge> {
        let place = self.places[from as usize].checked_sub(1)?;
        Some(self.edges[place as usize].reversed(self.token))
    }
}

#[derive(Clone, Copy, Debug)]
struct Pair {
    address: Address,
    token0: u32,
    token1: u32,
}

#[derive(Clone, Debug, Default)]
struct Node {
    address: Address,
    /// Why its pairs are listed and never quoted.
    refused: Option<Unquotable>,
    /// All its pairs.
    edges: Vec<Edge>,
    /// Pairs whose other token can lead further: it has a second pair and is not refused.
    onward: Vec<Edge>,
}

/// What changes only when a pair or a token appears.
#[derive(Clone, Debug, Default)]
struct Topology {
    nodes: Vec<Node>,
    pairs: Vec<Pair>,
    by_token: AddressMap<u32>,
    by_pair: AddressMap<u32>,
    /// Keyed by both tokens, the lower address above.
    by_tokens: HashMap<u64, u32>,
}

/// What changes with every trade, by the index of the pair.
#[derive(Clone, Debug, Default)]
struct Holdings {
    reserves: Vec<Reserves>,
    /// The most that a trade can gain, into the pair by its first token and by its second.
    gains: Vec<[Gain; 2]>,
}

/// All pairs of the exchange.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    topology: Arc<Topology>,
    holdings: Arc<Holdings>,
}

impl Graph {
    /// A pair appeared, empty.
    pub fn add_pair(&mut self, pair: Address, token0: Address, token1: Address) -> Result<(), GraphError> {
        let topology = Arc::make_mut(&mut self.topology);
        if token0 >= token1 || topology.by_pair.contains_key(&pair) {
            return Err(GraphError::ImpossiblePair { pair });
        }
        let (first, second) = (topology.token(token0), topology.token(token1));
        if topology.by_tokens.contains_key(&key(first, second)) {
            return Err(GraphError::ImpossiblePair { pair });
        }
        let index = count(topology.pairs.len());
        topology.by_tokens.insert(key(first, second), index);
        topology.by_pair.insert(pair, index);
        topology.pairs.push(Pair { address: pair, token0: first, token1: second });
        topology.connect(first, Edge { other: second, pair: index, first: true });
        topology.connect(second, Edge { other: first, pair: index, first: false });
        topology.announce(first);
        topology.announce(second);
        let holdings = Arc::make_mut(&mut self.holdings);
        holdings.reserves.push(Reserves::default());
        holdings.gains.push([Gain::NONE; 2]);
        Ok(())
    }

    /// A pair reported what it holds.
    pub fn set_reserves(&mut self, pair: Address, reserves: Reserves) -> Result<(), GraphError> {
        let reserve = reserves.reserve0.max(reserves.reserve1);
        if reserve > MAX_RESERVE {
            return Err(GraphError::ReserveTooLarge { pair, reserve });
        }
        let index = *self.topology.by_pair.get(&pair).ok_or(GraphError::UnknownPair { pair })?;
        let holdings = Arc::make_mut(&mut self.holdings);
        holdings.reserves[index as usize] = reserves;
        let held = [reserves.reserve0, reserves.reserve1].map(Logarithm::of);
        holdings.gains[index as usize] = [Gain::of_pair(held[0], held[1]), Gain::of_pair(held[1], held[0])];
        Ok(())
    }

    /// A token turned out to be no matter for a promise: from now on no route touches it.
    pub fn refuse_token(&mut self, token: Address, reason: Unquotable) {
        let topology = Arc::make_mut(&mut self.topology);
        let index = topology.token(token);
        topology.nodes[index as usize].refused = Some(reason);
        let neighbours: Vec<u32> =
            topology.nodes[index as usize].edges.iter().map(|edge| edge.other).collect();
        for neighbour in neighbours {
            topology.nodes[neighbour as usize].onward.retain(|edge| edge.other != index);
        }
    }

    /// All pairs, in the order of their creation.
    pub fn pairs(&self) -> impl ExactSizeIterator<Item = PairView> + '_ {
        self.topology.pairs.iter().zip(self.holdings.reserves.iter()).map(|(pair, reserves)| PairView {
            address: pair.address,
            token0: self.address(pair.token0),
            token1: self.address(pair.token1),
            reserves: *reserves,
        })
    }

    /// Every token that has a pair, in the order of appearance.
    pub fn tokens(&self) -> impl Iterator<Item = Address> + '_ {
        self.topology.nodes.iter().filter(|node| !node.edges.is_empty()).map(|node| node.address)
    }

    /// The pair of two tokens, if there is one.
    #[must_use]
    pub fn pair_of(&self, left: Address, right: Address) -> Option<PairView> {
        let (token0, token1) = if left < right { (left, right) } else { (right, left) };
        let pair = *self.topology.by_tokens.get(&key(self.token(token0)?, self.token(token1)?))? as usize;
        let address = self.topology.pairs[pair].address;
        Some(PairView { address, token0, token1, reserves: self.holdings.reserves[pair] })
    }

    /// The place of a token that has a pair.
    pub(super) fn token(&self, token: Address) -> Option<u32> {
        self.topology.by_token.get(&token).copied().filter(|index| !self.node(*index).edges.is_empty())
    }

    pub(super) fn address(&self, token: u32) -> Address {
        self.node(token).address
    }

    pub(super) fn refused(&self, token: u32) -> Option<Unquotable> {
        self.node(token).refused
    }

    /// The pairs of a token through which a route can go on.
    pub(super) fn onward(&self, token: u32) -> &[Edge] {
        &self.node(token).onward
    }

    /// The pair between two tokens, seen from `from`.
    pub(super) fn edge(&self, from: u32, to: u32) -> Option<Edge> {
        let first = self.address(from) < self.address(to);
        let pair_key = if first { key(from, to) } else { key(to, from) };
        self.topology.by_tokens.get(&pair_key).map(|pair| Edge { other: to, pair: *pair, first })
    }

    /// What an edge's pair holds, this end first.
    pub(super) fn held(&self, edge: Edge) -> (u128, u128) {
        let Reserves { reserve0, reserve1 } = self.holdings.reserves[edge.pair as usize];
        if edge.first { (reserve0, reserve1) } else { (reserve1, reserve0) }
    }

    /// The most that a trade into this end of the pair can gain.
    pub(super) fn gain_in(&self, edge: Edge) -> Gain {
        self.holdings.gains[edge.pair as usize][usize::from(!edge.first)]
    }

    /// The most that a trade out of this end of the pair can gain.
    pub(super) fn gain_out(&self, edge: Edge) -> Gain {
        self.holdings.gains[edge.pair as usize][usize::from(edge.first)]
    }

    /// A table of the pairs of a token through which a route can go on.
    pub(super) fn ways_to(&self, token: u32) -> Ways<'_> {
        let edges = self.onward(token);
        let mut places = vec![0; self.topology.nodes.len()];
        for (place, edge) in (1..).zip(edges) {
            places[edge.other as usize] = place;
        }
        Ways { token, edges, places }
    }

    fn node(&self, token: u32) -> &Node {
        &self.topology.nodes[token as usize]
    }
}

impl Topology {
    /// The place of a token, made when it is new.
    fn token(&mut self, address: Address) -> u32 {
        if let Some(token) = self.by_token.get(&address) {
            return *token;
        }
        let token = count(self.nodes.len());
        self.nodes.push(Node { address, ..Node::default() });
        self.by_token.insert(address, token);
        token
    }

    fn connect(&mut self, token: u32, edge: Edge) {
        self.nodes[token as usize].edges.push(edge);
    }

    /// Tells the neighbours of a token with a new pair that it leads further; all of them when it does so for the first time.
    fn announce(&mut self, token: u32) {
        let node = &self.nodes[token as usize];
        if node.refused.is_some() || node.edges.len() < 2 {
            return;
        }
        let told = if node.edges.len() == 2 { 0 } else { node.edges.len() - 1 };
        for index in told..node.edges.len() {
            let edge = self.nodes[token as usize].edges[index];
            self.nodes[edge.other as usize].onward.push(edge.reversed(token));
        }
    }
}

fn key(first: u32, second: u32) -> u64 {
    (u64::from(first) << 32) | u64::from(second)
}

fn count(length: usize) -> u32 {
    u32::try_from(length).expect("an exchange has fewer than 2^32 pairs and tokens")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(byte: u8) -> Address {
        Address::repeat_byte(byte)
    }

    #[test]
    fn impossible_pairs_are_refused() {
        let mut graph = Graph::default();
        graph.add_pair(address(9), address(1), address(2)).expect("a first pair");
        for (pair, token0, token1) in [(9, 1, 3), (8, 1, 2), (8, 2, 1), (8, 3, 3)] {
            let pair = address(pair);
            let refused = graph.add_pair(pair, address(token0), address(token1));
            assert_eq!(refused, Err(GraphError::ImpossiblePair { pair }));
        }
        assert_eq!(graph.pairs().len(), 1);
    }

    #[test]
    fn reserves_must_fit_and_have_a_pair() {
        let mut graph = Graph::default();
        let pair = address(9);
        let reserves = Reserves { reserve0: 1, reserve1: MAX_RESERVE };
        assert_eq!(graph.set_reserves(pair, reserves), Err(GraphError::UnknownPair { pair }));
        graph.add_pair(pair, address(1), address(2)).expect("a first pair");
        graph.set_reserves(pair, reserves).expect("the largest reserve");
        let reserve = MAX_RESERVE + 1;
        let refused = graph.set_reserves(pair, Reserves { reserve0: reserve, reserve1: 0 });
        assert_eq!(refused, Err(GraphError::ReserveTooLarge { pair, reserve }));
        assert_eq!(graph.pair_of(address(2), address(1)).map(|view| view.reserves), Some(reserves));
    }

    #[test]
    fn clone_is_independent() {
        let mut graph = Graph::default();
        graph.add_pair(address(9), address(1), address(2)).expect("a first pair");
        let copy = graph.clone();
        graph.set_reserves(address(9), Reserves { reserve0: 1, reserve1: 2 }).expect("a known pair");
        graph.add_pair(address(8), address(1), address(3)).expect("a second pair");
        assert_eq!(copy.pairs().map(|pair| pair.reserves).collect::<Vec<_>>(), [Reserves::default()]);
        assert_eq!(copy.tokens().count(), 2);
        assert_eq!(graph.tokens().count(), 3);
    }

    #[test]
    fn hubs_have_at_least_two_pairs() {
        let mut graph = Graph::default();
        let onward = |graph: &Graph, byte| {
            let token = graph.token(address(byte)).expect("a known token");
            graph.onward(token).iter().map(|edge| graph.address(edge.other)).collect::<Vec<_>>()
        };
        graph.add_pair(address(9), address(1), address(2)).expect("a pair");
        assert_eq!(onward(&graph, 1), Vec::<Address>::new());
        graph.add_pair(address(8), address(2), address(3)).expect("a pair");
        assert_eq!((onward(&graph, 1), onward(&graph, 3)), (vec![address(2)], vec![address(2)]));
        assert_eq!(onward(&graph, 2), Vec::<Address>::new());
        graph.add_pair(address(7), address(2), address(4)).expect("a pair");
        assert_eq!(onward(&graph, 4), vec![address(2)]);
        graph.refuse_token(address(2), Unquotable::FeeOnTransfer);
        assert_eq!(onward(&graph, 4), Vec::<Address>::new());
    }
}
