//! Blocks every second or two, as a caller may set it. A node that mines at such an interval keeps the states of 1,500 blocks from then on,
//! whatever it was told to keep, which takes gigabytes where a state is large. So it does not mine by itself then: this module orders its blocks.
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use alloy::primitives::U64;
use serde_json::Value;
use tokio::task::AbortHandle;
use tokio::time::{MissedTickBehavior, interval};

use super::{Chain, ChainError, RepeatedCall};

/// The longest interval at which a node keeps that many states, in seconds.
const LONGEST: u64 = 2;

/// The blocks that are ordered until it is dropped.
#[derive(Debug)]
pub(super) struct Pace {
    seconds: u64,
    task: AbortHandle,
}

impl Drop for Pace {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Work during which no block is ordered.
#[derive(Debug)]
pub(super) struct Pause<'a>(&'a AtomicU64);

impl Drop for Pause<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// What a call does to the interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PaceChange {
    /// Blocks are ordered at this interval, in seconds; the node mines none by itself.
    Ordered(u64),
    /// The node mines again as it is told.
    Ended,
}

impl PaceChange {
    /// The parameters with which the node does not mine by itself.
    pub(crate) const UNPACED: [u64; 1] = [0];

    /// The change by a call, in any namespace; `None` if it changes nothing.
    pub(crate) fn by(call: &RepeatedCall) -> Option<Self> {
        let first = || {
            let params: Vec<Value> = serde_json::from_str(call.params.as_ref()?.get()).ok()?;
            params.into_iter().next()
        };
        match call.method.split_once('_')?.1 {
            "setIntervalMining" => {
                let seconds: u64 = serde_json::from_value::<U64>(first()?).ok()?.to();
                Some(if (1..=LONGEST).contains(&seconds) { Self::Ordered(seconds) } else { Self::Ended })
            }
            // A node that mines at an interval goes on with it when it is told not to mine each transaction.
            "setAutomine" if first()? == true => Some(Self::Ended),
            _ => None,
        }
    }
}

impl Chain {
    /// Carries out a change that the node has accepted.
    pub(crate) fn change_pace(&self, change: PaceChange) {
        *self.inner.pace.lock() = match change {
            PaceChange::Ordered(seconds) => Some(self.order_blocks(seconds)),
            PaceChange::Ended => None,
        };
    }

    /// The interval at which blocks are ordered, in seconds.
    pub(crate) fn pace(&self) -> Option<u64> {
        self.inner.pace.lock().as_ref().map(|pace| pace.seconds)
    }

    fn order_blocks(&self, seconds: u64) -> Pace {
        let chain = Arc::downgrade(&self.inner);
        let task = tokio::spawn(async move {
            let mut ticks = interval(Duration::from_secs(seconds));
            ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
            // The first one is now.
            ticks.tick().await;
            loop {
                ticks.tick().await;
                let Some(inner) = chain.upgrade() else { return };
                if let Err(error) = (Self { inner }).mine_at_pace().await {
                    tracing::debug!(%error, "a block at an interval is not mined");
                }
            }
        });
        Pace { seconds, task: task.abort_handle() }
    }

    async fn mine_at_pace(&self) -> Result<(), ChainError> {
        // A chain goes back while this is held.
        let _alone = self.hold_snapshots().await;
        if self.inner.pauses.load(Ordering::SeqCst) == 0 { self.mine().await } else { Ok(()) }
    }

    /// Until the guard is dropped, no block is ordered, but for one that is being mined until nobody else holds the guard of snapshots.
    pub(super) fn pause_pace(&self) -> Pause<'_> {
        self.inner.pauses.fetch_add(1, Ordering::SeqCst);
        Pause(&self.inner.pauses)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::value::to_raw_value;
    use serde_json::{Value, json};

    use super::PaceChange::{self, Ended, Ordered};
    use super::RepeatedCall;

    #[test]
    fn short_intervals_are_ordered_and_end_with_the_next_way_to_mine() {
        for (method, first, change) in [
            ("evm_setIntervalMining", json!(1), Some(Ordered(1))),
            ("anvil_setIntervalMining", json!("0x2"), Some(Ordered(2))),
            ("anvil_setIntervalMining", json!("1"), Some(Ordered(1))),
            ("anvil_setIntervalMining", json!(3), Some(Ended)),
            ("anvil_setIntervalMining", json!(0), Some(Ended)),
            ("anvil_setIntervalMining", Value::Null, None),
            ("hardhat_setAutomine", json!(true), Some(Ended)),
            ("hardhat_setAutomine", json!(false), None),
            ("anvil_getIntervalMining", Value::Null, None),
        ] {
            let params = Some(to_raw_value(&[&first]).unwrap());
            let call = RepeatedCall { method: method.to_owned(), params };
            assert_eq!(PaceChange::by(&call), change, "{method} {first}");
        }
    }
}
