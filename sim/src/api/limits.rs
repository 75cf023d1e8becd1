//! Sliding windows on the one clock: how often a key may do something in a span of time.
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How many keys are kept before those without a use in the window are forgotten.
const KEYS: usize = 4_096;

/// Where a key stands after a use was counted or refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// Uses in a window.
    pub limit: u32,
    /// Uses left now.
    pub remaining: u32,
    /// When the oldest use leaves the window, Unix seconds.
    pub reset: u64,
}

/// The limit is used up; nothing was counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UsedUp {
    /// Where the key stands.
    pub standing: Standing,
    /// Seconds until one use is free again, at least one.
    pub retry_after: u64,
}

/// The uses of each key, oldest first, Unix seconds.
pub type Counted<K> = BTreeMap<K, VecDeque<u64>>;

/// One limit over many keys.
#[derive(Debug)]
pub struct SlidingWindow<K> {
    limit: u32,
    span: u64,
    uses: Mutex<Counted<K>>,
}

impl<K: Ord + Clone> SlidingWindow<K> {
    /// `limit` uses of a key in any `span` seconds.
    #[must_use]
    pub fn new(limit: u32, span: u64) -> Self {
        Self {
            limit,
            span,
            uses: Mutex::default(),
        }
    }

    /// Counts a use at `now`, or refuses it; a use is free again `span` seconds after it was counted.
    pub fn take(&self, key: K, now: u64) -> Result<Standing, UsedUp> {
        let mut keys = self.lock();
        if keys.len() >= KEYS {
            keys.retain(|_, uses| uses.back().is_some_and(|last| last + self.span > now));
        }
        let uses = keys.entry(key).or_default();
        while uses.front().is_some_and(|first| first + self.span <= now) {
            uses.pop_front();
        }
        let used = u32::try_from(uses.len()).unwrap_or(u32::MAX);
        let reset = uses.front().unwrap_or(&now) + self.span;
        if used >= self.limit {
            let standing = Standing {
                limit: self.limit,
                remaining: 0,
                reset,
            };
            return Err(UsedUp {
                standing,
                retry_after: reset.saturating_sub(now).max(1),
            });
        }
        uses.push_back(now);
        Ok(Standing {
            limit: self.limit,
            remaining: self.limit - used - 1,
            reset,
        })
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
    use super::{SlidingWindow, Standing, UsedUp};

    #[test]
    fn the_window_slides_and_keys_are_apart() {
        let window = SlidingWindow::new(2, 60);
        assert_eq!(
            window.take("a", 100),
            Ok(Standing {
                limit: 2,
                remaining: 1,
                reset: 160
            })
        );
        assert_eq!(
            window.take("a", 130),
            Ok(Standing {
                limit: 2,
                remaining: 0,
                reset: 160
            })
        );
        let standing = Standing {
            limit: 2,
            remaining: 0,
            reset: 160,
        };
        assert_eq!(
            window.take("a", 159),
            Err(UsedUp {
                standing,
                retry_after: 1
            })
        );
        assert!(window.take("b", 159).is_ok());
        assert_eq!(
            window.take("a", 160),
            Ok(Standing {
                limit: 2,
                remaining: 0,
                reset: 190
            })
        );
        assert!(window.take("a", 189).is_err());
        assert!(window.take("a", 190).is_ok());
    }

    #[test]
    fn what_was_saved_can_be_restored() {
        let window = SlidingWindow::new(1, 60);
        let empty = window.save();
        window.take(1, 5).unwrap();
        window.restore(empty);
        assert!(window.take(1, 5).is_ok());
    }
}
