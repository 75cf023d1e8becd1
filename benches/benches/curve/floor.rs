//! The floor of a quote: the same root and divisions by the same routines, and nothing else; no bounds, no structure, no sum of
//! parts. What they work on is made before.
use alloy::primitives::U256;
use slipway_benches::curve::Question;
use slipway_math::wide::{product, quotient_down, square_root_down};

/// The root and the divisions of a purchase, or of the inverse of the cost.
pub(super) struct Root {
    contributions: u128,
    rest_inverse: u128,
    radicand: U256,
    offset: u128,
    gain: u128,
    gain_inverse: u128,
}

impl Root {
    /// Of a question that needs a root: one below the target, on a curve that is no straight line.
    pub(super) fn of(question: &Question) -> Option<Self> {
        let curve = &question.case.curve;
        let contributions = question.case.position.contributions + question.net;
        let gain = u128::from(curve.gain_bps());
        if contributions >= curve.target_raise() || gain == 0 {
            return None;
        }
        let raise = U256::from(curve.target_raise());
        let (per_wei, rest) = divisor(question).div_rem(raise);
        let weight = per_wei * U256::from(contributions) + rest * U256::from(contributions) / raise;
        let offset = 10_000 * curve.sale_supply();
        let rest_inverse: U256 = (rest << 128) / raise;
        Some(Self {
            contributions,
            rest_inverse: word(rest_inverse),
            radicand: weight * U256::from(gain) + U256::from(offset) * U256::from(offset),
            offset,
            gain,
            gain_inverse: u128::MAX / gain,
        })
    }

    /// Token units that are sold then, and what the rest of the division by the raise adds.
    #[inline]
    pub(super) fn work(&self) -> (u128, u128) {
        let (added, _) = product(self.contributions, self.rest_inverse);
        let root = square_root_down(self.radicand);
        (quotient_down(root - self.offset, self.gain, self.gain_inverse), added)
    }
}

/// The divisions of a sale: by the supply and the gain, and that of its fee.
pub(super) struct Quotient {
    sold: u128,
    slope: u128,
    weight: (u128, u128),
    inverse: u128,
    shift: usize,
    fraction: usize,
    contributions: u128,
}

impl Quotient {
    pub(super) fn of(question: &Question) -> Self {
        let (curve, position) = (&question.case.curve, question.case.position);
        let sold = position.sold - question.case.tokens;
        let slope = 20_000 * curve.sale_supply() + u128::from(curve.gain_bps()) * sold;
        let (divisor, raise) = (divisor(question), U256::from(curve.target_raise()));
        let (shift, fraction) = (divisor.bit_len() - 127, 125 - raise.bit_len());
        let inverse: U256 = (raise << (128 + fraction)) / ((divisor >> shift) + U256::ONE);
        let weight = product(sold, slope);
        let contributions = position.contributions;
        Self { sold, slope, weight, inverse: word(inverse), shift, fraction, contributions }
    }

    /// Wei that the sale pays out, from a dividend that is there already.
    #[inline]
    pub(super) fn work(&self) -> u128 {
        self.of_weight(self.weight)
    }

    /// The same with the product that is the dividend.
    #[inline]
    pub(super) fn work_with_dividend(&self) -> u128 {
        self.of_weight(product(self.sold, self.slope))
    }

    #[inline]
    fn of_weight(&self, (high, low): (u128, u128)) -> u128 {
        let leading = (high << (128 - self.shift)) | (low >> self.shift);
        let (cost, _) = product(leading, self.inverse);
        let above = u128::from(cost & ((1 << self.fraction) - 1) > 0);
        let gross = self.contributions - (cost >> self.fraction) - above;
        let fee = u64::try_from(gross).map_or(gross / 100, |gross| u128::from(gross / 100));
        gross - 2 * fee
    }
}

fn divisor(question: &Question) -> U256 {
    let curve = &question.case.curve;
    let supply = U256::from(curve.sale_supply());
    supply * supply * U256::from(20_000 + curve.gain_bps())
}

fn word(value: U256) -> u128 {
    u128::try_from(value).expect("a part of one with 128 bits behind the point")
}
