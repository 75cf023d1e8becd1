//! Query parameters, read strictly: what a caller names twice, encodes wrongly or misspells in its value is refused by name;
//! parameters that nobody asks for are ignored.
use std::borrow::Cow;

use axum::http::Uri;
use serde_json::{Map, Value};

use crate::api::refusal::Refusal;

/// Longest part of a refused value that is repeated to the caller, in characters.
const SHOWN: usize = 80;

/// The decoded parameters of a query, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parameters<'a> {
    pairs: Vec<(Cow<'a, str>, Cow<'a, str>)>,
}

/// A field and the rule that refuses its bad values.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Name on the wire.
    pub name: &'static str,
    /// Cause id of a refusal.
    pub cause: &'static str,
    /// What the value must be, as the end of a sentence that starts with the name: `must be …`.
    pub rule: &'static str,
}

impl Field {
    /// The refusal of a value.
    #[must_use]
    pub fn refuse(&self, value: &str) -> Refusal {
        refused(self.cause, self.name, self.rule, value)
    }

    /// Its text in a JSON body, or the refusal of what is there instead.
    pub fn text<'r>(&self, request: &'r Map<String, Value>) -> Result<&'r str, Refusal> {
        let value = request.get(self.name).ok_or_else(|| self.missing())?;
        value.as_str().ok_or_else(|| self.refuse(&value.to_string()))
    }

    /// The refusal of its absence.
    #[must_use]
    pub fn missing(&self) -> Refusal {
        Refusal::bad_input(self.cause, format!("{} is required and {}", self.name, self.rule))
    }
}

/// The refusal of the value of a name by a rule.
pub(super) fn refused(cause: &'static str, name: &str, rule: &str, value: &str) -> Refusal {
    let shown: String = value.chars().take(SHOWN).collect();
    let more = if shown.len() < value.len() { "…" } else { "" };
    Refusal::bad_input(cause, format!("{name} {rule}")).with_details(format!("got {shown:?}{more}"))
}

impl<'a> Parameters<'a> {
    /// Decodes the query of a request target.
    pub fn of(uri: &'a Uri) -> Result<Self, Refusal> {
        let query = uri.query().unwrap_or_default();
        let pairs = query.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            Some((decode(name)?, decode(value)?))
        });
        let pairs = pairs
            .collect::<Option<_>>()
            .ok_or_else(|| Refusal::bad_input("query-encoding", "the query is not percent-encoded UTF-8"))?;
        Ok(Self { pairs })
    }

    /// The text of a field; refuses a field that is sent twice or holds a NUL.
    pub fn text(&self, name: &str) -> Result<Option<&str>, Refusal> {
        let mut values = self.pairs.iter().filter(|pair| pair.0 == name).map(|pair| &*pair.1);
        let value = values.next();
        if values.next().is_some() {
            return Err(Refusal::bad_input("query-repeated", format!("{name} is sent more than once")));
        }
        if value.is_some_and(|value| value.contains('\0')) {
            return Err(Refusal::bad_input("query-nul", format!("{name} holds a NUL character")));
        }
        Ok(value)
    }

    /// A field read by `parse`; a value that it does not take is refused.
    pub fn read<T>(&self, field: Field, parse: impl FnOnce(&str) -> Option<T>) -> Result<Option<T>, Refusal> {
        let Some(text) = self.text(field.name)? else {
            return Ok(None);
        };
        parse(text).map(Some).ok_or_else(|| field.refuse(text))
    }

    /// A field that must be there.
    pub fn require<T>(&self, field: Field, parse: impl FnOnce(&str) -> Option<T>) -> Result<T, Refusal> {
        self.read(field, parse)?.ok_or_else(|| field.missing())
    }
}

/// The largest whole number that every client holds exactly.
pub const LARGEST: u64 = (1 << 53) - 1;

/// A whole number written in digits only, up to [`LARGEST`].
#[must_use]
pub fn whole(text: &str) -> Option<u64> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten().filter(|number| *number <= LARGEST)
}

/// `true` or `false`.
#[must_use]
pub fn boolean(text: &str) -> Option<bool> {
    match text {
        "true" => Some(true),
        "false" => Some(false),
        _ => None,
    }
}

/// Undoes percent-encoding, with `+` for a space; none when an escape is broken or the bytes are not UTF-8.
fn decode(text: &str) -> Option<Cow<'_, str>> {
    if !text.contains(['%', '+']) {
        return Some(Cow::Borrowed(text));
    }
    let mut decoded = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        decoded.push(match byte {
            b'+' => b' ',
            b'%' => 16 * hexadecimal(bytes.next()?)? + hexadecimal(bytes.next()?)?,
            other => other,
        });
    }
    String::from_utf8(decoded).ok().map(Cow::Owned)
}

fn hexadecimal(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}

#[cfg(test)]
mod tests {
    use super::{Field, Parameters, boolean, whole};
    use axum::http::Uri;

    const PAGE: Field = Field { name: "page", cause: "test-page", rule: "must be a number" };

    fn with<T>(target: &str, read: impl FnOnce(&Parameters<'_>) -> T) -> T {
        let uri: Uri = target.parse().unwrap();
        read(&Parameters::of(&uri).unwrap())
    }

    #[test]
    fn values_are_decoded() {
        let text = |target: &str| with(target, |read| read.text("q").map(|text| text.map(str::to_owned)));
        assert_eq!(text("/?q=a%20b+c%2B%C3%A9&x"), Ok(Some("a b c+é".into())));
        assert_eq!(text("/?q"), Ok(Some(String::new())));
        assert_eq!(text("/?%71=1"), Ok(Some("1".into())));
        assert_eq!(text("/"), Ok(None));
    }

    #[test]
    fn what_is_unclear_is_refused_with_its_cause() {
        for target in ["/?q=%", "/?q=%4", "/?q=%zz", "/?q=%ff", "/?%=1"] {
            let uri: Uri = target.parse().unwrap();
            assert_eq!(Parameters::of(&uri).unwrap_err().cause, "query-encoding", "{target}");
        }
        assert_eq!(with("/?q=1&q=1", |read| read.text("q").unwrap_err().cause), "query-repeated");
        assert_eq!(with("/?q=%00", |read| read.text("q").unwrap_err().cause), "query-nul");
        assert!(with("/?x=1&x=%00", |read| read.text("q").is_ok()));
        let refusal = with("/?page=one", |read| read.read(PAGE, whole).unwrap_err());
        assert_eq!(
            (refusal.status, refusal.cause, &*refusal.message),
            (400, "test-page", "page must be a number")
        );
        assert_eq!(with("/", |read| read.require(PAGE, whole).unwrap_err().cause), "test-page");
    }

    #[test]
    fn numbers_are_digits_within_bounds() {
        assert_eq!(whole("007"), Some(7));
        assert_eq!(whole("9007199254740991"), Some(9_007_199_254_740_991));
        for text in ["", "-1", "+1", "1.0", "1e3", " 1", "9007199254740992", "99999999999999999999", "١"] {
            assert_eq!(whole(text), None, "{text}");
        }
        assert_eq!(
            [boolean("true"), boolean("false"), boolean("TRUE"), boolean("1")],
            [Some(true), Some(false), None, None]
        );
    }
}
