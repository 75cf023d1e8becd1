//! Redaction: finds known secrets in texts, in every encoding in which they could leak, and replaces them.
//! [`exchange`] decides what a report keeps of requests and answers; the tool server decides for its own texts.
pub mod address;
pub mod exchange;
mod unescape;

use std::borrow::Cow;
use std::ops::Range;

use alloy_primitives::map::HashMap;
use alloy_primitives::{U256, hex};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use parking_lot::RwLock;
use zeroize::Zeroizing;

use unescape::Unescaped;

/// Minimum length in bytes: shorter texts are too common to search for.
const SHORTEST: usize = 6;

/// Encodings of secrets, folded, by their first bytes: a text is searched once, however many secrets there are.
type Forms = HashMap<[u8; SHORTEST], Vec<Zeroizing<Vec<u8>>>>;

/// Knows secrets and replaces them in texts. Its copies of them are zeroed on drop.
pub struct Redactor {
    mark: &'static str,
    forms: RwLock<Forms>,
}

impl std::fmt::Debug for Redactor {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Redactor({})", self.mark)
    }
}

impl Redactor {
    /// Creates a redactor that knows no secret yet and replaces each secret by `mark`.
    #[must_use]
    pub fn new(mark: &'static str) -> Self {
        Self { mark, forms: RwLock::default() }
    }

    /// Learns secret bytes: their hexadecimal, decimal and base64 forms, and the same forms of their hexadecimal digits.
    pub fn learn_bytes(&self, secret: &[u8]) {
        let lower = Zeroizing::new(hex::encode(secret));
        let upper = Zeroizing::new(lower.to_ascii_uppercase());
        self.learn(base64_forms(secret));
        for digits in [&lower, &upper] {
            self.learn([Zeroizing::new(hex::encode(digits.as_bytes()))]);
            self.learn(base64_forms(digits.as_bytes()));
        }
        self.learn(U256::try_from_be_slice(secret).map(|number| Zeroizing::new(number.to_string())));
        self.learn([lower]);
    }

    /// Learns a secret text: the text itself, its unescaped form, and the hexadecimal and base64 forms of both.
    pub fn learn_text(&self, secret: &str) {
        let plain = Unescaped::plain(secret);
        for text in [plain.unescape(), Some(plain)].into_iter().flatten() {
            let bytes = text.text().as_bytes();
            self.learn(base64_forms(bytes));
            self.learn([hex::encode(bytes), text.text().to_owned()].map(Zeroizing::new));
        }
    }

    fn learn(&self, encodings: impl IntoIterator<Item = Zeroizing<String>>) {
        let mut forms = self.forms.write();
        for encoding in encodings {
            let form = Zeroizing::new(folded(&encoding));
            let Some(beginning) = form.first_chunk() else { continue };
            let alike = forms.entry(*beginning).or_default();
            if !alike.contains(&form) {
                alike.push(form);
            }
        }
    }

    /// Whether the text contains a known secret.
    pub fn finds_secret(&self, text: &str) -> bool {
        !self.find(text).is_empty()
    }

    /// Removes known secrets from a text. Valid JSON stays valid JSON: only whole characters or escapes are cut.
    pub fn redact<'text>(&self, text: &'text str) -> Cow<'text, str> {
        let mut found = self.find(text);
        if found.is_empty() {
            return Cow::Borrowed(text);
        }
        found.sort_unstable_by_key(|range| range.start);
        let (mut clean, mut from) = (String::with_capacity(text.len()), 0);
        for range in found {
            // A match that overlaps or touches the previous one shares its mark.
            if clean.is_empty() || range.start > from {
                clean.push_str(&text[from..range.start]);
                clean.push_str(self.mark);
            }
            from = from.max(range.end);
        }
        clean.push_str(&text[from..]);
        Cow::Owned(clean)
    }

    /// Ranges of secrets, in any order.
    fn find(&self, text: &str) -> Vec<Range<usize>> {
        let forms = self.forms.read();
        let mut found = Vec::new();
        let mut layer = Some(Unescaped::plain(text));
        while let Some(current) = layer {
            let folded = folded(current.text());
            for (at, beginning) in folded.array_windows().enumerate() {
                let alike = forms.get(beginning).into_iter().flatten();
                let longest =
                    alike.filter(|form| folded[at..].starts_with(form)).map(|form| form.len()).max();
                found.extend(longest.map(|length| current.source(at..at + length)));
            }
            layer = current.unescape();
        }
        found
    }
}

/// Folds letter case and the two alphabets of base64; every byte keeps its position.
fn folded(text: &str) -> Vec<u8> {
    let fold = |byte| match byte {
        b'-' => b'+',
        b'_' => b'/',
        other => other.to_ascii_lowercase(),
    };
    text.bytes().map(fold).collect()
}

/// The base64 forms of bytes at any offset inside a longer encoded text.
fn base64_forms(secret: &[u8]) -> [Zeroizing<String>; 3] {
    [0, 1, 2].map(|offset| {
        let padded = Zeroizing::new([&[0; 2][..offset], secret].concat());
        let encoded = Zeroizing::new(STANDARD_NO_PAD.encode(&padded));
        let (first, end) = ((offset * 8).div_ceil(6), (offset + secret.len()) * 8 / 6);
        // An empty secret has none.
        Zeroizing::new(encoded.get(first..end).unwrap_or_default().to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};
    use proptest::prelude::*;

    const MARK: &str = "[redacted]";

    fn percent(text: &str) -> String {
        text.bytes().map(|byte| format!("%{byte:02X}")).collect()
    }

    fn unicode(text: &str) -> String {
        text.chars().map(|character| format!("\\u{:04x}", u32::from(character))).collect()
    }

    /// Every encoding in which a secret could leak.
    fn encodings(secret: &[u8]) -> Vec<String> {
        let hex = hex::encode(secret);
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
            U256::from_be_slice(secret).to_string(),
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
            let redactor = Redactor::new(MARK);
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
            let redactor = Redactor::new(MARK);
            redactor.learn_bytes(&[0xa7; 32]);
            redactor.learn_text("segment-with-a-token");
            prop_assert_eq!(redactor.redact(&text), text.as_str());
        }

        #[test]
        fn secret_text_is_redacted_in_any_case(secret in "[A-Za-z0-9_-]{12,40}") {
            let redactor = Redactor::new(MARK);
            redactor.learn_text(&secret);
            for text in [secret.clone(), secret.to_uppercase(), percent(&secret), BASE64_STANDARD.encode(&secret), hex::encode(&secret)] {
                prop_assert!(redactor.redact(&format!("at /{text}/x")).contains(MARK), "{}", text);
            }
        }
    }

    #[test]
    fn debug_prints_no_secret() {
        let redactor = Redactor::new(MARK);
        redactor.learn_text("a-very-secret-text");
        assert_eq!(format!("{redactor:?}"), "Redactor([redacted])");
    }
}
