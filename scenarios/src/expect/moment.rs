//! Points in time written as ISO 8601.

/// Nanoseconds since 1970 of a complete ISO 8601 date and time in the extended format, `YYYY-MM-DDTHH:MM[:SS[.fraction]]` with
/// `Z`, `±HH:MM`, `±HHMM`, `±HH` or, for UTC, no zone; none when the text is anything else.
pub(crate) fn nanoseconds(text: &str) -> Option<i128> {
    let (date, rest) = text.split_once('T')?;
    let day = days(date)?;
    let (time, zone) = match rest.find(['Z', '+', '-']) {
        Some(at) => rest.split_at(at),
        None => (rest, "Z"),
    };
    let (clock, fraction) = time.split_once(['.', ',']).unwrap_or((time, "0"));
    let mut parts = clock.split(':');
    let hour = digits(parts.next()?, 2, 23)?;
    let minute = digits(parts.next()?, 2, 59)?;
    let second = match parts.next() {
        Some(second) => digits(second, 2, 60)?,
        // A fraction would be one of the minute.
        None if clock.len() == time.len() => 0,
        None => return None,
    };
    if parts.next().is_some() {
        return None;
    }
    let seconds = ((day * 24 + hour) * 60 + minute - zone_minutes(zone)?) * 60 + second;
    Some(i128::from(seconds) * 1_000_000_000 + i128::from(nanos(fraction)?))
}

/// Whether a text is a point in time with a zone.
pub(crate) fn has_zone(text: &str) -> bool {
    let zone = text.split_once('T').is_some_and(|(_, time)| time.contains(['Z', '+', '-']));
    zone && nanoseconds(text).is_some()
}

/// A point in time as text, to the second, in UTC.
pub(crate) fn text(seconds: i64) -> String {
    let (day, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let (year, month, day) = civil(day);
    let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

fn zone_minutes(zone: &str) -> Option<i64> {
    if zone == "Z" {
        return Some(0);
    }
    let offset = zone.get(1..)?;
    let (hours, minutes) = match offset.split_once(':') {
        Some(parts) => parts,
        None if offset.len() == 2 => (offset, "00"),
        None => offset.split_at_checked(2)?,
    };
    let offset = digits(hours, 2, 14)? * 60 + digits(minutes, 2, 59)?;
    Some(if zone.starts_with('-') { -offset } else { offset })
}

fn nanos(fraction: &str) -> Option<i64> {
    if fraction.is_empty() || !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let nine: String = fraction.chars().chain("000000000".chars()).take(9).collect();
    nine.parse().ok()
}

fn digits(text: &str, length: usize, highest: i64) -> Option<i64> {
    let plain = text.len() == length && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|value| plain && *value <= highest)
}

/// Days since 1970-01-01 of a date of the Gregorian calendar.
fn days(date: &str) -> Option<i64> {
    let mut parts = date.split('-');
    let year = digits(parts.next()?, 4, 9_999)?;
    let month = digits(parts.next()?, 2, 12).filter(|month| *month >= 1)?;
    let day = digits(parts.next()?, 2, 31).filter(|day| *day >= 1)?;
    if parts.next().is_some() {
        return None;
    }
    // Years run from March, so that the leap day is the last of its year.
    let shifted = if month <= 2 { year - 1 } else { year };
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let count = shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + of_year - 719_468;
    (civil(count) == (year, month, day)).then_some(count)
}

/// The date of a day since 1970-01-01.
fn civil(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * of_year + 2) / 153;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, of_year - (153 * from_march + 2) / 5 + 1)
}

#[cfg(test)]
mod tests {
    use super::{has_zone, nanoseconds, text};

    #[test]
    fn parses_times() {
        assert_eq!(nanoseconds("1970-01-01T00:00:00Z"), Some(0));
        assert_eq!(nanoseconds("2000-02-29T12:00:00.5Z"), Some(951_825_600_500_000_000));
        assert_eq!(nanoseconds("2026-01-01T01:00:00+01:00"), nanoseconds("2026-01-01T00:00:00Z"));
        assert_eq!(nanoseconds("2026-01-01T00:00:00"), nanoseconds("2026-01-01T00:00:00Z"));
        for same in [
            "2026-01-01T00:00Z",
            "2026-01-01T00:00:00,0Z",
            "2026-01-01T01:00:00+01",
            "2026-01-01T02:30:00+0230",
        ] {
            assert_eq!(nanoseconds(same), nanoseconds("2026-01-01T00:00:00Z"), "{same}");
        }
        assert!(has_zone("2026-01-01T00:00:00-01:00") && !has_zone("2026-01-01T00:00:00"));
    }

    #[test]
    fn rejects_other_texts() {
        for text in [
            "2026-01-01",
            "2026-02-30T00:00:00Z",
            "2026-1-1T00:00:00Z",
            "now",
            "2026-01-01 00:00:00Z",
            "2026-01-01T24:00:00Z",
            "2026-01-01T00:00:00.Z",
            "2026-01-01T00:00.5Z",
            "2026-01-01T00:00:00+1",
            "2026-01-01T00Z",
        ] {
            assert_eq!(nanoseconds(text), None, "{text}");
        }
    }

    #[test]
    fn round_trips() {
        for seconds in [0, 951_782_400, 1_709_164_799, 1_767_225_600, 4_102_444_799] {
            assert_eq!(nanoseconds(&text(seconds)), Some(i128::from(seconds) * 1_000_000_000));
        }
    }
}
