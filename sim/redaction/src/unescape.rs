//! Undoes escapes layer by layer (percent, JSON, string and HTML escapes), with a map back to the source text.
use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr3;

/// Maximum number of layers that are unescaped.
const MAX_DEPTH: usize = 3;

/// A text with some layers of escapes undone.
pub(crate) struct Unescaped<'text> {
    text: Cow<'text, str>,
    /// For each byte of `text`, the range of source bytes from which it was read; empty if `text` is the source.
    sources: Vec<(usize, usize)>,
    depth: usize,
}

impl<'text> Unescaped<'text> {
    /// The source text, with no layer undone.
    pub(crate) fn plain(text: &'text str) -> Self {
        Self { text: Cow::Borrowed(text), sources: Vec::new(), depth: 0 }
    }

    /// The text at this depth.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The source bytes from which a range of this text was read.
    pub(crate) fn source(&self, range: Range<usize>) -> Range<usize> {
        self.span(range.start).0..self.span(range.end - 1).1
    }

    /// The source bytes from which one byte of this text was read: at least a whole character.
    fn span(&self, at: usize) -> (usize, usize) {
        let whole = || (self.text.floor_char_boundary(at), self.text.ceil_char_boundary(at + 1));
        self.sources.get(at).copied().unwrap_or_else(whole)
    }

    /// Undoes one more layer; `None` if there is none.
    pub(crate) fn unescape(&self) -> Option<Unescaped<'static>> {
        if self.depth == MAX_DEPTH || next_escape(&self.text).is_none() {
            return None;
        }
        let (mut text, mut sources) =
            (String::with_capacity(self.text.len()), Vec::with_capacity(self.text.len()));
        let mut at = 0;
        while at < self.text.len() {
            let end = next_escape(&self.text[at..]).map_or(self.text.len(), |ahead| at + ahead);
            text.push_str(&self.text[at..end]);
            sources.extend((at..end).map(|byte| self.span(byte)));
            at = end;
            let Some(character) = self.text[at..].chars().next() else {
                break;
            };
            let (decoded, length) = escape(&self.text[at..]).unwrap_or((character, character.len_utf8()));
            let source = self.source(at..at + length);
            text.push(decoded);
            sources.extend(std::iter::repeat_n((source.start, source.end), decoded.len_utf8()));
            at += length;
        }
        (text != self.text).then(|| Unescaped { text: text.into(), sources, depth: self.depth + 1 })
    }
}

/// Offset of the first character that can begin an escape.
fn next_escape(text: &str) -> Option<usize> {
    memchr3(b'%', b'\\', b'&', text.as_bytes())
}

/// The escape at the start of a text: the character it stands for and its length in bytes.
fn escape(text: &str) -> Option<(char, usize)> {
    let bytes = text.as_bytes();
    match (bytes.first()?, bytes.get(1)?) {
        (b'%', _) => hexadecimal(text.get(1..3)?).filter(char::is_ascii).map(|character| (character, 3)),
        (b'\\', b'u') if bytes.get(2) == Some(&b'{') => {
            let end = text.find('}')?;
            hexadecimal(text.get(3..end)?).map(|character| (character, end + 1))
        }
        (b'\\', b'u') => hexadecimal(text.get(2..6)?).map(|character| (character, 6)),
        (b'\\', b'x') => hexadecimal(text.get(2..4)?).map(|character| (character, 4)),
        (b'\\', b'n') => Some(('\n', 2)),
        (b'\\', b'r') => Some(('\r', 2)),
        (b'\\', b't') => Some(('\t', 2)),
        (b'\\', b'b') => Some(('\u{8}', 2)),
        (b'\\', b'f') => Some(('\u{c}', 2)),
        (b'\\', other @ (b'\\' | b'/' | b'"' | b'\'')) => Some((char::from(*other), 2)),
        (b'&', b'#') => entity(text),
        _ => None,
    }
}

fn entity(text: &str) -> Option<(char, usize)> {
    let end = text.find(';').filter(|end| *end <= 10)?;
    let body = text.get(2..end)?;
    let character = match body.strip_prefix(['x', 'X']) {
        Some(digits) => hexadecimal(digits),
        None => body.parse().ok().and_then(char::from_u32),
    };
    character.map(|character| (character, end + 1))
}

fn hexadecimal(digits: &str) -> Option<char> {
    let plain =
        !digits.is_empty() && digits.len() <= 6 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    plain.then(|| u32::from_str_radix(digits, 16).ok().and_then(char::from_u32)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layers(text: &str) -> Vec<String> {
        let mut found = Vec::new();
        let mut layer = Some(Unescaped::plain(text));
        while let Some(current) = layer {
            found.push(current.text().to_owned());
            layer = current.unescape();
        }
        found
    }

    #[test]
    fn every_kind_of_escape_is_undone() {
        assert_eq!(
            layers("%41\\u0042\\x43\\u{44}&#69;&#x46;"),
            ["%41\\u0042\\x43\\u{44}&#69;&#x46;", "ABCDEF"]
        );
        assert_eq!(layers("%2541"), ["%2541", "%41", "A"]);
        assert_eq!(layers("\\\\u0041"), ["\\\\u0041", "\\u0041", "A"]);
        assert_eq!(layers("100% \\q & é"), ["100% \\q & é"]);
        assert_eq!(layers("%é\\u12é&#;"), ["%é\\u12é&#;"]);
    }

    #[test]
    fn ranges_map_back_to_whole_escapes() {
        let current = Unescaped::plain("x%41%42y").unescape().unwrap();
        assert_eq!(current.text(), "xABy");
        assert_eq!(current.source(1..3), 1..7);
        assert_eq!(Unescaped::plain("xéy").source(2..3), 1..3);
    }
}
