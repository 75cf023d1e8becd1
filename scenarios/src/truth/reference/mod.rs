//! Slow and plain models written from the statements of the interface alone, to judge amounts by; nothing here is fast.
pub mod curve;
pub(crate) mod exchange;
pub mod points;
pub mod v1;

use alloy::primitives::U256;
use num_bigint::{BigInt, Sign};

pub(crate) const ETHER: u64 = 1_000_000_000_000_000_000;

/// Some ether in wei.
pub(crate) fn ether(count: u64) -> U256 {
    U256::from(count) * U256::from(ETHER)
}

/// An amount as an integer without bounds.
pub fn integer(amount: U256) -> BigInt {
    BigInt::from_bytes_be(Sign::Plus, &amount.to_be_bytes::<32>())
}

/// An integer as an amount, where it is one.
pub fn amount(integer: &BigInt) -> Option<U256> {
    let (sign, bytes) = integer.to_bytes_be();
    (sign != Sign::Minus && bytes.len() <= 32).then(|| U256::from_be_slice(&bytes))
}

/// One part of so many, rounded down, but something.
pub fn part(whole: &BigInt, of: u32) -> BigInt {
    let part: BigInt = whole / of;
    part.max(BigInt::from(1))
}

/// The largest `x` in `low..=high` for which `holds`, which is true up to some point and false after it, and true at
/// `low`.
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
