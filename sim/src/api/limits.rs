//! Sliding windows in this process, for limits that need not hold across several: how often a key may do something in a
//! span of time. Limits that must hold are [`RateLimit`]s of the store.
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::store::{RateLimit, RateLimitStatus, RateLimited};

/// How many keys are kept before those without a use in the window are forgotten.
const KEYS: usize = 4_096;

/// The uses of each key, oldest first, Unix seconds.
pub type Counted<K> = BTreeMap<K, VecDeque<u64>>;

/// One limit over many keys.
#[derive(Debug)]
pub struct SlidingWindow<K> {
    rule: RateLimit,
    uses: Mutex<Counted<K>>,
}

impl<K: Ord + Clone> SlidingWindow<K> {
    /// A window by this rule.
    #[must_use]
    pub fn new(rule: RateLimit) -> Self {
        Self { rule, uses: Mutex::default() }
    }

    /// Counts a use at `now`, or refuses it.
    pub fn take(&self, key: K, now: u64) -> Result<RateLimitStatus, RateLimited> {
        let RateLimit { name, limit, span } = self.rule;
        let mut keys = self.lock();
        if keys.len() >= KEYS {
            keys.retain(|_, uses| uses.back().is_some_and(|last| last + span > now));
        }
        let uses = keys.entry(key).or_default();
        while uses.front().is_some_and(|first| first + span <= now) {
            uses.pop_front();
        }
        let used = u32::try_from(uses.len()).unwrap_or(u32::MAX);
        let reset = uses.front().unwrap_or(&now) + span;
        if used >= limit {
            let status = RateLimitStatus { limit, remaining: 0, reset };
            return Err(RateLimited { rule: name, status, retry_after: reset.saturating_sub(now).max(1) });
        }
        uses.push_back(now);
        Ok(RateLimitStatus { limit, remaining: limit - used - 1, reset })
    }

    fn lock(&self) -> MutexGuard<'_, Counted<K>> {
        self.uses.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Ord + Clone + Send + 'static> SlidingWindow<K> {
    /// Everything counted so far.
    pub fn save(&self) -> Counted<K> {
        self.lock().clone()
    }

    /// Puts the count back to what [`SlidingWindow::save`] gave.
    pub fn restore(&self, saved: Counted<K>) {
        *self.lock() = saved;
    }
}

#[cfg(test)]
mod tests {
    use super::{RateLimit, RateLimitStatus, RateLimited, SlidingWindow};

    const fn rule(limit: u32) -> RateLimit {
        RateLimit { name: "test", limit, span: 60 }
    }

    #[test]
    fn sliding_window_is_per_key() {
        let window = SlidingWindow::new(rule(2));
        assert_eq!(window.take("a", 100), Ok(RateLimitStatus { limit: 2, remaining: 1, reset: 160 }));
        assert_eq!(window.take("a", 130), Ok(RateLimitStatus { limit: 2, remaining: 0, reset: 160 }));
        let status = RateLimitStatus { limit: 2, remaining: 0, reset: 160 };
        assert_eq!(window.take("a", 159), Err(RateLimited { rule: "test", status, retry_after: 1 }));
        assert!(window.take("b", 159).is_ok());
        assert_eq!(window.take("a", 160), Ok(RateLimitStatus { limit: 2, remaining: 0, reset: 190 }));
        assert!(window.take("a", 189).is_err());
        assert!(window.take("a", 190).is_ok());
    }

    #[test]
    fn what_was_saved_can_be_restored() {
        let window = SlidingWindow::new(rule(1));
        let empty = window.save();
        window.take(1, 5).unwrap();
        window.restore(empty);
        assert!(window.take(1, 5).is_ok());
    }
}
