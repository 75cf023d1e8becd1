//! Text search that ignores letter case: both sides are folded alike, then compared.
use std::sync::Arc;

use memchr::memmem::Finder;

use super::token::Launch;

/// Separates the fields of a token; a query that contains it matches nothing.
const SEPARATOR: &str = "\0";

/// Lower-cases letter by letter, so that a substring folds to a substring of the folded text; both small sigmas become one.
#[must_use]
pub fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    text.chars().flat_map(char::to_lowercase).map(|letter| if letter == 'ς' { 'σ' } else { letter }).collect()
}

/// All searchable text of a token, folded: name, ticker, description, owner and address.
#[derive(Clone, Debug)]
pub struct SearchText(Arc<str>);

impl SearchText {
    pub(super) fn of(launch: &Launch) -> Self {
        let texts = &launch.metadata;
        let mut fields = [&texts.name, &texts.ticker, &texts.description]
            .map(|field| fold(field).replace(SEPARATOR, " "))
            .to_vec();
        fields.extend([launch.creator, launch.token].map(|address| format!("{address:#x}")));
        Self(fields.join(SEPARATOR).into())
    }
}

/// A text to search for; `None` if it contains the separator.
#[derive(Clone, Debug)]
pub struct Needle(Option<Finder<'static>>);

impl Needle {
    /// Prepares a text for many comparisons.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let folded = fold(text);
        Self((!folded.contains(SEPARATOR)).then(|| Finder::new(&folded).into_owned()))
    }

    /// Whether the text occurs in one of a token's fields; the empty text occurs in every field.
    #[must_use]
    pub fn is_in(&self, text: &SearchText) -> bool {
        self.0.as_ref().is_some_and(|finder| finder.find(text.0.as_bytes()).is_some())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use alloy::primitives::address;

    use super::{Needle, SearchText, fold};
    use crate::event::Metadata;
    use crate::state::token::Launch;

    #[test]
    fn a_part_folds_to_a_part() {
        for (text, part) in
            [("ΟΔΟΣ", "ΔΟΣ"), ("ΟΔΟΣΑ", "οδος"), ("Straße", "STRA"), ("İx", "İ"), ("ÀB", "àb")]
        {
            assert!(fold(text).contains(&fold(part)), "{part} in {text}");
        }
    }

    #[test]
    fn matches_do_not_span_fields() {
        let metadata = |name: &str, ticker: &str, description: &str| {
            Arc::new(Metadata {
                name: name.into(),
                ticker: ticker.into(),
                description: description.into(),
                ..Metadata::default()
            })
        };
        let creator = address!("e000000000000000000000000000000000000000");
        let launches = [
            (metadata("Moon", "DOG", ""), address!("abc1000000000000000000000000000000000000")),
            (metadata("Sun", "dog cow", "hen\0egg"), address!("abd2000000000000000000000000000000000000")),
        ];
        let texts = launches.map(|(metadata, token)| {
            SearchText::of(&Launch { metadata, creator, token, ..Launch::default() })
        });
        let cases: [(&str, &[usize]); 17] = [
            ("moon", &[0]),
            ("Dog", &[0, 1]),
            ("ondo", &[]),
            ("gsun", &[]),
            ("cowhen", &[]),
            ("moondog", &[]),
            ("g C", &[1]),
            ("hen egg", &[1]),
            ("0XAB", &[0, 1]),
            ("0xE00", &[0, 1]),
            ("bd", &[1]),
            ("c1", &[0]),
            ("c11", &[]),
            ("c", &[0, 1]),
            ("", &[0, 1]),
            ("m\0", &[]),
            ("\0", &[]),
        ];
        for (text, expected) in cases {
            let needle = Needle::new(text);
            let found: Vec<_> = (0..2).filter(|index| needle.is_in(&texts[*index])).collect();
            assert_eq!(found, expected, "{text:?}");
        }
    }
}
