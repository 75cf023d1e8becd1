//! Dates and times in ISO 8601. A date means its first instant in UTC; a date-time without a zone is in UTC.
use jiff::SignedDuration;
use jiff::civil::{DateTime, Time};
use jiff::fmt::temporal::Pieces;
use schemars::JsonSchema;
use serde::Deserialize;

const EPOCH: DateTime = DateTime::constant(1970, 1, 1, 0, 0, 0, 0);
/// Longest text that is parsed, in bytes.
const LONGEST: usize = 40;

/// Seconds.
const DAY: i64 = 24 * 60 * 60;

const RULE: &str = "must be an ISO 8601 date or date-time";

/// A date or a date-time, as the time since the Unix epoch.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(with = "String", extend("anyOf" = [{ "format": "date" }, { "format": "date-time" }], "x-rule" = RULE))]
pub(crate) struct DateOrTime(pub SignedDuration);

impl TryFrom<String> for DateOrTime {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        since_epoch(&text).map(Self).ok_or(RULE)
    }
}

/// Accepts four-digit years with dashes and colons, up to `9999-12-31`: the formats that every program reads alike.
fn since_epoch(text: &str) -> Option<SignedDuration> {
    let allowed = |byte: u8| byte.is_ascii_digit() || b"-+:.TtZz".contains(&byte);
    let extended = text.as_bytes().get(..10).is_some_and(|date| date[4] == b'-' && date[7] == b'-');
    if text.len() > LONGEST || !extended || !text.bytes().all(allowed) {
        return None;
    }
    let pieces = Pieces::parse(text).ok()?;
    let time = match pieces.time() {
        Some(time) => time,
        None if text.len() == 10 => Time::midnight(),
        None => return None,
    };
    let local = DateTime::from_parts(pieces.date(), time).duration_since(EPOCH);
    let offset = pieces.to_numeric_offset().map_or(0, |offset| i64::from(offset.seconds()));
    // RFC 3339, section 5.6: the hours of an offset are 00 to 23.
    if offset.abs() >= DAY {
        return None;
    }
    local.checked_sub(SignedDuration::from_secs(offset))
}

#[cfg(test)]
mod tests {
    use super::since_epoch;
    use jiff::SignedDuration;

    #[test]
    fn dates_and_times_are_read_strictly() {
        let cases = [
            ("2026-01-05", Some(1_767_571_200)),
            ("2026-01-05T00:00:00Z", Some(1_767_571_200)),
            ("2026-01-05t00:00:00z", Some(1_767_571_200)),
            ("2026-01-05T00:00:00.000Z", Some(1_767_571_200)),
            ("2026-01-05T00:00:00", Some(1_767_571_200)),
            ("2026-01-05T02:00:00+02:00", Some(1_767_571_200)),
            ("2026-01-04T22:00:00-02:00", Some(1_767_571_200)),
            ("1969-12-31", Some(-86_400)),
            ("0001-01-01", Some(-62_135_596_800)),
            ("9999-12-31", Some(253_402_214_400)),
            ("9999-12-31T23:59:59Z", Some(253_402_300_799)),
            ("9999-12-31T23:59:59-02:00", Some(253_402_307_999)),
            ("2026-01-05T23:59:00+23:59", Some(1_767_571_200)),
            ("2026-01-05T00:00:00+24:00", None),
            ("2026-01-05T00:00:00-25:59", None),
            ("10000-01-01", None),
            ("2026-02-29", None),
            ("2026-13-01", None),
            ("2026-1-5", None),
            ("20260105", None),
            ("05/01/2026", None),
            ("1767571200", None),
            ("yesterday", None),
            ("2026-01-05T25:00:00Z", None),
            ("2026-01-05T", None),
            ("2026-01-05Z", None),
            ("2026-01-05 00:00:00", None),
            ("2026-01-05T00:00:00 02:00", None),
            ("+002026-01-05", None),
            ("", None),
        ];
        for (text, expected) in cases {
            assert_eq!(since_epoch(text).map(|at| at.as_secs()), expected, "{text}");
        }
        assert_eq!(since_epoch("1970-01-01T00:00:00.25Z"), Some(SignedDuration::from_millis(250)));
    }
}
