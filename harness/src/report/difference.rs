//! The differences between two texts, word by word.
use similar::{ChangeTag, TextDiff};

/// A piece of a text, and whether the other text lacks it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) text: String,
    pub(super) differs: bool,
}

/// Both texts in pieces.
pub(super) fn pieces(expected: &str, actual: &str) -> (Vec<Piece>, Vec<Piece>) {
    let (mut left, mut right) = (Vec::new(), Vec::new());
    let (expected, actual) = (words(expected), words(actual));
    for change in TextDiff::from_slices(&expected, &actual).iter_all_changes() {
        let text = change.value();
        match change.tag() {
            ChangeTag::Equal => {
                push(&mut left, text, false);
                push(&mut right, text, false);
            }
            ChangeTag::Delete => push(&mut left, text, true),
            ChangeTag::Insert => push(&mut right, text, true),
        }
    }
    (left, right)
}

/// The parts of `actual` that `expected` lacks and that `body` contains: the text to mark there. Short words occur everywhere, so
/// they count only as the whole value of a field.
pub(super) fn marks(expected: &str, actual: &str, body: &str) -> Vec<Piece> {
    const SHORTEST: usize = 3;
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '.';
    let place = |rest: &str, word: &str| {
        rest.match_indices(word).map(|(at, _)| at).find(|at| {
            let (before, behind) = (&rest[..*at], &rest[at + word.len()..]);
            word.len() >= SHORTEST || (before.trim_end().ends_with(':') && !behind.starts_with(is_part))
        })
    };
    let (_, actual) = pieces(expected, actual);
    let mut words: Vec<&str> = actual
        .iter()
        .filter(|piece| piece.differs)
        .flat_map(|piece| {
            piece.text.split(|letter: char| !(letter.is_alphanumeric() || "._-".contains(letter)))
        })
        .filter(|word| !word.is_empty())
        .collect();
    words.sort_by_key(|word| std::cmp::Reverse(word.len()));
    words.dedup();
    let mut found = Vec::new();
    let mut rest = body;
    while let Some((at, word)) = words.iter().filter_map(|word| Some((place(rest, word)?, word))).min() {
        push(&mut found, &rest[..at], false);
        push(&mut found, word, true);
        rest = &rest[at + word.len()..];
    }
    push(&mut found, rest, false);
    found
}

fn push(pieces: &mut Vec<Piece>, text: &str, differs: bool) {
    match pieces.last_mut() {
        _ if text.is_empty() => {}
        Some(last) if last.differs == differs => last.text.push_str(text),
        _ => pieces.push(Piece { text: text.to_owned(), differs }),
    }
}

/// Words and the text between them, so that a number or an identifier differs as a whole.
fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = text;
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    while let Some(first) = rest.chars().next() {
        let end = if is_word(first) {
            rest.find(|letter| !is_word(letter)).unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        let (word, behind) = rest.split_at(end);
        words.push(word);
        rest = behind;
    }
    words
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn joined(pieces: &[Piece]) -> String {
        pieces.iter().map(|piece| piece.text.as_str()).collect()
    }

    fn differing(pieces: &[Piece]) -> Vec<&str> {
        pieces.iter().filter(|piece| piece.differs).map(|piece| piece.text.as_str()).collect()
    }

    #[test]
    fn the_differing_word_is_found() {
        let (left, right) = pieces("totalCount = 80 tokens", "totalCount = 81 tokens");
        assert_eq!((differing(&left), differing(&right)), (vec!["80"], vec!["81"]));
        let body = r#"{"totalCount":7315,"page":1}"#;
        assert_eq!(differing(&marks("totalCount = 80", "totalCount = 7315", body)), ["7315"]);
        assert_eq!(differing(&marks("count = 8", "count = 9", r#"{"a":99,"count":9}"#)), ["9"]);
        assert_eq!(differing(&marks("same", "same", body)), Vec::<&str>::new());
    }

    proptest! {
        #[test]
        fn pieces_are_the_texts(left in "\\PC{0,60}", right in "\\PC{0,60}", body in "\\PC{0,80}") {
            let (expected, actual) = pieces(&left, &right);
            prop_assert_eq!(joined(&expected), left.clone());
            prop_assert_eq!(joined(&actual), right.clone());
            prop_assert_eq!(joined(&marks(&left, &right, &body)), body);
        }
    }
}
