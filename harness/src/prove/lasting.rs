//! Failure texts without the values that vary from run to run, and short enough to read.
use std::iter::zip;

/// Maximum characters kept of a text.
const LONGEST: usize = 240;
/// Characters kept before the first difference of two long texts.
const BEFORE: usize = 40;
/// Minimum digits of a hash, a key or an address that a run generates.
const HASH: usize = 32;
/// The text before, and after, a number that varies from run to run.
const BEFORE_NUMBERS: [&str; 10] = [
    "127.0.0.1:",
    "\"id\":",
    "\"id\":\"",
    "\"id\": String(\"",
    "launchId\\\":\\\"",
    "request ",
    "known at ",
    "a read from ",
    "ends after ",
    "ends after ….",
];
const AFTER_NUMBERS: [&str; 1] = [" more looks for"];

/// The expected and the actual text, as a proof stores them.
pub(super) fn lasting(expected: &str, actual: &str) -> (String, String) {
    let (left, right) = (masked(expected), masked(actual));
    // Two texts that differ only in masked values are kept unmasked.
    let (left, right) = if left == right { (expected.to_owned(), actual.to_owned()) } else { (left, right) };
    let alike = zip(left.chars(), right.chars()).take_while(|(left, right)| left == right).count();
    let from = if alike + BEFORE < LONGEST { 0 } else { alike - BEFORE };
    (shortened(&left, from), shortened(&right, from))
}

fn shortened(text: &str, from: usize) -> String {
    let kept: String = text.chars().skip(from).take(LONGEST).collect();
    let before = if from > 0 { "…" } else { "" };
    let after = if text.chars().count() > from + LONGEST { "…" } else { "" };
    format!("{before}{kept}{after}")
}

/// Replaces every hash and every number of the run with `…`.
fn masked(text: &str) -> String {
    let mut masked = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_word = |letter: char| letter.is_ascii_alphanumeric();
        let end = if is_word(first) {
            rest.find(|letter| !is_word(letter)).unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        let (word, after) = rest.split_at(end);
        masked.push_str(if is_of_run(word, &masked, after) { "…" } else { word });
        rest = after;
    }
    masked
}

/// Whether a word between these texts varies from run to run.
fn is_of_run(word: &str, before: &str, after: &str) -> bool {
    let digits = word.strip_prefix("0x").unwrap_or(word);
    let is_hash = digits.len() >= HASH && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    let is_number = word.starts_with(|first: char| first.is_ascii_digit());
    let is_numbered = BEFORE_NUMBERS.iter().any(|text| before.ends_with(text))
        || AFTER_NUMBERS.iter().any(|text| after.starts_with(text));
    is_hash && digits.bytes().any(|digit| !digit.is_ascii_digit()) || is_number && is_numbered
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_run_makes_is_masked() {
        for (text, expected) in [
            ("http://127.0.0.1:44841/api", "http://127.0.0.1:…/api"),
            ("{\"id\":\"1466\",\"amount\":\"1466\"}", "{\"id\":\"…\",\"amount\":\"1466\"}"),
            ("0x00710b080B42c90CFC67416aDc08213daC73e404 holds 4", "… holds 4"),
            ("{\\\"launchId\\\":\\\"43\\\"}", "{\\\"launchId\\\":\\\"…\\\"}"),
            ("64 more looks for the receipt", "… more looks for the receipt"),
            ("it ends after 10.212490902s", "it ends after ….…"),
            ("1000000000000000000000000000000000", "1000000000000000000000000000000000"),
            ("200 OK at 2026-03-04T12:00:00Z", "200 OK at 2026-03-04T12:00:00Z"),
        ] {
            assert_eq!(masked(text), expected);
        }
    }

    #[test]
    fn two_texts_stay_different_and_short() {
        let hash = |end: &str| format!("{}{end}", "ab".repeat(20));
        assert_ne!(lasting(&hash("1"), &hash("2")).0, lasting(&hash("1"), &hash("2")).1);
        let long = |end: &str| format!("{}{end}{}", "x ".repeat(500), " y".repeat(500));
        let (expected, actual) = lasting(&long("1"), &long("22"));
        assert_ne!(expected, actual);
        assert!(expected.starts_with("…x ") && expected.ends_with(" …"), "{expected}");
        assert_eq!(expected.chars().count(), LONGEST + 2);
    }
}
