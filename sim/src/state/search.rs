//! Text search without regard to letter case: both sides are folded the same way, then compared as text.
//!
//! The texts of all tokens lie one after the other, so that a search is one run through memory; addresses lie apart and
//! are run through only by a search that could be a part of one.
use std::sync::Arc;

use memchr::memmem::Finder;

/// Separates the fields of one token and one token from the next; a query that holds it finds nothing.
const SEPARATOR: char = '\0';
/// Bytes of a chunk before the next one is begun.
const CHUNK: usize = 64 * 1024;

/// Lower-cases letter by letter, so that a part of a text folds to a part of the folded text; the two small sigmas are one.
#[must_use]
pub fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    text.chars().flat_map(char::to_lowercase).map(|letter| if letter == 'ς' { 'σ' } else { letter }).collect()
}

/// Which tokens were found, by their index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    bits: Vec<u64>,
}

impl Found {
    /// Whether a token was found.
    #[must_use]
    pub fn holds(&self, index: usize) -> bool {
        self.bits.get(index / 64).is_some_and(|word| word >> (index % 64) & 1 != 0)
    }

    /// These tokens.
    #[must_use]
    pub fn of(indexes: &[usize]) -> Self {
        let mut found = Self { bits: Vec::new() };
        indexes.iter().for_each(|index| found.add(*index));
        found
    }

    fn add(&mut self, index: usize) {
        if index / 64 >= self.bits.len() {
            self.bits.resize(index / 64 + 1, 0);
        }
        self.bits[index / 64] |= 1 << (index % 64);
    }
}

/// The texts of all tokens.
#[derive(Clone, Debug, Default)]
pub struct TextIndex {
    words: Segment,
    addresses: Segment,
}

impl TextIndex {
    /// Adds words of a token; a token may be added to more than once.
    pub fn add_words(&mut self, index: usize, fields: &[&str]) {
        self.words.add(index, fields);
    }

    /// Adds addresses of a token, in their full text.
    pub fn add_addresses(&mut self, index: usize, fields: &[&str]) {
        self.addresses.add(index, fields);
    }

    /// The tokens in whose texts a text occurs.
    #[must_use]
    pub fn find(&self, text: &str) -> Found {
        let mut found = Found { bits: Vec::new() };
        if text.contains(SEPARATOR) {
            return found;
        }
        let folded = fold(text);
        self.words.find(&folded, &mut found);
        let could_be_address = |byte: u8| byte.is_ascii_hexdigit() || byte == b'x';
        if folded.bytes().all(could_be_address) {
            self.addresses.find(&folded, &mut found);
        }
        found
    }
}

/// Texts one after the other.
#[derive(Clone, Debug, Default)]
struct Segment {
    chunks: Vec<Arc<Chunk>>,
}

#[derive(Clone, Debug, Default)]
struct Chunk {
    text: String,
    /// Where each text ends, and whose it is.
    ends: Vec<(usize, usize)>,
}

impl Segment {
    fn add(&mut self, index: usize, fields: &[&str]) {
        if self.chunks.last().is_none_or(|chunk| chunk.text.len() >= CHUNK) {
            self.chunks.push(Arc::default());
        }
        let chunk = Arc::make_mut(self.chunks.last_mut().expect("one was just made"));
        for field in fields {
            chunk.text.push_str(&fold(&field.replace(SEPARATOR, " ")));
            chunk.text.push(SEPARATOR);
        }
        chunk.ends.push((chunk.text.len(), index));
    }

    fn find(&self, folded: &str, found: &mut Found) {
        let finder = Finder::new(folded);
        for chunk in &self.chunks {
            let (mut from, mut next) = (0, 0);
            while let Some(at) = chunk.text.as_bytes().get(from..).and_then(|rest| finder.find(rest)) {
                // Most finds lie in the next text or soon after it.
                while chunk.ends[next].0 <= from + at {
                    next += 1;
                }
                let (end, index) = chunk.ends[next];
                found.add(index);
                next += 1;
                from = end;
                if next == chunk.ends.len() {
                    break;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert_eq, proptest};

    use super::{TextIndex, fold};

    fn found(corpus: &TextIndex, text: &str, count: usize) -> Vec<usize> {
        let found = corpus.find(text);
        (0..count).filter(|index| found.holds(*index)).collect()
    }

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
        let mut corpus = TextIndex::default();
        corpus.add_words(0, &["Moon", "DOG"]);
        corpus.add_addresses(0, &["0xAbC1"]);
        corpus.add_words(1, &["Sun", "dog cow"]);
        corpus.add_addresses(1, &["0xaBd2"]);
        let cases: [(&str, &[usize]); 9] = [
            ("moon", &[0]),
            ("Dog", &[0, 1]),
            ("ondo", &[]),
            ("gsun", &[]),
            ("0XAB", &[0, 1]),
            ("bd", &[1]),
            ("c1", &[0]),
            ("c10", &[]),
            ("c", &[0, 1]),
        ];
        for (text, expected) in cases {
            assert_eq!(found(&corpus, text, 2), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn search_finds_every_match(texts in proptest::collection::vec("[abc]{0,6}", 0..200), part in "[abc]{1,3}", long in 0_usize..3) {
            let mut corpus = TextIndex::default();
            let filler = "-".repeat(long * 40_000);
            for (index, text) in texts.iter().enumerate() {
                corpus.add_words(index, &[text, if index == 7 { &filler } else { "" }]);
            }
            let expected: Vec<_> = (0..texts.len()).filter(|index| texts[*index].contains(&part)).collect();
            prop_assert_eq!(found(&corpus, &part, texts.len()), expected);
        }
    }
}
