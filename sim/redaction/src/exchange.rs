//! Redacts the exchanges in a report: bounded texts without operator keys, bearer tokens, private keys and signatures.
use std::collections::BTreeSet;

use parking_lot::RwLock;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::Redactor;

/// Characters kept from the beginning and from the end of a body.
const BEGINNING: usize = 3_000;
const ENDING: usize = 1_000;
/// Digits of the hash that identifies a shortened run of hexadecimal digits.
const HASH: usize = 8;
/// Bytes read of a body; the rest is neither searched nor kept.
const LOOKED_AT: usize = 256 * 1024;
/// Longest run of hexadecimal digits kept whole: a word of 32 bytes. Signatures, signed transactions and calldata are longer.
const LONGEST_HEX: usize = 64;
/// Digits kept of a longer run: a selector and the beginning of an argument.
const HEX_KEPT: usize = 16;
/// Minimum length of a secret: shorter ones would match inside ordinary words.
const SHORTEST_SECRET: usize = 8;
/// The replacement of a secret.
pub const CONCEALED: &str = "[concealed]";
/// Headers whose value is a credential.
const CREDENTIALS: [&str; 5] =
    ["authorization", "x-operator-key", "cookie", "set-cookie", "proxy-authorization"];
/// Fields whose text is always a credential.
const SECRET_FIELDS: [&str; 6] =
    ["signature", "operatorkey", "privatekey", "authorization", "bearer", "captchatoken"];

/// The part of a body that is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// Its beginning and its end.
    Ends,
    /// Everything that is read.
    Whole,
}

/// Removes from texts whatever a report must not keep.
#[derive(Debug)]
pub struct Redaction {
    secrets: Redactor,
    /// Addresses in use, each with its replacement.
    addresses: Vec<(String, String)>,
    kept: Kept,
    /// Texts shown although they look like secrets.
    revealed: RwLock<BTreeSet<String>>,
}

impl Redaction {
    /// Creates a redaction that knows no secret yet; it replaces the first address of each pair by the second.
    #[must_use]
    pub fn new(addresses: Vec<(String, String)>, kept: Kept) -> Self {
        Self { secrets: Redactor::new(CONCEALED), addresses, kept, revealed: RwLock::default() }
    }

    /// Marks a text that looks like a secret but is none, to be shown from now on.
    pub fn reveal(&self, text: &str) {
        self.revealed.write().insert(text.to_owned());
    }

    /// Conceals a text from now on, and the bytes if it is hexadecimal.
    pub fn conceal(&self, secret: &str) {
        let bare = secret.trim().trim_start_matches("0x");
        if bare.len() < SHORTEST_SECRET {
            return;
        }
        // Padding differs between encoders.
        self.secrets.learn_text(bare.trim_end_matches('='));
        if let Some(bytes) = unhex(bare) {
            self.secrets.learn_bytes(&bytes);
        }
    }

    /// Conceals a part of an address from now on: it may be shorter than other secrets.
    pub fn conceal_part(&self, part: &str) {
        self.secrets.learn_text(part);
    }

    /// Removes secrets from a text; a long run of hexadecimal digits is shortened.
    #[must_use]
    pub fn text(&self, text: &str) -> String {
        let mut text = self.secrets.redact(text).into_owned();
        for (in_use, lasting) in &self.addresses {
            if text.contains(in_use.as_str()) {
                text = text.replace(in_use.as_str(), lasting);
            }
        }
        without_credentials(&self.shorten_hex(&text))
    }

    /// Redacts the value of a header.
    #[must_use]
    pub fn header(&self, name: &str, value: &str) -> String {
        if CREDENTIALS.contains(&name.to_ascii_lowercase().as_str()) {
            CONCEALED.to_owned()
        } else {
            self.text(value)
        }
    }

    /// Redacts a body: fields that hold credentials are concealed, here and wherever their texts appear again.
    #[must_use]
    pub fn body(&self, bytes: &[u8]) -> String {
        if bytes.is_empty() {
            return String::new();
        }
        let looked_at = &bytes[..bytes.len().min(LOOKED_AT)];
        let text = match std::str::from_utf8(looked_at) {
            Ok(text) => text,
            // The limit may split a character.
            Err(error) if bytes.len() > LOOKED_AT && error.valid_up_to() + 4 > LOOKED_AT => {
                std::str::from_utf8(&looked_at[..error.valid_up_to()]).unwrap_or_default()
            }
            Err(_) => return format!("[{} bytes that are no text]", bytes.len()),
        };
        if let Ok(value) = serde_json::from_str::<Value>(text) {
            self.find_credentials(&value);
        }
        let text = if bytes.len() > LOOKED_AT {
            // Part of a secret may be left at the end.
            text.trim_end_matches(|letter: char| !letter.is_whitespace() && !",;\"'".contains(letter))
        } else {
            text
        };
        if self.kept == Kept::Whole {
            return self.text(text);
        }
        match ends(text) {
            None => bounded(&self.text(text)),
            Some((beginning, ending)) => {
                let beginning: String = self.text(beginning).chars().take(BEGINNING).collect();
                let ending = self.text(ending);
                let before = ending.chars().count().saturating_sub(ENDING);
                format!("{beginning}…{}", ending.chars().skip(before).collect::<String>())
            }
        }
    }

    /// Shortens every run of more than [`LONGEST_HEX`] hexadecimal digits to its beginning, its length and a part of its hash, unless it
    /// was revealed.
    fn shorten_hex(&self, text: &str) -> String {
        let mut short = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(start) = rest.find(|letter: char| letter.is_ascii_hexdigit()) {
            let (before, run) = rest.split_at(start);
            let length = run.find(|letter: char| !letter.is_ascii_hexdigit()).unwrap_or(run.len());
            short.push_str(before);
            if length > LONGEST_HEX && !self.is_revealed(&run[..length]) {
                short.push_str(&run[..HEX_KEPT]);
                let hash = format!("{:x}", Sha256::digest(run[..length].to_ascii_lowercase()));
                short.push_str(&format!("…({length} digits, hash {})", &hash[..HASH]));
            } else {
                short.push_str(&run[..length]);
            }
            rest = &run[length..];
        }
        short.push_str(rest);
        short
    }

    /// Whether these digits are part of a revealed text.
    fn is_revealed(&self, digits: &str) -> bool {
        self.revealed.read().iter().any(|text| text.contains(digits))
    }

    fn find_credentials(&self, value: &Value) {
        match value {
            Value::Array(items) => items.iter().for_each(|item| self.find_credentials(item)),
            Value::Object(fields) => {
                for (name, field) in fields {
                    let name = name.to_ascii_lowercase().replace(['_', '-'], "");
                    match field {
                        Value::String(text) if is_credential(&name, text) => {
                            if !self.revealed.read().contains(text) {
                                self.conceal(text);
                            }
                        }
                        other => self.find_credentials(other),
                    }
                }
            }
            _ => {}
        }
    }
}

/// A `token` that is not an address is a credential: launched tokens are addresses.
fn is_credential(name: &str, text: &str) -> bool {
    let is_address = text.len() == 42 && text.starts_with("0x");
    let blank = text.is_empty() || text == CONCEALED;
    !blank && (SECRET_FIELDS.contains(&name) || (name == "token" && !is_address))
}

/// Beginning and end of a long text, with a margin for a concealed text to end in; a word that is cut is left out.
fn ends(text: &str) -> Option<(&str, &str)> {
    const MARGIN: usize = 1_024;
    if text.len() <= 4 * (BEGINNING + ENDING + 2 * MARGIN) {
        return None;
    }
    // A character has four bytes at most.
    let beginning = &text[..text.floor_char_boundary(4 * (BEGINNING + MARGIN))];
    let ending = &text[text.ceil_char_boundary(text.len() - 4 * (ENDING + MARGIN))..];
    let is_word = |letter: char| !letter.is_whitespace() && !",;\"'".contains(letter);
    Some((beginning.trim_end_matches(is_word), ending.trim_start_matches(is_word)))
}

/// Shortens a text to its beginning and its end: an answer starts with its lists and ends with their counts.
fn bounded(text: &str) -> String {
    let letters = text.chars().count();
    if letters <= BEGINNING + ENDING {
        return text.to_owned();
    }
    let beginning: String = text.chars().take(BEGINNING).collect();
    let ending: String = text.chars().skip(letters - ENDING).collect();
    format!("{beginning}…{ending}")
}

/// Removes credentials recognised by their form: text after `Bearer`, `Wallet` or the name of a credential header, and user data in a URL.
fn without_credentials(text: &str) -> String {
    let mut text = text.to_owned();
    let lower = text.to_ascii_lowercase();
    for scheme in ["bearer ", "wallet 0x", "x-operator-key: "] {
        // The replacement of a credential contains no scheme.
        if !lower.contains(scheme) {
            continue;
        }
        let mut from = 0;
        while let Some(found) = text[from..].to_ascii_lowercase().find(scheme) {
            let begin = from + found + scheme.len();
            if text[begin..].starts_with(CONCEALED) {
                from = begin + CONCEALED.len();
                continue;
            }
            let length = text[begin..]
                .find(|letter: char| letter.is_whitespace() || "'\"\\,;)]}".contains(letter))
                .unwrap_or(text.len() - begin);
            from = begin;
            // At least two digits: words of a sentence are not credentials.
            let word = &text[begin..begin + length];
            if length >= SHORTEST_SECRET
                && (scheme != "bearer " || word.contains(|c: char| c.is_ascii_digit()))
            {
                text.replace_range(begin..begin + length, CONCEALED);
                from += CONCEALED.len();
            }
        }
    }
    without_user_data(text)
}

/// Removes the user and the password of every URL in a text.
#[must_use]
pub fn without_user_data(mut text: String) -> String {
    let mut from = 0;
    while let Some(found) = text[from..].find("://") {
        let begin = from + found + 3;
        let end = text[begin..]
            .find(|letter: char| letter.is_whitespace() || "/'\"?#\\<>".contains(letter))
            .map_or(text.len(), |length| begin + length);
        from = begin;
        if let Some(at) = text[begin..end].rfind('@') {
            text.replace_range(begin..begin + at, CONCEALED);
        }
    }
    text
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let pair = |at: usize| u8::from_str_radix(text.get(at..at + 2)?, 16).ok();
    text.len().is_multiple_of(2).then(|| (0..text.len()).step_by(2).map(pair).collect())?
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
    use proptest::prelude::*;

    use super::*;

    fn redaction() -> Redaction {
        Redaction::new(Vec::new(), Kept::Ends)
    }

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Text around a secret in an answer, a log or a command line.
    fn surroundings() -> impl Strategy<Value = (String, String)> {
        let piece = prop_oneof![
            Just("\"error\": \"key=".to_owned()),
            Just("0x".to_owned()),
            Just(" ".to_owned()),
            Just("{\"result\":\"".to_owned()),
            "[ -~]{0,40}",
            "\\PC{0,12}",
        ];
        (piece, prop_oneof![Just("\"}".to_owned()), "[ -~]{0,40}", Just(String::new())])
    }

    proptest! {
        /// A private key in any spelling, wherever it occurs.
        #[test]
        fn no_spelling_of_a_key_is_kept(key in prop::array::uniform32(any::<u8>()), (before, after) in surroundings(), spelling in 0..6) {
            let plain = hex(&key);
            let redaction = redaction();
            redaction.conceal(&format!("0x{plain}"));
            let canary = match spelling {
                0 => plain.clone(),
                1 => plain.to_uppercase(),
                2 => hex(plain.as_bytes()),
                3 => STANDARD.encode(key),
                4 => STANDARD.encode(plain.as_bytes()),
                _ => URL_SAFE_NO_PAD.encode(key),
            };
            let kept = redaction.body(format!("{before}{canary}{after}").as_bytes());
            prop_assert!(!kept.to_lowercase().contains(&canary.trim_end_matches('=').to_lowercase()), "{kept}");
        }

        /// A signature that was not registered as a secret, alone or inside calldata and signed transactions.
        #[test]
        fn no_signature_is_kept(signature in prop::collection::vec(any::<u8>(), 65), (before, after) in surroundings(), inside in any::<bool>()) {
            let canary = hex(&signature);
            let padding = if inside { "0".repeat(64) } else { String::new() };
            let kept = redaction().body(format!("{before}{padding}{canary}{padding}{after}").as_bytes());
            prop_assert!(!kept.contains(&canary), "{kept}");
        }

        /// Credentials of requests and answers, recognised by their position.
        #[test]
        fn no_credential_is_kept(credential in "[A-Za-z][A-Za-z0-9]{7}[0-9][A-Za-z0-9_-]{8,40}") {
            let redaction = redaction();
            for name in CREDENTIALS {
                prop_assert_eq!(redaction.header(name, &credential), CONCEALED);
            }
            for text in [
                format!("curl -sS -i -H 'authorization: Bearer {credential}' 'http://127.0.0.1/'"),
                format!("curl -sS -i -H 'x-operator-key: {credential}' 'http://127.0.0.1/'"),
                format!("https://{credential}@node.example/rpc"),
            ] {
                let kept = redaction.text(&text);
                prop_assert!(!kept.contains(&credential), "{kept}");
            }
            for field in ["token", "signature", "operatorKey", "private_key"] {
                let kept = redaction.body(serde_json::json!({ field: credential }).to_string().as_bytes());
                prop_assert!(!kept.contains(&credential), "{kept}");
            }
            // Once issued, it is known.
            let seen = redaction.text(&format!("seen: {credential}"));
            prop_assert!(!seen.contains(&credential), "{seen}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(12))]

        /// Truncation leaves no part of a key that could be completed by guessing.
        #[test]
        fn bodies_are_bounded(length in 0_usize..600_000, key in "[0-9a-f]{64}") {
            let redaction = redaction();
            redaction.conceal(&key);
            let kept = redaction.body(format!("{}{key}", "a b".repeat(length / 3)).as_bytes());
            prop_assert!(kept.chars().count() <= BEGINNING + 1 + ENDING);
            prop_assert!(!kept.contains(&key[..32]), "{kept}");
        }
    }

    #[test]
    fn what_is_revealed_is_shown_and_nothing_is_concealed_twice() {
        let redaction = redaction();
        let (made_up, other) = (format!("0x{}", "1b".repeat(64)), format!("0x{}", "2c".repeat(65)));
        redaction.reveal(&made_up);
        let kept = redaction.body(
            serde_json::json!({"signature": made_up, "other": {"signature": other}}).to_string().as_bytes(),
        );
        assert!(kept.contains(&made_up) && !kept.contains(&other[..20]), "{kept}");
        redaction.conceal("operator-key-of-mine");
        let line = redaction.text("curl -H 'x-operator-key: operator-key-of-mine' 'http://127.0.0.1/'");
        assert_eq!(line, "curl -H 'x-operator-key: [concealed]' 'http://127.0.0.1/'");
        assert_eq!(redaction.text(&line), line);
    }

    #[test]
    fn ordinary_texts_are_kept() {
        let redaction = redaction();
        for text in [
            r#"{"token":"0x52908400098527886E0F7030069857D2E4169EE7","name":"bearer of news","hash":"0x9d3b921bcb0eb03c555acd3968d3b3424efbad89ba35d7ad446cf59deb21d5f7"}"#,
            "http://127.0.0.1:4700/api/tokens?search=a@b",
            "über 💡 everything",
        ] {
            assert_eq!(redaction.body(text.as_bytes()), text);
        }
    }
}
