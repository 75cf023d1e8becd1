//! What is kept for each launch of each hook or factory. They number their launches one after the other, so the number is the
//! place; numbers far beyond those that are known are kept apart, so that none takes more memory than its own.
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use alloy::primitives::Address;

/// Places that exist from the first launch on.
const FIRST: usize = 64;

/// Something of each launch; the default until it is told.
#[derive(Clone, Debug)]
pub(super) struct ByLaunch<T>(BTreeMap<(u64, Address), Numbered<T>>);

impl<T> Default for ByLaunch<T> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<T: Default> ByLaunch<T> {
    /// What is kept for a launch, if anything was.
    pub(super) fn get(&self, chain_id: u64, hook: Address, launch_id: u64) -> Option<&T> {
        self.0.get(&(chain_id, hook))?.get(launch_id)
    }

    /// What is kept for a launch, if anything was.
    pub(super) fn get_mut(&mut self, chain_id: u64, hook: Address, launch_id: u64) -> Option<&mut T> {
        self.0.get_mut(&(chain_id, hook))?.get_mut(launch_id)
    }

    /// What is kept for a launch.
    pub(super) fn entry(&mut self, chain_id: u64, hook: Address, launch_id: u64) -> &mut T {
        self.0.entry((chain_id, hook)).or_default().entry(launch_id)
    }
}

#[derive(Clone, Debug)]
struct Numbered<T> {
    near: Vec<T>,
    /// How many were asked for when they had no place yet; there are hardly more than twice as many places.
    asked: usize,
    far: BTreeMap<u64, T>,
}

impl<T> Default for Numbered<T> {
    fn default() -> Self {
        Self { near: Vec::new(), asked: 0, far: BTreeMap::new() }
    }
}

impl<T: Default> Numbered<T> {
    fn get(&self, number: u64) -> Option<&T> {
        let near = usize::try_from(number).ok().and_then(|place| self.near.get(place));
        near.or_else(|| self.far.get(&number))
    }

    fn get_mut(&mut self, number: u64) -> Option<&mut T> {
        let near = usize::try_from(number).ok().and_then(|place| self.near.get_mut(place));
        near.or_else(|| self.far.get_mut(&number))
    }

    fn entry(&mut self, number: u64) -> &mut T {
        let place = usize::try_from(number).unwrap_or(usize::MAX);
        if place >= self.near.len() {
            if place > self.asked * 2 + FIRST {
                let far = self.far.entry(number);
                if matches!(far, Entry::Vacant(_)) {
                    self.asked += 1;
                }
                return far.or_default();
            }
            self.asked += 1;
            self.reach(place);
        }
        &mut self.near[place]
    }

    /// Makes places up to this one, and moves there what was kept apart.
    fn reach(&mut self, place: usize) {
        self.near.resize_with(place + 1, T::default);
        if self.far.is_empty() {
            return;
        }
        let further = self.far.split_off(&(place as u64 + 1));
        for (number, kept) in std::mem::replace(&mut self.far, further) {
            let place = usize::try_from(number).ok();
            if let Some(held) = place.and_then(|place| self.near.get_mut(place)) {
                *held = kept;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use alloy::primitives::Address;
    use proptest::prelude::{prop_assert, prop_assert_eq, proptest};

    use super::ByLaunch;

    proptest! {
        #[test]
        fn launches_of_any_numbers_are_kept(
            asked in proptest::collection::vec((0_u64..3, proptest::prop_oneof![0_u64..200, 0_u64..2_000, proptest::num::u64::ANY]), 0..400),
        ) {
            let (mut kept, mut expected) = (ByLaunch::default(), BTreeMap::new());
            for (step, (chain_id, number)) in asked.iter().enumerate() {
                *kept.entry(*chain_id, Address::ZERO, *number) += step + 1;
                *expected.entry((*chain_id, *number)).or_insert(0) += step + 1;
            }
            for ((chain_id, number), sum) in &expected {
                prop_assert_eq!(kept.get(*chain_id, Address::ZERO, *number), Some(sum));
            }
            for (chain_id, numbered) in (0..3).filter_map(|chain| Some((chain, kept.0.get(&(chain, Address::ZERO))?))) {
                let own = expected.range((chain_id, 0)..=(chain_id, u64::MAX)).count();
                prop_assert!(numbered.near.len() <= own * 2 + super::FIRST + 1);
                let sum: usize = numbered.near.iter().chain(numbered.far.values()).sum();
                prop_assert_eq!(sum, expected.range((chain_id, 0)..=(chain_id, u64::MAX)).map(|(_, sum)| sum).sum::<usize>());
            }
        }
    }
}
