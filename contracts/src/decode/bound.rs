//! Bounds the size of decoded values. Offsets in encoded data may point at the same place: short data can decode to gigabytes.
use std::iter::repeat_n;

use alloy::dyn_abi::DynSolType;

/// Maximum size of the decoded values relative to their data; a canonical encoding is as large as its values.
const FACTOR: usize = 4;
const WORD: usize = 32;

/// Whether the data has values of these types that are not far larger than itself. It allocates nothing.
pub(super) fn is_bounded(kinds: &[DynSolType], data: &[u8]) -> bool {
    Walk { data, left: data.len().saturating_mul(FACTOR) }.sequence(kinds, 0).is_some()
}

struct Walk<'a> {
    data: &'a [u8],
    /// Number of bytes that the remaining values may have.
    left: usize,
}

impl Walk<'_> {
    /// Walks values whose heads follow each other; their offsets count from the first one.
    fn sequence<'k>(&mut self, kinds: impl IntoIterator<Item = &'k DynSolType>, start: usize) -> Option<()> {
        kinds.into_iter().try_fold(start, |at, kind| self.value(kind, start, at)).map(|_| ())
    }

    /// Walks the value with its head at a place, and returns the end of its head.
    fn value(&mut self, kind: &DynSolType, start: usize, at: usize) -> Option<usize> {
        if !kind.is_dynamic() {
            return self.take(at, size(kind)?);
        }
        let end = self.take(at, WORD)?;
        let place = start.checked_add(self.number(at)?)?;
        match kind {
            DynSolType::Array(element) => {
                let first = self.take(place, WORD)?;
                let count = self.number(place)?;
                if element.is_dynamic() {
                    self.sequence(repeat_n(&**element, count), first)?;
                } else {
                    self.take(first, size(element)?.checked_mul(count)?)?;
                }
            }
            DynSolType::FixedArray(element, count) => self.sequence(repeat_n(&**element, *count), place)?,
            DynSolType::Tuple(kinds) | DynSolType::CustomStruct { tuple: kinds, .. } => {
                self.sequence(kinds, place)?;
            }
            // Bytes or a text.
            _ => {
                let first = self.take(place, WORD)?;
                self.take(first, self.number(place)?)?;
            }
        }
        Some(end)
    }

    /// Counts these bytes, and returns their end; `None` if the data has no such bytes or the bound is reached.
    fn take(&mut self, at: usize, bytes: usize) -> Option<usize> {
        let end = at.checked_add(bytes).filter(|end| *end <= self.data.len())?;
        self.left = self.left.checked_sub(bytes)?;
        Some(end)
    }

    /// The offset or length at a place.
    fn number(&self, at: usize) -> Option<usize> {
        let (high, low) = self.data.get(at..)?.first_chunk::<WORD>()?.split_last_chunk::<8>()?;
        let low = usize::try_from(u64::from_be_bytes(*low)).ok()?;
        high.iter().all(|byte| *byte == 0).then_some(low)
    }
}

/// The encoded size of a type that has no offsets.
fn size(kind: &DynSolType) -> Option<usize> {
    match kind {
        DynSolType::FixedArray(element, count) => size(element)?.checked_mul(*count),
        DynSolType::Tuple(kinds) | DynSolType::CustomStruct { tuple: kinds, .. } => {
            kinds.iter().try_fold(0_usize, |sum, kind| sum.checked_add(size(kind)?))
        }
        _ => Some(WORD),
    }
}

#[cfg(test)]
mod tests;
