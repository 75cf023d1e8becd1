//! What happens, as it happens: one stream for the terminal, the console and programs.
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

/// What is not read yet; more is dropped, so that a terminal that stands still stops nothing.
const UNREAD: usize = 1_000;
/// How much is kept; the oldest is dropped.
const KEPT: usize = 1_000;

/// Something that happened.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum Activity {
    /// A request to a service was answered, or an order of the control plane was carried out.
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
    /// The rule that refused; absent when the request was served.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<&'static str>,
    /// How long it took, by the host's clock.
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
    /// Who sent it.
    #[serde(serialize_with = "address::checksummed")]
    pub from: Address,
    /// The function; `payment` or `create` where none is called, and the selector of one that is not known here.
    pub function: String,
    /// The launched token that it creates or moves, for links; the amounts name it for programs.
    #[serde(skip)]
    pub token: Option<Address>,
    /// What the sender paid, in whole units.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paid: Option<String>,
    /// What the sender got.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub got: Option<String>,
    /// Why it reverted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// A move of the clock, which moves every chain.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ClockMove {
    /// The time afterwards, Unix seconds.
    pub at: u64,
    /// By how many seconds it moved.
    pub seconds: u64,
    /// The chain at whose node it was moved; absent when the control plane moved it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chain_id: Option<u64>,
}

/// What was done with a checkpoint.
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
    /// What was done.
    pub change: Change,
}

/// What is done with a checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Change {
    /// It was taken.
    Taken,
    /// The platform went back to it.
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

/// What happened lately besides requests, of which the journal and the exchanges tell, and where a follower listens.
#[derive(Debug, Default)]
pub(crate) struct Activities {
    kept: Mutex<Kept>,
    follower: OnceLock<Sender<Activity>>,
}

#[derive(Debug, Default)]
struct Kept {
    count: u64,
    /// Each with the time when it was told, by the host's clock.
    latest: VecDeque<(SystemTime, Activity)>,
}

impl Activities {
    /// Everything from now on; there is one follower.
    pub(crate) fn follow(&self) -> Receiver<Activity> {
        let (sender, receiver) = channel(UNREAD);
        // A second one hears nothing.
        _ = self.follower.set(sender);
        receiver
    }

    /// Tells what a request was answered.
    pub(crate) fn answered(&self, entry: &Entry) {
        self.send(|| Activity::Request(Answered::of(entry)));
    }

    /// Tells and keeps anything else that happened.
    pub(crate) fn tell(&self, what: Activity) {
        let mut kept = self.kept.lock();
        // The follower hears the order that is kept.
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

    /// How much was ever kept.
    pub(crate) fn count(&self) -> u64 {
        self.kept.lock().count
    }

    /// What is kept, in the order of telling, each with the time of that by the host's clock.
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
