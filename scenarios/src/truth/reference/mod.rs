//! Slow, simple models written from the interface's statements alone, to judge amounts by.
pub mod curve;
pub(crate) mod exchange;
pub mod points;
pub mod v1;

use alloy::primitives::U256;
use num_bigint::{BigInt, Sign};

pub(crate) const ETHER: u64 = 1_000_000_000_000_000_000;

/// Returns whole ether in wei.
pub(crate) fn ether(count: u64) -> U256 {
    U256::from(count) * U256::from(ETHER)
}

/// Converts an amount to an unbounded integer.
pub fn integer(amount: U256) -> BigInt {
    BigInt::from_bytes_be(Sign::Plus, &amount.to_be_bytes::<32>())
}

/// Converts an integer to an amount, if it fits.
pub fn amount(integer: &BigInt) -> Option<U256> {
    let (sign, bytes) = integer.to_bytes_be();
    (sign != Sign::Minus && bytes.len() <= 32).then(|| U256::from_be_slice(&bytes))
}

/// Returns one part in `of`, rounded down, but at least 1.
pub fn part(whole: &BigInt, of: u32) -> BigInt {
    let part: BigInt = whole / of;
    part.max(BigInt::from(1))
}

/// Returns the largest `x` in `low..=high` for which `holds` is true. It must be true at `low`, and must not become true again once it is
/// false.
fn last_holding(low: &BigInt, high: &BigInt, holds: impl Fn(&BigInt) -> bool) -> BigInt {
    let (mut low, mut high) = (low.clone(), high.clone());
    while low < high {
        let middle: BigInt = (&low + &high + 1) / 2;
        if holds(&middle) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    low
}
