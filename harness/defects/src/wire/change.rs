//! The kinds of changes and what each does to a JSON value, and the places of a value.
use std::fmt;

use serde_json::{Value, json};

/// Significant digits of a binary fraction that are compared.
const PRECISE: usize = 11;

/// What is done to a part of an answer.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChangeKind {
    /// The field is taken out.
    Dropped,
    /// The value is null.
    Nulled,
    /// The value has another JSON type.
    Retyped,
    /// The last digit is another.
    LastDigit,
    /// The value is another that this field has elsewhere; its JSON text.
    OtherValue(String),
    /// Two neighbours of a list have changed places.
    Swapped,
    /// The list is followed by itself.
    Repeated,
    /// The last item of the list is missing.
    Cut,
    /// A letter has the other case.
    LetterCase,
    /// The status is a neighbour of the same class.
    Moved,
}

impl fmt::Display for ChangeKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Dropped => "dropped",
            Self::Nulled => "nulled",
            Self::Retyped => "retyped",
            Self::LastDigit => "last-digit",
            Self::OtherValue(_) => "other-value",
            Self::Swapped => "swapped",
            Self::Repeated => "repeated",
            Self::Cut => "cut",
            Self::LetterCase => "letter-case",
            Self::Moved => "status-moved",
        })
    }
}

/// The kinds that change this value, whatever contains it and whatever its field is elsewhere.
pub fn kinds_for(value: &Value) -> Vec<ChangeKind> {
    let kinds = [
        ChangeKind::Nulled,
        ChangeKind::Retyped,
        ChangeKind::LastDigit,
        ChangeKind::Swapped,
        ChangeKind::Repeated,
        ChangeKind::Cut,
        ChangeKind::LetterCase,
    ];
    kinds.into_iter().filter(|kind| changed(value, kind).is_some()).collect()
}

/// The value after a change; none where that would leave it as it is.
pub(super) fn changed(value: &Value, kind: &ChangeKind) -> Option<Value> {
    let items = value.as_array().filter(|items| !items.is_empty());
    let changed = match kind {
        ChangeKind::Nulled => Some(Value::Null),
        ChangeKind::Retyped => Some(retyped(value)),
        ChangeKind::LastDigit => last_digit(value),
        ChangeKind::OtherValue(text) => serde_json::from_str(text).ok(),
        ChangeKind::Swapped => swapped(value),
        ChangeKind::Repeated => items.map(|items| [&items[..], items].concat().into()),
        ChangeKind::Cut => items.map(|items| items[..items.len() - 1].into()),
        ChangeKind::LetterCase => letter_case(value),
        ChangeKind::Dropped | ChangeKind::Moved => None,
    };
    changed.filter(|changed| changed != value)
}

fn retyped(value: &Value) -> Value {
    match value {
        Value::Null => json!(0),
        Value::Bool(_) | Value::Number(_) => value.to_string().into(),
        Value::String(text) => text.parse::<u64>().map_or_else(|_| json!([text]), Value::from),
        Value::Array(items) => json!({ "items": items }),
        Value::Object(_) => json!([value]),
    }
}

fn last_digit(value: &Value) -> Option<Value> {
    match value {
        // A binary fraction is exact to some fifteen digits: the last one that is compared is well before its end.
        Value::Number(number) if number.is_f64() => {
            let text = number.to_string();
            let end = text.find(['e', 'E']).unwrap_or(text.len());
            let digits = text[..end].char_indices().filter(|(_, sign)| sign.is_ascii_digit());
            let past = digits.skip_while(|(_, digit)| *digit == '0').nth(PRECISE).map_or(end, |(at, _)| at);
            let changed = other_digit(&text[..past])?;
            serde_json::from_str(&format!("{changed}{}", &text[past..])).ok()
        }
        Value::Number(number) => serde_json::from_str(&other_digit(&number.to_string())?).ok(),
        Value::String(text) => Some(other_digit(text)?.into()),
        _ => None,
    }
}

/// A number, a hexadecimal number or a date with its last digit changed; none of any other text.
fn other_digit(text: &str) -> Option<String> {
    let hexadecimal = text
        .strip_prefix("0x")
        .is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
    let numeric = text.bytes().all(|byte| byte.is_ascii_digit() || b"-+.:TZeE".contains(&byte));
    if !hexadecimal && !numeric {
        return None;
    }
    let is_digit = |byte: u8| if hexadecimal { byte.is_ascii_hexdigit() } else { byte.is_ascii_digit() };
    // The exponent of a number is no digit of it.
    let end = text.find(['e', 'E']).filter(|_| !hexadecimal).unwrap_or(text.len());
    let at = text.as_bytes()[..end].iter().rposition(|byte| is_digit(*byte))?;
    let other = match text.as_bytes()[at] {
        b'9' => '8',
        digit @ b'0'..=b'8' => char::from(digit + 1),
        b'f' | b'F' => '0',
        _ => '1',
    };
    Some(format!("{}{other}{}", &text[..at], &text[at + 1..]))
}

fn swapped(value: &Value) -> Option<Value> {
    let mut items = value.as_array()?.clone();
    let at = items.windows(2).position(|pair| pair[0] != pair[1])?;
    items.swap(at, at + 1);
    Some(items.into())
}

fn letter_case(value: &Value) -> Option<Value> {
    let text = value.as_str()?;
    // The `x` of a hexadecimal number is no letter of it.
    let from = if text.starts_with("0x") { 2 } else { 0 };
    let at = from + text[from..].find(|letter: char| letter.is_ascii_alphabetic())?;
    let other = text.as_bytes()[at] ^ 0x20;
    Some(format!("{}{}{}", &text[..at], char::from(other), &text[at + 1..]).into())
}

/// A neighbouring status of the same class.
pub(super) fn neighbour(status: u16) -> u16 {
    match status {
        200 => 203,
        400 => 422,
        404 => 410,
        other if other % 100 == 99 => other - 1,
        other => other + 1,
    }
}

/// Whether a text is for programs; prose has spaces.
pub fn is_word(text: &str) -> bool {
    !text.contains(char::is_whitespace)
}

/// The pointers to every value in this one, itself first.
pub fn places(value: &Value) -> Vec<String> {
    let mut found = vec![String::new()];
    let below = |token: &str, inner: &Value| -> Vec<String> {
        let token = token.replace('~', "~0").replace('/', "~1");
        places(inner).into_iter().map(|rest| format!("/{token}{rest}")).collect()
    };
    match value {
        Value::Array(items) => {
            found.extend(items.iter().enumerate().flat_map(|(at, item)| below(&at.to_string(), item)));
        }
        Value::Object(fields) => found.extend(fields.iter().flat_map(|(name, inner)| below(name, inner))),
        _ => {}
    }
    found
}

/// A pointer without the places in lists and without keys that name a single thing: `/tokens/3/name` is `/tokens/*/name`.
pub fn general(pointer: &str) -> String {
    let single = |token: &str| {
        (!token.is_empty() && token.bytes().all(|byte| byte.is_ascii_digit())) || token.starts_with("0x")
    };
    pointer.split('/').map(|token| if single(token) { "*" } else { token }).collect::<Vec<_>>().join("/")
}

/// The pointers of a value that a general one covers.
pub fn concrete(value: &Value, wanted: &str) -> Vec<String> {
    places(value).into_iter().filter(|pointer| general(pointer) == wanted).collect()
}

/// Takes a field or an item out; whether there was one.
pub(super) fn remove(value: &mut Value, pointer: &str) -> bool {
    let Some((parent, token)) = pointer.rsplit_once('/') else { return false };
    let token = token.replace("~1", "/").replace("~0", "~");
    match value.pointer_mut(parent) {
        Some(Value::Object(fields)) => fields.shift_remove(&token).is_some(),
        Some(Value::Array(items)) => match token.parse::<usize>() {
            Ok(at) if at < items.len() => {
                items.remove(at);
                true
            }
            _ => false,
        },
        _ => false,
    }
}
