//! Numbers and times for people: a few digits, rounded down, with the exact value on hover and for the clipboard.
//!
//! `assets/number.js` formats amounts and balances in the same way.
use alloy::primitives::U256;
use maud::{Markup, html};

use super::amount::{DECIMALS, exact};
use crate::api::figure::{Change, Figure, ONE};
use crate::api::schema::instant;

/// Significant digits of a number below 1,000; of a larger one, the whole part is written in full.
const SIGNIFICANT: usize = 4;
/// Decimal places that a balance has at least, so that a small payment changes what is shown of a large balance.
const OF_BALANCE: usize = 4;
/// Whole parts with at least this many digits are written with a power of ten.
const LONG: usize = 16;
/// From this many zeros after the point on, zeros are counted instead of written.
const ZEROS: usize = 4;

/// An amount rounded down to four significant digits: `1,234`, `0.05`, `0.0₉6367`, `1.157×10⁵⁹`.
pub(in crate::services) fn short(units: U256, decimals: u8) -> String {
    written(units, decimals, 0)
}

/// An amount with the digits of [`short`] and at least this many decimal places.
fn written(units: U256, decimals: u8, least_places: usize) -> String {
    let digits = units.to_string().len();
    let decimals = usize::from(decimals);
    if digits >= decimals + LONG {
        let power = digits - 1 - decimals;
        let mantissa = exact(cut(units, digits - SIGNIFICANT), 3);
        return format!("{mantissa}×10{}", small(power, SUPERSCRIPTS));
    }
    // Decimal places needed for the significant digits.
    let places = (decimals + SIGNIFICANT).saturating_sub(digits).max(least_places).min(decimals);
    let text = exact(cut(units, decimals - places), u8::try_from(places).unwrap_or(u8::MAX));
    let (whole, part) = text.split_once('.').unwrap_or((&text, ""));
    let rest = part.trim_start_matches('0');
    let zeros = part.len() - rest.len();
    let whole = grouped(whole);
    match part {
        "" => whole,
        _ if whole == "0" && zeros >= ZEROS => format!("0.0{}{rest}", small(zeros, SUBSCRIPTS)),
        part => format!("{whole}.{part}"),
    }
}

const SUBSCRIPTS: [char; 10] = ['₀', '₁', '₂', '₃', '₄', '₅', '₆', '₇', '₈', '₉'];
const SUPERSCRIPTS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];

fn small(number: usize, digits: [char; 10]) -> String {
    number.to_string().bytes().map(|digit| digits[usize::from(digit - b'0')]).collect()
}

/// Powers of ten with their suffixes, largest first.
const SIGNS: [(usize, &str); 3] = [(12, "T"), (9, "B"), (6, "M")];

/// An amount for a button or an axis: from a million on three significant digits and a suffix, `3.5 M`; otherwise like [`short`].
pub(in crate::services) fn compact(units: U256, decimals: u8) -> String {
    let whole = units.to_string().len().saturating_sub(usize::from(decimals));
    if !(7..LONG).contains(&whole) {
        return short(units, decimals);
    }
    let digits = units.to_string().len();
    let three = cut(units, digits - 3) * U256::from(10).pow(U256::from(digits - 3));
    let (power, sign) = SIGNS.into_iter().find(|(power, _)| whole > *power).unwrap_or((0, ""));
    let places = u8::try_from(usize::from(decimals) + power).unwrap_or(u8::MAX);
    format!("{} {sign}", exact(three, places))
}

/// `units / 10^places`, rounded down.
fn cut(units: U256, places: usize) -> U256 {
    units / U256::from(10).pow(U256::from(places))
}

/// `units / 10^places`, rounded to nearest.
fn rounded(units: U256, places: usize) -> U256 {
    let unit = U256::from(10).pow(U256::from(places));
    let (whole, rest) = units.div_rem(unit);
    if rest >= unit - rest { whole + U256::from(u8::from(!rest.is_zero())) } else { whole }
}

/// Digits with a comma between thousands.
pub(in crate::services) fn grouped(digits: &str) -> String {
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number that shows its exact value on hover and copies it when clicked.
pub(in crate::services) fn number(units: U256, decimals: u8) -> Markup {
    html! { data value=(units) title=(exact(units, decimals)) { (short(units, decimals)) } }
}

/// What an account has, with at least four decimal places: `9,998.6902`.
pub(in crate::services) fn balance(units: U256, decimals: u8) -> Markup {
    html! { data value=(units) title=(exact(units, decimals)) { (written(units, decimals, OF_BALANCE)) } }
}

/// A count with thousands separators.
pub(in crate::services) fn count(number: u64) -> Markup {
    html! { data value=(number) { (grouped(&number.to_string())) } }
}

/// A fraction in percent with two decimal places, rounded down: only the whole shows as 100 %.
pub(super) fn percent_down(part: Figure) -> String {
    let hundredths = part.units() / (ONE / 10_000);
    format!("{}.{:02} %", hundredths / 100, hundredths % 100)
}

/// A change in percent with its sign and colour.
pub(super) fn change(change: Change) -> Markup {
    let (fell, percent) = change.parts();
    let units = U256::from(percent.units());
    let (sign, value_sign, class) = match (fell, units.is_zero()) {
        (_, true) => ("", "", "still"),
        (true, false) => ("−", "-", "fell"),
        (false, false) => ("+", "", "rose"),
    };
    let exact = exact(units, DECIMALS);
    html! {
        data.(class) value={ (value_sign) (exact) } title={ (sign) (exact) " %" } { (sign) (percent_near(percent)) }
    }
}

/// Percent to the nearest hundredth; without decimal places from 1,000 on.
pub(super) fn percent_near(percent: Figure) -> String {
    let units = U256::from(percent.units());
    let hundredths = rounded(units, 16);
    if hundredths.is_zero() && !units.is_zero() {
        return "<0.01 %".to_owned();
    }
    let places = if hundredths < U256::from(100_000) { 2 } else { 0 };
    let text = exact(rounded(units, 18 - usize::from(places)), places);
    let (whole, part) = text.split_once('.').unwrap_or((&text, ""));
    match places {
        0 => format!("{} %", grouped(whole)),
        _ => format!("{}.{part:0<2} %", grouped(whole)),
    }
}

/// A time of the platform's clock.
pub(in crate::services) fn moment(seconds: u64) -> Markup {
    let text = instant(seconds).0.to_string();
    html! { time datetime=(text) { (text) } }
}

/// A day in UTC.
pub(super) fn day(seconds: u64) -> Markup {
    let text = instant(seconds).0.to_string();
    let day = text.split('T').next().unwrap_or_default();
    html! { time datetime=(day) { (day) } }
}

/// A decimal number, possibly followed by text, with commas between thousands.
pub(super) fn separated(amount: &str) -> String {
    let whole = amount.bytes().take_while(u8::is_ascii_digit).count();
    format!("{}{}", grouped(&amount[..whole]), &amount[whole..])
}

/// A time relative to now, with the exact one in its title.
pub(in crate::services) fn ago(seconds: u64, now: u64) -> Markup {
    let text = instant(seconds).0.to_string();
    html! { time datetime=(text) title=(text) { (distance(seconds, now)) } }
}

/// The distance of a time from now, in the largest unit that fits.
fn distance(seconds: u64, now: u64) -> String {
    const UNITS: [(u64, &str); 4] = [(86_400, "d"), (3_600, "h"), (60, "min"), (1, "s")];
    let far = now.abs_diff(seconds);
    let Some((unit, name)) = UNITS.iter().find(|(unit, _)| far >= *unit) else { return "now".to_owned() };
    let text = format!("{} {name}", grouped(&(far / unit).to_string()));
    if seconds > now { format!("in {text}") } else { format!("{text} ago") }
}

#[cfg(test)]
mod tests {
    use alloy::primitives::U256;

    use super::{change, compact, distance, grouped, percent_down, percent_near, separated, short, written};
    use crate::api::figure::{Change, Figure, ONE};

    #[test]
    fn thousands_of_exact_amounts_are_separated() {
        for (text, separated_text) in [
            ("29149524.7992821 CETHI", "29,149,524.7992821 CETHI"),
            ("0.0001 ETH", "0.0001 ETH"),
            ("1234", "1,234"),
            ("x 1234", "x 1234"),
            ("", ""),
        ] {
            assert_eq!(separated(text), separated_text);
        }
    }

    #[test]
    fn amounts_are_cut_to_four_significant_digits() {
        for (units, text) in [
            (0, "0"),
            (1, "0.0₁₇1"),
            (636_713_936, "0.0₉6367"),
            (5_000_000_000, "0.0₈5"),
            (99_999_000_000_000, "0.0₄9999"),
            (99_990_000_000_000, "0.0₄9999"),
            (123_456_000_000_000, "0.0001234"),
            (49_999_999_999_999_900, "0.04999"),
            (999_949_999_999_999_999, "0.9999"),
            (ONE - 1, "0.9999"),
            (ONE, "1"),
            (ONE + 1, "1"),
            (12_345 * (ONE / 10_000), "1.234"),
            (999_949 * (ONE / 1_000), "999.9"),
            (999_950 * (ONE / 1_000), "999.9"),
            (1_000 * ONE, "1,000"),
            (25_876_218_852_687_511_851_964_339, "25,876,218"),
            (1_000_000_000 * ONE, "1,000,000,000"),
            (999_999_999_999_999 * ONE, "999,999,999,999,999"),
            (1_000_000_000_000_000 * ONE, "1×10¹⁵"),
        ] {
            assert_eq!(short(U256::from(units), 18), text, "{units}");
        }
        assert_eq!(short(U256::MAX, 18), "1.157×10⁵⁹");
        assert_eq!(short(U256::MAX, 0), "1.157×10⁷⁷");
        assert_eq!(short(U256::from(7), 0), "7");
        assert_eq!(short(U256::from(1_234_567), 6), "1.234");
        assert_eq!(short(U256::from(1), 6), "0.0₅1");
        assert_eq!(short(U256::from(12_345), 0), "12,345");
    }

    #[test]
    fn a_balance_shows_what_a_small_payment_changes() {
        let balance = |units: u128, decimals| written(U256::from(units), decimals, super::OF_BALANCE);
        for (units, text) in [
            (0, "0"),
            (10_000 * ONE, "10,000"),
            (9_999_919_970_000_000_000_000, "9,999.9199"),
            (9_998_690_299_000_000_000_000, "9,998.6902"),
            (10_000 * ONE - 1, "9,999.9999"),
            (113_909_630_764_751_827_551_273_725, "113,909,630.7647"),
            (1_234_567_000_000_000_000, "1.2345"),
            (636_713_936, "0.0₉6367"),
            (1_000_000_000_000_000 * ONE, "1×10¹⁵"),
        ] {
            assert_eq!(balance(units, 18), text, "{units}");
        }
        assert_eq!(balance(1_234_567_899, 6), "1,234.5678");
        assert_eq!(balance(1_234, 2), "12.34");
        assert_eq!(balance(7, 0), "7");
    }

    #[test]
    fn large_amounts_have_three_digits_and_a_sign() {
        for (units, text) in [
            (0, "0"),
            (50_000_000_000_000_000, "0.05"),
            (999_999 * ONE, "999,999"),
            (1_000_000 * ONE, "1 M"),
            (3_504_999 * ONE, "3.5 M"),
            (3_509_999 * ONE, "3.5 M"),
            (3_510_000 * ONE, "3.51 M"),
            (999_999_999 * ONE, "999 M"),
            (1_000_000_000 * ONE, "1 B"),
            (12_345_678_901_234 * ONE, "12.3 T"),
            (1_000_000_000_000_000 * ONE, "1×10¹⁵"),
        ] {
            assert_eq!(compact(U256::from(units), 18), text, "{units}");
        }
        assert_eq!(compact(U256::from(2_500_000), 0), "2.5 M");
    }

    #[test]
    fn thousands_are_apart() {
        for (digits, text) in [("1", "1"), ("123", "123"), ("1234", "1,234"), ("1234567", "1,234,567")] {
            assert_eq!(grouped(digits), text);
        }
    }

    #[test]
    fn percent_is_rounded_down() {
        assert_eq!(percent_down(Figure::of_ratio(1, 3)), "33.33 %");
        assert_eq!(percent_down(Figure::of_ratio(99_999_999, 100_000_000)), "99.99 %");
        assert_eq!(percent_down(Figure::of_ratio(5, 5)), "100.00 %");
    }

    #[test]
    fn changes_have_a_sign_and_two_digits() {
        let shown = |before, after| change(Change::between(before, after)).into_string();
        assert_eq!(shown(100, 100), "<data class=\"still\" value=\"0\" title=\"0 %\">0.00 %</data>");
        assert_eq!(shown(100, 150), "<data class=\"rose\" value=\"50\" title=\"+50 %\">+50.00 %</data>");
        assert_eq!(shown(3, 2), shown(3, 2).replace('+', "−"));
        assert!(shown(3, 2).contains(">−33.33 %<") && shown(3, 2).contains("value=\"-33.3"));
        assert_eq!(percent_near(Figure::of_percentage(1, 1_000_000)), "<0.01 %");
        assert_eq!(percent_near(Figure::of_percentage(99_999, 10_000)), "999.99 %");
        assert_eq!(percent_near(Figure::of_percentage(999_999, 100_000)), "1,000 %");
        assert_eq!(percent_near(Figure::of_percentage(12_345_678, 10_000)), "123,457 %");
    }

    #[test]
    fn distances_take_the_largest_unit() {
        for (seconds, text) in [
            (1_000_000, "now"),
            (999_999, "1 s ago"),
            (999_941, "59 s ago"),
            (999_940, "1 min ago"),
            (996_400, "1 h ago"),
            (913_600, "1 d ago"),
            (1_000_120, "in 2 min"),
        ] {
            assert_eq!(distance(seconds, 1_000_000), text);
        }
    }
}
