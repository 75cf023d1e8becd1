//! Points in time written as ISO 8601.
use jiff::Timestamp;
use jiff::civil::Date;

/// Parses a complete ISO 8601 date and time in the extended format, `YYYY-MM-DDTHH:MM[:SS[.fraction]]` with `Z`, `±HH:MM`, `±HHMM`, `±HH`
/// or, for UTC, no zone, or in the basic format, without `-` and `:`, to nanoseconds since 1970; the date may be an ordinal date,
/// `YYYY-DDD`, or a week date, `YYYY-Www-D`. `None` for any other text.
pub(crate) fn nanoseconds(text: &str) -> Option<i128> {
    let (date, time) = text.split_once('T')?;
    let date = &calendar_date(date).unwrap_or_else(|| date.to_owned());
    match (date.len(), date.is_ascii() && time.is_ascii()) {
        (8, true) => nanoseconds_of_extended(&spread(date, &[4, 6], "-"), &extended(time)?),
        _ => nanoseconds_of_extended(date, time),
    }
}

/// The same to the second in which it is.
pub(crate) fn seconds(text: &str) -> Option<i128> {
    nanoseconds(text).map(|nanoseconds| nanoseconds.div_euclid(1_000_000_000))
}

/// Returns the calendar date of an ordinal date or a week date.
fn calendar_date(date: &str) -> Option<String> {
    let form = match date.len() {
        8 if date.contains('-') => "%Y-%j",
        10 if date.contains('W') => "%G-W%V-%u",
        _ => return None,
    };
    Date::strptime(form, date).ok().map(|date| date.to_string())
}

/// Returns a time of day of the basic format in the extended one.
fn extended(time: &str) -> Option<String> {
    let digits = time.bytes().take_while(u8::is_ascii_digit).count();
    let (clock, rest) = time.split_at(digits);
    let places = match digits {
        4 => &[2][..],
        6 => &[2, 4],
        _ => return None,
    };
    Some(spread(clock, places, ":") + rest).filter(|_| !rest.contains(':'))
}

/// Inserts a separator into ASCII text at these places.
fn spread(text: &str, places: &[usize], separator: &str) -> String {
    let ends = places.iter().copied().chain([text.len()]);
    let starts = [0].into_iter().chain(places.iter().copied());
    starts.zip(ends).map(|(start, end)| &text[start..end]).collect::<Vec<_>>().join(separator)
}

fn nanoseconds_of_extended(date: &str, time: &str) -> Option<i128> {
    let is_extended = date.len() == 10 && date.starts_with(|first: char| first.is_ascii_digit());
    let is_plain = |letter: char| letter.is_ascii_digit() || ":.,+-Z".contains(letter);
    if !is_extended || time.get(2..3) != Some(":") || !time.chars().all(is_plain) {
        return None;
    }
    // The library parses up to nine digits of a fraction; the standard sets no limit.
    let time = match time.split_once(['.', ',']) {
        Some((clock, rest)) => {
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            format!("{clock}.{}{}", &rest[..digits.min(9)], &rest[digits..])
        }
        None => time.to_owned(),
    };
    let zone = if time.contains(['Z', '+', '-']) { "" } else { "Z" };
    format!("{date}T{time}{zone}").parse::<Timestamp>().ok().map(Timestamp::as_nanosecond)
}

/// Whether a text is a point in time with a zone.
pub(crate) fn has_zone(text: &str) -> bool {
    let zone = text.split_once('T').is_some_and(|(_, time)| time.contains(['Z', '+', '-']));
    zone && nanoseconds(text).is_some()
}

/// Formats a point in time to the second, in UTC.
pub(crate) fn text(seconds: i64) -> String {
    Timestamp::from_second(seconds).map(|moment| moment.to_string()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{has_zone, nanoseconds};

    #[test]
    fn parses_times() {
        assert_eq!(nanoseconds("1970-01-01T00:00:00Z"), Some(0));
        assert_eq!(nanoseconds("2000-02-29T12:00:00.5Z"), Some(951_825_600_500_000_000));
        assert_eq!(nanoseconds("2026-01-01T01:00:00+01:00"), nanoseconds("2026-01-01T00:00:00Z"));
        assert_eq!(nanoseconds("2026-01-01T00:00:00"), nanoseconds("2026-01-01T00:00:00Z"));
        for same in [
            "2026-01-01T00:00Z",
            "2026-01-01T00:00:00,0Z",
            "2026-01-01T00:00:00.0000000009Z",
            "2026-01-01T01:00:00+01",
            "2026-01-01T02:30:00+0230",
            "20260101T000000Z",
            "20260101T0000",
            "20260101T023000.000+0230",
            "2026-001T00:00:00Z",
            "2026-W01-4T00:00:00Z",
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
            "20260101T00:00:00Z",
            "2026-01-01T000000Z",
            "20260101T000000+02:30",
            "20260101T00Z",
            "2026010aT000000Z",
            "2026-366T00:00:00Z",
            "2026-W54-1T00:00:00Z",
            "2026-W01-8T00:00:00Z",
            "2026-W01T00:00:00Z",
        ] {
            assert_eq!(nanoseconds(text), None, "{text}");
        }
    }
}
