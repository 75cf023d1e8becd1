//! Everything that a check generates comes from one seed and a label, so that a failure can be replayed.
use alloy::primitives::{B256, U256, keccak256};

/// A random stream that depends only on the seed and the label.
#[derive(Clone, Debug)]
pub struct Choices {
    key: B256,
    drawn: u64,
}

impl Choices {
    /// Creates the stream of a label under a seed.
    pub fn new(seed: u64, label: &str) -> Self {
        let mut bytes = seed.to_be_bytes().to_vec();
        bytes.extend_from_slice(label.as_bytes());
        Self { key: keccak256(bytes), drawn: 0 }
    }

    /// Returns the next 32 bytes.
    pub fn word(&mut self) -> B256 {
        let mut bytes = self.key.to_vec();
        bytes.extend_from_slice(&self.drawn.to_be_bytes());
        self.drawn += 1;
        keccak256(bytes)
    }

    /// Returns an integer below `bound`, which must not be zero.
    pub fn below(&mut self, bound: U256) -> U256 {
        U256::from_be_bytes(self.word().0) % bound
    }

    /// Returns an integer from `low` to `high`, both included.
    pub fn between(&mut self, low: U256, high: U256) -> U256 {
        low + self.below(high - low + U256::ONE)
    }

    /// Returns an index below `length`, which must not be zero.
    pub fn index(&mut self, length: usize) -> usize {
        self.below(U256::from(length)).to::<usize>()
    }

    /// Returns one of the given values, of which there must be at least one.
    pub fn pick<'a, T>(&mut self, values: &'a [T]) -> &'a T {
        &values[self.index(values.len())]
    }
}

#[cfg(test)]
mod tests {
    use super::Choices;
    use alloy::primitives::U256;

    #[test]
    fn deterministic_by_seed_and_label() {
        let mut one = Choices::new(7, "a");
        let mut two = Choices::new(7, "a");
        let mut other = Choices::new(7, "b");
        let (first, second) = (one.word(), two.word());
        assert_eq!(first, second);
        assert_ne!(first, other.word());
        assert_ne!(first, one.word());
    }

    #[test]
    fn between_is_inclusive() {
        let mut choices = Choices::new(1, "bounds");
        let (mut low, mut high) = (false, false);
        for _ in 0..200 {
            let value = choices.between(U256::from(3), U256::from(5));
            assert!(value >= U256::from(3) && value <= U256::from(5));
            low |= value == U256::from(3);
            high |= value == U256::from(5);
        }
        assert!(low && high);
    }
}
