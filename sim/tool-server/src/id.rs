//! Ids of messages, kept as the peer wrote them, and searched for in messages that cannot be read.
use serde_json::value::RawValue;

/// Maximum length of an id that is searched for in an unreadable message, in bytes.
const LONGEST_FOUND: usize = 1024;

/// The id of a request: a string or an integer of any size, in the peer's spelling.
#[derive(Clone, Debug)]
pub(crate) struct Id(pub(crate) Box<RawValue>);

impl Id {
    /// `None` if it is neither a string nor an integer.
    pub(crate) fn of(raw: &RawValue) -> Option<Self> {
        let text = raw.get();
        (text.starts_with('"') || is_integer(text)).then(|| Self(raw.to_owned()))
    }

    /// Whether both are the same value, possibly in different spellings.
    pub(crate) fn is(&self, other: &Self) -> bool {
        let (one, other) = (self.0.get(), other.0.get());
        let same = |one: Option<serde_json::Value>, other| one.is_some() && one == other;
        let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).ok();
        one == other
            || (one.starts_with('"') && same(value(one), value(other)))
            || (is_integer(one) && is_integer(other) && digits(one) == digits(other))
    }
}

/// Splits a JSON number into its sign, its digits, and the position of the point counted from the first digit.
fn parts(number: &str) -> Option<(bool, String, i64)> {
    let (mantissa, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
    let (is_negative, mantissa) = mantissa.strip_prefix('-').map_or((false, mantissa), |rest| (true, rest));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !is_digits(whole) || !is_digits(fraction) {
        return None;
    }
    let exponent = exponent.parse::<i64>().ok()?;
    let point = exponent.checked_add(i64::try_from(whole.len()).ok()?)?;
    Some((is_negative, format!("{whole}{fraction}"), point))
}

/// Whether a number is whole in the sense of JSON Schema: `1.0` and `1e3` are.
fn is_integer(number: &str) -> bool {
    parts(number).is_some_and(|(_, digits, point)| {
        let point = usize::try_from(point).unwrap_or_default();
        digits.bytes().skip(point).all(|digit| digit == b'0')
    })
}

/// Normalizes a whole number: sign, digits without zeros at either end, and the position of the point.
fn digits(number: &str) -> Option<(bool, String, i64)> {
    let (is_negative, digits, point) = parts(number)?;
    let significant = digits.trim_start_matches('0');
    let before = i64::try_from(digits.len() - significant.len()).ok()?;
    let significant = significant.trim_end_matches('0');
    if significant.is_empty() {
        return Some((false, String::new(), 0));
    }
    Some((is_negative, significant.to_owned(), point - before))
}

/// Searches for the id of a message that arrives in pieces, without reading more than necessary: the message may be too long, too deep, or
/// not JSON further on.
#[derive(Debug, Default)]
pub(crate) struct Search {
    depth: usize,
    in_text: bool,
    is_escaped: bool,
    /// Whether the colon after a member's name has been read.
    in_value: bool,
    name: Vec<u8>,
    value: Vec<u8>,
    found: Option<Vec<u8>>,
}

impl Search {
    /// Finds the id in a whole message.
    pub(crate) fn within(message: &[u8]) -> Option<Id> {
        let mut search = Self::default();
        search.read(message);
        search.found()
    }

    pub(crate) fn read(&mut self, piece: &[u8]) {
        for byte in piece {
            self.step(*byte);
        }
    }

    /// The id, if one was found.
    pub(crate) fn found(self) -> Option<Id> {
        let text = String::from_utf8(self.found?).ok()?;
        Id::of(&RawValue::from_string(text.trim().to_owned()).ok()?)
    }

    fn step(&mut self, byte: u8) {
        if self.in_text {
            self.keep(byte);
            self.in_text = self.is_escaped || byte != b'"';
            self.is_escaped = !self.is_escaped && byte == b'\\';
            return;
        }
        let is_of_message = self.depth == 1;
        match byte {
            b'"' => {
                if is_of_message && !self.in_value {
                    self.name.clear();
                }
                self.in_text = true;
                self.keep(byte);
            }
            b':' if is_of_message => {
                self.in_value = true;
                self.value.clear();
            }
            b',' if is_of_message => self.end_member(),
            b'{' | b'[' => {
                self.depth += 1;
                self.keep(byte);
            }
            b'}' | b']' => {
                if is_of_message {
                    self.end_member();
                }
                self.depth = self.depth.saturating_sub(1);
                self.keep(byte);
            }
            _ => self.keep(byte),
        }
    }

    fn keep(&mut self, byte: u8) {
        let kept = match (self.depth, self.in_value) {
            (1, false) => &mut self.name,
            (1.., true) => &mut self.value,
            _ => return,
        };
        if kept.len() <= LONGEST_FOUND {
            kept.push(byte);
        }
    }

    fn end_member(&mut self) {
        if self.name.trim_ascii() == b"\"id\"" && self.value.len() <= LONGEST_FOUND {
            self.found = Some(std::mem::take(&mut self.value));
        }
        self.in_value = false;
        self.name.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(text: &str) -> Option<Id> {
        Id::of(&RawValue::from_string(text.to_owned()).unwrap())
    }

    #[test]
    fn ids_are_strings_and_whole_numbers() {
        let digits = "9".repeat(400);
        for text in [
            "0",
            "-7",
            "1.0",
            "1e3",
            "10.50e1",
            "9223372036854775808",
            "1e400",
            &digits,
            "\"\"",
            "\"\\ud800\"",
        ] {
            assert_eq!(id(text).unwrap().0.get(), text);
        }
        for text in ["1.5", "1e-1", "null", "true", "{}", "[1]"] {
            assert!(id(text).is_none(), "{text}");
        }
        let same = |one, other| id(one).unwrap().is(&id(other).unwrap());
        assert!(same("1.0", "1") && same("100", "1e2") && same("-0", "0.0") && same("\"a\"", "\"\\u0061\""));
        assert!(!same("1", "10") && !same("1", "-1") && !same("1", "\"1\"") && !same("\"a\"", "\"b\""));
    }

    #[test]
    fn ids_are_found_where_the_message_cannot_be_read() {
        for (message, found) in [
            (r#"{"id":7,"x":"\ud800"}"#, Some("7")),
            (r#"{"x":{"id":1,"y":["}\"",{"id":2}]}, "id" : "a,\"}b" ,"z":1"#, Some(r#""a,\"}b""#)),
            (r#"{"method":"id","id":1e400}"#, Some("1e400")),
            (r#"{"x":1,"id":"#, None),
            (r#"{"id":{"a":1}}"#, None),
            (r#"{"id":null}"#, None),
            ("no message", None),
            ("[{\"id\":1}]", None),
        ] {
            assert_eq!(Search::within(message.as_bytes()).as_ref().map(|id| id.0.get()), found, "{message}");
        }
        let deep = format!("{{\"x\":{}{},\"id\":3}}", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(Search::within(deep.as_bytes()).unwrap().0.get(), "3");
        assert_eq!(Search::within(b"{\"x\":\"\xff\",\"id\":4}").unwrap().0.get(), "4");
    }
}
