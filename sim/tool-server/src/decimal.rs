//! Converts decimal text to exact integers and back, without floating point.
use std::fmt;
use std::time::Duration;

use alloy::primitives::U256;

/// Decimal places of ether over wei.
pub(crate) const ETHER: usize = 18;
/// Decimal places of gwei over wei.
pub(crate) const GWEI: usize = 9;
/// Decimal places of a second over a millisecond.
const MILLISECOND: usize = 3;
/// Literals with a larger exponent are refused, because they would be expanded.
const MAX_EXPONENT: i32 = 400;

/// An amount of ether in its smallest unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Wei(pub(crate) U256);

impl fmt::Display for Wei {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, formatter)
    }
}

/// The reason why a text is not an exact amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum DecimalError {
    #[error("it is not a plain decimal number")]
    NotDecimal,
    #[error("it is negative")]
    Negative,
    #[error("it has more than {places} decimal places")]
    TooPrecise { places: usize },
    #[error("it is too large")]
    TooLarge,
}

/// A decimal number as an integer of the smallest unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Scaled {
    /// The largest integer that is not above the number.
    pub(crate) floor: u128,
    /// Whether the number is above that integer.
    pub(crate) inexact: bool,
    /// Whether the number is at least half a unit above that integer.
    rounds_up: bool,
}

impl Scaled {
    /// Reads `digits[.digits]` with a smallest unit of this many decimal places.
    pub(crate) fn parse(text: &str, places: usize) -> Result<Self, DecimalError> {
        if text.starts_with('-') {
            return Err(DecimalError::Negative);
        }
        let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
        let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        if !digits(whole) || !digits(fraction) {
            return Err(DecimalError::NotDecimal);
        }
        let (kept, rest) = fraction.split_at(places.min(fraction.len()));
        let floor = format!("{whole}{kept:0<places$}").parse().map_err(|_| DecimalError::TooLarge)?;
        Ok(Self {
            floor,
            inexact: rest.bytes().any(|digit| digit != b'0'),
            rounds_up: rest.as_bytes().first().is_some_and(|digit| *digit >= b'5'),
        })
    }

    /// The nearest integer; half a unit is rounded up.
    pub(crate) fn half_up(self) -> u128 {
        self.floor.saturating_add(u128::from(self.rounds_up))
    }
}

/// Reads `digits[.digits]` as an integer of the smallest unit. Numbers that need rounding are refused.
pub(crate) fn exact(text: &str, places: usize) -> Result<u128, DecimalError> {
    let scaled = Scaled::parse(text, places)?;
    if scaled.inexact { Err(DecimalError::TooPrecise { places }) } else { Ok(scaled.floor) }
}

/// Reads a number of seconds with at most millisecond precision.
pub(crate) fn seconds(text: &str) -> Option<Duration> {
    let milliseconds = exact(text, MILLISECOND).ok()?;
    Some(Duration::from_millis(milliseconds.try_into().ok()?))
}

/// Expands the exponent of a JSON number literal; `None` if the result would be absurdly long.
pub(crate) fn without_exponent(literal: &str) -> Option<String> {
    let (mantissa, exponent) = literal.split_once(['e', 'E']).unwrap_or((literal, "0"));
    let exponent: i32 = exponent.parse().ok().filter(|exponent: &i32| exponent.abs() <= MAX_EXPONENT)?;
    let (sign, mantissa) = mantissa.strip_prefix('-').map_or(("", mantissa), |rest| ("-", rest));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let point = i32::try_from(whole.len()).ok()? + exponent;
    let text = match usize::try_from(point) {
        Ok(point) if point >= digits.len() => format!("{digits:0<point$}"),
        Ok(point) if point > 0 => format!("{}.{}", &digits[..point], &digits[point..]),
        _ => format!("0.{}{digits}", "0".repeat(point.unsigned_abs() as usize)),
    };
    Some(format!("{sign}{text}"))
}

/// Formats an integer of the smallest unit as exact decimal text without trailing zeros.
pub(crate) fn format(amount: U256, places: usize) -> String {
    let digits = format!("{amount:0>width$}", amount = amount.to_string(), width = places + 1);
    let (whole, fraction) = digits.split_at(digits.len() - places);
    match fraction.trim_end_matches('0') {
        "" => whole.to_owned(),
        fraction => format!("{whole}.{fraction}"),
    }
}

/// Formats an amount as exact decimal text in ether.
pub(crate) fn ether(amount: Wei) -> String {
    format(amount.0, ETHER)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn json_literals_are_exact() {
        for (literal, wei) in [
            ("1", 1_000_000_000_000_000_000_u128),
            ("0.1", 100_000_000_000_000_000),
            ("4.999999999999999999", 4_999_999_999_999_999_999),
            ("0.30000000000000004", 300_000_000_000_000_040),
            ("1e-18", 1),
            ("12.5E-1", 1_250_000_000_000_000_000),
            ("0.05e+2", 5_000_000_000_000_000_000),
            ("5e0", 5_000_000_000_000_000_000),
            ("0", 0),
        ] {
            assert_eq!(exact(&without_exponent(literal).unwrap(), ETHER), Ok(wei), "{literal}");
        }
    }

    #[test]
    fn inexact_or_signed_text_is_refused() {
        assert_eq!(
            exact(&without_exponent("1e-19").unwrap(), ETHER),
            Err(DecimalError::TooPrecise { places: 18 })
        );
        assert_eq!(exact("-0.5", ETHER), Err(DecimalError::Negative));
        for text in ["1e3", "", "1.", ".5", " 1", "+1", "0x10", "1_000"] {
            assert_eq!(exact(text, ETHER), Err(DecimalError::NotDecimal), "{text}");
        }
        assert_eq!(exact(&"9".repeat(60), ETHER), Err(DecimalError::TooLarge));
        assert_eq!(without_exponent("1e999999999999"), None);
        assert_eq!(without_exponent("1e-500"), None);
    }

    #[test]
    fn rounding_is_half_up() {
        for (text, scaled, inexact) in [
            ("6", 60_000_u128, false),
            ("1.00005", 10_001, true),
            ("1.00004999", 10_000, true),
            ("20.99995", 210_000, true),
            ("1.50000000", 15_000, false),
        ] {
            let found = Scaled::parse(text, 4).unwrap();
            assert_eq!((found.half_up(), found.inexact), (scaled, inexact), "{text}");
        }
    }

    proptest! {
        #[test]
        fn format_and_exact_are_inverse(amount in any::<u128>(), places in 0_usize..=18) {
            prop_assert_eq!(exact(&format(U256::from(amount), places), places), Ok(amount));
        }
    }
}
