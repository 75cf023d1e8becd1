//! The V1 curve: price exponential in the tokens sold, step by step as its contract computes it, to the last unit.
//!
//! With supply for sale `S`, target `R` and `u` the solution of `1 - e^-u = u / 4`, the first `x` token units cost
//! `C(x) = R (e^(u x / S) - 1) / (e^u - 1)` wei. Exponentials have 96 binary places; every division is rounded as on chain,
//! so that the answers are exactly equal, not merely close.
use alloy_primitives::U256;

use super::curve::{CurveError, Position};
use super::split::{TOTAL_SUPPLY, WHOLE_TOKEN};
use super::wide::{U320, mul_div_down, product};

/// Token units sold on the curve.
pub const SALE_SUPPLY: u128 = 800_000_000 * WHOLE_TOKEN;
/// Token units that seed the pair.
pub const LIQUIDITY_SUPPLY: u128 = TOTAL_SUPPLY - SALE_SUPPLY;
/// Wei at which a token graduates.
pub const TARGET: u128 = 3 * WHOLE_TOKEN;

/// Gross wei per wei of fee: five parts in a hundred.
pub const GROSS_PER_FEE: u128 = 20;
const ONE: u128 = 1 << 96;
/// `u`, `e^u` as the contract computes it, and the natural logarithm of two, with 96 binary places.
const U: u128 = 310_629_095_773_104_257_463_905_116_714;
const EXP_U: u128 = 3_995_892_421_215_877_370_415_635_626_208;
const LN_2: u128 = 54_916_777_467_707_473_351_141_471_128;

/// The result of a purchase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Buy {
    /// Token units received.
    pub tokens_out: u128,
    /// Wei paid, fee included, after the refund.
    pub cost: u128,
    /// Wei given back because the target was reached.
    pub refund: u128,
    /// Wei kept from the cost.
    pub fee: u128,
    /// The token afterwards.
    pub position_after: Position,
}

/// The result of a sale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sell {
    /// Wei that leave the curve, before the fee.
    pub gross: u128,
    /// Wei the seller receives.
    pub payout: u128,
    /// Wei kept from the gross.
    pub fee: u128,
    /// The token afterwards.
    pub position_after: Position,
}

/// Wei that the first `sold` token units cost, rounded up; `sold` is at most the sale supply.
///
/// Clause: CH-V1
#[must_use]
#[inline]
pub fn cost_up(sold: u128) -> u128 {
    let (cost, exact) = mul_div_down(TARGET, growth(sold) - ONE, EXP_U - ONE)
        .expect("a part of the curve costs at most the target");
    cost + u128::from(!exact)
}

/// The most token units whose cost, rounded up, is at most `budget` wei; at least `from`.
#[must_use]
#[inline]
pub fn sold_down(from: u128, budget: u128) -> u128 {
    if budget >= TARGET {
        return SALE_SUPPLY;
    }
    let (mut low, mut high) = (from, SALE_SUPPLY);
    while low < high {
        let middle = (low + high).div_ceil(2);
        if cost_up(middle) <= budget {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    low
}

/// Quotes a purchase for `gross` wei. A complete curve refunds all of it.
#[must_use]
#[inline]
pub fn buy(position: Position, gross: u128) -> Buy {
    let needed = TARGET.saturating_sub(position.contributions);
    let fee = gross / GROSS_PER_FEE;
    let (cost, fee) = if gross - fee >= needed {
        // The least gross that leaves `needed` pays a fee of one for every nineteen before the last.
        let fee = needed.saturating_sub(1) / (GROSS_PER_FEE - 1);
        (needed + fee, fee)
    } else {
        (gross, fee)
    };
    let contributions = position.contributions + cost - fee;
    let sold = sold_down(position.sold, contributions);
    Buy {
        tokens_out: sold - position.sold,
        cost,
        refund: gross - cost,
        fee,
        position_after: Position { sold, contributions },
    }
}

/// Quotes a sale of `tokens` token units.
#[inline]
pub fn sell(position: Position, tokens: u128) -> Result<Sell, CurveError> {
    let Some(sold) = position.sold.checked_sub(tokens) else {
        return Err(CurveError::SellExceedsSold { tokens, sold: position.sold });
    };
    let gross = position.contributions.saturating_sub(cost_up(sold));
    let fee = gross / GROSS_PER_FEE;
    Ok(Sell {
        gross,
        payout: gross - fee,
        fee,
        position_after: Position { sold, contributions: position.contributions - gross },
    })
}

/// Price after `sold` token units, in wei per whole token, rounded down.
#[must_use]
#[inline]
pub fn price_down(sold: u128) -> U256 {
    value_down(sold, WHOLE_TOKEN)
}

/// Price of the whole supply after `sold` token units, in wei, rounded down.
#[must_use]
#[inline]
pub fn market_cap_down(sold: u128) -> U256 {
    value_down(sold, TOTAL_SUPPLY)
}

/// The slope of the cost for `amount` token units, rounded down three times like the contract's.
#[inline]
fn value_down(sold: u128, amount: u128) -> U256 {
    let slope = U320::from(U) * U320::from(TARGET) * U320::from(amount) / U320::from(SALE_SUPPLY);
    let scaled = slope * U320::from(growth(sold)) / U320::from(EXP_U - ONE);
    U256::from(scaled >> 96)
}

/// `e^(u sold / S)`.
#[inline]
fn growth(sold: u128) -> u128 {
    let (exponent, _) = mul_div_down(U, sold, SALE_SUPPLY).expect("a part of the supply is a part of u");
    exponential(exponent)
}

/// Computes the exponential: splits off whole powers of two, and sums the series of the rest, which is below one.
#[inline]
fn exponential(exponent: u128) -> u128 {
    let (twos, rest) = (exponent / LN_2, exponent % LN_2);
    let (mut sum, mut term) = (ONE, ONE);
    for place in 1_u128.. {
        let (high, low) = product(term, rest);
        term = ((high << 32) | (low >> 96)) / place;
        if term == 0 {
            break;
        }
        sum += term;
    }
    sum << twos
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloy_primitives::U512;
    use proptest::prelude::*;

    fn position_at(sold: u128) -> Position {
        Position { sold, contributions: cost_up(sold) }
    }

    #[test]
    fn endpoints_are_exact_and_match_the_pair() {
        assert_eq!((cost_up(0), cost_up(SALE_SUPPLY)), (0, TARGET));
        assert_eq!(exponential(U), EXP_U);
        let pair = U256::from(TARGET) * U256::from(WHOLE_TOKEN) / U256::from(LIQUIDITY_SUPPLY);
        assert!(price_down(SALE_SUPPLY).abs_diff(pair) <= U256::ONE);
        // a = 3/2e8 e^-u = 3/2e8 (1 - u/4), in wei for a whole token.
        assert_eq!(price_down(0), U256::from(297_411_019));
        assert_eq!(market_cap_down(0), U256::from(297_411_019_226_676_211_u128));
    }

    /// 1 − e^−u = u/4 means e^u·(4 − u) = 4; both sides have 96 binary places, except for the last bits of e^u.
    #[test]
    fn u_solves_its_defining_equation() {
        let one = U512::from(ONE);
        let product = U512::from(EXP_U) * (U512::from(4) * one - U512::from(U)) / one;
        assert!(product.abs_diff(U512::from(4) * one) < U512::from(64));
    }

    /// The growth is composed piecewise at powers of two; the cost must not decrease there.
    #[test]
    fn cost_is_monotonic_at_piece_boundaries() {
        for twos in 1..=5 {
            let at = (U256::from(LN_2 * twos) * U256::from(SALE_SUPPLY) / U256::from(U)).to::<u128>();
            for sold in at - 50..at + 50 {
                assert!(growth(sold) <= growth(sold + 1) && cost_up(sold) <= cost_up(sold + 1));
            }
        }
    }

    #[test]
    fn more_than_was_sold_is_refused() {
        let refused = sell(position_at(5), 6);
        assert_eq!(refused, Err(CurveError::SellExceedsSold { tokens: 6, sold: 5 }));
    }

    proptest! {
        #[test]
        fn sold_is_the_exact_maximum(budget in 0..TARGET) {
            let sold = sold_down(0, budget);
            prop_assert!(cost_up(sold) <= budget && cost_up(sold + 1) > budget);
        }

        #[test]
        fn least_gross_reaches_the_target(sold in 0..SALE_SUPPLY - 1_000_000_000, beyond in 0..TARGET) {
            let position = position_at(sold);
            let filled = buy(position, 2 * TARGET + beyond);
            prop_assert_eq!(filled.position_after, Position { sold: SALE_SUPPLY, contributions: TARGET });
            for less in 1..=40_u128.min(filled.cost) {
                prop_assert!(buy(position, filled.cost - less).position_after.contributions < TARGET);
            }
            prop_assert_eq!(buy(position, filled.cost).cost, filled.cost);
        }

        #[test]
        fn round_trip_never_profits(sold in 0..SALE_SUPPLY, gross in 0..2 * TARGET) {
            let bought = buy(position_at(sold), gross);
            let back = sell(bought.position_after, bought.tokens_out).expect("what was bought can be sold");
            prop_assert!(back.gross <= bought.cost - bought.fee);
        }
    }
}
