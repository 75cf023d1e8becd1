//! Text search without regard to letter case: both sides are folded the same way, then compared as text.
//!
//! A text without a space is looked for among the different words, and which texts have a word is known. One with a space is
//! looked for in the texts: they lie one after the other, 64 of them in a chunk, and of each run of three bytes is known which
//! chunks may have it; the chunks that may have every run are read.
mod addresses;
mod words;

use std::sync::Arc;

use alloy::primitives::Address;
use memchr::memmem::Finder;

use super::numbered::ByLaunch;
use crate::event::{Event, EventKind, Metadata};
use addresses::Addresses;
use words::Words;

/// Separates the fields of one token and one token from the next; a query that holds it finds nothing.
const SEPARATOR: char = '\0';
/// Tokens of one word of a set.
const WIDTH: usize = 64;
/// Texts of a chunk.
const CHUNK: usize = 64;
/// Texts of a shelf.
const TEXTS: usize = CHUNK * WIDTH;
/// Bytes of a run.
const RUN: usize = 3;
/// Bits that runs are told apart by; two that share them cost time and change no answer.
const RUN_BITS: u32 = 12;

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
        self.bits.get(index / WIDTH).is_some_and(|word| word >> (index % WIDTH) & 1 != 0)
    }

    /// The indexes of the tokens, in order.
    pub fn iter(&self) -> impl Iterator<Item = usize> {
        let words = self.bits.iter().enumerate();
        words.flat_map(|(place, word)| members(*word).map(move |bit| place * WIDTH + bit))
    }

    fn add(&mut self, index: usize) {
        self.bits[index / WIDTH] |= 1 << (index % WIDTH);
    }

    /// How many they are.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.bits.iter().map(|word| u64::from(word.count_ones())).sum()
    }

    /// These tokens, of so many.
    #[must_use]
    pub fn of(indexes: impl Iterator<Item = usize>, count: usize) -> Self {
        let mut found = Self { bits: vec![0; count.div_ceil(WIDTH)] };
        indexes.for_each(|index| found.add(index));
        found
    }

    /// Those of them that pass a test.
    #[must_use]
    pub fn filtered(mut self, keep: impl Fn(usize) -> bool) -> Self {
        for (place, word) in self.bits.iter_mut().enumerate() {
            let kept = members(*word).filter(|bit| keep(place * WIDTH + bit));
            *word = kept.fold(0, |kept, bit| kept | 1 << bit);
        }
        self
    }
}

/// The members of a set that is one word.
fn members(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = word.trailing_zeros();
        word &= word.checked_sub(1)?;
        Some(bit as usize)
    })
}

/// The texts of all tokens. Names lie apart from descriptions, which are not looked into where every name was found.
#[derive(Clone, Debug, Default)]
pub struct TextIndex {
    names: Shelves,
    descriptions: Shelves,
    addresses: Addresses,
    /// The indexes of the launches' tokens.
    by_launch: ByLaunch<Option<u32>>,
}

impl TextIndex {
    /// Takes in a new token or its texts; other events change nothing. Tokens are numbered as they come.
    pub(super) fn apply(&mut self, event: &Event) {
        match &event.kind {
            EventKind::LaunchCreated { launch_id, creator, token, .. } => {
                self.announce(event, *launch_id, *creator, *token);
            }
            EventKind::LaunchMetadata { launch_id, metadata } => {
                if let Some(Some(index)) = self.by_launch.get(event.chain_id, event.emitter, *launch_id) {
                    self.describe(*index as usize, metadata);
                }
            }
            EventKind::TokenCreated { launch_id, creator, token, metadata, .. } => {
                self.describe(self.addresses.count(), metadata);
                self.announce(event, *launch_id, *creator, *token);
            }
            _ => {}
        }
    }

    fn announce(&mut self, event: &Event, launch_id: u64, creator: Address, token: Address) {
        let index = u32::try_from(self.addresses.count()).expect("tokens are fewer");
        *self.by_launch.entry(event.chain_id, event.emitter, launch_id) = Some(index);
        self.add_addresses(creator, token);
    }

    fn describe(&mut self, index: usize, metadata: &Metadata) {
        self.add_words(index, &metadata.name, &metadata.ticker, &metadata.description);
    }

    /// Adds words of a token; a token may be added to more than once.
    pub fn add_words(&mut self, index: usize, name: &str, ticker: &str, description: &str) {
        self.names.add(index, &[name, ticker]);
        self.descriptions.add(index, &[description]);
    }

    /// Adds the addresses of the next token.
    pub fn add_addresses(&mut self, owner: Address, token: Address) {
        self.addresses.add([owner, token]);
    }

    /// The tokens in whose texts a text occurs, of so many.
    #[must_use]
    pub fn find(&self, text: &str, count: usize) -> Found {
        let mut found = Found::of(std::iter::empty(), count);
        if text.contains(SEPARATOR) {
            return found;
        }
        if text.is_empty() {
            return Found::of(0..count, count);
        }
        let folded = fold(text);
        self.addresses.find(&folded, &mut found);
        let finder = Finder::new(&folded);
        self.names.find(&finder, &mut found);
        self.descriptions.find(&finder, &mut found);
        found
    }
}

/// Texts in the order in which they were added.
#[derive(Clone, Debug, Default)]
struct Shelves(Vec<Arc<Shelf>>);

/// The texts of as many chunks as a set of them has members, one after the other.
#[derive(Clone, Debug)]
struct Shelf {
    text: String,
    /// Where each text ends, and whose it is.
    ends: Vec<(u32, u32)>,
    /// Whether each text is of the token after that of the one before it.
    is_straight: bool,
    /// For each run, which chunks may have it.
    runs: Vec<u64>,
    words: Words,
}

impl Default for Shelf {
    fn default() -> Self {
        let runs = vec![0; 1 << RUN_BITS];
        Self { text: String::new(), ends: Vec::new(), is_straight: true, runs, words: Words::default() }
    }
}

impl Shelves {
    /// Adds a text of a token, in fields.
    fn add(&mut self, index: usize, fields: &[&str]) {
        if self.0.last().is_none_or(|shelf| shelf.is_full()) {
            self.0.push(Arc::default());
        }
        Arc::make_mut(self.0.last_mut().expect("one was just made")).add(index, fields);
    }

    /// Adds the tokens in whose texts a text occurs.
    fn find(&self, finder: &Finder<'_>, found: &mut Found) {
        let runs: Vec<_> = runs(finder.needle()).collect();
        let is_word = !finder.needle().contains(&b' ');
        for shelf in &self.0 {
            let possible = runs.iter().fold(u64::MAX, |chunks, run| chunks & shelf.runs[*run]);
            if possible == 0 {
                continue;
            }
            if is_word {
                shelf.find_word(finder, found);
                continue;
            }
            let chunks = shelf.ends.len().div_ceil(CHUNK);
            members(possible).take_while(|chunk| *chunk < chunks).for_each(|chunk| {
                shelf.find(chunk, finder, found);
            });
        }
    }
}

impl Shelf {
    /// Whether another text would be too many, or one could end too far for the number of its end.
    fn is_full(&self) -> bool {
        self.ends.len() == TEXTS || self.text.len() > 1 << 30
    }

    fn add(&mut self, index: usize, fields: &[&str]) {
        let begun = self.text.len();
        for field in fields {
            let from = self.text.len();
            if field.is_ascii() && !field.contains(SEPARATOR) {
                self.text.push_str(field);
                self.text[from..].make_ascii_lowercase();
            } else {
                self.text.push_str(&fold(&field.replace(SEPARATOR, " ")));
            }
            self.text.push(SEPARATOR);
        }
        let place = |number: usize| u32::try_from(number).expect("texts are bounded and tokens are fewer");
        let (number, folded) = (self.ends.len(), &self.text[begun..]);
        runs(folded.as_bytes()).for_each(|run| self.runs[run] |= 1 << (number / CHUNK));
        self.words.add(u16::try_from(number).expect("a shelf has fewer texts"), folded);
        self.is_straight &= self.ends.last().is_none_or(|(_, before)| *before as usize + 1 == index);
        self.ends.push((place(self.text.len()), place(index)));
        if self.is_full() {
            self.words.close();
        }
    }

    /// The part of a set that is of this shelf's tokens, when they are in the order of the set and begin a word of it.
    fn part<'a>(&self, found: &'a mut Found) -> Option<&'a mut [u64]> {
        let begun = self.ends.first()?.1 as usize;
        let words = self.ends.len().div_ceil(WIDTH);
        let is_part = self.is_straight && begun.is_multiple_of(WIDTH);
        found.bits.get_mut(begun / WIDTH..)?.get_mut(..words).filter(|_| is_part)
    }

    /// Adds the tokens in whose words a text without a space occurs.
    fn find_word(&self, finder: &Finder<'_>, found: &mut Found) {
        if let Some(part) = self.part(found) {
            if part.iter().any(|word| *word != u64::MAX) {
                part.iter_mut().zip(self.words.find(finder)).for_each(|(word, texts)| *word |= texts);
            }
            return;
        }
        for (texts, ends) in self.words.find(finder).iter().zip(self.ends.chunks(WIDTH)) {
            members(*texts).for_each(|text| found.add(ends[text].1 as usize));
        }
    }

    /// Adds the tokens of a chunk in whose texts a text occurs.
    fn find(&self, chunk: usize, finder: &Finder<'_>, found: &mut Found) {
        let ends = &self.ends[chunk * CHUNK..];
        let ends = &ends[..ends.len().min(CHUNK)];
        if ends.iter().all(|(_, index)| found.holds(*index as usize)) {
            return;
        }
        let begun = chunk * CHUNK;
        let mut from = if begun == 0 { 0 } else { self.ends[begun - 1].0 as usize };
        let text = &self.text.as_bytes()[..ends.last().map_or(from, |(end, _)| *end as usize)];
        let mut next = 0;
        while let Some(at) = finder.find(&text[from..]) {
            // Most finds lie in the next text or soon after it.
            while ends[next].0 as usize <= from + at {
                next += 1;
            }
            let (end, index) = ends[next];
            found.add(index as usize);
            (from, next) = (end as usize, next + 1);
            if next == ends.len() {
                break;
            }
        }
    }
}

/// The runs of a text, each as its place among all that are told apart.
fn runs(text: &[u8]) -> impl Iterator<Item = usize> {
    text.windows(RUN).map(|run| {
        let run = run.iter().fold(0_u32, |number, byte| number << 8 | u32::from(*byte));
        (run.wrapping_mul(0x9e37_79b1) >> (u32::BITS - RUN_BITS)) as usize
    })
}

#[cfg(test)]
mod tests {
    use alloy::primitives::{Address, address};
    use proptest::prelude::{any, prop_assert_eq, proptest};

    use super::{TextIndex, fold};

    fn found(corpus: &TextIndex, text: &str, count: usize) -> Vec<usize> {
        corpus.find(text, count).iter().collect()
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
        corpus.add_words(0, "Moon", "DOG", "");
        let owner = address!("e000000000000000000000000000000000000000");
        corpus.add_addresses(owner, address!("abc1000000000000000000000000000000000000"));
        corpus.add_words(1, "Sun", "dog cow", "hen");
        corpus.add_addresses(owner, address!("abd2000000000000000000000000000000000000"));
        let cases: [(&str, &[usize]); 13] = [
            ("moon", &[0]),
            ("Dog", &[0, 1]),
            ("ondo", &[]),
            ("gsun", &[]),
            ("cowhen", &[]),
            ("moondog", &[]),
            ("0XAB", &[0, 1]),
            ("bd", &[1]),
            ("c1", &[0]),
            ("c11", &[]),
            ("c", &[0, 1]),
            ("", &[0, 1]),
            ("m\0", &[]),
        ];
        for (text, expected) in cases {
            assert_eq!(found(&corpus, text, 2), expected, "{text}");
        }
    }

    /// What a walk over all texts finds.
    fn walked(tokens: &[([String; 3], [u8; 20])], text: &str) -> Vec<usize> {
        let text = fold(text);
        let mentions = |(words, address): &([String; 3], [u8; 20])| {
            let address = Address::from(*address).to_string();
            words.iter().chain([&address, &Address::ZERO.to_string()]).any(|word| fold(word).contains(&text))
        };
        (0..tokens.len()).filter(|index| mentions(&tokens[*index])).collect()
    }

    proptest! {
        #![proptest_config(proptest::test_runner::Config { cases: 64, ..Default::default() })]
        /// Asked for parts of the texts and addresses, and for any text; the most tokens fill more than one shelf.
        #[test]
        fn search_finds_every_match(
            parts in proptest::collection::vec(("[abcXÀσΣ 😀]{0,6}", "[ab0-3]{0,5}", "[abß ]{0,12}"), 1..40),
            copies in 1_usize..300,
            seed in any::<u64>(),
            free in "[abcxÀàςß😀 0-9]{1,5}",
            short in proptest::collection::vec("[abcXx0-9ÀσΣß😀 ]{0,3}", 8),
            cut in (any::<proptest::sample::Index>(), 0_usize..43, 1_usize..43),
        ) {
            let tokens: Vec<_> = (0..parts.len() * copies)
                .map(|index| {
                    let (name, ticker, description) = parts[(index * 7 + index / 11) % parts.len()].clone();
                    let mixed = alloy::primitives::keccak256((seed ^ index as u64).to_be_bytes());
                    ([name, ticker, description], Address::from_word(mixed).into_array())
                })
                .collect();
            let mut corpus = TextIndex::default();
            for (index, ([name, ticker, description], address)) in tokens.iter().enumerate() {
                corpus.add_addresses(Address::ZERO, Address::from(*address));
                corpus.add_words(index, name, ticker, description);
                // Texts that come again, and not in the order of the tokens.
                if index % 97 == 96 && seed % 2 == 0 {
                    let ([name, ticker, description], _) = &tokens[index / 2];
                    corpus.add_words(index / 2, name, ticker, description);
                }
            }
            let (of, from, length) = cut;
            let (words, address) = &tokens[of.index(tokens.len())];
            let address = Address::from(*address).to_string();
            let cut_out = |text: &str| text.chars().skip(from % 6).take(length).collect::<String>();
            let address_part: String = address.chars().skip(from).take(length).collect();
            let mut asked = vec![String::new(), free, address_part, address];
            asked.extend(short);
            asked.extend(words.iter().map(|word| cut_out(word)));
            for text in asked {
                prop_assert_eq!(found(&corpus, &text, tokens.len()), walked(&tokens, &text), "{}", text);
            }
        }
    }
}
