//! Units as types: amounts, shares and identifiers that must not be mistaken for one another. Leaves out the curve and every rounding rule.

use std::fmt;
use std::str::FromStr;

use alloy::primitives::{U256, U512};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// An amount of the quote asset in its smallest unit (for native ether: wei). JSON: a decimal string.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Wei(pub U256);

/// An amount of a launched token in its smallest unit (18 decimals). JSON: a decimal string.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tokens(pub u128);

/// A share in hundredths of a percent; 10000 is the whole. JSON: a number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Bps(pub u16);

/// The number a launch has on its hook; the first is 1. JSON: a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct LaunchId(pub u64);

/// The number of a chain as EIP-155 writes it. JSON: a number.
///
/// Clause: CH-ID
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ChainId(pub u64);

/// A decimal number was expected and something else was found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a decimal number of {unit} in range")]
pub struct ParseAmountError {
    /// What was found.
    pub text: String,
    /// The unit that was expected.
    pub unit: &'static str,
}

impl Wei {
    /// Nothing.
    pub const ZERO: Self = Self(U256::ZERO);
    /// One whole unit of an asset with 18 decimals.
    pub const ETHER: Self = Self(U256::from_limbs([1_000_000_000_000_000_000, 0, 0, 0]));

    /// The sum, or `None` when it exceeds 256 bits.
    #[must_use]
    pub fn checked_add(self, other: Self) -> Option<Self> {
        self.0.checked_add(other.0).map(Self)
    }

    /// The difference, or `None` when it would be negative.
    #[must_use]
    pub fn checked_sub(self, other: Self) -> Option<Self> {
        self.0.checked_sub(other.0).map(Self)
    }
}

impl Tokens {
    /// Nothing.
    pub const ZERO: Self = Self(0);
    /// One whole token.
    pub const ONE: Self = Self(1_000_000_000_000_000_000);
    /// The whole supply of every launch: a thousand million whole tokens.
    pub const SUPPLY: Self = Self(1_000_000_000_000_000_000_000_000_000);

    /// The sum, or `None` when it exceeds 128 bits.
    #[must_use]
    pub fn checked_add(self, other: Self) -> Option<Self> {
        self.0.checked_add(other.0).map(Self)
    }

    /// The difference, or `None` when it would be negative.
    #[must_use]
    pub fn checked_sub(self, other: Self) -> Option<Self> {
        self.0.checked_sub(other.0).map(Self)
    }

    /// The same amount as the chain writes it.
    #[must_use]
    pub fn to_u256(self) -> U256 {
        U256::from(self.0)
    }
}

impl Bps {
    /// The whole: one hundred percent.
    pub const WHOLE: Self = Self(10_000);

    /// This share of `amount`, rounded down; `None` when the share of a huge amount by more than the whole exceeds 256 bits.
    #[must_use]
    pub fn share_down(self, amount: Wei) -> Option<Wei> {
        let product: U512 = amount.0.widening_mul(U256::from(self.0));
        let share = product / U512::from(Self::WHOLE.0);
        U256::checked_from_limbs_slice(share.as_limbs()).map(Wei)
    }
}

impl ChainId {
    /// The chain with native ether as quote asset and with the exchange.
    pub const PRIMARY: Self = Self(57_073);
    /// The chain with tokenized stocks.
    pub const SECOND: Self = Self(4_663);
    /// Both chains, the primary first.
    pub const ALL: [Self; 2] = [Self::PRIMARY, Self::SECOND];
}

impl From<Tokens> for U256 {
    fn from(amount: Tokens) -> Self {
        amount.to_u256()
    }
}

impl TryFrom<U256> for Tokens {
    type Error = ParseAmountError;

    fn try_from(amount: U256) -> Result<Self, Self::Error> {
        u128::try_from(amount)
            .map(Self)
            .map_err(|_| ParseAmountError { text: amount.to_string(), unit: "tokens" })
    }
}

impl TryFrom<U256> for LaunchId {
    type Error = ParseAmountError;

    fn try_from(id: U256) -> Result<Self, Self::Error> {
        u64::try_from(id).map(Self).map_err(|_| ParseAmountError { text: id.to_string(), unit: "launch" })
    }
}

impl From<LaunchId> for U256 {
    fn from(id: LaunchId) -> Self {
        Self::from(id.0)
    }
}

impl FromStr for Wei {
    type Err = ParseAmountError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        decimal(text, "wei", |digits| U256::from_str_radix(digits, 10).ok().map(Self))
    }
}

impl FromStr for Tokens {
    type Err = ParseAmountError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        decimal(text, "tokens", |digits| digits.parse().ok().map(Self))
    }
}

/// Only digits count: no sign, no separator, no radix prefix, not empty.
fn decimal<T>(
    text: &str,
    unit: &'static str,
    read: impl FnOnce(&str) -> Option<T>,
) -> Result<T, ParseAmountError> {
    let plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| read(text)).flatten().ok_or_else(|| ParseAmountError { text: text.to_owned(), unit })
}

macro_rules! shown_as_inner {
    ($($unit:ty),*) => {$(
        impl fmt::Display for $unit {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.0, formatter)
            }
        }
    )*};
}

macro_rules! json_decimal_string {
    ($($unit:ty),*) => {$(
        impl Serialize for $unit {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $unit {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
            }
        }
    )*};
}

shown_as_inner!(Wei, Tokens, Bps, LaunchId, ChainId);
json_decimal_string!(Wei, Tokens);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_decimal_strings_in_json() {
        let json = serde_json::to_string(&(Wei::ETHER, Tokens::SUPPLY, Bps(5_000), LaunchId(1))).unwrap();
        assert_eq!(json, r#"["1000000000000000000","1000000000000000000000000000",5000,1]"#);
        let back: (Wei, Tokens, Bps, LaunchId) = serde_json::from_str(&json).unwrap();
        assert_eq!(back, (Wei::ETHER, Tokens::SUPPLY, Bps(5_000), LaunchId(1)));
    }

    #[test]
    fn only_plain_digits_are_amounts() {
        for text in
            ["", "-1", "+1", "1.0", "0x10", "1_000", " 1", "1e3", "340282366920938463463374607431768211456"]
        {
            assert!(text.parse::<Tokens>().is_err(), "{text}");
        }
        assert!("1_000".parse::<Wei>().is_err());
        assert_eq!(U256::MAX.to_string().parse::<Wei>(), Ok(Wei(U256::MAX)));
        assert!(format!("{}0", U256::MAX).parse::<Wei>().is_err());
    }

    #[test]
    fn arithmetic_refuses_to_wrap() {
        assert_eq!(Wei(U256::MAX).checked_add(Wei(U256::from(1))), None);
        assert_eq!(Wei::ZERO.checked_sub(Wei(U256::from(1))), None);
        assert_eq!(Tokens(u128::MAX).checked_add(Tokens(1)), None);
        assert_eq!(Tokens::ZERO.checked_sub(Tokens(1)), None);
        assert_eq!(Bps(100).share_down(Wei(U256::from(199))), Some(Wei(U256::from(1))));
        assert_eq!(Bps::WHOLE.share_down(Wei(U256::MAX)), Some(Wei(U256::MAX)));
        assert_eq!(Bps(10_001).share_down(Wei(U256::MAX)), None);
    }
}
