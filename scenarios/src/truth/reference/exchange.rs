//! The constant-product exchange in unbounded integers; tries every route. Does not model gas.
use std::collections::BTreeSet;

use alloy::primitives::Address;
use num_bigint::BigInt;
use num_traits::Zero;

/// Most pairs on a route.
pub(crate) const MOST_HOPS: usize = 3;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pair {
    pub(crate) address: Address,
    /// In the pair's order.
    pub(crate) tokens: [Address; 2],
    /// The reserve of each token.
    pub(crate) reserves: [BigInt; 2],
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Exchange {
    pub(crate) pairs: Vec<Pair>,
    /// Tokens that no path may start at, end at or pass through.
    pub(crate) avoided: BTreeSet<Address>,
}

/// Returns a pair's output for an input: the fee of 0.3% stays in the pair, and the product never falls.
fn paid_for(input: &BigInt, reserve_in: &BigInt, reserve_out: &BigInt) -> BigInt {
    let counted = input * 997;
    let denominator: BigInt = reserve_in * 1000 + &counted;
    if denominator.is_zero() {
        return BigInt::zero();
    }
    counted * reserve_out / denominator
}

/// Returns the least input for which a pair pays at least `output`; `None` if it does not hold that much.
fn least_input(output: &BigInt, reserve_in: &BigInt, reserve_out: &BigInt) -> Option<BigInt> {
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
    /// Returns every token that has a pair, in order.
    pub(crate) fn tokens(&self) -> BTreeSet<Address> {
        self.pairs.iter().flat_map(|pair| pair.tokens).collect()
    }

    /// Returns every path between two tokens that visits no token twice.
    pub(crate) fn paths(&self, from: Address, to: Address) -> Vec<Vec<Address>> {
        let mut found = Vec::new();
        if !self.avoided.contains(&from) {
            self.extend(&mut vec![from], to, &mut found);
        }
        found
    }

    /// Returns the amount of each token along a path for an input.
    pub(crate) fn forward(&self, path: &[Address], input: &BigInt) -> Option<Vec<BigInt>> {
        let mut amounts = vec![input.clone()];
        for step in path.windows(2) {
            let (reserve_in, reserve_out) = self.reserves(step[0], step[1])?;
            let input = amounts.last().expect("there is a first amount");
            amounts.push(paid_for(input, reserve_in, reserve_out));
        }
        Some(amounts)
    }

    /// Returns the least amount of each token along a path for an output.
    pub(crate) fn backward(&self, path: &[Address], output: &BigInt) -> Option<Vec<BigInt>> {
        let mut amounts = vec![output.clone()];
        for step in path.windows(2).rev() {
            let (reserve_in, reserve_out) = self.reserves(step[0], step[1])?;
            let output = amounts.last().expect("there is a first amount");
            amounts.push(least_input(output, reserve_in, reserve_out)?);
        }
        amounts.reverse();
        Some(amounts)
    }

    /// Returns the largest output of any route for an input; `None` if no route pays anything.
    pub(crate) fn most_output(&self, from: Address, to: Address, input: &BigInt) -> Option<BigInt> {
        let paths = self.paths(from, to).into_iter();
        let outputs = paths.filter_map(|path| self.forward(&path, input)?.pop());
        outputs.max().filter(|most| !most.is_zero())
    }

    /// Returns the least input of any route for an output; `None` if no route can pay it.
    pub(crate) fn least_input(&self, from: Address, to: Address, output: &BigInt) -> Option<BigInt> {
        let paths = self.paths(from, to).into_iter();
        paths.filter_map(|path| Some(self.backward(&path, output)?.swap_remove(0))).min()
    }

    /// Returns the reserves of two tokens in their pair, in this order.
    pub(crate) fn reserves(&self, from: Address, to: Address) -> Option<(&BigInt, &BigInt)> {
        self.pairs.iter().find_map(|pair| match &pair.reserves {
            [held, other] if pair.tokens == [from, to] => Some((held, other)),
            [other, held] if pair.tokens == [to, from] => Some((held, other)),
            _ => None,
        })
    }

    /// Returns the reserves if both are positive.
    pub(crate) fn filled(&self, from: Address, to: Address) -> Option<(&BigInt, &BigInt)> {
        self.reserves(from, to).filter(|(held, other)| !held.is_zero() && !other.is_zero())
    }

    fn extend(&self, path: &mut Vec<Address>, to: Address, found: &mut Vec<Vec<Address>>) {
        let last = *path.last().expect("a path has a first token");
        for pair in self.pairs.iter().filter(|pair| pair.tokens.contains(&last)) {
            let next = if pair.tokens[0] == last { pair.tokens[1] } else { pair.tokens[0] };
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
