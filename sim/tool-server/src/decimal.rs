//! Exact integers from decimal text and back, without floating point.
use alloy::primitives::U256;

/// Decimal places of ether over wei.
pub(crate) const ETHER: usize = 18;
/// Decimal places of gwei over wei.
pub(crate) const GWEI: usize = 9;
/// Literals with a larger exponent are refused, because they would be written out.
const MAX_EXPONENT: i32 = 400;

/// Why a text is no exact amount.
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

/// Reads `digits[.digits]` as an integer of the smallest unit. What would need rounding is refused.
pub(crate) fn exact(text: &str, places: usize) -> Result<u128, DecimalError> {
    if text.starts_with('-') {
        return Err(DecimalError::Negative);
    }
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole) || !digits(fraction) {
        return Err(DecimalError::NotDecimal);
    }
    let fraction = fraction.trim_end_matches('0');
    if fraction.len() > places {
        return Err(DecimalError::TooPrecise { places });
    }
    format!("{whole}{fraction:0<places$}").parse().map_err(|_| DecimalError::TooLarge)
}

/// A JSON number literal without its exponent; `None` when that would be absurdly long.
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

/// Reads decimal text as an integer scaled by a power of ten, rounded half up.
pub(crate) fn rounded(text: &str, places: usize) -> Result<u128, DecimalError> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let kept: String = fraction.chars().take(places).collect();
    let floor = exact(&format!("{whole}.{kept:0<1}"), places)?;
    let up = fraction.as_bytes().get(places).is_some_and(|digit| *digit >= b'5');
    Ok(floor.saturating_add(u128::from(up)))
}

/// An integer of the smallest unit as exact decimal text without trailing zeros.
pub(crate) fn format(amount: U256, places: usize) -> String {
    let digits = format!("{amount:0>width$}", amount = amount.to_string(), width = places + 1);
    let (whole, fraction) = digits.split_at(digits.len() - places);
    match fraction.trim_end_matches('0') {
        "" => whole.to_owned(),
        fraction => format!("{whole}.{fraction}"),
    }
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
        assert_eq!(exact("1e3", ETHER), Err(DecimalError::NotDecimal));
        assert_eq!(exact("", ETHER), Err(DecimalError::NotDecimal));
        assert_eq!(exact("1.", ETHER), Err(DecimalError::NotDecimal));
        assert_eq!(exact(" 1", ETHER), Err(DecimalError::NotDecimal));
        assert_eq!(exact(&"9".repeat(60), ETHER), Err(DecimalError::TooLarge));
        assert_eq!(without_exponent("1e999999999999"), None);
        assert_eq!(without_exponent("1e-500"), None);
    }

    #[test]
    fn rounded_is_half_up() {
        for (text, scaled) in [
            ("6", 60_000_u128),
            ("1.00005", 10_001),
            ("1.00004999", 10_000),
            ("20.99995", 210_000),
            ("1.5", 15_000),
        ] {
            assert_eq!(rounded(text, 4), Ok(scaled), "{text}");
        }
    }

    proptest! {
        #[test]
        fn format_and_exact_are_inverse(amount in any::<u128>(), places in 0_usize..=18) {
            prop_assert_eq!(exact(&format(U256::from(amount), places), places), Ok(amount));
        }
    }
}
