//! The bonding curve of a launch: price linear in the tokens sold, exact to the last unit, as the contract computes it.
//!
//! With supply for sale `S`, target raise `R` and gain `G`, the first `x` token units cost
//! `C(x) = R x (20000 S + G x) / (S^2 (20000 + G))` wei. A position holds `contributions >= ceil(C(sold))`.
use alloy_primitives::U256;

use super::fees::{Fees, least_gross_up, net_of_gross};
use super::split::{TOTAL_SUPPLY, WHOLE_TOKEN, sale_supply_down, sqrt_price_x96_down};
use super::wide::{U320, product, quotient_down, square_root_down, times};

/// The steepest curve: the last token costs 21 times the first.
pub const MAX_GAIN_BPS: u32 = 200_000;
/// The largest raise that the contract can hold, in wei; its own limits are far narrower.
pub const MAX_TARGET_RAISE: u128 = (1 << 96) - 1;
/// The smallest value of a buy, in wei, before fees.
pub const MINIMUM_BUY: u128 = 10_000_000_000_000;
/// The smallest sale, in token units.
pub const MINIMUM_SELL: u128 = WHOLE_TOKEN;

/// The reason why the curve has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CurveError {
    /// The raise is zero or too large.
    #[error("a target raise of {target_raise} wei is outside 1 to 2^96 - 1")]
    RaiseOutOfRange {
        /// The requested raise.
        target_raise: u128,
    },
    /// The curve is too steep.
    #[error("a gain of {gain_bps} basis points is above {MAX_GAIN_BPS}")]
    GainTooHigh {
        /// The requested gain.
        gain_bps: u32,
    },
    /// A sale of more tokens than were sold.
    #[error("{tokens} token units cannot be sold where {sold} were bought")]
    SellExceedsSold {
        /// Token units offered.
        tokens: u128,
        /// Token units sold on the curve.
        sold: u128,
    },
}

/// The position of a launch on its curve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// Token units sold.
    pub sold: u128,
    /// Wei held for them, after fees: at least the cost of the sold units.
    pub contributions: u128,
}

/// The result of a buy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Buy {
    /// Token units received.
    pub tokens_out: u128,
    /// Wei paid, fees included, after the refund.
    pub cost: u128,
    /// Wei given back because the target was reached.
    pub refund: u128,
    /// Wei that enter the curve.
    pub net: u128,
    /// Wei kept from the cost.
    pub fees: Fees,
    /// The launch afterwards.
    pub position_after: Position,
    /// Whether this buy reaches the target.
    pub finalizes: bool,
}

/// The result of a buy without fees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NetBuy {
    /// Token units received.
    pub tokens_out: u128,
    /// Wei that enter the curve.
    pub net: u128,
    /// Wei beyond the target, not taken.
    pub refund: u128,
    /// The launch afterwards.
    pub position_after: Position,
    /// Whether this buy reaches the target.
    pub finalizes: bool,
}

/// The result of a sale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sell {
    /// Wei that leave the curve, before fees.
    pub gross: u128,
    /// Wei the seller receives.
    pub payout: u128,
    /// Wei kept from the gross.
    pub fees: Fees,
    /// The launch afterwards.
    pub position_after: Position,
}

/// An exact fraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ratio {
    /// The part.
    pub numerator: u128,
    /// The whole; never zero.
    pub denominator: u128,
}

/// The curve of one launch, with precomputed values that every quote needs.
///
/// Clause: CH-CURVE
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Curve {
    sale_supply: u128,
    target_raise: u128,
    gain_bps: u32,
    /// `S^2 (20000 + G)`: the divisor of the cost.
    divisor: U256,
    /// The raise over the divisor, rounded down: with `weight_shift` bits of the weight dropped, the high half of a product is the
    /// cost with `cost_fraction` fractional bits, at most three units in the last place too low.
    cost_inverse: u128,
    weight_shift: usize,
    cost_fraction: usize,
    /// `2^128 - 1` over the gain, rounded down; all ones when the gain is zero or one.
    gain_inverse: u128,
    /// The quotient of the divisor by the raise, times the gain unless that is zero: a product by wei then needs no wide division.
    weight_per_wei: U256,
    /// The remainder of that quotient, and `2^128` times its part of the raise, rounded down.
    divisor_per_wei_rest: u128,
    rest_inverse: u128,
    /// `10000 S` and its square, which complete the square of the cost.
    offset: u128,
    offset_squared: U256,
}

impl Curve {
    /// Creates the curve that raises `target_raise` wei while the price grows by `gain_bps`.
    ///
    /// Clause: CH-LIMITS, CH-BOUNDS
    #[inline]
    pub fn new(target_raise: u128, gain_bps: u32) -> Result<Self, CurveError> {
        if target_raise == 0 || target_raise > MAX_TARGET_RAISE {
            return Err(CurveError::RaiseOutOfRange { target_raise });
        }
        if gain_bps > MAX_GAIN_BPS {
            return Err(CurveError::GainTooHigh { gain_bps });
        }
        let sale_supply = sale_supply_down(gain_bps);
        let supply = U256::from(sale_supply);
        let divisor = supply * supply * U256::from(20_000 + gain_bps);
        let raise = U256::from(target_raise);
        let (divisor_per_wei, rest) = divisor.div_rem(raise);
        let offset = 10_000 * sale_supply;
        let weight_shift = divisor.bit_len() - 127;
        // The largest number of bits that keeps the inverse below 2^127.
        let cost_fraction = 125 - raise.bit_len();
        let cost_inverse: U256 = (raise << (128 + cost_fraction)) / ((divisor >> weight_shift) + U256::ONE);
        let rest_inverse: U256 = (rest << 128) / raise;
        let word = |value: U256| u128::try_from(value).expect("a part of one with 128 bits behind the point");
        Ok(Self {
            sale_supply,
            target_raise,
            gain_bps,
            divisor,
            cost_inverse: word(cost_inverse),
            weight_shift,
            cost_fraction,
            gain_inverse: u128::MAX / u128::from(gain_bps.max(1)),
            weight_per_wei: divisor_per_wei * U256::from(gain_bps.max(1)),
            divisor_per_wei_rest: word(rest),
            rest_inverse: word(rest_inverse),
            offset,
            offset_squared: U256::from(offset) * U256::from(offset),
        })
    }

    /// Token units sold on the curve.
    #[must_use]
    #[inline]
    pub const fn sale_supply(&self) -> u128 {
        self.sale_supply
    }

    /// Token units that seed the pool.
    #[must_use]
    pub const fn liquidity_supply(&self) -> u128 {
        TOTAL_SUPPLY - self.sale_supply
    }

    /// Wei at which the launch graduates.
    #[must_use]
    #[inline]
    pub const fn target_raise(&self) -> u128 {
        self.target_raise
    }

    /// Growth of the price from first to last token, in basis points.
    #[must_use]
    pub const fn gain_bps(&self) -> u32 {
        self.gain_bps
    }

    /// Wei that the first `sold` token units cost, rounded up; `sold` is at most the sale supply.
    #[must_use]
    #[inline]
    pub fn cost_up(&self, sold: u128) -> u128 {
        if sold >= self.sale_supply {
            return self.target_raise;
        }
        let (high, low) = product(sold, 2 * self.offset + u128::from(self.gain_bps) * sold);
        // The weight is below the divisor, whose length is 127 bits plus the shift, so the rest fits.
        let leading = (high << (128 - self.weight_shift)) | (low >> self.weight_shift);
        let (cost, _) = product(leading, self.cost_inverse);
        let fraction = cost & ((1 << self.cost_fraction) - 1);
        let cost = cost >> self.cost_fraction;
        // The exact cost is at most three units in the last place larger: it is not a whole number unless these carry over, or it is zero.
        if (fraction + 4 < 1 << self.cost_fraction) & ((fraction > 0) | (sold == 0)) {
            return cost + u128::from(fraction > 0);
        }
        self.cost_from_up((high, low), cost)
    }

    /// The cost of a weight, rounded up, from an estimate that is at most three wei too low.
    #[cold]
    fn cost_from_up(&self, (high, low): (u128, u128), mut cost: u128) -> u128 {
        // Both products may overflow 256 bits. Their difference is only a few divisors, so wrapping arithmetic is exact.
        let weight: U256 = (U256::from(high) << 128) | U256::from(low);
        let mut rest = times(weight, self.target_raise).wrapping_sub(times(self.divisor, cost));
        while rest >= self.divisor {
            rest -= self.divisor;
            cost += 1;
        }
        cost + u128::from(!rest.is_zero())
    }

    /// The most token units whose cost, rounded up, is at most `contributions` wei.
    ///
    /// `ceil(C(x)) <= M` holds exactly when `G x^2 + 20000 S x <= floor(M D / R)` with `D` the divisor, and completing the
    /// square turns that into `G x + 10000 S <= floor(sqrt(G floor(M D / R) + (10000 S)^2))`: no correction is needed.
    #[must_use]
    #[inline]
    pub fn sold_down(&self, contributions: u128) -> u128 {
        if contributions >= self.target_raise {
            return self.sale_supply;
        }
        let per_wei = times(self.weight_per_wei, contributions);
        let rest = self.rest_weight_down(contributions);
        if self.gain_bps == 0 {
            return self.sold_at_one_price_down(per_wei + U256::from(rest));
        }
        // A remainder below 2^96 times the gain fits.
        let rest = U256::from(rest * u128::from(self.gain_bps));
        let root = square_root_down(per_wei + rest + self.offset_squared);
        quotient_down(root - self.offset, u128::from(self.gain_bps), self.gain_inverse)
    }

    /// The most token units of a weight on a curve with a constant price.
    #[cold]
    fn sold_at_one_price_down(&self, weight: U256) -> u128 {
        let sold = weight / U256::from(2 * self.offset);
        u128::try_from(sold).expect("less than the target buys less than the sale supply")
    }

    /// The contribution of the remainder of `divisor / raise` to the weight of `contributions`, rounded down.
    #[inline]
    fn rest_weight_down(&self, contributions: u128) -> u128 {
        let (quotient, fraction) = product(contributions, self.rest_inverse);
        // The inverse is less than one too small, so the fraction is less than `contributions` too small.
        match fraction.checked_add(contributions) {
            Some(_) => quotient,
            None => self.rest_weight_from_down(contributions, quotient),
        }
    }

    /// The same contribution, from an estimate that is at most one too low.
    #[cold]
    fn rest_weight_from_down(&self, contributions: u128, quotient: u128) -> u128 {
        // Both products may overflow 128 bits. Their difference is less than two raises, so it does not.
        let product = contributions.wrapping_mul(self.divisor_per_wei_rest);
        let rest = product.wrapping_sub(quotient.wrapping_mul(self.target_raise));
        quotient + u128::from(rest >= self.target_raise)
    }

    /// Quotes a buy of `gross` wei; the creator gets `split_bps` of the variable fee. A complete curve refunds all of it.
    #[must_use]
    #[inline]
    pub fn buy(&self, position: Position, gross: u128, split_bps: u16) -> Buy {
        let net = net_of_gross(gross);
        let bought = self.buy_net(position, net);
        // In any other case everything is taken, so only here can the cost be below the amount sent.
        let cost = if bought.finalizes || bought.net < net {
            least_gross_up(bought.net).expect("a smaller net has a smaller gross")
        } else {
            gross
        };
        Buy {
            tokens_out: bought.tokens_out,
            cost,
            refund: gross - cost,
            net: bought.net,
            fees: Fees::of_gross_down(cost, split_bps),
            position_after: bought.position_after,
            finalizes: bought.finalizes,
        }
    }

    /// The least wei, fees included, that buy at least `tokens` token units, or all that are left if there are fewer.
    #[must_use]
    #[inline]
    pub fn cost_of_up(&self, position: Position, tokens: u128) -> u128 {
        let sold = position.sold.saturating_add(tokens).min(self.sale_supply);
        least_gross_up(self.cost_up(sold).saturating_sub(position.contributions))
            .expect("a part of the raise has a gross")
    }

    /// Quotes a buy of `net` wei without fees.
    #[must_use]
    #[inline]
    pub fn buy_net(&self, position: Position, net: u128) -> NetBuy {
        let missing = self.target_raise.saturating_sub(position.contributions);
        let taken = net.min(missing);
        let contributions = position.contributions + taken;
        // Always true while the position covers its cost; a position that does not must not lose tokens.
        let sold = self.sold_down(contributions).max(position.sold);
        NetBuy {
            tokens_out: sold - position.sold,
            net: taken,
            refund: net - taken,
            position_after: Position { sold, contributions },
            finalizes: missing > 0 && net >= missing,
        }
    }

    /// Quotes a sale of `tokens` token units; the creator gets `split_bps` of the variable fee.
    ///
    /// Clause: CH-SOLVENT
    #[inline]
    pub fn sell(&self, position: Position, tokens: u128, split_bps: u16) -> Result<Sell, CurveError> {
        let Some(sold) = position.sold.checked_sub(tokens) else {
            return Err(CurveError::SellExceedsSold { tokens, sold: position.sold });
        };
        let gross = position.contributions.saturating_sub(self.cost_up(sold));
        let fees = Fees::of_gross_down(gross, split_bps);
        Ok(Sell {
            gross,
            payout: net_of_gross(gross),
            fees,
            position_after: Position { sold, contributions: position.contributions - gross },
        })
    }

    /// Price after `sold` token units, in wei per whole token, rounded down.
    #[must_use]
    pub fn price_down(&self, sold: u128) -> U256 {
        self.value_down(sold, WHOLE_TOKEN)
    }

    /// Price of the whole supply after `sold` token units, in wei, rounded down once.
    #[must_use]
    pub fn market_cap_down(&self, sold: u128) -> U256 {
        self.value_down(sold, TOTAL_SUPPLY)
    }

    /// Value of `amount` token units at the marginal price after `sold`, in wei, rounded down.
    fn value_down(&self, sold: u128, amount: u128) -> U256 {
        let slope = 2 * (self.offset + u128::from(self.gain_bps) * sold);
        let per_divisor = U320::from(self.target_raise) * U320::from(slope) * U320::from(amount);
        U256::from(per_divisor / U320::from(self.divisor))
    }

    /// The raised part of the target, exactly one when the launch is complete.
    #[must_use]
    pub const fn progress(&self, position: Position) -> Ratio {
        Ratio { numerator: position.contributions, denominator: self.target_raise }
    }

    /// The opening price of the pool in v4's format; the token is the pool's first currency if its address is the lower one.
    #[must_use]
    pub fn pool_sqrt_price_x96_down(&self, token_is_first: bool) -> U256 {
        let (amount0, amount1) = if token_is_first {
            (self.liquidity_supply(), self.target_raise)
        } else {
            (self.target_raise, self.liquidity_supply())
        };
        sqrt_price_x96_down(amount0, amount1).expect("raise and liquidity are positive and below 2^96")
    }
}

#[cfg(test)]
#[path = "curve_tests.rs"]
mod tests;
