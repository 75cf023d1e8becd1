//! Numbers exactly as they were written: rationals parsed from decimal text, never binary floats.
use std::fmt;

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};
use serde_json::Value;

use crate::model::moment;

/// Larger exponents occur in no market and would only cost memory.
const LARGEST_EXPONENT: i64 = 400;

/// A number with its original text.
#[derive(Clone)]
pub(crate) struct Figure {
    text: String,
    value: BigRational,
}

/// Prints the text, as in a report.
impl fmt::Debug for Figure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

impl Figure {
    /// Parses a JSON number or a decimal string; `None` if the text is not a number.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        Some(Self { value: rational(text)?, text: text.to_owned() })
    }

    /// Returns the midpoint of two figures.
    pub(crate) fn between(one: &Self, other: &Self) -> Self {
        Self::of((&one.value + &other.value) / BigInt::from(2))
    }

    /// Creates a figure of a value with a finite decimal expansion.
    pub(crate) fn of(value: BigRational) -> Self {
        Self { text: decimal_text(&value), value }
    }

    pub(crate) fn whole(value: u64) -> Self {
        Self::of(BigRational::from_integer(BigInt::from(value)))
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn value(&self) -> &BigRational {
        &self.value
    }

    /// Returns the value of a one in the last digit of the text: a hundredth for `1.25`, `1e-10` for `12e-10`.
    pub(crate) fn last_place(&self) -> BigRational {
        let (mantissa, exponent) = self.text.split_once(['e', 'E']).unwrap_or((&self.text, "0"));
        let places = mantissa.split_once('.').map_or(0, |(_, fraction)| fraction.trim_end_matches('0').len());
        rational(&format!(
            "1e{}",
            exponent.parse::<i64>().unwrap_or_default() - i64::try_from(places).unwrap_or_default()
        ))
        .unwrap_or_else(BigRational::one)
    }

    /// Whether two texts show the same value: the shorter one may be cut or rounded, to at least two significant digits, and trailing zeros
    /// of a fraction may be left out. The number of digits is the service's choice.
    pub(crate) fn shows_the_same(&self, other: &Self) -> bool {
        let unit = self.last_place().max(other.last_place());
        let smaller = self.value.abs().min(other.value.abs());
        let apart = (&self.value - &other.value).abs();
        let is_fraction = !self.value.is_integer() || !other.value.is_integer();
        let without_zeros = is_fraction && &apart * BigInt::from(10).pow(9) <= smaller;
        let is_shortened = apart < unit && unit * BigInt::from(10) <= smaller;
        self == other || is_shortened || without_zeros
    }

    /// Returns the value as a count, if it is one.
    pub(crate) fn count(&self) -> Option<u64> {
        self.value.is_integer().then(|| self.value.to_integer().to_u64())?
    }
}

impl PartialEq for Figure {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl Eq for Figure {}

impl PartialOrd for Figure {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Figure {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.value.cmp(&other.value)
    }
}

/// Returns the exact value of a JSON number or decimal string; `None` for anything else.
pub(crate) fn decimal(value: &Value) -> Option<BigRational> {
    match value {
        Value::Number(number) => rational(&number.to_string()),
        _ => None,
    }
}

/// Parses the exact value of a decimal text, for example `-12.5e-3`.
pub(crate) fn rational(text: &str) -> Option<BigRational> {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i64>().ok()?),
        None => (text, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let exponent = exponent - i64::try_from(fraction.len()).ok()?;
    let all = format!("{whole}{fraction}");
    if exponent.abs() > LARGEST_EXPONENT {
        return None;
    }
    // Trailing zeros of a fraction.
    let zeros = all.len() - all.trim_end_matches('0').len();
    let spare = zeros.min(usize::try_from(-exponent).unwrap_or_default()).min(all.len().saturating_sub(1));
    let digits: BigInt = all[..all.len() - spare].parse().ok()?;
    let exponent = exponent + i64::try_from(spare).ok()?;
    let power = BigInt::from(10).pow(u32::try_from(exponent.abs()).ok()?);
    Some(if digits.is_zero() {
        BigRational::zero()
    } else if exponent < 0 {
        // Common factors of two and five may remain: they change no comparison, and the value is never whole.
        BigRational::new_raw(digits, power)
    } else {
        BigRational::from_integer(digits * power)
    })
}

/// Whether a text is an amount in smallest units: decimal digits without sign, leading zero or exponent.
pub(crate) fn is_smallest_unit(text: &str) -> bool {
    !text.is_empty()
        && text.bytes().all(|byte| byte.is_ascii_digit())
        && (text == "0" || !text.starts_with('0'))
}

/// Returns the plain decimal digits of a value whose denominator has only the prime factors 2 and 5.
pub(crate) fn decimal_text(value: &BigRational) -> String {
    let (above, below) = (value.numer().abs(), value.denom());
    let sign = if value.is_negative() { "-" } else { "" };
    let mut text = format!("{sign}{}", &above / below);
    let mut rest = above % below;
    for place in 0..1_000 {
        if rest.is_zero() {
            break;
        }
        rest *= 10;
        text.push_str(if place == 0 { "." } else { "" });
        text.push_str(&(&rest / below).to_string());
        rest %= below;
    }
    text
}

/// Whether two JSON texts are equal; ignores the letter case of addresses and hashes, a number may have fewer digits than the other, and
/// a moment another spelling.
pub(crate) fn says_the_same(one: &str, other: &str) -> bool {
    if let Some((one, other)) = Figure::parse(one).zip(Figure::parse(other)) {
        return one.shows_the_same(&other);
    }
    let value = |text: &str| serde_json::from_str::<Value>(text).ok();
    let digits = |value: &Value| value.as_str()?.strip_prefix("0x").map(str::to_lowercase);
    let time = |value: &Value| moment::nanoseconds(value.as_str()?);
    match (value(one), value(other)) {
        (Some(one), Some(other)) => {
            one == other
                || digits(&one).zip(digits(&other)).is_some_and(|(one, other)| one == other)
                || time(&one).zip(time(&other)).is_some_and(|(one, other)| one == other)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::{Figure, is_smallest_unit, rational, says_the_same};

    #[test]
    fn escapes_letter_case_fewer_digits_and_spellings_of_a_moment_say_the_same() {
        for (one, other) in [
            ("8.87261222005831", "8.87261222006"),
            ("0.0499999999999999", "0.05"),
            (r#""2026-03-04T11:41:30Z""#, r#""2026-03-04T12:41:30.000+01:00""#),
            ("1.25", "1.250"),
            ("1.25", "1.2"),
            ("0.000000012", "1.2e-8"),
            ("\"0xAB\"", "\"0xab\""),
            (r#""\u00dcber""#, "\"Über\""),
            ("null", "null"),
        ] {
            assert!(says_the_same(one, other), "{one} {other}");
            assert!(says_the_same(other, one), "{other} {one}");
        }
        for (one, other) in [
            ("8.87261222005831", "8.8726124"),
            ("0.0499999", "0.05"),
            ("1764000000", "1764000001"),
            ("1.25", "1.4"),
            ("0.5", "1"),
            ("0.5", "0"),
            ("null", "\"\""),
            ("true", "false"),
            ("\"0xab\"", "\"0xac\""),
            ("\"AB\"", "\"ab\""),
        ] {
            assert!(!says_the_same(one, other), "{one} {other}");
        }
    }

    #[test]
    fn reports_show_the_text() {
        assert_eq!(format!("{:?}", Some(Figure::parse("0.50").unwrap())), "Some(0.50)");
    }

    #[test]
    fn parses_exact_values() {
        assert_eq!(rational("1.50"), rational("15e-1"));
        assert_eq!(rational("2E3"), rational("2000"));
        assert_eq!(rational("-0.25"), rational("-25e-2"));
        for text in ["5.0", "50e-1", "-0", "-0.00", "0e-5", "12e2", "1000000.000"] {
            assert!(rational(text).unwrap().is_integer(), "{text}");
        }
        for text in ["0.5", "5e-1", "-1.50", "100e-3", "0.25"] {
            assert!(!rational(text).unwrap().is_integer(), "{text}");
        }
        for text in ["", "abc", "-", ".", "1e999999", "0x10", "1.2.3", "NaN"] {
            assert_eq!(rational(text), None, "{text}");
        }
    }

    #[test]
    fn midpoint_is_exact_decimal() {
        let (low, high) = (Figure::parse("1e-7").unwrap(), Figure::parse("0.3").unwrap());
        let middle = Figure::between(&low, &high);
        assert_eq!(middle.text(), "0.15000005");
        assert!(low < middle && middle < high);
        assert_eq!(Figure::whole(12).text(), "12");
    }

    #[test]
    fn last_place_follows_digits_and_exponent() {
        for (text, place) in
            [("1.25", "0.01"), ("12e-10", "1e-10"), ("1.250", "0.01"), ("7", "1"), ("1.5E3", "100")]
        {
            assert_eq!(Some(Figure::parse(text).unwrap().last_place()), rational(place), "{text}");
        }
    }

    #[test]
    fn smallest_unit_syntax() {
        assert!(is_smallest_unit("0") && is_smallest_unit("120"));
        for text in ["", "-1", "+1", "01", "1e3", "1.0", " 1", "0x1"] {
            assert!(!is_smallest_unit(text), "{text}");
        }
    }
}
