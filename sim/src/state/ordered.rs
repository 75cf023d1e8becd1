//! Tokens in one order, in blocks that count their classes, and the blocks in groups that do: the size of a range and the
//! start of a page are found without walking there, and a copy shares every block that does not change.
use std::ops::{Bound, Range, RangeBounds};
use std::sync::Arc;

/// How many classes there are.
const CLASSES: usize = 32;
/// Entries of a block before it is split.
const FULL: usize = 256;
/// Blocks whose counts are summed up: so many groups of so many blocks are walked about as fast as one of each.
const GROUP: usize = 64;

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

    fn count_in(self, counts: &Counts) -> u64 {
        let counted = counts.iter().enumerate();
        counted.map(|(class, count)| u64::from(self.0 >> class & 1) * u64::from(*count)).sum()
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

/// How many tokens of each class there are.
type Counts = [u32; CLASSES];

/// Tokens in one order.
#[derive(Clone, Debug)]
pub struct Ordered<K> {
    blocks: Vec<Arc<Vec<Entry<K>>>>,
    /// The first key of each block.
    firsts: Vec<K>,
    /// What each block holds.
    counts: Vec<Counts>,
    /// What every [`GROUP`] blocks hold together.
    sums: Vec<Counts>,
    totals: Counts,
}

/// A stretch of an order: from one place up to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    from: (usize, usize),
    to: (usize, usize),
}

impl<K> Default for Ordered<K> {
    fn default() -> Self {
        let (blocks, firsts, counts, sums) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { blocks, firsts, counts, sums, totals: [0; CLASSES] }
    }
}

impl<K: Ord + Copy> Ordered<K> {
    /// The order of these tokens, which come in any; no two have one key.
    #[must_use]
    pub fn of(mut entries: Vec<Entry<K>>) -> Self {
        entries.sort_unstable_by_key(|entry| entry.key);
        let blocks: Vec<_> = entries.chunks(FULL * 3 / 4).map(|block| Arc::new(block.to_vec())).collect();
        let firsts = blocks.iter().map(|block| block[0].key).collect();
        let counts = blocks.iter().map(|block| counts_of(block)).collect();
        let mut ordered = Self { blocks, firsts, counts, sums: Vec::new(), totals: [0; CLASSES] };
        ordered.sum_up_from(0);
        ordered.totals = sum_of(&ordered.sums);
        ordered
    }

    /// Puts a token into its place; no other has the key.
    pub fn insert(&mut self, entry: Entry<K>) {
        if self.blocks.is_empty() {
            *self = Self::of(vec![entry]);
            return;
        }
        let place = self.block_of(&entry.key);
        let block = Arc::make_mut(&mut self.blocks[place]);
        let at = block.partition_point(|other| other.key < entry.key);
        block.insert(at, entry);
        self.firsts[place] = block[0].key;
        for counts in [&mut self.counts[place], &mut self.sums[place / GROUP], &mut self.totals] {
            counts[usize::from(entry.class.0)] += 1;
        }
        if block.len() > FULL {
            let upper = block.split_off(FULL / 2);
            self.counts[place] = counts_of(block);
            self.firsts.insert(place + 1, upper[0].key);
            self.counts.insert(place + 1, counts_of(&upper));
            self.blocks.insert(place + 1, Arc::new(upper));
            self.sum_up_from(place);
        }
    }

    /// Takes a token out.
    pub fn remove(&mut self, key: &K) {
        let place = self.block_of(key);
        let Some(block) = self.blocks.get_mut(place) else {
            return;
        };
        let Ok(at) = block.binary_search_by(|entry| entry.key.cmp(key)) else {
            return;
        };
        let block = Arc::make_mut(block);
        let removed = block.remove(at);
        for counts in [&mut self.counts[place], &mut self.sums[place / GROUP], &mut self.totals] {
            counts[usize::from(removed.class.0)] -= 1;
        }
        if let Some(first) = block.first() {
            self.firsts[place] = first.key;
        } else {
            self.blocks.remove(place);
            self.firsts.remove(place);
            self.counts.remove(place);
            self.sum_up_from(place);
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
        // A walk that leaves out as many as there can be counts them.
        let mut walk = Walk::new(self, stretch, classes, u64::MAX, false);
        walk.by_ref().for_each(drop);
        u64::MAX - walk.skipped
    }

    /// The tokens of a stretch in order.
    pub fn iter(&self, stretch: Stretch) -> impl DoubleEndedIterator<Item = &Entry<K>> {
        blocks_of(stretch).flat_map(move |place| self.part(stretch, place))
    }

    /// The tokens of some classes in a stretch but the first `skipped`, in order or from its end; blocks that are skipped
    /// as a whole and blocks without such a token are not looked into.
    pub fn after(
        &self,
        stretch: Stretch,
        classes: Classes,
        skipped: u64,
        backwards: bool,
    ) -> impl Iterator<Item = &Entry<K>> {
        Walk::new(self, stretch, classes, skipped, backwards).flat_map(move |(entries, skipped)| {
            Directed::new(entries, backwards).filter(move |entry| classes.hold(entry.class)).skip(skipped)
        })
    }

    /// The block that holds a key, or would.
    fn block_of(&self, key: &K) -> usize {
        self.firsts.partition_point(|first| first <= key).saturating_sub(1)
    }

    fn place(&self, before: impl Fn(&K) -> bool) -> (usize, usize) {
        let after = self.firsts.partition_point(&before);
        let Some(block) = after.checked_sub(1) else {
            return (0, 0);
        };
        (block, self.blocks[block].partition_point(|entry| before(&entry.key)))
    }

    /// The entries of a block that lie in a stretch.
    fn part(&self, stretch: Stretch, place: usize) -> &[Entry<K>] {
        let block = &self.blocks[place];
        let start = if place == stretch.from.0 { stretch.from.1 } else { 0 };
        let end = if place == stretch.to.0 { stretch.to.1 } else { block.len() };
        &block[start..end]
    }

    /// Sums the groups up again from that of a block on.
    fn sum_up_from(&mut self, place: usize) {
        let group = place / GROUP;
        self.sums.truncate(group);
        self.sums.extend(self.counts[group * GROUP..].chunks(GROUP).map(sum_of));
    }
}

/// The blocks that a stretch has a part of.
fn blocks_of(stretch: Stretch) -> Range<usize> {
    stretch.from.0..if stretch.to.1 == 0 { stretch.to.0 } else { stretch.to.0 + 1 }
}

fn counts_of<K>(entries: &[Entry<K>]) -> Counts {
    let mut counts = [0; CLASSES];
    entries.iter().for_each(|entry| counts[usize::from(entry.class.0)] += 1);
    counts
}

fn sum_of(all: &[Counts]) -> Counts {
    all.iter().fold([0; CLASSES], |sum, counts| std::array::from_fn(|class| sum[class] + counts[class]))
}

/// The blocks of a stretch in one of the two directions but the first tokens of some classes: each with how many of its
/// own are still to be left out. Groups and blocks that are left out as a whole are passed over by their counts.
struct Walk<'a, K> {
    order: &'a Ordered<K>,
    stretch: Stretch,
    classes: Classes,
    skipped: u64,
    left: Range<usize>,
    backwards: bool,
}

impl<'a, K: Ord + Copy> Walk<'a, K> {
    fn new(order: &'a Ordered<K>, stretch: Stretch, classes: Classes, skipped: u64, backwards: bool) -> Self {
        Self { order, stretch, classes, skipped, left: blocks_of(stretch), backwards }
    }

    /// The group that comes next as a whole.
    fn group(&self) -> Option<usize> {
        let Range { start, end } = self.left;
        let edge = if self.backwards { end } else { start };
        let group = if self.backwards { (end / GROUP).checked_sub(1)? } else { start / GROUP };
        let whole = self.stretch.from.0 + usize::from(self.stretch.from.1 > 0)..self.stretch.to.0;
        let is_whole = whole.start <= group * GROUP && (group + 1) * GROUP <= whole.end.min(end);
        (edge % GROUP == 0 && is_whole && start <= group * GROUP).then_some(group)
    }

    fn pass(&mut self, blocks: usize) {
        if self.backwards {
            self.left.end -= blocks;
        } else {
            self.left.start += blocks;
        }
    }

    /// How many tokens of the classes a block has in the stretch.
    fn count_of(&self, place: usize) -> u64 {
        let Stretch { from, to } = self.stretch;
        if place != to.0 && (place != from.0 || from.1 == 0) {
            return self.classes.count_in(&self.order.counts[place]);
        }
        let part = self.order.part(self.stretch, place);
        part.iter().filter(|entry| self.classes.hold(entry.class)).count() as u64
    }
}

impl<'a, K: Ord + Copy> Iterator for Walk<'a, K> {
    type Item = (&'a [Entry<K>], usize);

    fn next(&mut self) -> Option<Self::Item> {
        while !self.left.is_empty() {
            if let Some(group) = self.group() {
                let count = self.classes.count_in(&self.order.sums[group]);
                if count <= self.skipped {
                    self.skipped -= count;
                    self.pass(GROUP);
                    continue;
                }
            }
            let place = if self.backwards { self.left.end - 1 } else { self.left.start };
            self.pass(1);
            let count = self.count_of(place);
            if count > self.skipped {
                let skipped = usize::try_from(std::mem::take(&mut self.skipped)).unwrap_or(usize::MAX);
                return Some((self.order.part(self.stretch, place), skipped));
            }
            self.skipped -= count;
        }
        None
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
            at_once in any::<bool>(),
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
            let mut entries: Vec<_> = ordered.iter(ordered.all()).copied().collect();
            if at_once {
                entries.reverse();
                ordered = Ordered::of(entries);
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
