//! Bounds of a figure as it may be shown: an exact value, or a range, cut or rounded at the last digit shown.
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};

use super::figure::Figure;

/// Fewest significant digits of a shown figure.
const DIGITS: i32 = 15;
/// Decimal places of a printed bound.
const PRINTED: u32 = 24;

/// The range of an exact figure, and the decimal place at which it may be cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Bounds {
    least: BigRational,
    most: BigRational,
    /// Decimal places that are kept whatever the size; `None` if only significant digits count.
    places: Option<i32>,
}

impl Bounds {
    pub(crate) fn exact(value: BigRational) -> Self {
        Self { least: value.clone(), most: value, places: None }
    }

    /// Creates bounds from two values in any order, both included.
    pub(crate) fn between(one: BigRational, other: BigRational) -> Self {
        let (least, most) = if one <= other { (one, other) } else { (other, one) };
        Self { least, most, places: None }
    }

    /// Also allows the figure to be cut at this decimal place: 18 for wei in ether.
    pub(crate) fn whole_at(self, places: i32) -> Self {
        Self { places: Some(places), ..self }
    }

    /// Converts to another unit at a positive rate.
    pub(crate) fn times(self, rate: &BigRational) -> Self {
        Self { least: self.least * rate, most: self.most * rate, ..self }
    }

    /// Whether a shown figure represents the value: off by less than one unit of the last digit.
    pub(crate) fn shown_by(&self, shown: &Figure) -> bool {
        let shown = shown.value();
        if *shown < self.least {
            &self.least - shown < self.last_digit(&self.least)
        } else if *shown > self.most {
            shown - &self.most < self.last_digit(&self.most)
        } else {
            true
        }
    }

    /// Returns the value of a one in the last shown digit of a figure; for zero, that of the last kept place, or zero.
    fn last_digit(&self, value: &BigRational) -> BigRational {
        let by_place = self.places.map_or_else(BigRational::zero, |places| power_of_ten(-places));
        if value.is_zero() {
            return by_place;
        }
        power_of_ten(magnitude(&value.abs()) - DIGITS + 1).max(by_place)
    }
}

impl std::fmt::Display for Bounds {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = |value: &BigRational| {
            let scaled = value.numer() * BigInt::from(10).pow(PRINTED);
            let digits = BigRational::new_raw(scaled, value.denom().clone()).round().to_integer();
            let sign = if digits.is_negative() { "-" } else { "" };
            let digits = format!("{:0>1$}", digits.magnitude().to_string(), PRINTED as usize + 1);
            let (whole, fraction) = digits.split_at(digits.len() - PRINTED as usize);
            format!("{sign}{whole}.{fraction}").trim_end_matches('0').trim_end_matches('.').to_owned()
        };
        if self.least == self.most {
            write!(formatter, "{}", text(&self.least))
        } else {
            write!(formatter, "{} to {}", text(&self.least), text(&self.most))
        }
    }
}

/// Returns the power of ten of the first digit.
fn magnitude(value: &BigRational) -> i32 {
    let bits = |number: &BigInt| i64::try_from(number.bits()).unwrap_or(i64::MAX);
    // log10(2) is between 0.30102 and 0.30103, so the estimate is off by at most one, which the loop corrects.
    let mut power =
        ((bits(value.numer()) - bits(value.denom())) * 30_103 / 100_000).to_i32().unwrap_or_default() - 1;
    while power_of_ten(power + 1) <= *value {
        power += 1;
    }
    while power_of_ten(power) > *value {
        power -= 1;
    }
    power
}

fn power_of_ten(power: i32) -> BigRational {
    let size = BigInt::from(10).pow(power.unsigned_abs());
    if power < 0 { BigRational::new_raw(BigInt::one(), size) } else { BigRational::from_integer(size) }
}

#[cfg(test)]
mod tests {
    use super::{Bounds, magnitude};
    use crate::model::figure::{Figure, rational};

    fn shows(shown: &str, exact: &str) -> bool {
        Bounds::exact(rational(exact).unwrap()).shown_by(&Figure::parse(shown).unwrap())
    }

    #[test]
    fn figures_hold_to_their_fifteenth_digit() {
        assert!(shows("13.7216837178867", "13.72168371788679"));
        assert!(shows("13.7216837178868", "13.72168371788679"));
        assert!(!shows("13.7216837178866", "13.72168371788679"));
        assert!(!shows("13.721683717886", "13.72168371788679"));
        assert!(shows("0", "0") && !shows("1e-30", "0"));
        assert!(shows("-0.5", "-0.5") && !shows("0.5", "-0.5"));
    }

    #[test]
    fn whole_wei_bounds_are_exact() {
        let bounds = Bounds::exact(rational("2.974110192266e-10").unwrap()).whole_at(18);
        assert!(bounds.shown_by(&Figure::parse("2.97411019e-10").unwrap()));
        assert!(!bounds.shown_by(&Figure::parse("2.97411017e-10").unwrap()));
    }

    #[test]
    fn magnitudes_are_exact_at_powers_of_ten() {
        for (text, power) in [("1", 0), ("0.999", -1), ("10", 1), ("1e-18", -18), ("9.99e20", 20)] {
            assert_eq!(magnitude(&rational(text).unwrap()), power, "{text}");
        }
    }
}
