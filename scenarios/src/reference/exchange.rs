//! The constant-product exchange by integers without bounds, trying every route. Leaves out gas.
use std::collections::{BTreeMap, BTreeSet};

use alloy::primitives::Address;
use num_bigint::BigInt;
use num_traits::Zero;

/// Most pairs a route goes through.
pub const MOST_HOPS: usize = 3;

/// One pair and what it holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// Its contract.
    pub address: Address,
    /// Its tokens, in its own order.
    pub tokens: [Address; 2],
    /// What it holds of each.
    pub reserves: [BigInt; 2],
}

/// All pairs of an exchange.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exchange {
    pairs: Vec<Pair>,
    of_token: BTreeMap<Address, Vec<usize>>,
    avoided: BTreeSet<Address>,
}

/// A way through the exchange, with the amounts at each token of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    /// Tokens from the first to the last.
    pub path: Vec<Address>,
    /// Amount of each token of the path.
    pub amounts: Vec<BigInt>,
}

impl Route {
    /// What goes in.
    pub fn amount_in(&self) -> &BigInt {
        self.amounts.first().expect("a route has two tokens at least")
    }

    /// What comes out.
    pub fn amount_out(&self) -> &BigInt {
        self.amounts.last().expect("a route has two tokens at least")
    }
}

/// What a pair pays for an input: the fee of three in a thousand stays in, and the product never falls.
pub(crate) fn paid_for(input: &BigInt, reserve_in: &BigInt, reserve_out: &BigInt) -> BigInt {
    let counted = input * 997;
    let denominator: BigInt = reserve_in * 1000 + &counted;
    if denominator.is_zero() {
        return BigInt::zero();
    }
    counted * reserve_out / denominator
}

/// The least input for which a pair pays at least `output`; none where it does not hold that much.
pub(crate) fn least_input(output: &BigInt, reserve_in: &BigInt, reserve_out: &BigInt) -> Option<BigInt> {
    if output.is_zero() {
        return Some(BigInt::zero());
    }
    if output >= reserve_out || reserve_in.is_zero() {
        return None;
    }
    let mut input = reserve_in * output * 1000 / ((reserve_out - output) * 997) - 1;
    if input < BigInt::zero() {
        input = BigInt::zero();
    }
    while paid_for(&input, reserve_in, reserve_out) < *output {
        input += 1;
    }
    Some(input)
}

impl Exchange {
    /// An exchange of these pairs.
    pub fn new(pairs: Vec<Pair>) -> Self {
        let mut of_token: BTreeMap<Address, Vec<usize>> = BTreeMap::new();
        for (index, pair) in pairs.iter().enumerate() {
            for token in pair.tokens {
                of_token.entry(token).or_default().push(index);
            }
        }
        Self { pairs, of_token, avoided: BTreeSet::new() }
    }

    /// The same exchange, but no path leads to or through these tokens.
    pub(crate) fn avoiding(mut self, tokens: BTreeSet<Address>) -> Self {
        self.avoided = tokens;
        self
    }

    /// The tokens that no path leads to.
    pub(crate) fn avoided(&self) -> &BTreeSet<Address> {
        &self.avoided
    }

    /// The pairs.
    pub fn pairs(&self) -> &[Pair] {
        &self.pairs
    }

    /// Every token that has a pair, in order.
    pub fn tokens(&self) -> impl Iterator<Item = Address> + '_ {
        self.of_token.keys().copied()
    }

    /// Every path without a token twice, from one token to another.
    pub fn paths(&self, from: Address, to: Address) -> Vec<Vec<Address>> {
        let mut found = Vec::new();
        if self.avoided.contains(&from) {
            return found;
        }
        self.extend(&mut vec![from], to, &mut found);
        found
    }

    /// The amounts along a path for an input.
    pub fn forward(&self, path: &[Address], input: &BigInt) -> Option<Route> {
        let mut amounts = vec![input.clone()];
        for step in path.windows(2) {
            let (reserve_in, reserve_out) = self.reserves(step[0], step[1])?;
            let input = amounts.last().expect("there is a first amount");
            amounts.push(paid_for(input, reserve_in, reserve_out));
        }
        Some(Route { path: path.to_vec(), amounts })
    }

    /// The least amounts along a path for an output.
    pub fn backward(&self, path: &[Address], output: &BigInt) -> Option<Route> {
        let mut amounts = vec![output.clone()];
        for step in path.windows(2).rev() {
            let (reserve_in, reserve_out) = self.reserves(step[0], step[1])?;
            let output = amounts.last().expect("there is a first amount");
            amounts.push(least_input(output, reserve_in, reserve_out)?);
        }
        amounts.reverse();
        Some(Route { path: path.to_vec(), amounts })
    }

    /// The route that pays most for an input; none where none pays anything.
    pub(crate) fn best_for_input(&self, from: Address, to: Address, input: &BigInt) -> Option<Route> {
        self.paths(from, to)
            .iter()
            .filter_map(|path| self.forward(path, input))
            .filter(|route| !route.amount_out().is_zero())
            .max_by(|one, two| one.amount_out().cmp(two.amount_out()))
    }

    /// The route that takes least for an output; none where none can pay it.
    pub(crate) fn best_for_output(&self, from: Address, to: Address, output: &BigInt) -> Option<Route> {
        self.paths(from, to)
            .iter()
            .filter_map(|path| self.backward(path, output))
            .min_by(|one, two| one.amount_in().cmp(two.amount_in()))
    }

    /// What the pair of two tokens holds of the first and of the second.
    pub fn reserves(&self, from: Address, to: Address) -> Option<(&BigInt, &BigInt)> {
        let [first, second] = [from, to];
        self.pairs.iter().find_map(|pair| {
            if pair.tokens == [first, second] {
                Some((&pair.reserves[0], &pair.reserves[1]))
            } else if pair.tokens == [second, first] {
                Some((&pair.reserves[1], &pair.reserves[0]))
            } else {
                None
            }
        })
    }

    fn extend(&self, path: &mut Vec<Address>, to: Address, found: &mut Vec<Vec<Address>>) {
        let last = *path.last().expect("a path has a first token");
        for index in self.of_token.get(&last).into_iter().flatten() {
            let tokens = self.pairs[*index].tokens;
            let next = if tokens[0] == last { tokens[1] } else { tokens[0] };
            if path.contains(&next) || self.avoided.contains(&next) {
                continue;
            }
            path.push(next);
            if next == to {
                found.push(path.clone());
            } else if path.len() <= MOST_HOPS {
                self.extend(path, to, found);
            }
            path.pop();
        }
    }
}
