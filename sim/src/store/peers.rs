//! The other processes over a PostgreSQL database. Each announces its changes by `NOTIFY`, applies the announcements of others, and
//! acknowledges them; a process whose change must be visible everywhere waits for the acknowledgements, so that reads never wait.
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures::FutureExt as _;
use sqlx::postgres::PgListener;
use sqlx::{Any, AnyPool, Executor, Row};
use tokio::sync::watch;
use tokio::time::{Instant, timeout, timeout_at};

use super::{InTime as _, StoreError};

const CHANNEL: &str = "slipway";
/// Announced by a process that has stopped, in place of a number.
const LEFT: &str = "left";
/// Time between polls of the database without a notification, since notifications may be lost with a connection.
const LOOK: Duration = Duration::from_millis(500);
/// Time for which a process answers reads after its last read from the database. A revert is acknowledged once every process has applied it
/// or has been without the database for this long, so that no caller reads data that was rolled back.
pub(crate) const LEASE: Duration = Duration::from_secs(5);

/// Number of a process, never reused.
type ProcessId = i64;

/// The time that a change waits for the other processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Patience {
    /// A second, except for a process that was late the last time.
    Short,
    /// Until the lease of each process has expired.
    Lease,
}

impl Patience {
    fn bound(self) -> Duration {
        match self {
            Self::Short => Duration::from_secs(1),
            Self::Lease => LEASE,
        }
    }
}

/// This process among its peers; copies share it.
#[derive(Clone, Debug)]
pub(super) struct Peers {
    address: String,
    me: ProcessId,
    announcements: Arc<AtomicU64>,
    heard: watch::Sender<Heard>,
}

/// The known state of the peers.
#[derive(Debug, Default)]
struct Heard {
    /// Whether each peer was in time when this process last waited for it.
    in_time: BTreeMap<ProcessId, bool>,
    /// Pending announcements, with the peers that have not acknowledged each.
    open: BTreeMap<u64, BTreeSet<ProcessId>>,
}

impl Heard {
    /// Whether an announcement no longer waits for any peer.
    fn is_settled(&self, number: u64, patience: Patience) -> bool {
        let counts = |process| patience == Patience::Lease || self.in_time.get(process) == Some(&true);
        self.open.get(&number).is_none_or(|missing| !missing.iter().any(counts))
    }

    fn forget(&mut self, process: ProcessId) {
        self.in_time.remove(&process);
        self.open.values_mut().for_each(|missing| _ = missing.remove(&process));
    }

    /// Records the peers that have not acknowledged in time; a peer whose lease has expired answers no more reads.
    fn give_up(&mut self, number: u64, patience: Patience) {
        for process in self.open.remove(&number).unwrap_or_default() {
            match patience {
                Patience::Short => _ = self.in_time.insert(process, false),
                Patience::Lease => _ = self.in_time.remove(&process),
            }
        }
    }
}

/// A change made by another process, which may be waiting for the acknowledgement.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Announcement {
    from: ProcessId,
    number: u64,
}

impl Peers {
    pub(super) async fn new(address: &str, pool: &AnyPool) -> Result<Self, StoreError> {
        let row = sqlx::query("SELECT nextval('processes')").fetch_one(pool).in_time().await?;
        Ok(Self {
            address: address.to_owned(),
            me: row.try_get(0)?,
            announcements: Arc::default(),
            heard: watch::Sender::default(),
        })
    }

    pub(super) fn process(&self) -> u64 {
        self.me.unsigned_abs()
    }

    /// Announces a change; in a transaction, the others receive it with the commit.
    pub(super) async fn announce<'c>(
        &self,
        database: impl Executor<'c, Database = Any>,
    ) -> Result<Announced, StoreError> {
        let number = self.announcements.fetch_add(1, Ordering::SeqCst) + 1;
        self.heard.send_modify(|heard| {
            let others = heard.in_time.keys().copied().collect();
            heard.open.insert(number, others);
        });
        let announced = Announced { peers: self.clone(), number };
        self.notify(&number.to_string(), database).await?;
        Ok(announced)
    }

    /// Tells the others that this process answers no more reads, so that they do not wait for it.
    pub(super) async fn leave<'c>(
        &self,
        database: impl Executor<'c, Database = Any>,
    ) -> Result<(), StoreError> {
        self.notify(LEFT, database).await
    }

    /// Notifies every process on behalf of this one.
    async fn notify<'c>(
        &self,
        text: &str,
        database: impl Executor<'c, Database = Any>,
    ) -> Result<(), StoreError> {
        let notify = sqlx::query("SELECT pg_notify($1, $2) IS NULL").bind(CHANNEL);
        notify.bind(format!("{} {text}", self.me)).execute(database).in_time().await?;
        Ok(())
    }

    /// Parses a message. `FROM NUMBER` announces a change, `FROM NUMBER OF` acknowledges a change of `OF`; the sender of either is alive.
    /// `FROM left` announces the end of its sender.
    fn hear(&self, text: &str) -> Option<Announcement> {
        let mut words = text.split(' ');
        let from: ProcessId = words.next()?.parse().ok()?;
        if from == self.me {
            return None;
        }
        let number = words.next()?;
        if number == LEFT {
            self.heard.send_modify(|heard| heard.forget(from));
            return None;
        }
        let number: u64 = number.parse().ok()?;
        let of = words.next();
        let is_mine = of.is_some_and(|of| of == self.me.to_string());
        self.heard.send_modify(|heard| {
            heard.in_time.insert(from, true);
            if let Some(missing) = heard.open.get_mut(&number).filter(|_| is_mine) {
                missing.remove(&from);
            }
        });
        of.is_none().then_some(Announcement { from, number })
    }

    /// Starts listening, and announces that to the others.
    pub(super) async fn join(&self) -> Result<Inbox, StoreError> {
        let joined = async {
            let mut listener = PgListener::connect(&self.address).await?;
            // A lost connection ends the inbox; missed changes are read with the next one.
            listener.eager_reconnect(false);
            // Acknowledgements need not survive a crash.
            listener.execute("SET synchronous_commit = off").await?;
            listener.listen(CHANNEL).await?;
            let mut inbox = Inbox { peers: self.clone(), listener };
            inbox.notify(&format!("{} 0", self.me)).await?;
            Ok(inbox)
        };
        joined.in_time().await
    }
}

#[derive(Debug)]
pub(super) struct Announced {
    peers: Peers,
    number: u64,
}

impl Announced {
    /// Waits until the others have applied the change.
    pub(super) async fn taken_in(self, patience: Patience) {
        let mut heard = self.peers.heard.subscribe();
        let settled = heard.wait_for(|heard| heard.is_settled(self.number, patience));
        let in_time = timeout(patience.bound(), settled).await.is_ok();
        if !in_time {
            tracing::debug!(?patience, "a process has not taken in a change in time");
            self.peers.heard.send_modify(|heard| heard.give_up(self.number, patience));
        }
    }
}

impl Drop for Announced {
    fn drop(&mut self) {
        self.peers.heard.send_modify(|heard| _ = heard.open.remove(&self.number));
    }
}

/// Receives the announcements of the others.
#[derive(Debug)]
pub(crate) struct Inbox {
    peers: Peers,
    listener: PgListener,
}

impl Inbox {
    /// Waits for announcements, or until it is time to poll the database.
    pub(crate) async fn next(&mut self) -> Result<Vec<Announcement>, StoreError> {
        let (look, mut announced) = (Instant::now() + LOOK, Vec::new());
        while announced.is_empty() {
            let Ok(heard) = timeout_at(look, self.listener.try_recv()).await else { break };
            let lost = || sqlx::Error::Io(io::ErrorKind::ConnectionAborted.into());
            announced.extend(self.peers.hear(heard?.ok_or_else(lost)?.payload()));
            while let Some(Ok(Some(next))) = self.listener.try_recv().now_or_never() {
                announced.extend(self.peers.hear(next.payload()));
            }
        }
        Ok(announced)
    }

    /// Acknowledges that this process has applied these announcements.
    pub(crate) async fn acknowledge(&mut self, announced: &[Announcement]) -> Result<(), StoreError> {
        for Announcement { from, number } in announced {
            let text = format!("{} {number} {from}", self.peers.me);
            self.notify(&text).in_time().await?;
        }
        Ok(())
    }

    async fn notify(&mut self, text: &str) -> Result<(), sqlx::Error> {
        let notify = sqlx::query("SELECT pg_notify($1, $2)").bind(CHANNEL).bind(text);
        self.listener.execute(notify).await.map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_peer_is_waited_for_until_it_acknowledges_or_leaves() {
        let peers = Peers {
            address: String::new(),
            me: 1,
            announcements: Arc::default(),
            heard: watch::Sender::default(),
        };
        assert!(peers.hear("2 0").is_some() && peers.hear("3 0").is_some());
        let announce = |number| {
            peers
                .heard
                .send_modify(|heard| _ = heard.open.insert(number, heard.in_time.keys().copied().collect()));
        };
        let settled = |number| peers.heard.borrow().is_settled(number, Patience::Lease);
        announce(7);
        assert!(peers.hear("2 7 1").is_none() && !settled(7));
        assert!(peers.hear("3 left").is_none() && settled(7));
        announce(8);
        // An acknowledgement of another process's change.
        assert!(peers.hear("3 8 2").is_none() && !settled(8));
        assert!(peers.hear("2 8 1").is_none() && settled(8));
        assert!(["1 9", "3 soon", "nothing"].iter().all(|text| peers.hear(text).is_none()));
    }
}
