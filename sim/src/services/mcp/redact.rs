//! The one place through which outgoing text passes: known secrets are cut out in every spelling they could take.
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io;
use std::ops::Range;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use alloy::primitives::U256;
use base64::Engine as _;
use base64::alphabet;
use base64::engine::{GeneralPurpose, general_purpose::NO_PAD};
use memchr::memmem;
use zeroize::Zeroize as _;

use super::spelling::{Spelling, is_unsafe_character};

/// What stands where a secret stood.
pub(crate) const MARK: &str = "[redacted]";
/// Shorter texts are too common to be searched for.
const SHORTEST_NEEDLE: usize = 6;
/// Longest piece of foreign text that is repeated to the caller, in characters.
const LONGEST_FOREIGN_TEXT: usize = 300;
/// A run of this many hexadecimal digits in foreign text can be a key.
const LONGEST_FOREIGN_HEX: usize = 64;
/// A run of this many word characters in foreign text can be an encoded payload.
const LONGEST_FOREIGN_WORD: usize = 80;

/// One spelling of a secret.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Needle {
    text: String,
    /// Whether letter case is ignored.
    folded: bool,
}

impl Drop for Needle {
    fn drop(&mut self) {
        self.text.zeroize();
    }
}

/// Knows the secrets of this process and cuts them out of text.
#[derive(Default)]
pub(crate) struct Redactor {
    needles: RwLock<BTreeSet<Needle>>,
    blind: bool,
    shallow: bool,
}

impl std::fmt::Debug for Redactor {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Redactor([redacted])")
    }
}

impl Redactor {
    /// A redactor that sees nothing: the seeded defect of secrecy.
    pub(crate) fn blind() -> Self {
        Self { blind: true, ..Self::default() }
    }

    /// A redactor that does not look behind escapes: another one.
    pub(crate) fn shallow() -> Self {
        Self { shallow: true, ..Self::default() }
    }

    /// Learns secret bytes: hexadecimal, decimal and base64 spellings of them.
    pub(crate) fn learn_bytes(&self, secret: &[u8]) {
        let mut lower = alloy::hex::encode(secret);
        let mut upper = lower.to_uppercase();
        let mut forms = base64_forms(secret);
        forms.extend(base64_forms(lower.as_bytes()));
        forms.extend(base64_forms(upper.as_bytes()));
        for text in [lower.clone(), alloy::hex::encode(&lower), alloy::hex::encode(&upper)] {
            forms.push(Needle { text, folded: true });
        }
        if let Some(number) = U256::try_from_be_slice(secret) {
            forms.push(Needle { text: number.to_string(), folded: false });
        }
        lower.zeroize();
        upper.zeroize();
        self.add(forms);
    }

    /// Learns a secret text: itself in any letter case, and its hexadecimal and base64 spellings.
    pub(crate) fn learn_text(&self, secret: &str) {
        let mut forms = base64_forms(secret.as_bytes());
        forms.push(Needle { text: secret.to_ascii_lowercase(), folded: true });
        forms.push(Needle { text: alloy::hex::encode(secret), folded: true });
        self.add(forms);
    }

    fn add(&self, forms: Vec<Needle>) {
        let mut needles = self.needles.write().unwrap_or_else(PoisonError::into_inner);
        needles.extend(forms.into_iter().filter(|needle| needle.text.len() >= SHORTEST_NEEDLE));
    }

    /// Whether the text spells a known secret.
    pub(crate) fn holds(&self, text: &str) -> bool {
        !self.blind && !self.matches(text).is_empty()
    }

    /// The text without known secrets. Valid JSON stays valid JSON: only whole characters or escapes are cut.
    pub(crate) fn scrub<'text>(&self, text: &'text str) -> Cow<'text, str> {
        if self.blind {
            return Cow::Borrowed(text);
        }
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

    /// Text written by somebody else, fit to be repeated: no secrets, no addresses, nothing long enough to be a key or a
    /// payload, one line, bounded.
    pub(crate) fn foreign(&self, text: &str) -> String {
        if self.blind {
            return text.to_owned();
        }
        let line: String =
            text.chars().map(|character| if character.is_whitespace() { ' ' } else { character }).collect();
        let clean: String =
            self.scrub(&line).chars().filter(|character| !is_unsafe_character(*character)).collect();
        let words: Vec<String> = clean.split(' ').filter(|word| !word.is_empty()).map(foreign_word).collect();
        words.join(" ").chars().take(LONGEST_FOREIGN_TEXT).collect()
    }

    fn matches(&self, text: &str) -> Vec<Range<usize>> {
        let needles = self.needles.read().unwrap_or_else(PoisonError::into_inner);
        let mut found = Vec::new();
        let mut spelling = Some(Spelling::plain(text));
        while let Some(current) = spelling {
            let folded = current.text().to_ascii_lowercase();
            for needle in needles.iter() {
                let haystack = if needle.folded { folded.as_str() } else { current.text() };
                found.extend(
                    memmem::find_iter(haystack.as_bytes(), needle.text.as_bytes())
                        .map(|at| current.source(at..at + needle.text.len())),
                );
            }
            spelling = if self.shallow { None } else { current.unescaped() };
        }
        found
    }
}

/// A word of foreign text, replaced when it is an address or long enough to carry a key or a payload.
fn foreign_word(word: &str) -> String {
    if word.contains("://") {
        return "[address]".to_owned();
    }
    let longest = |matches: fn(char) -> bool| {
        word.split(|character| !matches(character)).map(str::len).max().unwrap_or_default()
    };
    let encoded = |character: char| character.is_ascii_alphanumeric() || "+/_=-%\\".contains(character);
    if longest(|character| character.is_ascii_hexdigit()) >= LONGEST_FOREIGN_HEX
        || longest(encoded) >= LONGEST_FOREIGN_WORD
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

/// A text without what stands before the at sign of an address. Written for logs, where too much cut out does no harm: no
/// word of the text is taken apart to see whether it really is an address.
fn without_userinfo(text: &str) -> String {
    let ends_word = |character: char| character.is_whitespace() || "\"'`<>".contains(character);
    text.split_inclusive(ends_word)
        .map(|word| match word.rsplit_once('@') {
            Some((before, after)) if before.contains(':') => format!("{MARK}@{after}"),
            _ => word.to_owned(),
        })
        .collect()
}

/// The base64 spellings of bytes wherever they start inside a longer encoded text, in both alphabets.
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
            forms.push(Needle { text: encoded[first..end].to_owned(), folded: false });
            encoded.zeroize();
        }
    }
    forms
}

/// The redactor of the tool server that this process serves, once it serves one.
static SERVED: OnceLock<Arc<Redactor>> = OnceLock::new();

/// From now on the log of this process passes this redactor. The first one stays.
pub(crate) fn redact_log(redactor: &Arc<Redactor>) {
    SERVED.get_or_init(|| Arc::clone(redactor));
}

/// Where a process that may serve tools writes its log.
#[must_use]
pub fn log() -> Log {
    Log(())
}

/// Standard error, without the secrets of the tool server that this process serves. Made for the writer of a log subscriber,
/// which writes an event at a time.
#[derive(Clone, Copy, Debug)]
pub struct Log(());

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(bytes);
        let clean = SERVED
            .get()
            .map_or(Cow::Borrowed(&*text), |redactor| Cow::Owned(without_userinfo(&redactor.scrub(&text))));
        io::stderr().lock().write_all(clean.as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().lock().flush()
    }
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

    /// Every spelling in which the canary could leave.
    fn spellings(secret: &[u8]) -> Vec<String> {
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
        fn no_spelling_of_a_key_survives(secret in prop::array::uniform32(1_u8..), before in "[ -~]{0,20}", after in "[ -~]{0,20}") {
            let redactor = Redactor::default();
            redactor.learn_bytes(&secret);
            for spelling in spellings(&secret) {
                let text = format!("{before} {spelling} {after}");
                prop_assert!(redactor.holds(&text), "not seen: {}", text);
                let clean = redactor.scrub(&text);
                prop_assert!(clean.contains(MARK));
                prop_assert!(!redactor.holds(&clean), "survives: {}", clean);
                let json = serde_json::to_string(&serde_json::json!({ "text": text, "n": 1 })).unwrap();
                let clean = redactor.scrub(&json);
                prop_assert!(!redactor.holds(&clean));
                prop_assert!(serde_json::from_str::<serde_json::Value>(&clean).is_ok(), "broken: {}", clean);
            }
        }

        #[test]
        fn innocent_text_is_untouched(text in "\\PC{0,200}") {
            let redactor = Redactor::default();
            redactor.learn_bytes(&[0xa7; 32]);
            redactor.learn_text("segment-with-a-token");
            prop_assert_eq!(redactor.scrub(&text), text.as_str());
        }

        #[test]
        fn a_secret_text_is_cut_in_any_case(secret in "[A-Za-z0-9_-]{12,40}") {
            let redactor = Redactor::default();
            redactor.learn_text(&secret);
            for text in [secret.clone(), secret.to_uppercase(), percent(&secret), BASE64_STANDARD.encode(&secret), alloy::hex::encode(&secret)] {
                prop_assert!(redactor.scrub(&format!("at /{text}/x")).contains(MARK), "{}", text);
            }
        }
    }

    #[test]
    fn foreign_text_is_one_short_line_without_addresses_or_payloads() {
        let redactor = Redactor::default();
        let payload = "02f8".repeat(60);
        let text = format!(
            "bad\n\u{202e}request 0x{payload} at https://user:pass@host/key?x=1 {}",
            "word ".repeat(200)
        );
        let clean = redactor.foreign(&text);
        assert!(clean.starts_with("bad request [redacted] at [address] word"), "{clean}");
        assert!(clean.chars().count() <= LONGEST_FOREIGN_TEXT);
    }

    #[test]
    fn credentials_of_addresses_are_cut_out_of_the_log() {
        for (text, clean) in [
            (
                r#"url: String("https://user:word@1.1.1.1/a.png"), n: 1"#,
                r#"url: String("[redacted]@1.1.1.1/a.png"), n: 1"#,
            ),
            ("https:\\\\user:word@host and HTTP://word@host", "[redacted]@host and [redacted]@host"),
            ("write to somebody@host at 12:30", "write to somebody@host at 12:30"),
        ] {
            assert_eq!(without_userinfo(text), clean);
        }
    }

    #[test]
    fn debug_shows_nothing() {
        let redactor = Redactor::default();
        redactor.learn_text("a-very-secret-text");
        assert_eq!(format!("{redactor:?}"), "Redactor([redacted])");
    }
}
