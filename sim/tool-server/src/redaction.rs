//! Redaction: every outgoing text passes here, and known secrets are cut out in every encoding they could take.
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{PoisonError, RwLock};

use alloy::primitives::U256;
use base64::Engine as _;
use base64::alphabet;
use base64::engine::{GeneralPurpose, general_purpose::NO_PAD};
use memchr::memmem;
use zeroize::Zeroize as _;

use crate::unescape::{Unescaped, is_unsafe_character};

/// Replaces a secret.
pub(crate) const MARK: &str = "[redacted]";
/// Shorter texts are too common to be searched for, in bytes.
const MIN_NEEDLE: usize = 6;
/// Longest piece of untrusted text that is repeated to the caller, in characters.
const MAX_UNTRUSTED_TEXT: usize = 300;
/// A run of this many hexadecimal digits in untrusted text can be a key.
const MIN_UNTRUSTED_HEX: usize = 64;
/// A run of this many word characters in untrusted text can be an encoded payload.
const MIN_UNTRUSTED_WORD: usize = 80;

/// One encoding of a secret.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Needle {
    text: String,
    /// Whether letter case is ignored; then `text` is in ASCII lower case.
    case_insensitive: bool,
}

impl Drop for Needle {
    fn drop(&mut self) {
        self.text.zeroize();
    }
}

/// Knows the secrets of one tool server and cuts them out of text.
///
/// Clause: MCP-SECRETS
#[derive(Default)]
pub(crate) struct Redactor {
    needles: RwLock<BTreeSet<Needle>>,
}

impl std::fmt::Debug for Redactor {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Redactor([redacted])")
    }
}

impl Redactor {
    /// Learns secret bytes: their hexadecimal, decimal and base64 forms.
    pub(crate) fn learn_bytes(&self, secret: &[u8]) {
        let mut lower = alloy::hex::encode(secret);
        let mut upper = lower.to_uppercase();
        let mut forms = base64_forms(secret);
        forms.extend(base64_forms(lower.as_bytes()));
        forms.extend(base64_forms(upper.as_bytes()));
        for text in [lower.clone(), alloy::hex::encode(&lower), alloy::hex::encode(&upper)] {
            forms.push(Needle { text, case_insensitive: true });
        }
        if let Some(number) = U256::try_from_be_slice(secret) {
            forms.push(Needle { text: number.to_string(), case_insensitive: false });
        }
        lower.zeroize();
        upper.zeroize();
        self.add(forms);
    }

    /// Learns a secret text: itself in any letter case, and its hexadecimal and base64 forms.
    pub(crate) fn learn_text(&self, secret: &str) {
        let mut forms = base64_forms(secret.as_bytes());
        forms.push(Needle { text: secret.to_ascii_lowercase(), case_insensitive: true });
        forms.push(Needle { text: alloy::hex::encode(secret), case_insensitive: true });
        self.add(forms);
    }

    fn add(&self, forms: Vec<Needle>) {
        let mut needles = self.needles.write().unwrap_or_else(PoisonError::into_inner);
        needles.extend(forms.into_iter().filter(|needle| needle.text.len() >= MIN_NEEDLE));
    }

    /// Whether the text contains a known secret.
    pub(crate) fn finds_secret(&self, text: &str) -> bool {
        !self.matches(text).is_empty()
    }

    /// The text without known secrets. Valid JSON stays valid JSON: only whole characters or escapes are cut.
    pub(crate) fn redact<'text>(&self, text: &'text str) -> Cow<'text, str> {
        let matches = self.matches(text);
        if matches.is_empty() {
            return Cow::Borrowed(text);
        }
        let mut clean = String::with_capacity(text.len());
        let mut from = 0;
        for range in merged(matches) {
            clean.push_str(&text[from..range.start]);
            clean.push_str(MARK);
            from = range.end;
        }
        clean.push_str(&text[from..]);
        Cow::Owned(clean)
    }

    /// Untrusted text, fit to be repeated: no secrets, no URLs, nothing long enough to be a key or a payload, on one line,
    /// bounded.
    pub(crate) fn sanitize(&self, text: &str) -> String {
        let line: String =
            text.chars().map(|character| if character.is_whitespace() { ' ' } else { character }).collect();
        let clean: String =
            self.redact(&line).chars().filter(|character| !is_unsafe_character(*character)).collect();
        let words: Vec<String> =
            clean.split(' ').filter(|word| !word.is_empty()).map(sanitize_word).collect();
        words.join(" ").chars().take(MAX_UNTRUSTED_TEXT).collect()
    }

    fn matches(&self, text: &str) -> Vec<Range<usize>> {
        let needles = self.needles.read().unwrap_or_else(PoisonError::into_inner);
        let mut found = Vec::new();
        let mut layer = Some(Unescaped::plain(text));
        while let Some(current) = layer {
            let folded = current.text().to_ascii_lowercase();
            for needle in needles.iter() {
                let haystack = if needle.case_insensitive { folded.as_str() } else { current.text() };
                found.extend(
                    memmem::find_iter(haystack.as_bytes(), needle.text.as_bytes())
                        .map(|at| current.source(at..at + needle.text.len())),
                );
            }
            layer = current.unescape();
        }
        found
    }
}

/// A word of untrusted text, replaced when it is a URL or long enough to carry a key or a payload.
fn sanitize_word(word: &str) -> String {
    if word.contains("://") {
        return "[url]".to_owned();
    }
    let longest = |matches: fn(char) -> bool| {
        word.split(|character| !matches(character)).map(str::len).max().unwrap_or_default()
    };
    let encoded = |character: char| character.is_ascii_alphanumeric() || "+/_=-%\\".contains(character);
    if longest(|character| character.is_ascii_hexdigit()) >= MIN_UNTRUSTED_HEX
        || longest(encoded) >= MIN_UNTRUSTED_WORD
    {
        return MARK.to_owned();
    }
    word.to_owned()
}

fn merged(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.sort_by_key(|range| range.start);
    let mut merged: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match merged.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    merged
}

/// The base64 forms of bytes at any offset inside a longer encoded text, in both alphabets.
fn base64_forms(secret: &[u8]) -> Vec<Needle> {
    let mut forms = Vec::with_capacity(6);
    for alphabet in [alphabet::STANDARD, alphabet::URL_SAFE] {
        let engine = GeneralPurpose::new(&alphabet, NO_PAD);
        for offset in 0..3 {
            let mut padded = vec![0; offset];
            padded.extend_from_slice(secret);
            let mut encoded = engine.encode(&padded);
            padded.zeroize();
            let (first, end) = ((offset * 8).div_ceil(6), (offset + secret.len()) * 8 / 6);
            forms.push(Needle { text: encoded[first..end].to_owned(), case_insensitive: false });
            encoded.zeroize();
        }
    }
    forms
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};
    use proptest::prelude::*;

    fn percent(text: &str) -> String {
        text.bytes().map(|byte| format!("%{byte:02X}")).collect()
    }

    fn unicode(text: &str) -> String {
        text.chars().map(|character| format!("\\u{:04x}", u32::from(character))).collect()
    }

    /// Every encoding in which a secret could leave.
    fn encodings(secret: &[u8]) -> Vec<String> {
        let hex = alloy::hex::encode(secret);
        let mixed: String = hex
            .char_indices()
            .map(|(at, letter)| if at % 2 == 0 { letter.to_ascii_uppercase() } else { letter })
            .collect();
        let mut all = vec![
            hex.clone(),
            format!("0x{hex}"),
            hex.to_uppercase(),
            format!("0X{}", hex.to_uppercase()),
            mixed,
            BASE64_STANDARD.encode(secret),
            BASE64_URL_SAFE_NO_PAD.encode(secret),
            BASE64_STANDARD.encode(&hex),
            BASE64_STANDARD.encode(format!("0x{hex}")),
            BASE64_STANDARD.encode(format!("key={}", hex.to_uppercase())),
        ];
        let escaped: Vec<String> =
            all.iter().flat_map(|text| [percent(text), unicode(text), unicode(&percent(text))]).collect();
        all.extend(escaped);
        all
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn no_encoding_of_a_key_survives(secret in prop::array::uniform32(1_u8..), before in "[ -~]{0,20}", after in "[ -~]{0,20}") {
            let redactor = Redactor::default();
            redactor.learn_bytes(&secret);
            for encoding in encodings(&secret) {
                let text = format!("{before} {encoding} {after}");
                prop_assert!(redactor.finds_secret(&text), "not seen: {}", text);
                let clean = redactor.redact(&text);
                prop_assert!(clean.contains(MARK));
                prop_assert!(!redactor.finds_secret(&clean), "survives: {}", clean);
                let json = serde_json::to_string(&serde_json::json!({ "text": text, "n": 1 })).unwrap();
                let clean = redactor.redact(&json);
                prop_assert!(!redactor.finds_secret(&clean));
                prop_assert!(serde_json::from_str::<serde_json::Value>(&clean).is_ok(), "broken: {}", clean);
            }
        }

        #[test]
        fn text_without_secrets_is_unchanged(text in "\\PC{0,200}") {
            let redactor = Redactor::default();
            redactor.learn_bytes(&[0xa7; 32]);
            redactor.learn_text("segment-with-a-token");
            prop_assert_eq!(redactor.redact(&text), text.as_str());
        }

        #[test]
        fn secret_text_is_redacted_in_any_case(secret in "[A-Za-z0-9_-]{12,40}") {
            let redactor = Redactor::default();
            redactor.learn_text(&secret);
            for text in [secret.clone(), secret.to_uppercase(), percent(&secret), BASE64_STANDARD.encode(&secret), alloy::hex::encode(&secret)] {
                prop_assert!(redactor.redact(&format!("at /{text}/x")).contains(MARK), "{}", text);
            }
        }
    }

    #[test]
    fn untrusted_text_is_sanitized() {
        let redactor = Redactor::default();
        let payload = "02f8".repeat(60);
        let text = format!(
            "bad\n\u{202e}request 0x{payload} at https://user:pass@host/key?x=1 {}",
            "word ".repeat(200)
        );
        let clean = redactor.sanitize(&text);
        assert!(clean.starts_with("bad request [redacted] at [url] word"), "{clean}");
        assert!(clean.chars().count() <= MAX_UNTRUSTED_TEXT);
    }

    #[test]
    fn debug_prints_no_secret() {
        let redactor = Redactor::default();
        redactor.learn_text("a-very-secret-text");
        assert_eq!(format!("{redactor:?}"), "Redactor([redacted])");
    }
}
