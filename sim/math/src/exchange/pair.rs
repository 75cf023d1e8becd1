//! One pair: the two formulas of the router's library, to the last unit.
use crate::wide::mul_div_down;

/// The traded part of an input, of `FEE_DENOMINATOR`; the rest is the fee of the liquidity providers.
pub const FEE_NUMERATOR: u128 = 997;
/// The whole input.
pub const FEE_DENOMINATOR: u128 = 1_000;
/// The largest reserve of a token in a pair: its field has 112 bits.
pub const MAX_RESERVE: u128 = (1 << 112) - 1;

/// The output for `amount_in`, rounded down, like the library's `getAmountOut`.
///
/// `None` if the library reverts (zero input, an empty pair), and for amounts that no pair can hold.
#[inline(always)]
#[must_use]
pub const fn amount_out_down(amount_in: u128, reserve_in: u128, reserve_out: u128) -> Option<u128> {
    if amount_in == 0 || reserve_in == 0 || reserve_out == 0 {
        return None;
    }
    if amount_in > MAX_RESERVE || reserve_in > MAX_RESERVE || reserve_out > MAX_RESERVE {
        return None;
    }
    let trading = amount_in * FEE_NUMERATOR;
    match mul_div_down(trading, reserve_out, reserve_in * FEE_DENOMINATOR + trading) {
        Some((amount_out, _)) => Some(amount_out),
        None => None,
    }
}

/// The least input that yields `amount_out`.
///
/// `None` if the library reverts (zero output, an empty pair, more than the reserve), and for an input that no pair can hold.
#[inline]
#[must_use]
pub const fn least_amount_in_up(amount_out: u128, reserve_in: u128, reserve_out: u128) -> Option<u128> {
    match quotient_in(amount_out, reserve_in, reserve_out) {
        Some((quotient, true)) => Some(quotient),
        Some((quotient, false)) if quotient < MAX_RESERVE => Some(quotient + 1),
        _ => None,
    }
}

/// The router's charge for `amount_out`, like the library's `getAmountIn`: the quotient rounded down, plus one.
///
/// This is the least input, except if the division has no remainder: then the router charges one unit more. `None` if there is no least
/// input, or the additional unit is too much.
#[inline]
#[must_use]
pub const fn amount_in_up(amount_out: u128, reserve_in: u128, reserve_out: u128) -> Option<u128> {
    match quotient_in(amount_out, reserve_in, reserve_out) {
        Some((quotient, _)) if quotient < MAX_RESERVE => Some(quotient + 1),
        _ => None,
    }
}

/// The library's quotient for an output, and whether it has no remainder; at most what a pair can hold.
#[inline(always)]
const fn quotient_in(amount_out: u128, reserve_in: u128, reserve_out: u128) -> Option<(u128, bool)> {
    if amount_out == 0 || reserve_in == 0 || amount_out >= reserve_out {
        return None;
    }
    if reserve_in > MAX_RESERVE || reserve_out > MAX_RESERVE {
        return None;
    }
    let left = (reserve_out - amount_out) * FEE_NUMERATOR;
    match mul_div_down(reserve_in * FEE_DENOMINATOR, amount_out, left) {
        Some((quotient, exact)) if quotient <= MAX_RESERVE => Some((quotient, exact)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use alloy_primitives::U256;
    use proptest::prelude::*;

    use super::*;

    /// Amounts whose bit length is uniformly distributed, from 1 unit to the most a pair can hold.
    fn any_amount() -> impl Strategy<Value = u128> {
        (1..=MAX_RESERVE, 0_u32..112).prop_map(|(value, shift)| (value >> shift).max(1))
    }

    /// The library's formula unchanged, in 256 bits.
    fn library_amount_out(amount_in: u128, reserve_in: u128, reserve_out: u128) -> U256 {
        let trading = U256::from(amount_in) * U256::from(997);
        trading * U256::from(reserve_out) / (U256::from(reserve_in) * U256::from(1000) + trading)
    }

    fn library_amount_in(amount_out: u128, reserve_in: u128, reserve_out: u128) -> U256 {
        U256::from(reserve_in) * U256::from(amount_out) * U256::from(1000)
            / (U256::from(reserve_out - amount_out) * U256::from(997))
            + U256::ONE
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn output_agrees_with_the_library(amount in any_amount(), reserve_in in any_amount(), reserve_out in any_amount()) {
            let amount_out = amount_out_down(amount, reserve_in, reserve_out).expect("inside the range of a pair");
            prop_assert_eq!(U256::from(amount_out), library_amount_out(amount, reserve_in, reserve_out));
        }

        #[test]
        fn input_agrees_with_the_library(amount in any_amount(), reserve_in in any_amount(), reserve_out in any_amount()) {
            let answer = amount_in_up(amount, reserve_in, reserve_out);
            if amount >= reserve_out {
                prop_assert_eq!(answer, None);
            } else {
                let expected = library_amount_in(amount, reserve_in, reserve_out);
                prop_assert_eq!(answer, u128::try_from(expected).ok().filter(|input| *input <= MAX_RESERVE));
            }
        }

        #[test]
        fn input_is_the_least_that_buys(amount in any_amount(), reserve_in in any_amount(), reserve_out in any_amount()) {
            let Some(input) = least_amount_in_up(amount, reserve_in, reserve_out) else { return Ok(()) };
            prop_assert!(amount_out_down(input, reserve_in, reserve_out) >= Some(amount));
            prop_assert!(input == 1 || amount_out_down(input - 1, reserve_in, reserve_out) < Some(amount));
            let charged = amount_in_up(amount, reserve_in, reserve_out);
            prop_assert!(charged.is_none_or(|charged| charged == input || charged == input + 1));
        }

        #[test]
        fn small_pairs_by_brute_force(reserve_in in 1..50_u128, reserve_out in 2..30_u128, amount in 1..30_u128) {
            let least = (1..=2_000_u128).find(|input| amount_out_down(*input, reserve_in, reserve_out) >= Some(amount));
            let answer = least_amount_in_up(amount, reserve_in, reserve_out);
            prop_assert_eq!(answer.filter(|input| *input <= 2_000), least);
        }
    }

    #[test]
    fn exact_division_charges_one_extra_unit() {
        assert_eq!(amount_out_down(1, 997, 1_001), Some(1));
        assert_eq!((least_amount_in_up(1, 997, 1_001), amount_in_up(1, 997, 1_001)), (Some(1), Some(2)));
        assert_eq!(amount_out_down(1_000, 997, 2), Some(1));
        assert_eq!((least_amount_in_up(1, 997, 2), amount_in_up(1, 997, 2)), (Some(1_000), Some(1_001)));
    }

    #[test]
    fn nothing_and_too_much_are_refused() {
        assert_eq!(amount_out_down(0, 5, 5), None);
        assert_eq!(amount_out_down(5, 0, 5), None);
        assert_eq!(amount_out_down(5, 5, 0), None);
        assert_eq!(amount_out_down(MAX_RESERVE + 1, 5, 5), None);
        assert_eq!(amount_in_up(0, 5, 5), None);
        assert_eq!(amount_in_up(5, 5, 5), None);
        assert_eq!(amount_in_up(1, 0, 5), None);
        assert_eq!(amount_in_up(MAX_RESERVE - 1, MAX_RESERVE, MAX_RESERVE), None);
    }
}
