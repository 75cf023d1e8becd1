//! Values in files that people write: exact decimals, and durations.
use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::{Deserializer, Error, Visitor};

/// Decimal places of a [`Quantity`].
const PLACES: usize = 18;
const ONE: u128 = 1_000_000_000_000_000_000;

/// A non-negative number with at most 18 decimal places; written as an integer, or as text such as `"0.25"`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Quantity(u128);

impl Quantity {
    /// A whole number.
    #[must_use]
    pub const fn of_whole(whole: u32) -> Self {
        Self(whole as u128 * ONE)
    }

    /// A number in units of 10^-18.
    #[must_use]
    pub const fn of_atto(atto: u128) -> Self {
        Self(atto)
    }

    /// The number in units of 10^-18.
    #[must_use]
    pub const fn atto(self) -> u128 {
        self.0
    }

    /// The number in units of this many decimal places; `None` if it has more places.
    #[must_use]
    pub fn units(self, decimals: u8) -> Option<u128> {
        let finer = PLACES.checked_sub(usize::from(decimals))?;
        let scale = 10_u128.pow(u32::try_from(finer).ok()?);
        self.0.is_multiple_of(scale).then(|| self.0 / scale)
    }

    /// This many hundredths of a whole, rounded down; `None` if they exceed 128 bits.
    #[must_use]
    pub fn percent_of_down(self, whole: u128) -> Option<u128> {
        let part = alloy::primitives::U256::from(whole) * alloy::primitives::U256::from(self.0);
        (part / alloy::primitives::U256::from(100 * ONE)).try_into().ok()
    }

    fn parse(text: &str) -> Option<Self> {
        let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
        let are_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if !are_digits(whole) || !are_digits(part) || part.len() > PLACES {
            return None;
        }
        let part: u128 = format!("{part:0<PLACES$}").parse().ok()?;
        whole.parse::<u128>().ok()?.checked_mul(ONE)?.checked_add(part).map(Self)
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let part = format!("{:0>PLACES$}", self.0 % ONE);
        match part.trim_end_matches('0') {
            "" => write!(formatter, "{}", self.0 / ONE),
            part => write!(formatter, "{}.{part}", self.0 / ONE),
        }
    }
}

/// A duration; written as seconds, or as text such as `"3h"` with `s`, `m`, `h` or `d`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span(u64);

impl Span {
    /// A duration of this many seconds.
    #[must_use]
    pub const fn of_seconds(seconds: u64) -> Self {
        Self(seconds)
    }

    /// The duration in seconds.
    #[must_use]
    pub const fn seconds(self) -> u64 {
        self.0
    }

    fn parse(text: &str) -> Option<Self> {
        let unit = match text.chars().last()? {
            's' => 1,
            'm' => 60,
            'h' => 60 * 60,
            'd' => 24 * 60 * 60,
            _ => return None,
        };
        let number = &text[..text.len() - 1];
        let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        number.parse::<u64>().ok().filter(|_| is_number)?.checked_mul(unit).map(Self)
    }
}

/// Reads an integer or a text.
struct Written<T> {
    expected: &'static str,
    number: fn(u64) -> Option<T>,
    text: fn(&str) -> Option<T>,
}

impl<T> Visitor<'_> for Written<T> {
    type Value = T;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.expected)
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<T, E> {
        (self.number)(number).ok_or_else(|| E::invalid_value(serde::de::Unexpected::Unsigned(number), &self))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<T, E> {
        let read = u64::try_from(number).ok().and_then(self.number);
        read.ok_or_else(|| E::invalid_value(serde::de::Unexpected::Signed(number), &self))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        (self.text)(text).ok_or_else(|| E::invalid_value(serde::de::Unexpected::Str(text), &self))
    }
}

impl<'de> Deserialize<'de> for Quantity {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Written {
            expected: "an integer, or a decimal as text such as \"0.25\", with at most 18 places",
            number: |number| u128::from(number).checked_mul(ONE).map(Self),
            text: Self::parse,
        })
    }
}

impl<'de> Deserialize<'de> for Span {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Written {
            expected: "seconds, or a time as text such as \"90s\", \"5m\", \"3h\" or \"2d\"",
            number: |seconds| Some(Self(seconds)),
            text: Self::parse,
        })
    }
}

impl JsonSchema for Quantity {
    fn schema_name() -> Cow<'static, str> {
        "Quantity".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A number that is not negative: an integer, or a decimal as text with at most 18 places.",
            "anyOf": [
                { "type": "integer", "minimum": 0 },
                { "type": "string", "pattern": "^[0-9]+(\\.[0-9]{1,18})?$" },
            ],
        })
    }
}

impl JsonSchema for Span {
    fn schema_name() -> Cow<'static, str> {
        "Span".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A length of time: seconds, or a number with s, m, h or d as text.",
            "anyOf": [
                { "type": "integer", "minimum": 0 },
                { "type": "string", "pattern": "^[0-9]+[smhd]$" },
            ],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Quantity, Span};

    #[test]
    fn decimals_are_exact() {
        for (text, atto) in [
            ("0", Some(0)),
            ("2", Some(2_000_000_000_000_000_000)),
            ("0.25", Some(250_000_000_000_000_000)),
            ("99.9", Some(99_900_000_000_000_000_000)),
            ("0.000000000000000001", Some(1)),
            ("340282366920938463463.374607431768211455", Some(u128::MAX)),
            ("340282366920938463463.374607431768211456", None),
            ("0.0000000000000000001", None),
            ("", None),
            (".5", None),
            ("5.", None),
            ("-1", None),
            ("+1", None),
            ("1e3", None),
            ("1_000", None),
        ] {
            assert_eq!(Quantity::parse(text).map(Quantity::atto), atto, "{text}");
        }
        assert_eq!(Quantity::parse("1.50").unwrap().to_string(), "1.5");
        assert_eq!(Quantity::parse("1.5").unwrap().units(1), Some(15));
        assert_eq!(Quantity::parse("1.55").unwrap().units(1), None);
        assert_eq!(Quantity::parse("99.9").unwrap().percent_of_down(1_001), Some(999));
    }

    #[test]
    fn spans_are_seconds_or_have_a_unit() {
        for (text, seconds) in [
            ("90s", Some(90)),
            ("5m", Some(300)),
            ("3h", Some(10_800)),
            ("2d", Some(172_800)),
            ("0s", Some(0)),
            ("5", None),
            ("h", None),
            ("", None),
            ("-1h", None),
            ("+1h", None),
            ("1.5h", None),
            ("3é", None),
            ("18446744073709551615d", None),
        ] {
            assert_eq!(Span::parse(text).map(Span::seconds), seconds, "{text}");
        }
    }
}
