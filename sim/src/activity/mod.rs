//! The stream of activities as they happen, for the terminal, the console and programs.
mod line;

use std::collections::VecDeque;
use std::sync::OnceLock;
use std::time::SystemTime;

use alloy::primitives::{Address, B256};
use parking_lot::Mutex;
use serde::Serialize;
use tokio::sync::mpsc::{Receiver, Sender, channel};

use crate::address;
use crate::journal::Entry;

pub use line::{LinePart, Subject, Tone};

/// Capacity of the channel to the follower; more is dropped, so that a blocked terminal blocks nothing.
const UNREAD: usize = 1_000;
/// Number of activities kept; the oldest are dropped.
const KEPT: usize = 1_000;

/// An activity.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum Activity {
    /// A request was answered, or an order of the control plane carried out.
    Request(Answered),
    /// A transaction was mined.
    Transaction(Box<Mined>),
    /// The clock was moved.
    Clock(ClockMove),
    /// A checkpoint was taken, reverted to or discarded.
    Checkpoint(CheckpointChange),
}

/// An answered request.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Answered {
    /// The platform's time, Unix seconds.
    pub at: u64,
    /// `rest`, `swap` or `control`.
    pub service: &'static str,
    /// The method.
    pub method: String,
    /// Path and query.
    pub target: String,
    /// The status.
    pub status: u16,
    /// The rule that refused; absent if the request was served.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<&'static str>,
    /// Duration by the host's clock.
    pub microseconds: u64,
}

/// A mined transaction.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Mined {
    /// The time of its block, Unix seconds.
    pub at: u64,
    /// The chain.
    pub chain_id: u64,
    /// The number of its block.
    pub block: u64,
    /// Its hash.
    pub hash: B256,
    /// The sender.
    #[serde(serialize_with = "address::checksummed")]
    pub from: Address,
    /// The function's name; `payment` or `create` if no function is called, and the selector of an unknown one.
    pub function: String,
    /// The launched token that it creates or moves, for links; the amounts name it for programs.
    #[serde(skip)]
    pub token: Option<Address>,
    /// The amount that the sender paid, in whole units.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paid: Option<String>,
    /// The amount that the sender received, in whole units.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub got: Option<String>,
    /// The reason for the revert.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// A move of the clock, and with it of every chain.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ClockMove {
    /// The time afterwards, Unix seconds.
    pub at: u64,
    /// The size of the move in seconds.
    pub seconds: u64,
    /// The chain at whose node it was moved; absent if the control plane moved it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chain_id: Option<u64>,
}

/// A change of a checkpoint.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckpointChange {
    /// The platform's time, Unix seconds.
    pub at: u64,
    /// The checkpoint.
    pub id: u64,
    /// Its name, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The change.
    pub change: Change,
}

/// The kind of a change of a checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Change {
    /// It was taken.
    Taken,
    /// The platform reverted to it.
    Reverted,
    /// It was discarded.
    Discarded,
}

impl Activity {
    /// The platform's time, Unix seconds.
    #[must_use]
    pub fn at(&self) -> u64 {
        match self {
            Self::Request(answered) => answered.at,
            Self::Transaction(mined) => mined.at,
            Self::Clock(moved) => moved.at,
            Self::Checkpoint(changed) => changed.at,
        }
    }
}

impl Answered {
    fn of(entry: &Entry) -> Self {
        Self {
            at: entry.at,
            service: entry.service,
            method: entry.method.to_string(),
            target: entry.target.clone(),
            status: entry.status,
            cause: entry.cause,
            microseconds: entry.microseconds,
        }
    }
}

/// The latest activities other than requests, which are in the journal and the exchanges, and the channel to the follower.
#[derive(Debug, Default)]
pub(crate) struct Activities {
    kept: Mutex<Kept>,
    follower: OnceLock<Sender<Activity>>,
}

#[derive(Debug, Default)]
struct Kept {
    count: u64,
    /// Each with the host clock's time of its announcement.
    latest: VecDeque<(SystemTime, Activity)>,
}

impl Activities {
    /// Follows activities from now on; there is only one follower.
    pub(crate) fn follow(&self) -> Receiver<Activity> {
        let (sender, receiver) = channel(UNREAD);
        // A second one receives nothing.
        _ = self.follower.set(sender);
        receiver
    }

    /// Announces an answered request.
    pub(crate) fn answered(&self, entry: &Entry) {
        self.send(|| Activity::Request(Answered::of(entry)));
    }

    /// Announces and keeps any other activity.
    pub(crate) fn tell(&self, what: Activity) {
        let mut kept = self.kept.lock();
        // The lock also keeps the follower's order the same.
        self.send(|| what.clone());
        kept.count += 1;
        kept.latest.push_back((SystemTime::now(), what));
        if kept.latest.len() > KEPT {
            kept.latest.pop_front();
        }
    }

    fn send(&self, what: impl FnOnce() -> Activity) {
        if let Some(follower) = self.follower.get() {
            // The follower is slow or gone.
            _ = follower.try_send(what());
        }
    }

    /// Number of activities ever kept.
    pub(crate) fn count(&self) -> u64 {
        self.kept.lock().count
    }

    /// The kept activities in the order in which they were announced, each with the host clock's time of its announcement.
    pub(crate) fn latest(&self) -> Vec<(SystemTime, Activity)> {
        self.kept.lock().latest.iter().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{Activities, Activity, ClockMove, KEPT};
    use crate::journal::tests::entry;

    fn moved(seconds: u64) -> Activity {
        Activity::Clock(ClockMove { at: 100, seconds, chain_id: None })
    }

    fn text(what: &Activity) -> String {
        match what {
            Activity::Request(answered) => answered.target.clone(),
            Activity::Clock(moved) => moved.seconds.to_string(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_follower_hears_everything_and_all_but_requests_is_kept() {
        let all = Activities::default();
        all.answered(&entry("/before"));
        all.tell(moved(1));
        let mut heard = all.follow();
        all.answered(&entry("/a"));
        all.tell(moved(2));
        all.tell(moved(3));
        let mut told = Vec::new();
        while let Ok(what) = heard.try_recv() {
            told.push(text(&what));
        }
        assert_eq!(told, ["/a", "2", "3"]);
        let kept: Vec<_> = all.latest().iter().map(|(_, what)| text(what)).collect();
        assert_eq!((kept, all.count()), (["1", "2", "3"].map(str::to_owned).to_vec(), 3));
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let all = Activities::default();
        for _ in 0..=KEPT {
            all.tell(moved(2));
        }
        assert_eq!((all.latest().len(), all.count()), (KEPT, KEPT as u64 + 1));
    }
}
