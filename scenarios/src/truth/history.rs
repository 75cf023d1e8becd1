//! The history of concurrent clients' calls, and violations that a correct platform cannot show: reads that lose items, and orders that
//! contradict which call finished first. Pure: knows no client and no clock.
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

/// A call with its start and end on one monotonic clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TimedCall<T> {
    /// When it was sent.
    pub(crate) start: u64,
    /// When it was answered.
    pub(crate) end: u64,
    pub(crate) action: Action<T>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Action<T> {
    /// An item was written and acknowledged.
    Write(T),
    /// Items were read, oldest first.
    Read(Vec<T>),
}

/// Describes the first read that misses an item that was acknowledged or read before the read began.
pub(crate) fn went_back<T: Ord + Debug>(calls: &[TimedCall<T>]) -> Option<String> {
    let mut known: BTreeMap<&T, u64> = BTreeMap::new();
    for call in calls {
        let items = match &call.action {
            Action::Write(item) => std::slice::from_ref(item),
            Action::Read(items) => items,
        };
        for item in items {
            let first = known.entry(item).or_insert(call.end);
            *first = (*first).min(call.end);
        }
    }
    for call in calls {
        let Action::Read(items) = &call.action else {
            continue;
        };
        let there: BTreeSet<&T> = items.iter().collect();
        let lost = known.iter().find(|(item, known)| **known < call.start && !there.contains(**item));
        if let Some((item, known)) = lost {
            return Some(format!("{item:?}, known at {known}, is missing in a read from {} on", call.start));
        }
    }
    None
}

/// Describes the first impossible order: it differs between reads, or contradicts which call finished first.
pub(crate) fn disordered<T: Ord + Debug>(calls: &[TimedCall<T>]) -> Option<String> {
    let mut written: BTreeMap<&T, (u64, u64)> = BTreeMap::new();
    for call in calls {
        if let Action::Write(item) = &call.action {
            written.insert(item, (call.start, call.end));
        }
    }
    let mut before: BTreeSet<(&T, &T)> = BTreeSet::new();
    for call in calls {
        let Action::Read(items) = &call.action else {
            continue;
        };
        for (index, first) in items.iter().enumerate() {
            for second in &items[index + 1..] {
                if first == second {
                    return Some(format!("{first:?} twice in one answer"));
                }
                if before.contains(&(second, first)) {
                    return Some(format!("{second:?} before {first:?} in one read, and after it in another"));
                }
                before.insert((first, second));
                if let (Some((start, _)), Some((_, end))) = (written.get(first), written.get(second))
                    && end < start
                {
                    return Some(format!("{first:?} before {second:?}, which was written before it"));
                }
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Action, TimedCall, disordered, went_back};

    fn write(start: u64, end: u64, item: u32) -> TimedCall<u32> {
        TimedCall { start, end, action: Action::Write(item) }
    }

    fn read(start: u64, end: u64, items: &[u32]) -> TimedCall<u32> {
        TimedCall { start, end, action: Action::Read(items.to_vec()) }
    }

    #[test]
    fn overlapping_calls_may_go_either_way() {
        let calls =
            [write(0, 10, 1), read(5, 6, &[1]), read(5, 8, &[]), write(2, 12, 2), read(20, 21, &[2, 1])];
        assert_eq!(went_back(&calls), None);
        assert_eq!(disordered(&calls), None);
    }

    #[test]
    fn lost_items_are_found() {
        let acknowledged = [write(0, 1, 1), read(2, 3, &[])];
        assert_eq!(went_back(&acknowledged).unwrap(), "1, known at 1, is missing in a read from 2 on");
        let seen_once = [write(0, 100, 1), read(2, 3, &[1]), read(4, 5, &[])];
        assert_eq!(went_back(&seen_once).unwrap(), "1, known at 3, is missing in a read from 4 on");
    }

    #[test]
    fn impossible_orders_are_found() {
        let reversed = [write(0, 1, 1), write(2, 3, 2), read(4, 5, &[2, 1])];
        assert_eq!(disordered(&reversed).unwrap(), "2 before 1, which was written before it");
        let changed = [write(0, 9, 1), write(0, 9, 2), read(10, 11, &[2, 1]), read(12, 13, &[1, 2])];
        assert_eq!(disordered(&changed).unwrap(), "2 before 1 in one read, and after it in another");
        assert_eq!(disordered(&[read(0, 1, &[1, 1])]).unwrap(), "1 twice in one answer");
    }

    /// Generates the history of a correct store: every call takes effect at one moment between its start and its end.
    fn sound() -> impl Strategy<Value = Vec<TimedCall<u32>>> {
        prop::collection::vec((any::<bool>(), 0_u64..1_000, 0_u64..50, 0_u64..50), 1..40).prop_map(|drawn| {
            let mut moments: Vec<(u64, bool, u64, u64)> = drawn
                .into_iter()
                .enumerate()
                .map(|(index, (is_write, at, ahead, behind))| {
                    (at * 64 + u64::try_from(index).unwrap(), is_write, ahead * 64, behind * 64)
                })
                .collect();
            moments.sort_unstable();
            let mut store = Vec::new();
            moments
                .into_iter()
                .map(|(at, is_write, ahead, behind)| {
                    let action = if is_write {
                        let item = u32::try_from(store.len()).unwrap();
                        store.push(item);
                        Action::Write(item)
                    } else {
                        Action::Read(store.clone())
                    };
                    TimedCall { start: at.saturating_sub(ahead), end: at + behind, action }
                })
                .collect()
        })
    }

    proptest! {
        #[test]
        fn sound_histories_have_no_anomaly(mut calls in sound()) {
            prop_assert_eq!(went_back(&calls), None);
            prop_assert_eq!(disordered(&calls), None);
            calls.reverse();
            prop_assert_eq!(went_back(&calls), None);
            prop_assert_eq!(disordered(&calls), None);
        }
    }
}
