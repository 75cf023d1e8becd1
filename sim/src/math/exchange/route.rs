//! The best route over at most three pairs, by exact amounts: a longer or dearer route never wins, and ties always fall the same way.
use std::cmp::Ordering;

use alloy::primitives::Address;

use super::gain::{Gain, Logarithm};
use super::graph::{Edge, Graph, Unquotable, Ways};
use super::pair::{MAX_RESERVE, amount_out_down, least_amount_in_up};
use super::quote::Quote;

/// Pairs in the longest route.
pub const MAX_HOPS: usize = 3;

/// Why no route serves a trade.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RouteError {
    /// The token has no pair.
    #[error("token {token} has no pair on the exchange")]
    UnknownToken {
        /// What was named.
        token: Address,
    },
    /// The token keeps a part of every transfer.
    #[error("token {token} takes a fee on transfer, so no amount of it can be promised")]
    FeeOnTransfer {
        /// What was named.
        token: Address,
    },
    /// The token's rates would leave the integers they are computed in.
    #[error("token {token} has too many decimals to be quoted")]
    Decimals {
        /// What was named.
        token: Address,
    },
    /// Nothing to exchange.
    #[error("both sides of the trade are {token}")]
    SameToken {
        /// What was named twice.
        token: Address,
    },
    /// No chain of at most three pairs joins the tokens.
    #[error("no route of at most {MAX_HOPS} pairs joins {token_in} and {token_out}")]
    NoRoute {
        /// What is given.
        token_in: Address,
        /// What is wanted.
        token_out: Address,
    },
    /// Routes exist, but none of them holds or can take the amounts.
    #[error("liquidity between {token_in} and {token_out} is insufficient for this amount")]
    InsufficientLiquidity {
        /// What is given.
        token_in: Address,
        /// What is wanted.
        token_out: Address,
    },
}

/// What a search starts from and what it prefers.
trait Aim {
    /// The amount at the far end of a pair for `amount` at the near end; none when the pair cannot serve it.
    fn step(near: u128, far: u128, amount: u128) -> Option<u128>;
    /// How good a first amount is beside a second: the better is the greater.
    fn compare(first: u128, second: u128) -> Ordering;
    /// Whether a pair holding `far` at its far end could still equal the best.
    fn may_reach(far: u128, best: u128) -> bool;
    /// The most that the trade through a pair can gain.
    fn gain(graph: &Graph, edge: Edge) -> Gain;
    /// What a route from `amount` has to gain to equal the best.
    fn needed(amount: Option<Logarithm>, best: Option<Logarithm>) -> Gain;
    /// Whether the search starts at the end of the path.
    const FROM_THE_END: bool;
}

struct ExactIn;

impl Aim for ExactIn {
    fn step(near: u128, far: u128, amount: u128) -> Option<u128> {
        let amount_out = amount_out_down(amount, near, far)?;
        (amount_out > 0 && near + amount <= MAX_RESERVE).then_some(amount_out)
    }

    fn compare(first: u128, second: u128) -> Ordering {
        first.cmp(&second)
    }

    fn may_reach(far: u128, best: u128) -> bool {
        far > best
    }

    fn gain(graph: &Graph, edge: Edge) -> Gain {
        graph.gain_in(edge)
    }

    fn needed(amount: Option<Logarithm>, best: Option<Logarithm>) -> Gain {
        Gain::needed(amount, best)
    }

    const FROM_THE_END: bool = false;
}

struct ExactOut;

impl Aim for ExactOut {
    fn step(near: u128, far: u128, amount: u128) -> Option<u128> {
        let amount_in = least_amount_in_up(amount, far, near)?;
        (far + amount_in <= MAX_RESERVE).then_some(amount_in)
    }

    fn compare(first: u128, second: u128) -> Ordering {
        second.cmp(&first)
    }

    fn may_reach(_far: u128, _best: u128) -> bool {
        true
    }

    fn gain(graph: &Graph, edge: Edge) -> Gain {
        graph.gain_out(edge)
    }

    fn needed(amount: Option<Logarithm>, best: Option<Logarithm>) -> Gain {
        Gain::needed(best, amount)
    }

    const FROM_THE_END: bool = true;
}

/// A complete route, from the search's start.
#[derive(Clone, Copy)]
struct Candidate {
    nodes: [u32; MAX_HOPS + 1],
    hops: usize,
    amount: u128,
}

struct Search<'graph> {
    graph: &'graph Graph,
    start: u32,
    goal: u32,
    /// What the search starts from.
    amount: u128,
    logarithm: Option<Logarithm>,
    best: Option<Candidate>,
    /// A route that gains less than this cannot equal the best.
    needed: Gain,
}

/// A first pair with what it leads to, computed only when a route through it may be the best.
struct Lead {
    edge: Edge,
    gain: Gain,
    amount: Option<Option<u128>>,
}

/// Pairs of one token from which on a table of them costs less than looking each up.
const MANY: usize = 16;

impl Graph {
    /// The route that turns exactly `amount_in` into the most of `token_out`.
    ///
    /// Clause: QUOTE-EXACT-IN, QUOTE-ROUTE
    pub fn best_exact_in(
        &self,
        token_in: Address,
        token_out: Address,
        amount_in: u128,
    ) -> Result<Quote, RouteError> {
        self.best::<ExactIn>(token_in, token_out, amount_in)
    }

    /// The route that needs the least of `token_in` for exactly `amount_out`.
    ///
    /// Clause: QUOTE-EXACT-OUT
    pub fn best_exact_out(
        &self,
        token_in: Address,
        token_out: Address,
        amount_out: u128,
    ) -> Result<Quote, RouteError> {
        self.best::<ExactOut>(token_in, token_out, amount_out)
    }

    fn best<A: Aim>(&self, token_in: Address, token_out: Address, amount: u128) -> Result<Quote, RouteError> {
        if token_in == token_out {
            return Err(RouteError::SameToken { token: token_in });
        }
        let (node_in, node_out) = (self.tradable(token_in)?, self.tradable(token_out)?);
        let (start, goal) = if A::FROM_THE_END { (node_out, node_in) } else { (node_in, node_out) };
        let mut search = Search {
            graph: self,
            start,
            goal,
            amount,
            logarithm: Logarithm::of(amount),
            best: None,
            needed: Gain::LEAST,
        };
        search.direct::<A>();
        search.indirect::<A>();
        match search.best {
            Some(best) => Ok(self.quote::<A>(best, amount)),
            None if self.joined(start, goal) => {
                Err(RouteError::InsufficientLiquidity { token_in, token_out })
            }
            None => Err(RouteError::NoRoute { token_in, token_out }),
        }
    }

    fn tradable(&self, token: Address) -> Result<u32, RouteError> {
        let node = self.token(token).ok_or(RouteError::UnknownToken { token })?;
        match self.refused(node) {
            None => Ok(node),
            Some(Unquotable::FeeOnTransfer) => Err(RouteError::FeeOnTransfer { token }),
            Some(Unquotable::Decimals) => Err(RouteError::Decimals { token }),
        }
    }

    /// Whether any chain of at most three pairs joins two tokens, however little they hold.
    fn joined(&self, start: u32, goal: u32) -> bool {
        let meets = |token| self.edge(token, goal).is_some();
        let onward =
            |token| self.onward(token).iter().map(|edge| edge.other).filter(move |other| *other != start);
        meets(start) || onward(start).any(|first| meets(first) || onward(first).any(meets))
    }

    fn step<A: Aim>(&self, edge: Edge, amount: u128) -> Option<u128> {
        let (near, far) = self.held(edge);
        A::step(near, far, amount)
    }

    /// Walks the route once more, keeping every amount and reserve.
    fn quote<A: Aim>(&self, found: Candidate, amount: u128) -> Quote {
        let (mut nodes, hops) = (found.nodes, found.hops);
        let mut amounts = [0; MAX_HOPS + 1];
        amounts[0] = amount;
        for hop in 0..hops {
            let edge = self.edge(nodes[hop], nodes[hop + 1]).expect("a found route has its pairs");
            amounts[hop + 1] = self.step::<A>(edge, amounts[hop]).expect("a found route has its amounts");
        }
        if A::FROM_THE_END {
            nodes[..=hops].reverse();
            amounts[..=hops].reverse();
        }
        let mut reserves = [(0, 0); MAX_HOPS];
        for hop in 0..hops {
            reserves[hop] =
                self.held(self.edge(nodes[hop], nodes[hop + 1]).expect("a found route has its pairs"));
        }
        Quote::new(hops, nodes.map(|node| self.address(node)), amounts, reserves)
    }
}

impl<'graph> Search<'graph> {
    fn direct<A: Aim>(&mut self) {
        if let Some(last) = self.graph.edge(self.start, self.goal) {
            self.close::<A>([self.start, self.goal, 0, 0], 1, last, self.amount);
        }
    }

    /// Routes of two and of three pairs. Only tokens that lead onward are visited, so leaves of the graph cost nothing.
    fn indirect<A: Aim>(&mut self) {
        let graph = self.graph;
        let (start, goal) = (self.start, self.goal);
        let (ahead, back) = (graph.onward(start), graph.onward(goal));
        let mut ways = None;
        if ahead.len().min(back.len()) >= MANY {
            let ways = ways.insert(graph.ways_to(goal));
            for first in ahead {
                self.by_two::<A>(Some(*first), first.other, ways.from(first.other));
            }
        } else if ahead.len() <= back.len() {
            for first in ahead {
                self.by_two::<A>(Some(*first), first.other, graph.edge(first.other, goal));
            }
        } else {
            for last in back {
                self.by_two::<A>(graph.edge(start, last.other), last.other, Some(last.reversed(goal)));
            }
        }
        for first in ahead.iter().filter(|first| first.other != goal) {
            self.by_three::<A>(*first, &mut ways);
        }
    }

    fn by_two<A: Aim>(&mut self, first: Option<Edge>, middle: u32, last: Option<Edge>) {
        let graph = self.graph;
        let (Some(first), Some(last)) = (first, last) else {
            return;
        };
        if A::gain(graph, first) + A::gain(graph, last) < self.needed {
            return;
        }
        if let Some(amount) = graph.step::<A>(first, self.amount) {
            self.close::<A>([self.start, middle, self.goal, 0], 2, last, amount);
        }
    }

    /// Routes of three pairs that begin with `first`, found from the side with fewer ways on.
    fn by_three<A: Aim>(&mut self, first: Edge, ways: &mut Option<Ways<'graph>>) {
        let (graph, goal) = (self.graph, self.goal);
        let (seconds, back) = (graph.onward(first.other), graph.onward(goal));
        let mut lead = Lead { edge: first, gain: A::gain(graph, first), amount: None };
        if back.len() < seconds.len().min(MANY) {
            self.by_the_goal::<A>(&mut lead, back);
        } else if ways.is_none() && back.len().min(seconds.len()) < MANY {
            self.onward::<A>(&mut lead, seconds, |middle| graph.edge(middle, goal));
        } else {
            let ways = ways.get_or_insert_with(|| graph.ways_to(goal));
            self.onward::<A>(&mut lead, seconds, |middle| ways.from(middle));
        }
    }

    fn onward<A: Aim>(&mut self, lead: &mut Lead, seconds: &[Edge], closing: impl Fn(u32) -> Option<Edge>) {
        for second in seconds {
            if let Some(last) = closing(second.other) {
                self.two_more::<A>(lead, *second, last);
            }
        }
    }

    fn by_the_goal<A: Aim>(&mut self, lead: &mut Lead, back: &[Edge]) {
        let graph = self.graph;
        for near_goal in back {
            let Some(second) = graph.edge(lead.edge.other, near_goal.other) else {
                continue;
            };
            let last = graph.edge(near_goal.other, self.goal).expect("a pair has two ends");
            self.two_more::<A>(lead, second, last);
        }
    }

    fn two_more<A: Aim>(&mut self, lead: &mut Lead, second: Edge, last: Edge) {
        let graph = self.graph;
        if second.other == self.start || second.other == self.goal {
            return;
        }
        if lead.gain + A::gain(graph, second) + A::gain(graph, last) < self.needed
            || !self.may_reach::<A>(last)
        {
            return;
        }
        let amount = self.amount;
        let amount = *lead.amount.get_or_insert_with(|| graph.step::<A>(lead.edge, amount));
        if let Some(amount) = amount.and_then(|amount| graph.step::<A>(second, amount)) {
            self.close::<A>([self.start, lead.edge.other, second.other, self.goal], 3, last, amount);
        }
    }

    /// Takes the last pair of a route, and the route when it is the best so far.
    fn close<A: Aim>(&mut self, nodes: [u32; MAX_HOPS + 1], hops: usize, last: Edge, amount: u128) {
        if !self.may_reach::<A>(last) {
            return;
        }
        let Some(amount) = self.graph.step::<A>(last, amount) else {
            return;
        };
        let candidate = Candidate { nodes, hops, amount };
        if self.best.is_none_or(|best| self.order::<A>(&candidate, &best) == Ordering::Greater) {
            self.best = Some(candidate);
            self.needed = A::needed(self.logarithm, Logarithm::of(candidate.amount));
        }
    }

    fn may_reach<A: Aim>(&self, last: Edge) -> bool {
        self.best.is_none_or(|best| A::may_reach(self.graph.held(last).1, best.amount))
    }

    /// Better amount, then fewer pairs, then the path whose addresses come first.
    fn order<A: Aim>(&self, first: &Candidate, second: &Candidate) -> Ordering {
        A::compare(first.amount, second.amount)
            .then_with(|| second.hops.cmp(&first.hops))
            .then_with(|| self.path::<A>(second).cmp(&self.path::<A>(first)))
    }

    fn path<A: Aim>(&self, candidate: &Candidate) -> [Address; MAX_HOPS + 1] {
        let mut nodes = candidate.nodes;
        if A::FROM_THE_END {
            nodes[..=candidate.hops].reverse();
        }
        nodes.map(|node| self.graph.address(node))
    }
}

#[cfg(test)]
#[path = "route_tests.rs"]
mod tests;
