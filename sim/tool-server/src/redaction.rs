//! Redaction of everything that leaves the tool server: secrets are removed, and untrusted text is made safe to quote.
use slipway_redaction::Redactor;

pub(crate) const MARK: &str = "[redacted]";
/// Maximum length of untrusted text quoted to the caller, in characters.
const MAX_UNTRUSTED_TEXT: usize = 300;
/// A run of at least this many hexadecimal digits in untrusted text may be a key.
const MIN_UNTRUSTED_HEX: usize = 64;
/// A run of at least this many word characters in untrusted text may be an encoded payload.
const MIN_UNTRUSTED_WORD: usize = 80;

/// Makes untrusted text safe to quote: no secrets, no URLs, nothing long enough to be a key or a payload, on one line, limited in length.
///
/// Clause: MCP-SECRETS
pub(crate) fn sanitize(redactor: &Redactor, text: &str) -> String {
    let line: String =
        text.chars().map(|character| if character.is_whitespace() { ' ' } else { character }).collect();
    let clean: String =
        redactor.redact(&line).chars().filter(|character| !is_unsafe_character(*character)).collect();
    let words: Vec<String> = clean.split(' ').filter(|word| !word.is_empty()).map(sanitize_word).collect();
    words.join(" ").chars().take(MAX_UNTRUSTED_TEXT).collect()
}

/// Replaces a word of untrusted text if it is a URL or long enough to contain a key or a payload.
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

/// Characters that control a terminal or confuse a reader: controls, bidirectional marks, invisible joiners and tags.
pub(crate) fn is_unsafe_character(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{ad}'
                | '\u{61c}'
                | '\u{180e}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e007f}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn untrusted_text_is_sanitized() {
        let redactor = Redactor::new(MARK);
        let payload = "02f8".repeat(60);
        let text = format!(
            "bad\n\u{202e}request 0x{payload} at https://user:pass@host/key?x=1 {}",
            "word ".repeat(200)
        );
        let clean = sanitize(&redactor, &text);
        assert!(clean.starts_with("bad request [redacted] at [url] word"), "{clean}");
        assert!(clean.chars().count() <= MAX_UNTRUSTED_TEXT);
    }
}
