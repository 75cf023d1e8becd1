//! The two addresses of each token as bytes. Of 64 tokens at a time is known which have each pair of hexadecimal digits, so
//! that a search for two digits reads no address, and one for more only those that have all of its pairs.
use alloy::hex;
use alloy::primitives::Address;
use memchr::memmem::Finder;

use super::{Found, WIDTH, members};

/// Pairs of digits.
const PAIRS: usize = 256;
/// Digits of an address.
const DIGITS: usize = 40;
/// Digits of the beginning of an address that is kept apart.
const HEAD: usize = 4;

/// The owner and the address of each token, by its index.
#[derive(Clone, Debug, Default)]
pub(super) struct Addresses {
    all: Vec<[Address; 2]>,
    /// The first digits of each address.
    heads: Vec<[u16; 2]>,
    /// Which of 64 tokens have a pair of digits, for each pair.
    pairs: Vec<[u64; PAIRS]>,
}

impl Addresses {
    /// How many tokens there are.
    pub(super) fn count(&self) -> usize {
        self.all.len()
    }

    /// Adds the addresses of the next token.
    pub(super) fn add(&mut self, addresses: [Address; 2]) {
        let place = self.all.len() % WIDTH;
        if place == 0 {
            self.pairs.push([0; PAIRS]);
        }
        let Some(pairs) = self.pairs.last_mut() else { return };
        for address in &addresses {
            let bytes = address.as_slice();
            let between = bytes.windows(2).map(|two| two[0] << 4 | two[1] >> 4);
            for pair in bytes.iter().copied().chain(between) {
                pairs[usize::from(pair)] |= 1 << place;
            }
        }
        self.heads.push(addresses.map(|address| u16::from_be_bytes([address[0], address[1]])));
        self.all.push(addresses);
    }

    /// Adds the tokens in whose addresses, as text, a text in lower case occurs.
    pub(super) fn find(&self, text: &str, found: &mut Found) {
        let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix('x'));
        if let Some(digits) = digits {
            if digits.len() <= DIGITS
                && let Some(values) = values(digits)
            {
                self.find_beginnings(&values, found);
            }
        } else if text.is_empty() || text == "0" {
            // Every address begins with a zero and an x.
            self.find_beginnings(&[], found);
        } else if text.len() <= DIGITS
            && let Some(values) = values(text)
        {
            self.find_anywhere(text, &values, found);
        }
    }

    /// Adds the tokens that have an address with these digits at its beginning.
    fn find_beginnings(&self, digits: &[u8], found: &mut Found) {
        let known = digits.len().min(HEAD);
        let place = |digits: &[u8]| digits.iter().fold(0_u16, |head, digit| head << 4 | u16::from(*digit));
        let free = 4 * (HEAD - known);
        let (mask, head) =
            if known == 0 { (0, 0) } else { (u16::MAX << free, place(&digits[..known]) << free) };
        for (word, (heads, all)) in
            found.bits.iter_mut().zip(self.heads.chunks(WIDTH).zip(self.all.chunks(WIDTH)))
        {
            let begin = |heads: &[u16; 2]| heads.iter().any(|one| one & mask == head);
            let mut hits =
                heads.iter().enumerate().fold(0, |hits, (bit, two)| hits | u64::from(begin(two)) << bit);
            if digits.len() > HEAD {
                let whole = |bit: &usize| all[*bit].iter().any(|address| begins(address, digits));
                hits = members(hits).filter(whole).fold(0, |hits, bit| hits | 1 << bit);
            }
            *word |= hits;
        }
    }

    /// Adds the tokens that have these digits anywhere in an address.
    fn find_anywhere(&self, text: &str, digits: &[u8], found: &mut Found) {
        let finder = Finder::new(text);
        let pair = |two: &[u8]| usize::from(two[0] << 4 | two[1]);
        for (word, (pairs, all)) in found.bits.iter_mut().zip(self.pairs.iter().zip(self.all.chunks(WIDTH))) {
            let hits = match digits {
                [digit] => with_digit(pairs, usize::from(*digit)),
                _ => digits.windows(2).fold(!*word, |hits, two| hits & pairs[pair(two)]),
            };
            *word |= if digits.len() <= 2 {
                hits
            } else {
                let mention = |address: &Address| {
                    let mut text = [0; DIGITS];
                    hex::encode_to_slice(address, &mut text).is_ok() && finder.find(&text).is_some()
                };
                let hit = |bit: &usize| all[*bit].iter().any(mention);
                members(hits).filter(hit).fold(0, |hits, bit| hits | 1 << bit)
            };
        }
    }
}

/// The values of hexadecimal digits, if they are no other letters.
fn values(digits: &str) -> Option<Vec<u8>> {
    digits.chars().map(|digit| u8::try_from(digit.to_digit(16)?).ok()).collect()
}

/// Whether an address begins with these digits.
fn begins(address: &Address, digits: &[u8]) -> bool {
    let own = address.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits.iter().copied().eq(own.take(digits.len()))
}

/// Which tokens have a digit: it is the first or the second of a pair.
fn with_digit(pairs: &[u64; PAIRS], digit: usize) -> u64 {
    let first = pairs[digit * 16..][..16].iter();
    let second = pairs[digit..].iter().step_by(16);
    first.chain(second).fold(0, |hits, pair| hits | pair)
}
