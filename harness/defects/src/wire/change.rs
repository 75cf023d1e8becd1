//! What each kind does to a JSON value. A change that would leave the value as it is, is none.
use serde_json::{Number, Value, json};

use super::Kind;

/// Significant digits of a binary fraction that are compared.
const PRECISE: usize = 11;

/// The kinds that change this value; another value of its field is not among them.
#[must_use]
pub fn kinds_for(value: &Value) -> Vec<Kind> {
    const KINDS: [Kind; 9] = [
        Kind::Nulled,
        Kind::Retyped,
        Kind::OffByOne,
        Kind::Sign,
        Kind::LastDigit,
        Kind::Swapped,
        Kind::Repeated,
        Kind::Cut,
        Kind::LetterCase,
    ];
    KINDS.into_iter().filter(|kind| change(&mut value.clone(), kind)).collect()
}

/// Changes a value; whether it did.
pub(super) fn change(value: &mut Value, kind: &Kind) -> bool {
    let changed = match kind {
        Kind::Nulled => Some(Value::Null),
        Kind::Retyped => Some(retyped(value)),
        Kind::OffByOne => off_by_one(value),
        Kind::Sign => sign(value),
        Kind::LastDigit => last_digit(value),
        Kind::OtherValue(text) => serde_json::from_str(text).ok(),
        Kind::Swapped => swapped(value),
        Kind::Repeated => list(value).map(|items| [items, items].concat().into()),
        Kind::Cut => list(value).map(|items| items[..items.len() - 1].into()),
        Kind::LetterCase => letter_case(value),
        Kind::Dropped | Kind::Moved => None,
    };
    match changed.filter(|changed| changed != value) {
        Some(changed) => {
            *value = changed;
            true
        }
        None => false,
    }
}

fn list(value: &Value) -> Option<&[Value]> {
    value.as_array().map(Vec::as_slice).filter(|items| !items.is_empty())
}

fn retyped(value: &Value) -> Value {
    match value {
        Value::Null => json!(0),
        Value::Bool(_) | Value::Number(_) => value.to_string().into(),
        Value::String(text) => match text.parse::<u64>() {
            Ok(number) => number.into(),
            Err(_) => json!([text]),
        },
        Value::Array(items) => json!({ "items": items }),
        Value::Object(_) => json!([value]),
    }
}

/// A whole number in decimal digits, with its sign.
fn is_whole(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

fn off_by_one(value: &Value) -> Option<Value> {
    match value {
        Value::Number(number) => match (number.as_u64(), number.as_i64(), number.as_f64()) {
            (Some(whole), ..) => Some(whole.checked_add(1)?.into()),
            (_, Some(whole), _) => Some((whole + 1).into()),
            (.., Some(float)) => Number::from_f64(float + 1.0).map(Value::Number),
            _ => None,
        },
        Value::String(text) if is_whole(text) && !text.starts_with('-') => Some(incremented(text).into()),
        Value::String(text) if is_quantity(text) => {
            let more = u64::from_str_radix(&text[2..], 16).ok()?.checked_add(1)?;
            Some(format!("{more:#x}").into())
        }
        _ => None,
    }
}

/// A number as JSON-RPC writes it, of at most 64 bits.
fn is_quantity(text: &str) -> bool {
    (3..=18).contains(&text.len())
        && text.starts_with("0x")
        && text[2..].bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Decimal digits plus one, of any length.
fn incremented(digits: &str) -> String {
    let mut bytes = digits.as_bytes().to_vec();
    for byte in bytes.iter_mut().rev() {
        if *byte == b'9' {
            *byte = b'0';
        } else {
            *byte += 1;
            return String::from_utf8_lossy(&bytes).into_owned();
        }
    }
    format!("1{}", String::from_utf8_lossy(&bytes))
}

fn sign(value: &Value) -> Option<Value> {
    match value {
        Value::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(0), _) => None,
            (Some(whole), _) => Some(whole.checked_neg()?.into()),
            (None, Some(float)) if float != 0.0 => Number::from_f64(-float).map(Value::Number),
            _ => None,
        },
        Value::String(text) if is_whole(text) && text.bytes().any(|byte| (b'1'..=b'9').contains(&byte)) => {
            Some(text.strip_prefix('-').map_or_else(|| format!("-{text}"), str::to_owned).into())
        }
        _ => None,
    }
}

fn last_digit(value: &Value) -> Option<Value> {
    match value {
        // A binary fraction is exact to some fifteen digits: the last that says something is well before its end.
        Value::Number(number) if number.is_f64() => {
            let text = number.to_string();
            let end = text.find(['e', 'E']).unwrap_or(text.len());
            let digits = text[..end].char_indices().filter(|(_, sign)| sign.is_ascii_digit());
            let past = digits.skip_while(|(_, digit)| *digit == '0').nth(PRECISE).map_or(end, |(at, _)| at);
            let changed = other_digit(&text[..past])?;
            serde_json::from_str(&format!("{changed}{}", &text[past..])).ok()
        }
        Value::Number(number) => {
            let text = other_digit(&number.to_string())?;
            serde_json::from_str(&text).ok()
        }
        Value::String(text) => Some(other_digit(text)?.into()),
        _ => None,
    }
}

/// A number, a hexadecimal number or a date with its last digit changed; none of any other text.
fn other_digit(text: &str) -> Option<String> {
    let hexadecimal = text
        .strip_prefix("0x")
        .is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
    let numeric = text.bytes().any(|byte| byte.is_ascii_digit())
        && text.bytes().all(|byte| byte.is_ascii_digit() || b"-+.:TZeE".contains(&byte));
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
    let mut changed = text.to_owned();
    changed.replace_range(at..=at, &other.to_string());
    Some(changed)
}

fn swapped(value: &Value) -> Option<Value> {
    let mut items = value.as_array()?.clone();
    let at = items.windows(2).position(|pair| pair[0] != pair[1])?;
    items.swap(at, at + 1);
    Some(items.into())
}

/// Text for programs: what has spaces is prose.
#[must_use]
pub fn is_word(text: &str) -> bool {
    !text.contains(char::is_whitespace)
}

fn letter_case(value: &Value) -> Option<Value> {
    let text = value.as_str()?;
    // The `x` of a hexadecimal number is no letter of it.
    let from = if text.starts_with("0x") { 2 } else { 0 };
    let at = from + text[from..].find(|letter: char| letter.is_ascii_alphabetic())?;
    let letter = char::from(text.as_bytes()[at]);
    let other =
        if letter.is_ascii_lowercase() { letter.to_ascii_uppercase() } else { letter.to_ascii_lowercase() };
    let mut changed = text.to_owned();
    changed.replace_range(at..=at, &other.to_string());
    Some(changed.into())
}
