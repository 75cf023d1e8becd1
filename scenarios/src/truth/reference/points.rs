//! Points by the specification: what wallets and referrers earn from chain activity, as exact fractions.
use alloy::primitives::{Address, U256};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Signed, Zero};

use super::integer;
use crate::model::figure::Figure;

/// Significant digits that an answer must preserve.
const DIGITS: u32 = 15;

/// Returns a trader's points for a volume in wei: one hundred per ether.
pub(crate) fn of_volume(wei: U256) -> BigRational {
    ether(wei) * whole(100)
}

/// Returns a creator's points for launches.
pub(crate) fn of_creations(count: u64) -> BigRational {
    whole(count * 100)
}

/// Returns a referrer's points for a milestone of a referral.
pub(crate) fn of_milestone() -> BigRational {
    whole(50)
}

/// Returns the referrer's share of a referral's points.
pub fn tenth(points: &BigRational) -> BigRational {
    points / BigInt::from(10)
}

/// Converts wei to ether.
pub fn ether(wei: U256) -> BigRational {
    BigRational::new(integer(wei), BigInt::from(10).pow(18))
}

/// Whether a shown number represents an exact one: equal in the first fifteen digits.
pub(crate) fn shows(shown: &Figure, exact: &BigRational) -> bool {
    let off = (shown.value() - exact).abs();
    off.is_zero() || off * BigInt::from(10).pow(DIGITS - 1) < exact.abs()
}

/// Returns the referral code of a wallet: its first five bytes in base 32.
pub fn referral_code(wallet: Address) -> String {
    const LETTERS: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    let bits = wallet.0[..5].iter().fold(0_u64, |bits, byte| bits << 8 | u64::from(*byte));
    let places = (0..8).rev().map(|place| usize::try_from(bits >> (place * 5) & 31).unwrap_or_default());
    format!("REF-{}", places.map(|place| char::from(LETTERS[place])).collect::<String>())
}

fn whole(count: u64) -> BigRational {
    BigRational::from_integer(count.into())
}

#[cfg(test)]
mod tests {
    use super::{of_creations, of_milestone, of_volume, shows, tenth};
    use crate::model::figure::Figure;
    use alloy::primitives::U256;

    #[test]
    fn points_match_specification() {
        let volume = of_volume(U256::from(1_234_567_890_123_456_789_u64));
        let cases = [
            ("12.3456789012345", tenth(&volume), true),
            ("12.3456789012", tenth(&volume), false),
            ("0", of_volume(U256::ZERO), true),
            ("1e-18", of_volume(U256::ZERO), false),
            ("50", of_milestone(), true),
            ("10", tenth(&of_creations(1)), true),
        ];
        for (text, exact, expected) in cases {
            assert_eq!(shows(&Figure::parse(text).unwrap(), &exact), expected, "{text}");
        }
    }
}
