//! The data that a process reads from the database to keep up with the others: the latest fact, rollbacks, and the clock.
use sqlx::Row;

use super::peers::{Inbox, LEASE, Patience, Peers};
use super::{InTime as _, Store, StoreError, seconds};

/// The state of the database that a process may not have seen yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The number of the latest fact, 0 if there is none.
    pub latest_fact: i64,
    pub rollbacks: i64,
    /// The latest state of the owner's clock, in the text format of [`Clock`](crate::clock::Clock).
    pub clock: Option<String>,
}

impl Store {
    /// Whether other processes may write to the database.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        self.peers.is_some()
    }

    /// Number of this process among those over the database, from 1; 0 if there are no others.
    pub(crate) fn process(&self) -> u64 {
        self.peers.as_ref().map_or(0, Peers::process)
    }

    /// The current progress of the database.
    pub async fn progress(&self) -> Result<Progress, StoreError> {
        let row =
            sqlx::query("SELECT (SELECT COALESCE(MAX(number), 0) FROM facts), rewinds, clock FROM progress")
                .fetch_one(&self.pool)
                .in_time()
                .await?;
        Ok(Progress { latest_fact: row.try_get(0)?, rollbacks: row.try_get(1)?, clock: row.try_get(2)? })
    }

    /// Stores the clock and its time, Unix seconds, for the other processes and for the next start; does nothing if there can be neither.
    pub async fn publish_clock(&self, clock: &str, now: u64) -> Result<(), StoreError> {
        if self.is_shared() || self.is_kept() {
            let stated = "UPDATE progress SET clock = $1, at = CASE WHEN at < $2 THEN $2 ELSE at END";
            sqlx::query(stated).bind(clock).bind(seconds(now)).execute(&self.pool).in_time().await?;
        }
        Ok(())
    }

    /// Joins the processes over the database; `None` if there are no others.
    pub(crate) async fn join(&self) -> Result<Option<Inbox>, StoreError> {
        match &self.peers {
            Some(peers) => Ok(Some(peers.join().await?)),
            None => Ok(None),
        }
    }

    /// Tells the other processes that this one answers no more reads; if it cannot, they wait for it once, as after a crash.
    pub(crate) async fn leave(&self) {
        if let Some(peers) = &self.peers
            && let Err(error) = peers.leave(&self.pool).await
        {
            tracing::debug!(%error, "the other processes do not know that this one has stopped");
        }
    }

    /// Waits until each other process has applied every change so far to the database, the clock and the chains, or no longer responds.
    pub(crate) async fn everywhere(&self) {
        let Some(peers) = &self.peers else { return };
        match peers.announce(&self.pool).await {
            Ok(announced) => announced.taken_in(Patience::Lease).await,
            // The others poll the database by themselves, or have lost it.
            Err(_) => tokio::time::sleep(LEASE).await,
        }
    }
}
