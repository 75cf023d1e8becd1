//! Values for people: JSON laid out and highlighted, with the judged member marked. Other text passes unchanged.
use std::ops::Range;

use maud::{Markup, html};

use super::super::difference::Piece;
use super::super::escape::visible;

/// The mark of an excerpt for what it leaves out.
const CUT: char = '…';
const INDENT: &str = "  ";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// The name of a member.
    Key,
    Text,
    Number,
    /// `true`, `false` and `null`.
    Word,
    Opening,
    Closing,
    /// A comma or a colon.
    Separator,
    Space,
    Other,
}

impl Kind {
    fn class(self) -> Option<&'static str> {
        match self {
            Self::Key => Some("k"),
            Self::Text => Some("s"),
            Self::Number | Self::Word => Some("n"),
            Self::Opening | Self::Closing | Self::Separator | Self::Space | Self::Other => None,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Token {
    kind: Kind,
    at: Range<usize>,
}

/// The tokens of a text from `start`, which may be inside a string; also returns whether the text ends outside a string.
fn read(text: &str, start: usize, mut is_in_string: bool) -> (Vec<Token>, bool) {
    let mut tokens: Vec<Token> = Vec::new();
    let mut place = start;
    while let Some(first) = text[place..].chars().next() {
        let rest = &text[place..];
        let run = |is_part: fn(char) -> bool| rest.find(|letter| !is_part(letter)).unwrap_or(rest.len());
        let (kind, length) = match first {
            _ if is_in_string => {
                let end = end_of_string(rest);
                is_in_string = end.is_none();
                (Kind::Text, end.unwrap_or(rest.len()))
            }
            '"' => {
                let end = end_of_string(&rest[1..]);
                is_in_string = end.is_none();
                (Kind::Text, end.map_or(rest.len(), |end| end + 1))
            }
            '{' | '[' => (Kind::Opening, 1),
            '}' | ']' => (Kind::Closing, 1),
            ',' | ':' => (Kind::Separator, 1),
            _ if first.is_whitespace() => (Kind::Space, run(char::is_whitespace)),
            _ if rest.trim_start_matches('-').starts_with(|letter: char| letter.is_ascii_digit()) => {
                (Kind::Number, run(|letter| letter.is_ascii_alphanumeric() || "._+-".contains(letter)))
            }
            _ if is_word(first) => {
                let length = run(is_word);
                let behind = &rest[length..];
                let kind = match &rest[..length] {
                    "true" | "false" | "null" => Kind::Word,
                    _ if behind.starts_with(" = ") => Kind::Key,
                    _ => Kind::Other,
                };
                (kind, length)
            }
            _ => (Kind::Other, first.len_utf8()),
        };
        let at = place..place + length;
        place = at.end;
        match tokens.last_mut() {
            Some(last) if last.kind == Kind::Other && kind == Kind::Other => last.at.end = at.end,
            _ => tokens.push(Token { kind, at }),
        }
    }
    (tokens, !is_in_string)
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// The end of a string whose opening quotation mark has been read.
fn end_of_string(rest: &str) -> Option<usize> {
    let mut is_escaped = false;
    for (place, letter) in rest.char_indices() {
        match letter {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => return Some(place + 1),
            _ => {}
        }
    }
    None
}

/// The tokens of a text. An excerpt may leave out the end of one string or the beginning of another: the part after the cut is read so that
/// the text ends outside strings.
fn tokens(text: &str) -> Vec<Token> {
    let (mut tokens, is_whole) = read(text, 0, false);
    if !is_whole && let Some(cut) = text.find(CUT) {
        let behind = cut + CUT.len_utf8();
        (tokens, _) = read(&text[..behind], 0, false);
        let (rest, is_whole) = read(text, behind, false);
        tokens.extend(if is_whole { rest } else { read(text, behind, true).0 });
    }
    for place in 0..tokens.len() {
        let is_space = |token: &&Token| token.kind == Kind::Space;
        let is_key = tokens[place].kind == Kind::Text
            && tokens[place + 1..]
                .iter()
                .find(|token| !is_space(token))
                .is_some_and(|next| text[next.at.clone()] == *":");
        if is_key {
            tokens[place].kind = Kind::Key;
        }
    }
    tokens
}

/// JSON, or an excerpt of it, with one member per line; any other text unchanged.
pub(super) fn laid_out(text: &str) -> String {
    if !text.trim_start().starts_with(['{', '[']) {
        return text.to_owned();
    }
    let tokens: Vec<Token> = tokens(text).into_iter().filter(|token| token.kind != Kind::Space).collect();
    let (mut shown, mut depth) = (String::new(), 0_usize);
    let line = |shown: &mut String, depth| {
        shown.push('\n');
        (0..depth).for_each(|_| shown.push_str(INDENT));
    };
    let mut is_empty = false;
    for token in &tokens {
        let part = &text[token.at.clone()];
        match token.kind {
            Kind::Closing => {
                depth = depth.saturating_sub(1);
                if !is_empty {
                    line(&mut shown, depth);
                }
                shown.push_str(part);
            }
            _ if is_empty => {
                line(&mut shown, depth);
                shown.push_str(part);
            }
            _ => shown.push_str(part),
        }
        is_empty = token.kind == Kind::Opening;
        if is_empty {
            depth += 1;
        } else if token.kind == Kind::Separator && part == "," {
            line(&mut shown, depth);
        } else if token.kind == Kind::Separator {
            shown.push(' ');
        }
    }
    shown
}

/// The differing ranges of a text.
fn differing(pieces: &[Piece]) -> Vec<Range<usize>> {
    let mut end = 0;
    let mut places = Vec::new();
    for piece in pieces {
        let start = end;
        end += piece.text.len();
        if piece.differs {
            places.push(start..end);
        }
    }
    places
}

/// The indexes of the tokens that name the members around these ranges.
fn judged(tokens: &[Token], places: &[Range<usize>]) -> Vec<usize> {
    let member = |place: &Range<usize>| {
        let inside = tokens.iter().rposition(|token| token.at.start < place.end)?;
        let mut closed = 0_usize;
        (0..=inside).rev().find(|&at| {
            match tokens[at].kind {
                Kind::Closing if at < inside => closed += 1,
                Kind::Opening => closed = closed.saturating_sub(1),
                _ => {}
            }
            tokens[at].kind == Kind::Key && closed == 0
        })
    };
    places.iter().filter_map(member).collect()
}

/// A text with its differences marked.
pub(super) fn marked(pieces: &[Piece]) -> Markup {
    html! {
        @for piece in pieces {
            @if piece.differs { mark { (visible(&piece.text)) } } @else { (visible(&piece.text)) }
        }
    }
}

/// A highlighted text with its differences marked and the judged member named.
pub(super) fn highlighted(pieces: &[Piece]) -> Markup {
    let text: String = pieces.iter().map(|piece| piece.text.as_str()).collect();
    let (tokens, places) = (tokens(&text), differing(pieces));
    let judged = judged(&tokens, &places);
    let split = |at: &Range<usize>| {
        let mut parts = Vec::new();
        let mut start = at.start;
        for place in places.iter().filter(|place| place.start < at.end && place.end > at.start) {
            let (from, to) = (place.start.max(at.start), place.end.min(at.end));
            parts.push(Piece { text: text[start..from].to_owned(), differs: false });
            parts.push(Piece { text: text[from..to].to_owned(), differs: true });
            start = to;
        }
        parts.push(Piece { text: text[start..at.end].to_owned(), differs: false });
        marked(&parts)
    };
    html! {
        @for (number, token) in tokens.iter().enumerate() {
            @if judged.contains(&number) { b.k.judged { (split(&token.at)) } }
            @else if let Some(class) = token.kind.class() { span.(class) { (split(&token.at)) } }
            @else { (split(&token.at)) }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::super::difference;
    use super::*;

    fn shown(expected: &str, actual: &str) -> String {
        highlighted(&difference::pieces(expected, actual).1).into_string()
    }

    #[test]
    fn the_judged_member_is_the_one_whose_value_differs() {
        assert_eq!(
            shown("totalCount = 80", "totalCount = 7315"),
            "<b class=\"k judged\">totalCount</b> = <span class=\"n\"><mark>7315</mark></span>"
        );
        let page = shown(r#"{"a":{"b":1},"c":[2,3]}"#, r#"{"a":{"b":1},"c":[2,4]}"#);
        assert_eq!(page.matches("judged").count(), 1, "{page}");
        assert!(
            page.contains("<b class=\"k judged\">&quot;c&quot;</b>:[<span class=\"n\">2</span>,"),
            "{page}"
        );
        let page = shown(r#"{"a":1}"#, r#"{"a":1,"more":null}"#);
        assert!(
            page.contains("<b class=\"k judged\">") && page.contains("<mark>&quot;more&quot;</mark>"),
            "{page}"
        );
    }

    #[test]
    fn json_has_a_member_a_line_and_excerpts_too() {
        assert_eq!(
            laid_out(r#"{"a":{},"b":[1,{"c":"x, \"y\": {"}]}"#),
            "{\n  \"a\": {},\n  \"b\": [\n    1,\n    {\n      \"c\": \"x, \\\"y\\\": {\"\n    }\n  ]\n}"
        );
        // The cut is inside a string, or at the start of one.
        for (text, last) in [
            (r#"[{"a":"long…,{"b":2}],"count":3}"#, "\"count\": 3"),
            (r#"[{"a":1,…gone","b":2}],"count":3}"#, "\"count\": 3"),
            (r#"[{"a":"long…gone","b":2}],"count":3}"#, "\"count\": 3"),
        ] {
            let lines = laid_out(text);
            assert!(lines.lines().any(|line| line.trim_start() == last), "{lines}");
        }
        assert_eq!(laid_out("plain {text}, as: it is"), "plain {text}, as: it is");
    }

    proptest! {
        #[test]
        fn any_text_is_kept(text in "[\\[\\]{}\",:…\\\\ a0é=]{0,60}") {
            let whole: String = tokens(&text).iter().map(|token| &text[token.at.clone()]).collect();
            prop_assert_eq!(&whole, &text);
            let without_space = |text: &str| text.chars().filter(|letter| !letter.is_whitespace()).collect::<String>();
            prop_assert_eq!(without_space(&laid_out(&text)), without_space(&text));
        }
    }
}
