//! The division of a launch's supply between the curve and the pool that follows it.
use alloy_primitives::{U256, U512};

use super::curve::{Curve, CurveError};

/// Supply of every launch, in token units: 1e9 tokens of 18 decimals.
pub const TOTAL_SUPPLY: u128 = 1_000_000_000 * WHOLE_TOKEN;
/// Units of one token.
pub const WHOLE_TOKEN: u128 = 1_000_000_000_000_000_000;

/// The division of the supply, with the two prices that must match at graduation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SaleSplit {
    /// Token units sold on the curve.
    pub sale_supply: u128,
    /// Token units that seed the pool.
    pub liquidity_supply: u128,
    /// The sold part, in basis points of the supply, rounded down.
    pub sale_portion_bps: u16,
    /// Price at the end of the curve, in wei per whole token, rounded down.
    pub marginal_price: U256,
    /// Price at which the pool opens, in wei per whole token, rounded down.
    pub pool_price: U256,
}

impl SaleSplit {
    /// Splits the supply for a raise of `target_raise` wei and an end price `1 + gain_bps / 10000` times the first.
    pub fn new(target_raise: u128, gain_bps: u32) -> Result<Self, CurveError> {
        let curve = Curve::new(target_raise, gain_bps)?;
        let sale_supply = curve.sale_supply();
        let portion = sale_supply * 10_000 / TOTAL_SUPPLY;
        Ok(Self {
            sale_supply,
            liquidity_supply: curve.liquidity_supply(),
            sale_portion_bps: u16::try_from(portion)
                .expect("a part of the supply is at most 10 000 basis points"),
            marginal_price: curve.price_down(sale_supply),
            pool_price: U256::from(target_raise) * U256::from(WHOLE_TOKEN)
                / U256::from(curve.liquidity_supply()),
        })
    }
}

/// Token units sold on the curve for a gain of `gain_bps`, rounded down.
#[must_use]
#[inline]
pub const fn sale_supply_down(gain_bps: u32) -> u128 {
    let gain = gain_bps as u128;
    TOTAL_SUPPLY * (2 * (10_000 + gain)) / (40_000 + 3 * gain)
}

/// The opening price of a pool in v4's format: the root of `amount1 / amount0` with 96 binary places, rounded down.
///
/// `None` if `amount0` is zero or the result does not fit the 160 bits of the pool's field.
///
/// Clause: CH-GRADUATE
#[must_use]
pub fn sqrt_price_x96_down(amount0: u128, amount1: u128) -> Option<U256> {
    if amount0 == 0 {
        return None;
    }
    let ratio = (U512::from(amount1) << 192) / U512::from(amount0);
    // The ratio has at most 320 bits; more than 318 would not leave a root of 160 bits with its sign clear.
    let root = root_down(ratio);
    (root.bit_len() <= 160).then(|| U256::from(root))
}

/// The largest integer whose square is at most `value`, by Newton's method from above.
fn root_down(value: U512) -> U512 {
    if value.is_zero() {
        return U512::ZERO;
    }
    let mut root = U512::ONE << value.bit_len().div_ceil(2);
    loop {
        let next = (root + value / root) >> 1;
        if next >= root {
            return root;
        }
        root = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn flat_and_steepest_splits() {
        assert_eq!(sale_supply_down(0), TOTAL_SUPPLY / 2);
        assert_eq!(sale_supply_down(200_000), TOTAL_SUPPLY * 420_000 / 640_000);
    }

    #[test]
    fn price_of_equal_amounts_is_two_to_the_96() {
        assert_eq!(sqrt_price_x96_down(7, 7), Some(U256::ONE << 96));
        assert_eq!(sqrt_price_x96_down(0, 7), None);
        assert_eq!(sqrt_price_x96_down(7, 0), Some(U256::ZERO));
    }

    proptest! {
        #[test]
        fn final_curve_price_is_the_pool_price(raise in 1_u128..=5, extra in 0..WHOLE_TOKEN, gain in 0..=200_000_u32) {
            let split = SaleSplit::new(raise * WHOLE_TOKEN + extra, gain).expect("inside the limits");
            prop_assert_eq!(split.sale_supply + split.liquidity_supply, TOTAL_SUPPLY);
            // The sale is rounded down by less than one of 1e27 units, so the prices differ at most in the last place.
            prop_assert!(split.marginal_price.abs_diff(split.pool_price) <= U256::ONE);
        }

        #[test]
        fn sqrt_price_is_the_exact_floor(amount0 in 1..=u128::MAX >> 16, amount1 in 1..=u128::MAX >> 16) {
            if let Some(price) = sqrt_price_x96_down(amount0, amount1) {
                let (price, scaled) = (U512::from(price), U512::from(amount1) << 192);
                prop_assert!(price * price * U512::from(amount0) <= scaled);
                let next = price + U512::ONE;
                prop_assert!(next * next * U512::from(amount0) > scaled);
            }
        }
    }
}
