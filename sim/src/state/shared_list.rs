//! A list that grows at its end. Copies share every part that has not changed since.
use std::ops::{Index, IndexMut};
use std::sync::Arc;

/// Entries of a full part.
const PART: usize = 256;

/// The list: full parts, and the last one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SharedList<T>(Vec<Arc<Vec<T>>>);

impl<T> Default for SharedList<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> SharedList<T> {
    pub(crate) fn len(&self) -> usize {
        self.0.last().map_or(0, |last| (self.0.len() - 1) * PART + last.len())
    }

    pub(crate) fn last(&self) -> Option<&T> {
        self.0.last()?.last()
    }

    pub(crate) fn get(&self, index: usize) -> Option<&T> {
        self.0.get(index / PART)?.get(index % PART)
    }

    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = &T> {
        self.0.iter().flat_map(|part| part.iter())
    }

    /// The number of leading entries that satisfy `is_first`; no later entry may satisfy it.
    pub(crate) fn partition_point(&self, mut is_first: impl FnMut(&T) -> bool) -> usize {
        // No part is empty.
        let Some(part) = self.0.partition_point(|part| is_first(&part[0])).checked_sub(1) else { return 0 };
        part * PART + self.0[part].partition_point(is_first)
    }
}

impl<T: Clone> SharedList<T> {
    pub(crate) fn push(&mut self, entry: T) {
        match self.0.last_mut().filter(|last| last.len() < PART) {
            Some(last) => Arc::make_mut(last).push(entry),
            None => self.0.push(Arc::new(vec![entry])),
        }
    }

    pub(crate) fn truncate(&mut self, length: usize) {
        if length >= self.len() {
            return;
        }
        self.0.truncate(length.div_ceil(PART));
        if let Some(last) = self.0.last_mut().filter(|_| !length.is_multiple_of(PART)) {
            Arc::make_mut(last).truncate(length % PART);
        }
    }
}

impl<T> Index<usize> for SharedList<T> {
    type Output = T;

    fn index(&self, index: usize) -> &T {
        &self.0[index / PART][index % PART]
    }
}

impl<T: Clone> IndexMut<usize> for SharedList<T> {
    fn index_mut(&mut self, index: usize) -> &mut T {
        &mut Arc::make_mut(&mut self.0[index / PART])[index % PART]
    }
}

impl<T: Clone> FromIterator<T> for SharedList<T> {
    fn from_iter<I: IntoIterator<Item = T>>(entries: I) -> Self {
        let mut list = Self::default();
        entries.into_iter().for_each(|entry| list.push(entry));
        list
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{PART, SharedList};

    #[test]
    fn copies_share_all_but_the_changed_part() {
        let list: SharedList<usize> = (0..3 * PART).collect();
        let mut copy = list.clone();
        copy.push(7);
        copy[PART] = 7;
        let shared: Vec<bool> =
            list.0.iter().zip(&copy.0).map(|(one, other)| Arc::ptr_eq(one, other)).collect();
        assert_eq!(shared, [true, false, true]);
        assert_eq!(
            (list.len(), copy.len(), copy.last(), list[PART]),
            (3 * PART, 3 * PART + 1, Some(&7), PART)
        );
    }

    #[test]
    fn it_behaves_as_a_vector() {
        for length in [0, 1, PART - 1, PART, PART + 1, 2 * PART, 2 * PART + 5] {
            let vector: Vec<usize> = (0..length).collect();
            let list: SharedList<usize> = vector.iter().copied().collect();
            assert!(list.iter().eq(&vector) && list.iter().rev().eq(vector.iter().rev()));
            for cut in [0, 1, PART - 1, PART, PART + 1, 2 * PART, 2 * PART + 5, 3 * PART] {
                let (mut vector, mut list) = (vector.clone(), list.clone());
                assert_eq!(list.partition_point(|entry| *entry < cut), cut.min(length));
                assert_eq!((list.get(cut), list.last()), (vector.get(cut), vector.last()));
                vector.truncate(cut);
                list.truncate(cut);
                assert!(list.iter().eq(&vector) && list.len() == vector.len(), "{length} {cut}");
                list.push(9);
                assert_eq!((list.last(), list.len()), (Some(&9), vector.len() + 1));
            }
        }
    }
}
