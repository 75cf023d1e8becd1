//! The best route over at most three pairs, by exact amounts: it tries every route and breaks ties deterministically.
use alloy_primitives::Address;
use alloy_primitives::map::AddressMap;

use super::graph::{Edge, Graph, Unquotable};
use super::pair::{MAX_RESERVE, amount_out_down, least_amount_in_up};
use super::quote::Quote;

/// Pairs in the longest route.
pub const MAX_HOPS: usize = 3;

/// The reason why a trade has no route.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RouteError {
    /// The token has no pair.
    #[error("token {token} has no pair on the exchange")]
    UnknownToken {
        /// The token.
        token: Address,
    },
    /// The token keeps a part of every transfer.
    #[error("token {token} takes a fee on transfer, so no amount of it can be promised")]
    FeeOnTransfer {
        /// The token.
        token: Address,
    },
    /// The token's rates would overflow the integers in which they are computed.
    #[error("token {token} has too many decimals to be quoted")]
    Decimals {
        /// The token.
        token: Address,
    },
    /// Both sides are the same token.
    #[error("both sides of the trade are {token}")]
    SameToken {
        /// The token.
        token: Address,
    },
    /// No chain of at most three pairs joins the tokens.
    #[error("no route of at most {MAX_HOPS} pairs joins {token_in} and {token_out}")]
    NoRoute {
        /// The input token.
        token_in: Address,
        /// The output token.
        token_out: Address,
    },
    /// Routes exist, but their reserves are too small for the amounts.
    #[error("liquidity between {token_in} and {token_out} is insufficient for this amount")]
    InsufficientLiquidity {
        /// The input token.
        token_in: Address,
        /// The output token.
        token_out: Address,
    },
}

/// The side of the trade whose amount is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Given {
    In,
    Out,
}

/// A route from the token whose amount is given, with the amounts and reserves along it.
#[derive(Clone, Copy)]
struct Route {
    hops: usize,
    tokens: [Address; MAX_HOPS + 1],
    amounts: [u128; MAX_HOPS + 1],
    /// The reserves of each pair at the near end and at the far end.
    reserves: [(u128, u128); MAX_HOPS],
}

struct Search<'graph> {
    graph: &'graph Graph,
    given: Given,
    goal: Address,
    /// The pairs of the target token, keyed by their other token, target first.
    last_pairs: AddressMap<(u128, u128)>,
    /// Whether pairs connect the tokens, however small their reserves.
    is_joined: bool,
    best: Option<Route>,
}

impl Graph {
    /// The route that yields the most `token_out` for exactly `amount_in`.
    ///
    /// Clause: QUOTE-EXACT-IN, QUOTE-ROUTE
    pub fn best_exact_in(
        &self,
        token_in: Address,
        token_out: Address,
        amount_in: u128,
    ) -> Result<Quote, RouteError> {
        self.best(token_in, token_out, Given::In, amount_in)
    }

    /// The route that needs the least `token_in` for exactly `amount_out`.
    ///
    /// Clause: QUOTE-EXACT-OUT
    pub fn best_exact_out(
        &self,
        token_in: Address,
        token_out: Address,
        amount_out: u128,
    ) -> Result<Quote, RouteError> {
        self.best(token_in, token_out, Given::Out, amount_out)
    }

    fn best(
        &self,
        token_in: Address,
        token_out: Address,
        given: Given,
        amount: u128,
    ) -> Result<Quote, RouteError> {
        if token_in == token_out {
            return Err(RouteError::SameToken { token: token_in });
        }
        self.require_tradable(token_in)?;
        self.require_tradable(token_out)?;
        let (start, goal) = match given {
            Given::In => (token_in, token_out),
            Given::Out => (token_out, token_in),
        };
        let seen_from_other = |edge: &Edge| {
            let (near, far) = self.held(*edge);
            (edge.other, (far, near))
        };
        let last_pairs = self.edges(goal).iter().map(seen_from_other).collect();
        let mut search = Search { graph: self, given, goal, last_pairs, is_joined: false, best: None };
        let mut tokens = [Address::ZERO; MAX_HOPS + 1];
        let mut amounts = [0; MAX_HOPS + 1];
        (tokens[0], amounts[0]) = (start, amount);
        search.extend(Route { hops: 0, tokens, amounts, reserves: [(0, 0); MAX_HOPS] }, true);
        match search.best {
            Some(best) => Ok(best.quote(given)),
            None if search.is_joined => Err(RouteError::InsufficientLiquidity { token_in, token_out }),
            None => Err(RouteError::NoRoute { token_in, token_out }),
        }
    }

    fn require_tradable(&self, token: Address) -> Result<(), RouteError> {
        if self.edges(token).is_empty() {
            return Err(RouteError::UnknownToken { token });
        }
        match self.refused(token) {
            None => Ok(()),
            Some(Unquotable::FeeOnTransfer) => Err(RouteError::FeeOnTransfer { token }),
            Some(Unquotable::Decimals) => Err(RouteError::Decimals { token }),
        }
    }
}

impl Search<'_> {
    /// Ends a route at the target, and extends it from its last token through every pair if another pair may follow. A route that is not
    /// `served` only proves that the tokens are connected.
    fn extend(&mut self, route: Route, served: bool) {
        let graph = self.graph;
        let last = route.tokens[route.hops];
        if let Some(held) = self.last_pairs.get(&last) {
            self.is_joined = true;
            let complete = route.through(self.goal, *held, self.given).filter(|_| served);
            let is_best =
                |route: &Route| self.best.is_none_or(|best| route.is_better_than(&best, self.given));
            self.best = complete.filter(is_best).or(self.best);
        }
        if route.hops + 1 == MAX_HOPS {
            return;
        }
        for edge in graph.edges(last) {
            let is_visited = edge.other == self.goal || route.tokens[..=route.hops].contains(&edge.other);
            if is_visited || graph.refused(edge.other).is_some() {
                continue;
            }
            match route.through(edge.other, graph.held(*edge), self.given).filter(|_| served) {
                Some(longer) => self.extend(longer, true),
                None if self.is_joined => {}
                None => self.extend(route.to(edge.other), false),
            }
        }
    }
}

impl Route {
    /// The route with one more token, but without the amount there.
    fn to(mut self, token: Address) -> Self {
        self.hops += 1;
        self.tokens[self.hops] = token;
        self
    }

    /// The route with one more pair; `None` if the pair cannot trade the amount.
    fn through(self, token: Address, held: (u128, u128), given: Given) -> Option<Self> {
        let ((near, far), amount) = (held, self.amounts[self.hops]);
        let next = match given {
            Given::In => {
                let amount_out = amount_out_down(amount, near, far)?;
                (amount_out > 0 && near + amount <= MAX_RESERVE).then_some(amount_out)
            }
            Given::Out => {
                let amount_in = least_amount_in_up(amount, far, near)?;
                (far + amount_in <= MAX_RESERVE).then_some(amount_in)
            }
        }?;
        let mut longer = self.to(token);
        longer.amounts[longer.hops] = next;
        longer.reserves[self.hops] = held;
        Some(longer)
    }

    /// Compares by the better amount, then fewer pairs, then the path with the lower addresses.
    fn is_better_than(&self, other: &Self, given: Given) -> bool {
        let [one, two] = [self, other].map(|route| route.amounts[route.hops]);
        let by_amount = match given {
            Given::In => two.cmp(&one),
            Given::Out => one.cmp(&two),
        };
        by_amount
            .then(self.hops.cmp(&other.hops))
            .then_with(|| self.quote(given).path().cmp(other.quote(given).path()))
            .is_lt()
    }

    /// The quote of the route, in the direction of the trade.
    fn quote(mut self, given: Given) -> Quote {
        if given == Given::Out {
            self.tokens[..=self.hops].reverse();
            self.amounts[..=self.hops].reverse();
            self.reserves[..self.hops].reverse();
            self.reserves = self.reserves.map(|(near, far)| (far, near));
        }
        Quote::new(self.hops, self.tokens, self.amounts, self.reserves)
    }
}

#[cfg(test)]
#[path = "route_tests.rs"]
mod tests;
