//! Formats values and texts of a target for reports.
use std::fmt::{Debug, Write as _};

/// Shown characters of a text, and how many of them precede the relevant place.
const SHOWN: usize = 400;
const BEFORE: usize = 120;
/// Shown bytes of data that is not text.
const SHOWN_BYTES: usize = 32;

/// Formats a value without Rust type names: an option is its value or `none`, a rational a whole number or a fraction.
pub(crate) fn readable(value: &(impl Debug + ?Sized)) -> String {
    let text = format!("{value:?}");
    let (mut shown, mut rest) = (String::with_capacity(text.len()), text.as_str());
    // For each open bracket, whether it is shown.
    let mut open = Vec::new();
    while let Some(first) = rest.chars().next() {
        let piece = match first {
            '"' => &rest[..end_of_text(rest)],
            letter if is_of_word(letter) => {
                &rest[..rest.find(|letter| !is_of_word(letter)).unwrap_or(rest.len())]
            }
            _ => &rest[..first.len_utf8()],
        };
        rest = &rest[piece.len()..];
        match piece {
            "None" => shown.push_str("none"),
            "Null" => shown.push_str("null"),
            "(" => {
                open.push(true);
                shown.push('(');
            }
            ")" => shown.push_str(if open.pop().unwrap_or(true) { ")" } else { "" }),
            "Ratio" if let Some((above, below, after)) = parts_of_ratio(rest) => {
                rest = after;
                shown.push_str(above);
                if below != "1" {
                    let _ = write!(shown, "/{below}");
                }
            }
            _ if first.is_ascii_uppercase() && rest.starts_with('(') => {
                open.push(false);
                rest = &rest[1..];
            }
            _ if first.is_ascii_uppercase() && (rest.starts_with(" {") || rest.starts_with(" [")) => {
                rest = &rest[1..];
            }
            piece => shown.push_str(piece),
        }
    }
    shown
}

/// Splits what follows the name of the type: the numerator, the denominator, and the rest.
fn parts_of_ratio(text: &str) -> Option<(&str, &str, &str)> {
    let (above, rest) = text.strip_prefix(" { numer: ")?.split_once(", denom: ")?;
    let (below, rest) = rest.split_once(" }")?;
    Some((above, below, rest))
}

fn is_of_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// Returns the end of a quoted text.
fn end_of_text(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, letter) in text.char_indices().skip(1) {
        match letter {
            '"' if !is_escaped => return at + 1,
            _ => is_escaped = letter == '\\' && !is_escaped,
        }
    }
    text.len()
}

/// Returns the surroundings of the member of a JSON text that `what` mentions; the beginning of the text if it has no such member.
pub(crate) fn around_member(text: &str, what: &str) -> String {
    let words = what.split(|letter| !is_of_word(letter)).filter(|word| word.len() > 2);
    let place = words.filter_map(|word| text.find(&format!("\"{word}\":"))).min();
    around(text, place.unwrap_or_default())
}

/// Returns the surroundings of a byte offset of a text.
pub(crate) fn around(text: &str, place: usize) -> String {
    let before = text[..text.floor_char_boundary(place)].chars().count();
    // A text that fits is shown in full.
    let skipped = if text.chars().nth(SHOWN).is_none() { 0 } else { before.saturating_sub(BEFORE) };
    let mut letters = text.chars().skip(skipped);
    let mut shown = String::from(if skipped > 0 { "…" } else { "" });
    shown.extend(letters.by_ref().take(SHOWN));
    shown.push_str(if letters.next().is_some() { "…" } else { "" });
    shown
}

/// Formats bytes that are not text: their number and the first of them.
pub(crate) fn bytes(bytes: &[u8]) -> String {
    let first: Vec<String> = bytes.iter().take(SHOWN_BYTES).map(|byte| format!("{byte:02x}")).collect();
    let more = if bytes.len() > SHOWN_BYTES { " …" } else { "" };
    format!("[{} bytes that are no text: {}{more}]", bytes.len(), first.join(" "))
}

#[cfg(test)]
mod tests {
    use alloy::primitives::{Address, U256};
    use num_rational::BigRational;
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_shown_without_the_names_of_types() {
        #[derive(Debug)]
        struct Row {
            #[expect(dead_code, reason = "shown by Debug only")]
            owner: Option<Address>,
        }
        let zero = "0x0000000000000000000000000000000000000000";
        for (text, expected) in [
            (readable(&Some(5)), "5".to_owned()),
            (readable(&None::<u8>), "none".to_owned()),
            (readable(&Some("a (Some) \"None\" {")), r#""a (Some) \"None\" {""#.to_owned()),
            (readable(&(Some(1), U256::from(2))), "(1, 2)".to_owned()),
            (readable(&Row { owner: Some(Address::ZERO) }), format!("{{ owner: {zero} }}")),
            (readable(&json!({"a": [null, true, 1.5, "x"]})), r#"{"a": [null, true, 1.5, "x"]}"#.to_owned()),
            (readable(&vec![Some(Ok::<u8, ()>(1))]), "[1]".to_owned()),
            (
                readable(&[BigRational::new(6.into(), 4.into()), BigRational::from_integer(7.into())]),
                "[3/2, 7]".to_owned(),
            ),
        ] {
            assert_eq!(text, expected);
        }
    }

    #[test]
    fn the_member_that_is_spoken_of_is_in_sight() {
        let filler = "é".repeat(1_000);
        let text = json!({"aaa": filler, "nextOffset": 7, "zzz": filler}).to_string();
        let excerpt = around_member(&text, "nextOffset is a number");
        assert!(excerpt.contains("\"nextOffset\":7"), "{excerpt}");
        assert!(excerpt.starts_with('…') && excerpt.ends_with('…'), "{excerpt}");
        assert_eq!(excerpt.chars().count(), SHOWN + 2);
        assert!(around_member(&text, "something else").starts_with("{\"aaa\""));
        assert_eq!(around_member("{\"a\":1}", "abc"), "{\"a\":1}");
        assert_eq!(bytes(&[0x89, 0x50]), "[2 bytes that are no text: 89 50]");
    }
}
