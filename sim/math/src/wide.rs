//! Arithmetic wider than a machine word: products and quotients beyond 128 bits, and an exact square root.
use alloy_primitives::{U256, Uint};

/// An integer of 320 bits: every product of the curve fits.
pub(crate) type U320 = Uint<320, 5>;

const LOW: u128 = u64::MAX as u128;

// Quotients are always inlined: as calls, they take half as long again.

/// The full product, as its high and low halves.
#[inline(always)]
#[must_use]
pub const fn product(left: u128, right: u128) -> (u128, u128) {
    let (left_high, left_low) = (left >> 64, left & LOW);
    let (right_high, right_low) = (right >> 64, right & LOW);
    let low = left_low * right_low;
    let middle = left_high * right_low + (low >> 64);
    let cross = left_low * right_high + (middle & LOW);
    (left_high * right_high + (middle >> 64) + (cross >> 64), (cross << 64) | (low & LOW))
}

/// The product of a wide number and a factor, truncated to 256 bits.
#[inline(always)]
#[must_use]
pub fn times(value: U256, factor: u128) -> U256 {
    let [word0, word1, word2, word3] = *value.as_limbs();
    let (carried, low) = product(join(word1, word0), factor);
    let high = join(word3, word2).wrapping_mul(factor).wrapping_add(carried);
    U256::from_limbs([low_word(low), high_word(low), low_word(high), high_word(high)])
}

/// The floor of `left * right / divisor`, and whether it is exact; `None` if the divisor is zero or the result exceeds 128 bits.
#[inline(always)]
pub(crate) const fn mul_div_down(left: u128, right: u128, divisor: u128) -> Option<(u128, bool)> {
    let (high, low) = product(left, right);
    if high >= divisor {
        return None;
    }
    let (quotient, rest) = divide(high, low, divisor);
    Some((quotient, rest == 0))
}

/// Quotient and remainder of a 256-bit number, given a divisor larger than its high half.
///
/// A quotient of one digit costs one machine division, any other costs two; nothing is shifted further than necessary.
#[inline(always)]
const fn divide(high: u128, low: u128, divisor: u128) -> (u128, u128) {
    let top = high_word(divisor);
    if top == 0 {
        let rest = join(low_word(high), high_word(low));
        let upper = rest / divisor;
        let rest = join(low_word(rest - upper * divisor), low_word(low));
        let lower = rest / divisor;
        return ((upper << 64) | lower, rest - lower * divisor);
    }
    let shift = top.leading_zeros();
    let divisor = divisor << shift;
    let word3 = shifted(high_word(high), low_word(high), shift);
    let word2 = shifted(low_word(high), high_word(low), shift);
    let word1 = shifted(high_word(low), low_word(low), shift);
    let word0 = low_word(low) << shift;
    let rest = join(word2, word1);
    if word3 == 0 && rest < divisor {
        let (quotient, rest) = divide_digit(rest, word0, divisor);
        return (quotient as u128, rest >> shift);
    }
    let (upper, rest) = divide_digit(join(word3, word2), word1, divisor);
    let (lower, rest) = divide_digit(rest, word0, divisor);
    (join(upper, lower), rest >> shift)
}

/// One digit of the quotient: `rest` and the next word, given a divisor larger than `rest` with its top bit set.
#[inline(always)]
const fn divide_digit(rest: u128, next: u64, divisor: u128) -> (u64, u128) {
    let divisor_high = high_word(divisor);
    let (digit, left) = if high_word(rest) < divisor_high {
        let digit = low_word(rest / divisor_high as u128);
        (digit, low_word(rest).wrapping_sub(digit.wrapping_mul(divisor_high)))
    } else {
        // The largest digit; its remainder fits one word, or the digit is correct.
        match low_word(rest).overflowing_add(divisor_high) {
            (left, false) => (u64::MAX, left),
            (_, true) => return largest_digit(rest, next, divisor),
        }
    };
    let (left, taken) = (join(left, next), digit as u128 * low_word(divisor) as u128);
    if left >= taken {
        return (digit, left - taken);
    }
    // The estimate from the upper words alone is at most two too large.
    match left.wrapping_sub(taken).overflowing_add(divisor) {
        (left, true) => (digit - 1, left),
        (left, false) => (digit - 2, left.wrapping_add(divisor)),
    }
}

/// The quotient step for the largest digit, if that digit is correct.
#[cold]
const fn largest_digit(rest: u128, next: u64, divisor: u128) -> (u64, u128) {
    let taken = divisor.wrapping_mul(u64::MAX as u128);
    (u64::MAX, join(low_word(rest), next).wrapping_sub(taken))
}

/// The upper word of two after a left shift by fewer than 64 bits.
#[inline(always)]
const fn shifted(upper: u64, lower: u64, shift: u32) -> u64 {
    (upper << shift) | ((lower >> 1) >> (63 - shift))
}

#[inline]
const fn high_word(value: u128) -> u64 {
    (value >> 64) as u64
}

#[inline]
#[expect(clippy::cast_possible_truncation, reason = "the lower half is asked for")]
const fn low_word(value: u128) -> u64 {
    value as u64
}

/// The floor of `value / divisor`, by means of `(2^128 - 1) / divisor`; the divisor is not zero.
#[inline(always)]
#[must_use]
pub const fn quotient_down(value: u128, divisor: u128, inverse: u128) -> u128 {
    let (mut quotient, _) = product(value, inverse);
    let mut rest = value - quotient * divisor;
    while rest >= divisor {
        rest -= divisor;
        quotient += 1;
    }
    quotient
}

/// The largest integer whose square is at most `value`.
#[inline]
#[must_use]
pub fn square_root_down(value: U256) -> u128 {
    let [word0, word1, word2, word3] = *value.as_limbs();
    if word2 == 0 && word3 == 0 {
        return join(word1, word0).isqrt();
    }
    let high = join(word3, word2);
    let shift = high.leading_zeros() & !1;
    let low = join(word1, word0);
    let high = if shift == 0 { high } else { (high << shift) | (low >> (128 - shift)) };
    square_root_of_normal(high, low << shift) >> (shift / 2)
}

/// The square root of a 256-bit number with one of its two top bits set, computed in halves.
#[inline]
fn square_root_of_normal(high: u128, low: u128) -> u128 {
    let root = high.isqrt();
    let rest = high - root * root;
    let next = low >> 64;
    let halved = (rest << 63) | (next >> 1);
    let digit = halved / root;
    let left = ((halved - digit * root) << 1) | (next & 1);
    // `digit` can reach 2^64; the sum then carries into the upper half, and the correction below undoes it.
    let candidate = (root << 64).wrapping_add(digit);
    let (left_high, left_low) = (left >> 64, (left << 64) | (low & LOW));
    let (square_high, square_low) = (digit >> 64, (digit & LOW) * (digit & LOW));
    if (left_high, left_low) < (square_high, square_low) { candidate.wrapping_sub(1) } else { candidate }
}

#[inline]
const fn join(high: u64, low: u64) -> u128 {
    ((high as u128) << 64) | low as u128
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Integers whose bit length is uniformly distributed.
    fn any_size() -> impl Strategy<Value = u128> {
        (any::<u128>(), 0_u32..128).prop_map(|(value, shift)| value >> shift)
    }

    /// Numbers whose words are all ones, all zeros or one bit off: where the estimate of a quotient digit is wrong.
    fn at_an_edge() -> impl Strategy<Value = u128> {
        let word =
            || prop_oneof![Just(0), Just(1), Just(u64::MAX), Just(u64::MAX - 1), Just(1 << 63), any::<u64>()];
        (word(), word(), 0_u32..64).prop_map(|(high, low, shift)| join(high, low) >> shift)
    }

    fn check_root(value: U256) {
        let root = U256::from(square_root_down(value));
        assert!(root * root <= value, "{value}");
        if root < U256::from(u128::MAX) {
            let next = root + U256::ONE;
            assert!(next * next > value, "{value}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]

        #[test]
        fn product_over_divisor_agrees_with_256_bits(
            left in prop_oneof![any_size(), at_an_edge()],
            right in prop_oneof![any_size(), at_an_edge()],
            divisor in prop_oneof![any_size(), at_an_edge()],
        ) {
            let full = U256::from(left) * U256::from(right);
            let expected = (divisor != 0)
                .then(|| full.div_rem(U256::from(divisor)))
                .and_then(|(quotient, rest)| Some((u128::try_from(quotient).ok()?, rest.is_zero())));
            prop_assert_eq!(mul_div_down(left, right, divisor), expected);
        }

        #[test]
        fn quotient_and_rest_agree_with_256_bits(
            high in prop_oneof![any_size(), at_an_edge()],
            low in at_an_edge(),
            divisor in prop_oneof![any_size(), at_an_edge()],
        ) {
            prop_assume!(divisor > 0);
            let high = high % divisor;
            let full: U256 = (U256::from(high) << 128) | U256::from(low);
            let (quotient, rest) = divide(high, low, divisor);
            prop_assert_eq!((U256::from(quotient), U256::from(rest)), full.div_rem(U256::from(divisor)));
        }

        #[test]
        fn product_with_a_factor_leaves_out_what_exceeds_256_bits(
            high in prop_oneof![any_size(), at_an_edge()],
            low in prop_oneof![any_size(), at_an_edge()],
            factor in prop_oneof![any_size(), at_an_edge()],
        ) {
            let value: U256 = (U256::from(high) << 128) | U256::from(low);
            prop_assert_eq!(times(value, factor), value.wrapping_mul(U256::from(factor)));
        }

        #[test]
        fn quotient_by_an_inverse_is_the_quotient(value in prop_oneof![any_size(), at_an_edge()], divisor in 1..u128::MAX) {
            for divisor in [divisor, divisor >> 64, divisor >> 110, 1] {
                if divisor > 0 {
                    prop_assert_eq!(quotient_down(value, divisor, u128::MAX / divisor), value / divisor);
                }
            }
        }

        #[test]
        fn root_is_the_largest_that_fits(high in any_size(), low in any::<u128>()) {
            check_root((U256::from(high) << 128) | U256::from(low));
        }

        #[test]
        fn root_around_a_square(root in any_size()) {
            let square = U256::from(root) * U256::from(root);
            prop_assert_eq!(square_root_down(square), root);
            if root > 0 {
                prop_assert_eq!(square_root_down(square - U256::ONE), root - 1);
            }
        }
    }

    #[test]
    fn extremes() {
        for value in
            [U256::ZERO, U256::ONE, U256::MAX, U256::MAX - U256::ONE, U256::ONE << 255, U256::ONE << 128]
        {
            check_root(value);
        }
        assert_eq!(mul_div_down(u128::MAX, u128::MAX, u128::MAX), Some((u128::MAX, true)));
        assert_eq!(mul_div_down(u128::MAX, 2, 1), None);
        assert_eq!(mul_div_down(1, 1, 0), None);
    }
}
