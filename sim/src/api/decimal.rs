//! Decimal numbers in requests, read exactly: digits to a scaled integer, never through a float.
use alloy::primitives::U256;

/// Digits kept after the point.
const SCALE: u32 = 36;
/// Digits allowed before the point.
const WHOLE_DIGITS: usize = 40;
const LONGEST: usize = 80;

/// A number of at least zero, in units of 10^-36.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Decimal(U256);

/// The text is not a non-negative decimal number with at most 40 digits before and 36 after the point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a decimal number of at least zero with at most 40 digits before and 36 behind the point")]
pub struct NotDecimal;

impl Decimal {
    /// Exclusive upper bound of every number, as a JSON number.
    pub const ABOVE: f64 = 1e40;

    /// The number one.
    #[must_use]
    pub fn one() -> Self {
        Self(power_of_ten(SCALE))
    }

    /// A number in units of 10^-18.
    #[must_use]
    pub fn from_units(units: u128) -> Self {
        Self(U256::from(units) * power_of_ten(SCALE - 18))
    }

    /// The number in units of 10^-18, rounded up; saturates at the largest integer, which no figure reaches.
    #[must_use]
    pub fn units_up(self) -> u128 {
        self.0.div_ceil(power_of_ten(SCALE - 18)).try_into().unwrap_or(u128::MAX)
    }

    /// The number in units of 10^-18, rounded down; saturates likewise.
    #[must_use]
    pub fn units_down(self) -> u128 {
        (self.0 / power_of_ten(SCALE - 18)).try_into().unwrap_or(u128::MAX)
    }

    /// Reads `digits[.digits][e[sign]digits]`, the formats in which programs print a non-negative number.
    pub fn parse(text: &str) -> Result<Self, NotDecimal> {
        if text.len() > LONGEST {
            return Err(NotDecimal);
        }
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, parse_exponent(exponent)?),
            None => (text, 0),
        };
        let (whole, fraction) = match mantissa.split_once('.') {
            Some((whole, fraction)) if !fraction.is_empty() => (whole, fraction),
            Some(_) => return Err(NotDecimal),
            None => (mantissa, ""),
        };
        if whole.is_empty() || !whole.bytes().chain(fraction.bytes()).all(|byte| byte.is_ascii_digit()) {
            return Err(NotDecimal);
        }
        scaled(&format!("{whole}{fraction}"), fraction.len(), exponent)
    }
}

fn parse_exponent(text: &str) -> Result<i32, NotDecimal> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || digits.len() > 4 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(NotDecimal);
    }
    text.parse().map_err(|_| NotDecimal)
}

/// `digits · 10^(exponent - decimals)`.
fn scaled(digits: &str, decimals: usize, exponent: i32) -> Result<Decimal, NotDecimal> {
    let significant = digits.trim_start_matches('0');
    let stripped = significant.trim_end_matches('0');
    if stripped.is_empty() {
        return Ok(Decimal(U256::ZERO));
    }
    let length = |text: &str| i32::try_from(text.len()).map_err(|_| NotDecimal);
    let dropped = length(significant)? - length(stripped)?;
    let power = exponent - i32::try_from(decimals).map_err(|_| NotDecimal)? + dropped;
    let before_point = usize::try_from((length(stripped)? + power).max(0)).map_err(|_| NotDecimal)?;
    let shift = u32::try_from(power + 36).map_err(|_| NotDecimal)?;
    if before_point > WHOLE_DIGITS {
        return Err(NotDecimal);
    }
    let value = stripped.parse::<U256>().map_err(|_| NotDecimal)?;
    value.checked_mul(power_of_ten(shift)).map(Decimal).ok_or(NotDecimal)
}

fn power_of_ten(exponent: u32) -> U256 {
    U256::from(10).pow(U256::from(exponent))
}

#[cfg(test)]
mod tests {
    use super::Decimal;
    use proptest::prelude::{any, prop_assert, prop_assert_eq, proptest};

    #[test]
    fn printed_forms_parse() {
        let cases = [
            ("0", 0),
            ("1", 1_000_000_000_000_000_000),
            ("0.5", 500_000_000_000_000_000),
            ("007.250", 7_250_000_000_000_000_000),
            ("1e-18", 1),
            ("2.5E-17", 25),
            ("1.5e+1", 15_000_000_000_000_000_000),
            ("0e999", 0),
        ];
        for (text, units) in cases {
            assert_eq!(Decimal::parse(text), Ok(Decimal::from_units(units)), "{text}");
        }
        assert_eq!(Decimal::parse("1.0"), Ok(Decimal::one()));
    }

    #[test]
    fn malformed_decimals_are_refused() {
        let long = "1".repeat(200);
        let cases = [
            "", "-1", "+1", ".5", "5.", "1,5", "1 ", " 1", "NaN", "inf", "Infinity", "0x10", "1e", "1e+",
            "1e1.5", "1__0", "１", "1e41", "1e40", "1e-37", "1e99999", "1e-99999", "--1", "1.2.3", "\0",
            &long,
        ];
        for text in cases {
            assert!(Decimal::parse(text).is_err(), "{text:?}");
        }
        assert!(Decimal::parse("9999999999999999999999999999999999999999").is_ok());
        assert!(Decimal::parse("0.000000000000000000000000000000000001").is_ok());
    }

    #[test]
    fn decimals_beyond_float_precision_compare_exactly() {
        let low = Decimal::parse("0.1000000000000000000000000000000001").unwrap();
        let high = Decimal::parse("0.1000000000000000000000000000000002").unwrap();
        assert!(low < high);
    }

    proptest! {
        #[test]
        fn every_text_is_read_or_refused(text in "[0-9.eE+-]{0,50}") {
            _ = Decimal::parse(&text);
        }

        #[test]
        fn ordering_is_numeric(left in any::<u64>(), right in any::<u64>(), decimals in 0_usize..30) {
            let write = |value: u64| {
                let digits = format!("{value:0>width$}", width = decimals + 1);
                let (whole, fraction) = digits.split_at(digits.len() - decimals);
                if fraction.is_empty() { whole.to_owned() } else { format!("{whole}.{fraction}") }
            };
            let (left_read, right_read) = (Decimal::parse(&write(left)), Decimal::parse(&write(right)));
            prop_assert!(left_read.is_ok() && right_read.is_ok());
            prop_assert_eq!(left_read.unwrap().cmp(&right_read.unwrap()), left.cmp(&right));
        }
    }
}
