//! Random draws from one seeded stream; only integers, so that every host draws the same.
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// A stream of draws, determined by the seed and its purpose.
#[derive(Debug)]
pub(crate) struct SeededRng(ChaCha8Rng);

impl SeededRng {
    pub(crate) fn new(seed: u64, purpose: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(purpose);
        Self(rng)
    }

    /// A number from `low` to `high`, inclusive.
    pub(crate) fn between(&mut self, low: u64, high: u64) -> u64 {
        let width = u128::from(high.max(low) - low) + 1;
        let scaled = (u128::from(self.0.next_u64()) * width) >> 64;
        low + u64::try_from(scaled).expect("the draw is below a width of at most 64 bits")
    }

    /// Whether an event with this probability in percent happens.
    pub(crate) fn happens(&mut self, chances: u64) -> bool {
        self.between(1, 100) <= chances
    }

    /// An index into a list of this length.
    pub(crate) fn index(&mut self, length: usize) -> usize {
        let last = u64::try_from(length.saturating_sub(1)).unwrap_or(u64::MAX);
        usize::try_from(self.between(0, last)).expect("the draw is below a length")
    }

    pub(crate) fn one_of<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.index(list.len())]
    }

    pub(crate) fn shuffled<T>(&mut self, mut list: Vec<T>) -> Vec<T> {
        for last in (1..list.len()).rev() {
            list.swap(last, self.index(last + 1));
        }
        list
    }
}

#[cfg(test)]
mod tests {
    use super::SeededRng;

    #[test]
    fn equal_seed_and_purpose_give_equal_streams() {
        let draws = |seed, purpose| {
            let mut rng = SeededRng::new(seed, purpose);
            (0..20).map(|_| rng.between(0, 1_000)).collect::<Vec<_>>()
        };
        assert_eq!(draws(1, 2), draws(1, 2));
        assert_ne!(draws(1, 2), draws(2, 2));
        assert_ne!(draws(1, 2), draws(1, 3));
    }

    #[test]
    fn bounds_are_reached_and_kept() {
        let mut rng = SeededRng::new(7, 0);
        let drawn: std::collections::BTreeSet<u64> = (0..200).map(|_| rng.between(3, 6)).collect();
        assert_eq!(drawn.into_iter().collect::<Vec<_>>(), [3, 4, 5, 6]);
        assert!((0..100).any(|_| rng.between(0, u64::MAX) > u64::MAX / 2));
        assert_eq!(rng.between(9, 9), 9);
    }

    #[test]
    fn a_shuffle_keeps_the_members() {
        let mut shuffled = SeededRng::new(7, 1).shuffled((0..30).collect());
        assert_ne!(shuffled, (0..30).collect::<Vec<_>>());
        shuffled.sort_unstable();
        assert_eq!(shuffled, (0..30).collect::<Vec<_>>());
    }
}
