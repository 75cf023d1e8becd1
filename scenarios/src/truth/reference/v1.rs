//! The exponential V1 curve from its definition alone: real numbers, enclosed between binary fractions. Does not model accounts or pairs.
//!
//! The price p(x) = a·e^(b·x) raises the target R over the supply for sale S, and ends at R against the rest of the supply, L. With u = b·S
//! that is a·e^u = R/L and a·(e^u − 1)/b = R, so e^u·(S/L − u) = S/L, and the first x units cost R·(e^(u·x/S) − 1)/(e^u − 1).
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Zero};

use super::curve::{Bought, Position, Sold, total_supply};
use super::last_holding;

/// Binary places of the computation.
const PLACES: usize = 256;
/// All rounding errors of a cost together are far below 2^-160 wei.
const DOUBT: usize = 160;
/// Gross wei per wei of fee.
const GROSS_PER_FEE: u32 = 20;

/// The curve that every V1 token has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exponential {
    /// Target raise in wei.
    pub target: BigInt,
    /// Token units for sale.
    pub sale: BigInt,
    /// u and e^u − 1, both times 2^256.
    exponent: BigInt,
    growth: BigInt,
}

impl Default for Exponential {
    fn default() -> Self {
        let target = BigInt::from(10).pow(18) * 3;
        let sale: BigInt = total_supply() * 4 / 5;
        let quotient = &sale / (total_supply() - &sale);
        let exponent = exponent(&quotient);
        let growth = exponential(&exponent) - one();
        Self { target, sale, exponent, growth }
    }
}

impl Exponential {
    /// Returns the total cost of the first `sold` units in wei, rounded up.
    ///
    /// # Panics
    /// If the precision does not decide the last wei. No amount comes close to that: the cost between the ends is never a rational number.
    pub fn cost_up(&self, sold: &BigInt) -> BigInt {
        if sold.is_zero() || *sold == self.sale {
            return if sold.is_zero() { BigInt::zero() } else { self.target.clone() };
        }
        let grown = exponential(&(&self.exponent * sold / &self.sale)) - one();
        let cost = ((&self.target * grown) << PLACES) / &self.growth;
        let doubt = BigInt::one() << (PLACES - DOUBT);
        let (least, most) = (whole_up(&(&cost - &doubt)), whole_up(&(cost + doubt)));
        assert_eq!(least, most, "the precision decides the cost of {sold} units");
        most
    }

    /// Returns the most units whose cost, rounded up, is within `net` wei.
    pub fn sold_for(&self, net: &BigInt) -> BigInt {
        last_holding(&BigInt::zero(), &self.sale, |sold| self.cost_up(sold) <= *net)
    }

    /// Buys with `gross` wei.
    pub fn buy(&self, position: &Position, gross: &BigInt) -> Bought {
        let needed = &self.target - &position.net;
        let cost = if net_of(gross) >= needed { least_gross(&needed) } else { gross.clone() };
        let net = &position.net + net_of(&cost);
        let sold = self.sold_for(&net);
        Bought { tokens: &sold - &position.sold, refund: gross - &cost, cost, after: Position { sold, net } }
    }

    /// Sells `tokens` units, at most as many as were sold before.
    pub fn sell(&self, position: &Position, tokens: &BigInt) -> Sold {
        let sold = &position.sold - tokens;
        let net = self.cost_up(&sold);
        let gross = &position.net - &net;
        Sold { payout: net_of(&gross), gross, after: Position { sold, net } }
    }

    /// Returns the price of a unit in wei after `sold` units, cut at 256 binary places: the slope of the cost.
    pub fn price(&self, sold: &BigInt) -> BigRational {
        let grown = exponential(&(&self.exponent * sold / &self.sale));
        BigRational::new(&self.target * &self.exponent * grown, (&self.growth * &self.sale) << PLACES)
    }

    /// Returns the price of a whole token after `sold` units in wei, rounded down.
    pub fn price_of_whole_token(&self, sold: &BigInt) -> BigInt {
        (self.price(sold) * BigInt::from(10).pow(18)).to_integer()
    }
}

fn one() -> BigInt {
    BigInt::one() << PLACES
}

fn whole_up(scaled: &BigInt) -> BigInt {
    (scaled + one() - 1) >> PLACES
}

/// Computes e to a power between 0 and 4 term by term. Each of about ninety terms is cut off by less than one in the last place, and that
/// error is carried into the next term: together less than 2^14 in the last place.
fn exponential(power: &BigInt) -> BigInt {
    let mut term = one();
    let mut sum = BigInt::zero();
    for place in 1_u32.. {
        if term.is_zero() {
            break;
        }
        sum += &term;
        term = ((term * power) >> PLACES) / place;
    }
    sum
}

/// Returns the u above zero with e^u·(quotient − u) = quotient. From quotient − 1 on, the left side falls, to zero at the quotient.
fn exponent(quotient: &BigInt) -> BigInt {
    let (least, most) = ((quotient - 1) << PLACES, quotient << PLACES);
    let right = quotient << (2 * PLACES);
    last_holding(&least, &most, |power| exponential(power) * (&most - power) >= right)
}

/// Returns a gross amount less the fee.
fn net_of(gross: &BigInt) -> BigInt {
    gross - gross / GROSS_PER_FEE
}

/// Finds the least gross amount that leaves at least `net`, by trying the few candidates.
fn least_gross(net: &BigInt) -> BigInt {
    let mut gross: BigInt = net * GROSS_PER_FEE / (GROSS_PER_FEE - 1) - 2;
    while net_of(&gross) < *net {
        gross += 1;
    }
    gross
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wei(amount: u64) -> BigInt {
        BigInt::from(amount)
    }

    #[test]
    fn matches_exponential_definition() {
        let curve = Exponential::default();
        // u = 3.92069…, e^u = 50.4354…
        let thousandths = |scaled: &BigInt| (scaled * 1_000) >> PLACES;
        assert_eq!(thousandths(&curve.exponent), wei(3_920));
        assert_eq!(thousandths(&(&curve.growth + one())), wei(50_435));
        // The final price is 3 ether over 2e8 tokens; the opening price is lower by the factor e^u.
        assert_eq!(curve.price_of_whole_token(&curve.sale), wei(15_000_000_000) - 1);
        assert_eq!(curve.price_of_whole_token(&BigInt::zero()), wei(297_411_019));
    }
}
