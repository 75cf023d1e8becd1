//! What a trade can gain at most, as a logarithm: cheap sums that tell which routes need no exact amount. It decides nothing
//! that exact amounts have to decide.
use std::ops::Add;

/// Places behind the point of a logarithm.
const PLACES: u32 = 12;
/// The logarithm of 997/1000, rounded up.
const FEE_UP: i32 = -17;

/// The logarithm to the base 2 of a positive amount, between two bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Logarithm {
    down: i32,
    up: i32,
}

impl Logarithm {
    /// None of nothing.
    pub(super) fn of(amount: u128) -> Option<Self> {
        let whole = amount.checked_ilog2()?;
        // A number from one to two, in 64 bits; every square of it gives one more place.
        let mut number = (amount << (127 - whole)) >> 64;
        let mut down = whole;
        for _ in 0..PLACES {
            let square = number * number;
            down = (down << 1) | u32::from(square >> 127 == 1);
            number = square >> (63 + (square >> 127));
        }
        let down = i32::try_from(down).expect("seven places before the point and twelve behind it");
        // What is cut off from the number and its squares is far less than one in the last place.
        Some(Self { down, up: down + 2 })
    }
}

/// The most by which a trade multiplies an amount, as a logarithm: the price of a trade of no size, less the fee.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Gain(i32);

impl Gain {
    /// Less than any sum of gains.
    pub(super) const LEAST: Self = Self(i32::MIN);
    /// Of a pair that holds nothing; three of them can be added.
    pub(super) const NONE: Self = Self(i32::MIN / 4);

    /// That of a pair, by the logarithms of what it holds.
    pub(super) fn of_pair(reserve_in: Option<Logarithm>, reserve_out: Option<Logarithm>) -> Self {
        match (reserve_in, reserve_out) {
            (Some(into), Some(out)) => Self(out.up - into.down + FEE_UP),
            _ => Self::NONE,
        }
    }

    /// What an input has to gain to become an output; a route of less never yields as much, nor for as little.
    pub(super) fn needed(amount_in: Option<Logarithm>, amount_out: Option<Logarithm>) -> Self {
        match (amount_in, amount_out) {
            (Some(from), Some(to)) => Self(to.down - from.up),
            _ => Self::LEAST,
        }
    }
}

impl Add for Gain {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::math::exchange::{MAX_RESERVE, amount_out_down, least_amount_in_up};

    fn needed(amount_in: u128, amount_out: u128) -> Gain {
        Gain::needed(Logarithm::of(amount_in), Logarithm::of(amount_out))
    }

    fn any_amount() -> impl Strategy<Value = u128> {
        (1..=MAX_RESERVE, 0_u32..112).prop_map(|(value, shift)| (value >> shift).max(1))
    }

    #[test]
    fn logarithms_are_tight_around_powers_of_two() {
        for power in 0..128 {
            let whole = power << PLACES;
            let exact = Logarithm::of(1 << power).expect("not nothing");
            assert_eq!(exact.down, whole);
            let below = Logarithm::of((1_u128 << power) - 1);
            assert!(below.is_none_or(|below| below.down < whole), "{power}");
        }
        assert_eq!(Logarithm::of(0), None);
        // 3^16 is 43,046,721: a logarithm of 25.3594 by another way.
        let sixteen = Logarithm::of(43_046_721).expect("not nothing");
        let one = Logarithm::of(3).expect("not nothing");
        assert!((16 * one.down..=16 * one.up).contains(&sixteen.down));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]

        #[test]
        fn no_trade_gains_more(amount in any_amount(), near in any_amount(), far in any_amount()) {
            let gain = Gain::of_pair(Logarithm::of(near), Logarithm::of(far));
            if let Some(out) = amount_out_down(amount, near, far).filter(|out| *out > 0) {
                prop_assert!(gain >= needed(amount, out));
            }
            if let Some(input) = least_amount_in_up(amount, near, far) {
                prop_assert!(gain >= needed(input, amount));
            }
        }

        #[test]
        fn logarithm_is_monotonic(one in any_amount(), other in any_amount()) {
            let (less, more) = (Logarithm::of(one.min(other)), Logarithm::of(one.max(other)));
            prop_assert!(less.map(|less| less.down) <= more.map(|more| more.down));
        }
    }
}
