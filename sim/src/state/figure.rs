//! Numbers in answers: exact decimals cut to fifteen significant digits, so that the number shown, the number
//! sorted by and the number compared with a filter are the same, even after a round trip through a client's `f64`.
use alloy::primitives::{U256, U512};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};

/// Fixed-point scale of a figure: 10^18 units are one.
pub const ONE: u128 = 1_000_000_000_000_000_000;

/// Significant digits kept; any decimal with this many digits survives the round trip text, `f64`, text.
const DIGITS: u32 = 15;

/// A non-negative number in units of 10^-18, rounded down to fifteen significant digits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Figure(u128);

impl Figure {
    /// Converts an amount in units of 10^-18, for instance wei shown in ETH.
    #[must_use]
    pub fn of_units(units: u128) -> Self {
        let digits = units.checked_ilog10().map_or(1, |log| log + 1);
        if digits <= DIGITS {
            return Self(units);
        }
        Self(units - units % 10_u128.pow(digits - DIGITS))
    }

    /// `numerator / denominator`, rounded down; zero if the denominator is zero.
    #[must_use]
    pub fn of_ratio(numerator: u128, denominator: u128) -> Self {
        if denominator == 0 {
            return Self::default();
        }
        let units = U256::from(numerator) * U256::from(ONE) / U256::from(denominator);
        Self::of_units(saturated(units))
    }

    /// `100 · part / whole`, rounded down; zero if the whole is zero.
    #[must_use]
    pub fn of_percentage(part: u128, whole: u128) -> Self {
        if whole == 0 {
            return Self::default();
        }
        let units = U256::from(part) * U256::from(100 * ONE) / U256::from(whole);
        Self::of_units(saturated(units))
    }

    /// The figure in units of 10^-18.
    #[must_use]
    pub fn units(self) -> u128 {
        self.0
    }

    /// The nearest `f64`: both operands of the division are exact, so it is correctly rounded.
    #[expect(clippy::cast_precision_loss, reason = "fifteen digits and powers up to 10^22 are exact")]
    fn shown(self) -> f64 {
        let digits = self.0.checked_ilog10().map_or(1, |log| log + 1);
        let cut = digits.saturating_sub(DIGITS);
        let mantissa = (self.0 / 10_u128.pow(cut)) as f64;
        match 18_u32.checked_sub(cut) {
            Some(decimals) => mantissa / 10_u128.pow(decimals) as f64,
            None => mantissa * 10_u128.pow(cut - 18) as f64,
        }
    }
}

impl Serialize for Figure {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match u64::try_from(self.0 / ONE) {
            Ok(whole) if self.0.is_multiple_of(ONE) && whole < 1 << 53 => serializer.serialize_u64(whole),
            _ => serializer.serialize_f64(self.shown()),
        }
    }
}

impl JsonSchema for Figure {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Figure".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "number", "minimum": 0 })
    }
}

/// A relative change in percent, rounded towards zero to fifteen significant digits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Change {
    fell: bool,
    percent: Figure,
}

impl Change {
    /// The change from one price to another; zero if the first price is zero.
    #[must_use]
    pub fn between(before: u128, after: u128) -> Self {
        Self { fell: after < before, percent: Figure::of_percentage(after.abs_diff(before), before) }
    }

    /// Whether it is a decrease, and its size in percent.
    #[must_use]
    pub fn parts(self) -> (bool, Figure) {
        (self.fell, self.percent)
    }
}

impl Serialize for Change {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.fell && self.percent != Figure::default() {
            serializer.serialize_f64(-self.percent.shown())
        } else {
            self.percent.serialize(serializer)
        }
    }
}

/// The value, saturated at the largest `u128`.
#[must_use]
pub fn saturated(value: U256) -> u128 {
    u128::try_from(value).unwrap_or(u128::MAX)
}

/// The price in a v4 pool, in quote units per `tokens` token units, rounded down, saturating.
///
/// `sqrt_price_x96` is the square root of currency 1 per currency 0, with 96 fractional bits.
#[must_use]
pub fn pool_value_down(sqrt_price_x96: U256, token_is_first: bool, tokens: u128) -> u128 {
    let square = U512::from(sqrt_price_x96) * U512::from(sqrt_price_x96);
    let one = U512::from(1) << 192;
    let value = if token_is_first {
        (square * U512::from(tokens)) >> 192
    } else if square.is_zero() {
        U512::MAX
    } else {
        one * U512::from(tokens) / square
    };
    u128::try_from(value).unwrap_or(u128::MAX)
}

#[cfg(test)]
mod tests {
    use super::{Change, Figure, ONE, pool_value_down};
    use alloy::primitives::U256;
    use proptest::prelude::{any, prop_assert_eq, proptest};

    fn text(figure: Figure) -> String {
        serde_json::to_string(&figure).unwrap()
    }

    #[test]
    fn figures_are_written_as_short_numbers() {
        let cases = [
            (0, "0"),
            (ONE, "1"),
            (ONE / 2, "0.5"),
            (1, "1e-18"),
            (123_456_789_012_345_678_901, "123.456789012345"),
            (999_999_999_999_999_999, "0.999999999999999"),
            (12 * ONE, "12"),
            (2_345_678_901, "2.345678901e-9"),
        ];
        for (units, shown) in cases {
            assert_eq!(text(Figure::of_units(units)), shown, "{units}");
        }
    }

    #[test]
    fn progress_is_one_only_when_full() {
        assert_eq!(text(Figure::of_ratio(5, 5)), "1");
        assert_eq!(text(Figure::of_ratio(1, 3)), "0.333333333333333");
        assert_eq!(text(Figure::of_ratio(ONE - 1, ONE)), "0.999999999999999");
    }

    #[test]
    fn change_has_no_negative_zero() {
        assert_eq!(serde_json::to_string(&Change::between(200, 150)).unwrap(), "-25.0");
        assert_eq!(serde_json::to_string(&Change::between(200, 300)).unwrap(), "50");
        assert_eq!(serde_json::to_string(&Change::between(0, 300)).unwrap(), "0");
        assert_eq!(serde_json::to_string(&Change::between(u128::MAX, u128::MAX - 1)).unwrap(), "0");
    }

    #[test]
    fn pool_price_is_orientation_independent() {
        // 1 quote unit per 100 token units: the square root of the price is 1/10 or 10.
        let (low, high) = ((U256::from(1) << 96) / U256::from(10), U256::from(10) << 96);
        assert_eq!(pool_value_down(high, false, ONE), ONE / 100);
        assert!(ONE / 100 - pool_value_down(low, true, ONE) <= 1);
        assert_eq!(pool_value_down(U256::ZERO, false, 1), u128::MAX);
    }

    proptest! {
        #[test]
        fn stored_figure_equals_displayed_figure(units in any::<u128>(), shift in 0_u32..128) {
            let figure = Figure::of_units(units >> shift);
            let shown: f64 = text(figure).parse().unwrap();
            let reread = format!("{shown:e}");
            let (mantissa, exponent) = reread.split_once('e').unwrap();
            let decimals = mantissa.split_once('.').map_or(0, |(_, rest)| rest.len());
            let digits: u128 = mantissa.replace('.', "").parse().unwrap();
            let power = exponent.parse::<i32>().unwrap() - i32::try_from(decimals).unwrap() + 18;
            let kept = if power >= 0 {
                digits * 10_u128.pow(power.unsigned_abs())
            } else {
                digits / 10_u128.pow(power.unsigned_abs())
            };
            prop_assert_eq!(kept, figure.units());
        }
    }
}
