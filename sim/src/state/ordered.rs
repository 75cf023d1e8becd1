//! Tokens in one order, in blocks that count their classes: the size of a range and the start of a page are found without
//! walking there, and a copy shares every block that does not change.
use std::ops::{Bound, RangeBounds};
use std::sync::Arc;

/// How many classes there are.
const CLASSES: usize = 32;
/// Entries of a block before it is split.
const FULL: usize = 256;

/// What filters without bounds look at: a small number that every token of an index carries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Class(u8);

impl Class {
    /// The class of a token.
    #[must_use]
    pub fn of(is_graduated: bool, is_disabled: bool, links: [bool; 3]) -> Self {
        let bits = [is_graduated, is_disabled, links[0], links[1], links[2]];
        Self(bits.iter().rev().fold(0, |class, &bit| class << 1 | u8::from(bit)))
    }

    /// Whether the curve is full.
    #[must_use]
    pub fn is_graduated(self) -> bool {
        self.0 & 1 != 0
    }

    /// Whether the token is out of the usual lists.
    #[must_use]
    pub fn is_disabled(self) -> bool {
        self.0 & 2 != 0
    }

    /// Whether it has a messaging channel, a microblog and a website.
    #[must_use]
    pub fn links(self) -> [bool; 3] {
        [self.0 & 4 != 0, self.0 & 8 != 0, self.0 & 16 != 0]
    }
}

/// A set of classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Classes(u32);

impl Classes {
    /// The classes that a test keeps.
    #[must_use]
    pub fn kept_by(keep: impl Fn(Class) -> bool) -> Self {
        let classes = (0_u8..).take(CLASSES).map(Class);
        Self(classes.filter(|class| keep(*class)).fold(0, |set, class| set | 1 << class.0))
    }

    /// Whether a class is in the set.
    #[must_use]
    pub fn hold(self, class: Class) -> bool {
        self.0 >> class.0 & 1 != 0
    }

    fn count_in<C: Copy + Into<u64>>(self, counts: &[C; CLASSES]) -> u64 {
        let counted = counts.iter().enumerate();
        counted.filter(|(class, _)| self.0 >> class & 1 != 0).map(|(_, count)| (*count).into()).sum()
    }
}

/// A token in its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry<K> {
    /// What it is ordered by; unique.
    pub key: K,
    /// Its class.
    pub class: Class,
    /// Which token it is.
    pub index: usize,
}

/// A block with those of its entries that lie in a stretch.
type Part<'a, K> = (&'a Block<K>, &'a [Entry<K>]);

#[derive(Clone, Debug)]
struct Block<K> {
    entries: Vec<Entry<K>>,
    counts: [u16; CLASSES],
}

/// Tokens in one order.
#[derive(Clone, Debug)]
pub struct Ordered<K> {
    blocks: Vec<Arc<Block<K>>>,
    totals: [u32; CLASSES],
}

/// A stretch of an order: from one place up to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    from: (usize, usize),
    to: (usize, usize),
}

impl<K> Default for Ordered<K> {
    fn default() -> Self {
        Self { blocks: Vec::new(), totals: [0; CLASSES] }
    }
}

impl<K: Ord + Copy> Ordered<K> {
    /// Puts a token into its place; no other has the key.
    pub fn insert(&mut self, entry: Entry<K>) {
        let place = self.block_of(&entry.key);
        if self.blocks.is_empty() {
            self.blocks.push(Arc::new(Block::of(Vec::new())));
        }
        let block = Arc::make_mut(&mut self.blocks[place]);
        let at = block.entries.partition_point(|other| other.key < entry.key);
        block.counts[usize::from(entry.class.0)] += 1;
        self.totals[usize::from(entry.class.0)] += 1;
        block.entries.insert(at, entry);
        if block.entries.len() > FULL {
            let upper = block.entries.split_off(FULL / 2);
            *block = Block::of(std::mem::take(&mut block.entries));
            self.blocks.insert(place + 1, Arc::new(Block::of(upper)));
        }
    }

    /// Takes a token out.
    pub fn remove(&mut self, key: &K) {
        let place = self.block_of(key);
        let Some(block) = self.blocks.get_mut(place) else {
            return;
        };
        let Ok(at) = block.entries.binary_search_by(|entry| entry.key.cmp(key)) else {
            return;
        };
        let block = Arc::make_mut(block);
        let removed = block.entries.remove(at);
        block.counts[usize::from(removed.class.0)] -= 1;
        self.totals[usize::from(removed.class.0)] -= 1;
        if block.entries.is_empty() {
            self.blocks.remove(place);
        }
    }

    /// Everything.
    #[must_use]
    pub fn all(&self) -> Stretch {
        Stretch { from: (0, 0), to: (self.blocks.len(), 0) }
    }

    /// The stretch whose keys are in a range; empty when the range is.
    #[must_use]
    pub fn stretch(&self, range: impl RangeBounds<K>) -> Stretch {
        let from = match range.start_bound() {
            Bound::Unbounded => (0, 0),
            Bound::Included(key) => self.place(|other| other < key),
            Bound::Excluded(key) => self.place(|other| other <= key),
        };
        let to = match range.end_bound() {
            Bound::Unbounded => (self.blocks.len(), 0),
            Bound::Included(key) => self.place(|other| other <= key),
            Bound::Excluded(key) => self.place(|other| other < key),
        };
        Stretch { from, to: to.max(from) }
    }

    /// How many tokens of some classes are in a stretch.
    #[must_use]
    pub fn count(&self, stretch: Stretch, classes: Classes) -> u64 {
        if stretch == self.all() {
            return classes.count_in(&self.totals);
        }
        self.parts(stretch).map(|(block, entries)| block.count_in(entries, classes)).sum()
    }

    /// The tokens of a stretch in order.
    pub fn iter(&self, stretch: Stretch) -> impl DoubleEndedIterator<Item = &Entry<K>> {
        self.parts(stretch).flat_map(|(_, entries)| entries)
    }

    /// The tokens of some classes in a stretch but the first `skipped`, in order or from its end; blocks that are skipped
    /// as a whole are not looked into.
    pub fn after(
        &self,
        stretch: Stretch,
        classes: Classes,
        skipped: u64,
        backwards: bool,
    ) -> impl Iterator<Item = &Entry<K>> {
        let parts = self.parts(stretch);
        let parts: Box<dyn Iterator<Item = Part<'_, K>>> =
            if backwards { Box::new(parts.rev()) } else { Box::new(parts) };
        let (mut parts, mut left) = (parts.peekable(), skipped);
        while let Some((block, entries)) = parts.peek() {
            let count = block.count_in(entries, classes);
            if count > left {
                break;
            }
            left -= count;
            parts.next();
        }
        let left = usize::try_from(left).unwrap_or(usize::MAX);
        parts
            .flat_map(move |(_, entries)| Directed::new(entries, backwards))
            .filter(move |entry| classes.hold(entry.class))
            .skip(left)
    }

    /// The block that holds a key, or would.
    fn block_of(&self, key: &K) -> usize {
        let after = self.blocks.partition_point(|block| block.entries[0].key <= *key);
        after.saturating_sub(1)
    }

    fn place(&self, before: impl Fn(&K) -> bool) -> (usize, usize) {
        let after = self.blocks.partition_point(|block| before(&block.entries[0].key));
        let Some(block) = after.checked_sub(1) else {
            return (0, 0);
        };
        let entries = &self.blocks[block].entries;
        (block, entries.partition_point(|entry| before(&entry.key)))
    }

    fn parts(&self, stretch: Stretch) -> impl DoubleEndedIterator<Item = Part<'_, K>> {
        let Stretch { from, to } = stretch;
        let last = if to.1 == 0 { to.0 } else { to.0 + 1 };
        (from.0..last).map(move |place| {
            let block = &*self.blocks[place];
            let start = if place == from.0 { from.1 } else { 0 };
            let end = if place == to.0 { to.1 } else { block.entries.len() };
            (block, &block.entries[start..end])
        })
    }
}

impl<K> Block<K> {
    fn of(entries: Vec<Entry<K>>) -> Self {
        let mut counts = [0; CLASSES];
        for entry in &entries {
            counts[usize::from(entry.class.0)] += 1;
        }
        Self { entries, counts }
    }

    fn count_in(&self, part: &[Entry<K>], classes: Classes) -> u64 {
        if part.len() == self.entries.len() {
            classes.count_in(&self.counts)
        } else {
            part.iter().filter(|entry| classes.hold(entry.class)).count() as u64
        }
    }
}

/// A slice walked in one of the two directions.
struct Directed<'a, K> {
    entries: std::slice::Iter<'a, Entry<K>>,
    backwards: bool,
}

impl<'a, K> Directed<'a, K> {
    fn new(entries: &'a [Entry<K>], backwards: bool) -> Self {
        Self { entries: entries.iter(), backwards }
    }
}

impl<'a, K> Iterator for Directed<'a, K> {
    type Item = &'a Entry<K>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.backwards { self.entries.next_back() } else { self.entries.next() }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::ops::Bound;

    use proptest::prelude::{ProptestConfig, any, prop_assert_eq, proptest};

    use super::{Class, Classes, Entry, Ordered};

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn it_agrees_with_a_sorted_map(
            steps in proptest::collection::vec((0_u16..2_000, 0_u8..32, any::<bool>()), 0..3_000),
            bounds in any::<(Option<u16>, Option<u16>, bool)>(),
            set in any::<u32>(),
            skipped in 0_u64..600,
        ) {
            let (mut map, mut ordered) = (BTreeMap::new(), Ordered::default());
            for (key, class, out) in steps {
                if map.remove(&key).is_some() || out {
                    ordered.remove(&key);
                }
                if !out {
                    map.insert(key, Class(class));
                    ordered.insert(Entry { key, class: Class(class), index: usize::from(key) });
                }
            }
            let copy = ordered.clone();
            ordered.insert(Entry { key: 5_000, class: Class(0), index: 0 });
            let ordered = copy;
            let (low, high, open) = bounds;
            let bound = |key| if open { Bound::Excluded(key) } else { Bound::Included(key) };
            let range = (low.map_or(Bound::Unbounded, bound), high.map_or(Bound::Unbounded, Bound::Included));
            let inside = |key: &u16| {
                low.is_none_or(|low| if open { *key > low } else { *key >= low }) && high.is_none_or(|high| *key <= high)
            };
            let classes = Classes(set);
            let expected: Vec<_> = map
                .iter()
                .filter(|(key, class)| inside(key) && classes.hold(**class))
                .map(|(key, _)| *key)
                .collect();
            let stretch = ordered.stretch(range);
            prop_assert_eq!(ordered.count(stretch, classes), expected.len() as u64);
            let skip = usize::try_from(skipped).unwrap();
            let seen = |backwards| -> Vec<u16> {
                ordered.after(stretch, classes, skipped, backwards).map(|entry| entry.key).collect()
            };
            prop_assert_eq!(seen(false), expected.iter().copied().skip(skip).collect::<Vec<_>>());
            prop_assert_eq!(seen(true), expected.iter().rev().copied().skip(skip).collect::<Vec<_>>());
            prop_assert_eq!(ordered.iter(ordered.all()).map(|entry| entry.key).collect::<Vec<_>>(), map.into_keys().collect::<Vec<_>>());
        }
    }

    #[test]
    fn class_round_trips() {
        for bits in 0_u8..32 {
            let bit = |place: u8| bits >> place & 1 != 0;
            let class = Class::of(bit(0), bit(1), [bit(2), bit(3), bit(4)]);
            assert_eq!(class, Class(bits));
            assert_eq!(
                (class.is_graduated(), class.is_disabled(), class.links()),
                (bit(0), bit(1), [bit(2), bit(3), bit(4)])
            );
        }
    }
}
