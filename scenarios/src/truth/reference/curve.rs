//! The bonding curve in exact fractions, with bisection. Does not model captchas, schedules or accounts.
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Zero};

use super::last_holding;

/// Returns the supply of every launch in token units.
pub(crate) fn total_supply() -> BigInt {
    BigInt::from(10).pow(27)
}

/// The parameters of a launch's curve.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Curve {
    /// Target raise in wei.
    pub target: BigInt,
    /// Gain in basis points.
    pub gain: BigInt,
    /// Token units for sale.
    pub sale: BigInt,
}

/// The state of a curve; the default is before the first trade.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// Token units sold.
    pub sold: BigInt,
    /// Wei contributed after fees.
    pub net: BigInt,
}

/// The fees of a trade in wei.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fees {
    /// The protocol's share.
    pub protocol: BigInt,
    /// The creator's share.
    pub creator: BigInt,
    /// The share that is set aside for buybacks.
    pub buyback: BigInt,
}

/// The result of a purchase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bought {
    /// Token units the buyer gets.
    pub tokens: BigInt,
    /// Wei that are kept, fees included.
    pub cost: BigInt,
    /// Wei that are returned.
    pub refund: BigInt,
    /// The state of the curve afterwards.
    pub after: Position,
}

/// The result of a sale.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sold {
    /// Wei before fees.
    pub gross: BigInt,
    /// Wei the seller gets.
    pub payout: BigInt,
    /// The state of the curve afterwards.
    pub after: Position,
}

impl Curve {
    /// Creates the curve of a target and a gain.
    pub fn new(target: BigInt, gain: BigInt) -> Self {
        let sale = total_supply() * 2 * (10_000 + &gain) / (40_000 + 3 * &gain);
        Self { target, gain, sale }
    }

    /// Returns the token units that are kept for the pool.
    pub fn liquidity(&self) -> BigInt {
        total_supply() - &self.sale
    }

    /// Returns the total cost of the first `sold` units in wei, rounded up.
    pub fn cost_up(&self, sold: &BigInt) -> BigInt {
        let numerator = &self.target * sold * (20_000 * &self.sale + &self.gain * sold);
        let denominator = &self.sale * &self.sale * (20_000 + &self.gain);
        (numerator + &denominator - 1) / denominator
    }

    /// Returns the exact price of a unit in wei after `sold` units: the slope of the cost.
    pub fn price(&self, sold: &BigInt) -> BigRational {
        let numerator = &self.target * (20_000 * &self.sale + 2 * &self.gain * sold);
        let denominator = &self.sale * &self.sale * (20_000 + &self.gain);
        BigRational::new(numerator, denominator)
    }

    /// Returns the most units whose cost, rounded up, is within `net` wei.
    pub fn sold_for(&self, net: &BigInt) -> BigInt {
        last_holding(&BigInt::zero(), &self.sale, |sold| self.cost_up(sold) <= *net)
    }

    /// Buys with `gross` wei.
    pub fn buy(&self, position: &Position, gross: &BigInt) -> Bought {
        let needed = &self.target - &position.net;
        let completes = net_of(gross) >= needed;
        let cost = if completes { least_gross(&needed) } else { gross.clone() };
        let net = &position.net + net_of(&cost);
        let sold = if completes { self.sale.clone() } else { self.sold_for(&net) };
        Bought { tokens: &sold - &position.sold, refund: gross - &cost, cost, after: Position { sold, net } }
    }

    /// Sells `tokens` units, at most as many as were sold before.
    pub fn sell(&self, position: &Position, tokens: &BigInt) -> Sold {
        let sold = &position.sold - tokens;
        let net = self.cost_up(&sold);
        let gross = &position.net - &net;
        Sold { payout: net_of(&gross), gross, after: Position { sold, net } }
    }

    /// Returns the price of a whole token after `sold` units in wei, rounded down.
    pub fn price_of_whole_token(&self, sold: &BigInt) -> BigInt {
        (self.price(sold) * BigInt::from(10).pow(18)).to_integer()
    }

    /// Returns the value of the total supply at the price after `sold` units in wei, rounded down.
    pub fn market_cap(&self, sold: &BigInt) -> BigInt {
        (self.price(sold) * total_supply()).to_integer()
    }

    /// Returns the square root of the pool's opening price with 96 fractional bits, rounded down; `token_first` if the token is the pool's
    /// first currency.
    pub(crate) fn opening_sqrt_price(&self, token_first: bool) -> BigInt {
        let scale = BigInt::one() << 192;
        let (first, second) = if token_first {
            (self.liquidity(), self.target.clone())
        } else {
            (self.target.clone(), self.liquidity())
        };
        let ratio: BigInt = second * scale / first;
        ratio.sqrt()
    }
}

/// Returns a share of an amount in basis points, rounded down.
fn share(amount: &BigInt, basis_points: &BigInt) -> BigInt {
    amount * basis_points / 10_000
}

/// Returns one of the two equal fees of a gross amount: one percent, rounded down.
fn one_fee(gross: &BigInt) -> BigInt {
    share(gross, &BigInt::from(100))
}

/// Returns the fees of a gross amount; the creator gets `split` basis points of the variable fee.
pub fn fees(gross: &BigInt, split: &BigInt) -> Fees {
    let variable = one_fee(gross);
    let creator = share(&variable, split);
    Fees { protocol: one_fee(gross), buyback: variable - &creator, creator }
}

/// Returns a gross amount less both fees.
pub(crate) fn net_of(gross: &BigInt) -> BigInt {
    gross - one_fee(gross) * 2
}

/// Finds the least gross amount that leaves at least `net`. The net amount falls by one at each hundred, so the search starts safely below.
pub fn least_gross(net: &BigInt) -> BigInt {
    let mut gross: BigInt = net * 100 / 98 - 200;
    if gross < *net {
        gross.clone_from(net);
    }
    while net_of(&gross) < *net {
        gross += 1;
    }
    gross
}

#[cfg(test)]
mod tests {
    use super::{Curve, total_supply};
    use num_bigint::BigInt;
    use num_rational::BigRational;
    use num_traits::Zero;

    fn ether(count: u32) -> BigInt {
        BigInt::from(10).pow(18) * count
    }

    #[test]
    fn full_sale_costs_target_and_meets_pool_price() {
        for gain in [0, 1, 50_000, 200_000] {
            let curve = Curve::new(ether(3), gain.into());
            assert!(curve.cost_up(&BigInt::zero()).is_zero());
            assert_eq!(curve.cost_up(&1.into()), 1.into());
            assert_eq!(curve.cost_up(&curve.sale), curve.target);
            let pool = BigRational::new(curve.target.clone(), curve.liquidity());
            let off =
                (curve.price(&curve.sale) / pool - BigRational::from_integer(1.into())) * total_supply();
            assert!(
                off < BigRational::from_integer(20.into()) && off > BigRational::from_integer((-20).into())
            );
        }
        assert_eq!(Curve::new(ether(1), 0.into()).sale, total_supply() / 2);
    }
}
