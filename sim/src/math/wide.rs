//! Arithmetic wider than a machine word: products and quotients that leave 128 bits, and an exact square root.
use alloy::primitives::{U256, Uint};

/// An integer of 320 bits: every product of the curve fits.
pub(crate) type U320 = Uint<320, 5>;

const LOW: u128 = u64::MAX as u128;

/// The full product, as its high and low halves.
#[inline]
pub(crate) const fn product(left: u128, right: u128) -> (u128, u128) {
    let (left_high, left_low) = (left >> 64, left & LOW);
    let (right_high, right_low) = (right >> 64, right & LOW);
    let low = left_low * right_low;
    let middle = left_high * right_low + (low >> 64);
    let cross = left_low * right_high + (middle & LOW);
    (
        left_high * right_high + (middle >> 64) + (cross >> 64),
        (cross << 64) | (low & LOW),
    )
}

/// The floor of `left * right / divisor` and whether it is exact; none when the divisor is zero or the result exceeds 128 bits.
#[inline]
pub(crate) const fn mul_div_down(left: u128, right: u128, divisor: u128) -> Option<(u128, bool)> {
    if divisor == 0 {
        return None;
    }
    let (high, low) = product(left, right);
    if high == 0 {
        // One division: a second one for the rest would cost as much again.
        let quotient = low / divisor;
        return Some((quotient, quotient * divisor == low));
    }
    if high >= divisor {
        return None;
    }
    let (quotient, rest) = divide(high, low, divisor);
    Some((quotient, rest == 0))
}

/// Quotient and rest of a 256-bit number by a divisor that is larger than its high half.
#[inline]
const fn divide(high: u128, low: u128, divisor: u128) -> (u128, u128) {
    let shift = divisor.leading_zeros();
    let divisor = divisor << shift;
    let high = if shift == 0 {
        high
    } else {
        (high << shift) | (low >> (128 - shift))
    };
    let low = low << shift;
    let (upper, rest) = divide_digit(high, low >> 64, divisor);
    let (lower, rest) = divide_digit(rest, low & LOW, divisor);
    ((upper << 64) | lower, rest >> shift)
}

/// One 64-bit digit of the quotient: `rest` and the next digit by a divisor whose top bit is set.
#[inline]
const fn divide_digit(rest: u128, next: u128, divisor: u128) -> (u128, u128) {
    let (divisor_high, divisor_low) = (divisor >> 64, divisor & LOW);
    let mut digit = rest / divisor_high;
    let mut left = rest % divisor_high;
    while digit > LOW || digit * divisor_low > ((left << 64) | next) {
        digit -= 1;
        left += divisor_high;
        if left > LOW {
            break;
        }
    }
    (
        digit,
        ((rest << 64) | next).wrapping_sub(digit.wrapping_mul(divisor)),
    )
}

/// The largest integer whose square is at most `value`.
#[inline]
pub(crate) fn square_root_down(value: U256) -> u128 {
    let [word0, word1, word2, word3] = *value.as_limbs();
    if word2 == 0 && word3 == 0 {
        return join(word1, word0).isqrt();
    }
    let high = join(word3, word2);
    let shift = high.leading_zeros() & !1;
    let low = join(word1, word0);
    let high = if shift == 0 {
        high
    } else {
        (high << shift) | (low >> (128 - shift))
    };
    square_root_of_normal(high, low << shift) >> (shift / 2)
}

/// The square root of a 256-bit number of which one of the two top bits is set, by halves.
#[inline]
fn square_root_of_normal(high: u128, low: u128) -> u128 {
    let root = high.isqrt();
    let rest = high - root * root;
    let next = low >> 64;
    let halved = (rest << 63) | (next >> 1);
    let digit = halved / root;
    let left = ((halved - digit * root) << 1) | (next & 1);
    // `digit` can reach 2^64; the sum then carries into the upper half, and the correction below takes it back.
    let candidate = (root << 64).wrapping_add(digit);
    let (left_high, left_low) = (left >> 64, (left << 64) | (low & LOW));
    let (square_high, square_low) = (digit >> 64, (digit & LOW) * (digit & LOW));
    if (left_high, left_low) < (square_high, square_low) {
        candidate.wrapping_sub(1)
    } else {
        candidate
    }
}

#[inline]
const fn join(high: u64, low: u64) -> u128 {
    ((high as u128) << 64) | low as u128
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Integers whose number of bits is spread evenly.
    fn any_size() -> impl Strategy<Value = u128> {
        (any::<u128>(), 0_u32..128).prop_map(|(value, shift)| value >> shift)
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
        #[test]
        fn product_over_divisor_agrees_with_256_bits(left in any_size(), right in any_size(), divisor in any_size()) {
            let full = U256::from(left) * U256::from(right);
            let expected = (divisor != 0)
                .then(|| full.div_rem(U256::from(divisor)))
                .and_then(|(quotient, rest)| Some((u128::try_from(quotient).ok()?, rest.is_zero())));
            prop_assert_eq!(mul_div_down(left, right, divisor), expected);
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
        for value in [
            U256::ZERO,
            U256::ONE,
            U256::MAX,
            U256::MAX - U256::ONE,
            U256::ONE << 255,
            U256::ONE << 128,
        ] {
            check_root(value);
        }
        assert_eq!(
            mul_div_down(u128::MAX, u128::MAX, u128::MAX),
            Some((u128::MAX, true))
        );
        assert_eq!(mul_div_down(u128::MAX, 2, 1), None);
        assert_eq!(mul_div_down(1, 1, 0), None);
    }
}
