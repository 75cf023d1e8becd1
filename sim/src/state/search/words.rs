//! The different words of up to 4,096 texts, what stands between spaces, and which of the texts have each: a search without
//! a space reads every word once, however often it occurs, and no text.
use std::fmt;
use std::hash::BuildHasher as _;

use alloy::primitives::map::{DefaultHashBuilder, HashMap};
use hashbrown::HashTable;
use memchr::memmem::Finder;

use super::{SEPARATOR, TEXTS, WIDTH};

/// Texts of one word before they are a set.
const FEW: usize = 128;

/// Beside the first text of a word: it has others.
const OTHERS: u16 = 1 << 15;

/// A set of texts by their number.
pub(super) type Set = [u64; TEXTS / WIDTH];

/// Words and where they occur.
#[derive(Clone, Default)]
pub(super) struct Words {
    /// One after the other, each with a separator.
    text: String,
    ends: Vec<u32>,
    /// The first text of each word, the only one of most.
    firsts: Vec<u16>,
    others: HashMap<u32, Texts>,
    /// The numbers of the words by their letters, while texts are added.
    numbers: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

#[derive(Clone, Debug)]
enum Texts {
    Few(Vec<u16>),
    Many(Box<Set>),
}

impl fmt::Debug for Words {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Words").field("text", &self.text).finish_non_exhaustive()
    }
}

impl Words {
    /// Adds the words of the next text.
    pub(super) fn add(&mut self, text: u16, folded: &str) {
        for word in folded.split([' ', SEPARATOR]).filter(|word| !word.is_empty()) {
            let Self { text: words, ends, firsts, others, numbers, hasher } = self;
            let hash = hasher.hash_one(word);
            if let Some(number) = numbers.find(hash, |number| word_at(words, ends, *number) == word) {
                let first = &mut firsts[*number as usize];
                if *first != text {
                    *first |= OTHERS;
                    others.entry(*number).or_insert_with(|| Texts::Few(Vec::new())).add(text);
                }
                continue;
            }
            let bounded = |number: usize| u32::try_from(number).expect("texts are bounded");
            let number = bounded(ends.len());
            words.push_str(word);
            words.push(SEPARATOR);
            ends.push(bounded(words.len()));
            firsts.push(text);
            numbers.insert_unique(hash, number, |number| hasher.hash_one(word_at(words, ends, *number)));
        }
    }

    /// No more texts are added.
    pub(super) fn close(&mut self) {
        self.numbers = HashTable::new();
        self.text.shrink_to_fit();
        self.ends.shrink_to_fit();
        self.firsts.shrink_to_fit();
    }

    /// The texts in whose words a text without a space occurs.
    pub(super) fn find(&self, finder: &Finder<'_>) -> Set {
        let mut found = [0; TEXTS / WIDTH];
        let words = self.text.as_bytes();
        let (mut from, mut next) = (0, 0);
        while let Some(at) = finder.find(&words[from..]) {
            while self.ends[next] as usize <= from + at {
                next += 1;
            }
            let first = usize::from(self.firsts[next] & !OTHERS);
            found[first / WIDTH] |= 1 << (first % WIDTH);
            if self.firsts[next] & OTHERS != 0 {
                let number = u32::try_from(next).ok();
                let others = number.and_then(|number| self.others.get(&number));
                others.into_iter().for_each(|others| others.add_to(&mut found));
            }
            from = self.ends[next] as usize;
            next += 1;
            if next == self.ends.len() {
                break;
            }
        }
        found
    }
}

fn word_at<'a>(words: &'a str, ends: &[u32], number: u32) -> &'a str {
    let place = number as usize;
    let begin = place.checked_sub(1).map_or(0, |before| ends[before] as usize);
    &words[begin..ends[place] as usize - SEPARATOR.len_utf8()]
}

impl Texts {
    /// Adds a text that comes after those that are known, or is the last of them.
    fn add(&mut self, text: u16) {
        match self {
            Self::Few(texts) if texts.last() == Some(&text) => {}
            Self::Few(texts) if texts.len() < FEW => texts.push(text),
            Self::Few(_) => {
                let mut set = Box::new([0; TEXTS / WIDTH]);
                self.add_to(&mut set);
                *self = Self::Many(set);
                self.add(text);
            }
            Self::Many(set) => set[usize::from(text) / WIDTH] |= 1 << (usize::from(text) % WIDTH),
        }
    }

    fn add_to(&self, found: &mut Set) {
        match self {
            Self::Few(texts) => {
                texts.iter().map(|text| usize::from(*text)).for_each(|text| {
                    found[text / WIDTH] |= 1 << (text % WIDTH);
                });
            }
            Self::Many(set) => found.iter_mut().zip(set.iter()).for_each(|(word, own)| *word |= own),
        }
    }
}
