//! The pairs between tokens and their reserves; a copy for readers costs two pointers.
use std::sync::Arc;

use alloy_primitives::Address;
use alloy_primitives::map::AddressMap;

use super::pair::MAX_RESERVE;

/// Reserves of a pair, in token order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reserves {
    /// Units of the token with the lower address.
    pub reserve0: u128,
    /// Units of the token with the higher address.
    pub reserve1: u128,
}

/// A pair in the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PairView {
    /// The pair's contract.
    pub address: Address,
    /// The token with the lower address.
    pub token0: Address,
    /// The token with the higher address.
    pub token1: Address,
    /// Its reserves.
    pub reserves: Reserves,
}

/// An event that cannot be folded into the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GraphError {
    /// The pair repeats another one or a token, or its tokens are out of order; the factory never does this.
    #[error("pair {pair} repeats a pair, or a token inside itself, or is not in the order of its addresses")]
    ImpossiblePair {
        /// The pair's contract.
        pair: Address,
    },
    /// Reserves of a pair that was not created.
    #[error("no pair has the address {pair}")]
    UnknownPair {
        /// The unknown address.
        pair: Address,
    },
    /// A reserve is more than the field of a pair can hold.
    #[error("pair {pair} cannot hold {reserve} units")]
    ReserveTooLarge {
        /// The pair's contract.
        pair: Address,
        /// The reported reserve.
        reserve: u128,
    },
}

/// The reason why a token cannot be quoted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unquotable {
    /// It keeps a part of every transfer.
    FeeOnTransfer,
    /// Its rates would overflow the integers in which they are computed.
    Decimals,
}

/// One end of a pair, seen from a token.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    /// The token at the other end.
    pub(super) other: Address,
    pair: usize,
    /// Whether this end is the pair's first token.
    is_first: bool,
}

#[derive(Clone, Copy, Debug)]
struct Pair {
    address: Address,
    token0: Address,
    token1: Address,
}

/// The part that changes only when a pair or a token is added.
#[derive(Clone, Debug, Default)]
struct Topology {
    pairs: Vec<Pair>,
    by_pair: AddressMap<usize>,
    /// Every token that has a pair, in the order of appearance.
    tokens: Vec<Address>,
    edges: AddressMap<Vec<Edge>>,
    /// Tokens whose pairs are listed but never quoted.
    refused: AddressMap<Unquotable>,
}

/// All pairs of the exchange.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    topology: Arc<Topology>,
    /// By index of the pair.
    reserves: Arc<Vec<Reserves>>,
}

impl Graph {
    /// Adds a pair without reserves.
    pub fn add_pair(&mut self, pair: Address, token0: Address, token1: Address) -> Result<(), GraphError> {
        let is_known = self.topology.by_pair.contains_key(&pair) || self.edge(token0, token1).is_some();
        if token0 >= token1 || is_known {
            return Err(GraphError::ImpossiblePair { pair });
        }
        let topology = Arc::make_mut(&mut self.topology);
        let place = topology.pairs.len();
        topology.pairs.push(Pair { address: pair, token0, token1 });
        topology.by_pair.insert(pair, place);
        topology.connect(token0, Edge { other: token1, pair: place, is_first: true });
        topology.connect(token1, Edge { other: token0, pair: place, is_first: false });
        Arc::make_mut(&mut self.reserves).push(Reserves::default());
        Ok(())
    }

    /// Sets the reserves that a pair reported.
    pub fn set_reserves(&mut self, pair: Address, reserves: Reserves) -> Result<(), GraphError> {
        let reserve = reserves.reserve0.max(reserves.reserve1);
        if reserve > MAX_RESERVE {
            return Err(GraphError::ReserveTooLarge { pair, reserve });
        }
        let place = *self.topology.by_pair.get(&pair).ok_or(GraphError::UnknownPair { pair })?;
        Arc::make_mut(&mut self.reserves)[place] = reserves;
        Ok(())
    }

    /// Excludes a token whose amounts cannot be quoted: no route uses it from now on.
    pub fn refuse_token(&mut self, token: Address, reason: Unquotable) {
        Arc::make_mut(&mut self.topology).refused.insert(token, reason);
    }

    /// All pairs, in the order of their creation.
    pub fn pairs(&self) -> impl ExactSizeIterator<Item = PairView> + '_ {
        (0..self.reserves.len()).map(|place| self.view(place))
    }

    /// Every token that has a pair, in the order of appearance.
    pub fn tokens(&self) -> impl Iterator<Item = Address> + '_ {
        self.topology.tokens.iter().copied()
    }

    /// The pair of two tokens, if any.
    #[must_use]
    pub fn pair_of(&self, left: Address, right: Address) -> Option<PairView> {
        self.edge(left, right).map(|edge| self.view(edge.pair))
    }

    /// The pairs of a token, seen from it.
    pub(super) fn edges(&self, token: Address) -> &[Edge] {
        self.topology.edges.get(&token).map_or(&[], Vec::as_slice)
    }

    pub(super) fn refused(&self, token: Address) -> Option<Unquotable> {
        self.topology.refused.get(&token).copied()
    }

    /// The reserves of an edge's pair, this end first.
    pub(super) fn held(&self, edge: Edge) -> (u128, u128) {
        let Reserves { reserve0, reserve1 } = self.reserves[edge.pair];
        if edge.is_first { (reserve0, reserve1) } else { (reserve1, reserve0) }
    }

    /// The pair of two tokens, found from the token with fewer pairs.
    fn edge(&self, left: Address, right: Address) -> Option<Edge> {
        let (edges, other) = [(self.edges(left), right), (self.edges(right), left)]
            .into_iter()
            .min_by_key(|(edges, _)| edges.len())?;
        edges.iter().find(|edge| edge.other == other).copied()
    }

    fn view(&self, place: usize) -> PairView {
        let Pair { address, token0, token1 } = self.topology.pairs[place];
        PairView { address, token0, token1, reserves: self.reserves[place] }
    }
}

impl Topology {
    fn connect(&mut self, token: Address, edge: Edge) {
        let edges = self.edges.entry(token).or_default();
        if edges.is_empty() {
            self.tokens.push(token);
        }
        edges.push(edge);
    }
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
}
