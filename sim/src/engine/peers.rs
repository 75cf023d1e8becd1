//! Several processes over one database form one platform: each applies what the others announce, and follows the nodes.
use std::time::{Duration, Instant};

use futures::future::try_join_all;
use parking_lot::Mutex;
use tokio::time::{sleep, timeout};

use super::{Engine, EngineError};
use crate::clock::Clock;
use crate::store::{Inbox, LEASE};

/// Maximum wait for the nodes to report their heads; a hanging node must not delay facts.
const CHAIN_PATIENCE: Duration = Duration::from_millis(500);
/// Time between two attempts to reach a database that is out of reach.
const RETRY: Duration = Duration::from_millis(200);

/// The time at which this process last had the current state of the database.
#[derive(Debug)]
pub(super) struct Lease(Mutex<Instant>);

impl Default for Lease {
    fn default() -> Self {
        Self(Mutex::new(Instant::now()))
    }
}

impl Lease {
    fn renew(&self, since: Instant) {
        *self.0.lock() = since;
    }

    fn age(&self) -> Duration {
        self.0.lock().elapsed()
    }
}

impl Engine {
    /// Whether this process may answer reads: another one may have rolled back data that a process without the database still has.
    pub(crate) fn is_current(&self) -> bool {
        !self.inner.store.is_shared() || self.inner.lease.age() < LEASE
    }

    /// Waits until the other processes have applied the changes of this one, except those that do not respond.
    pub(crate) async fn everywhere(&self) {
        self.inner.store.everywhere().await;
    }

    /// Leaves the processes over the database; this one must answer no more reads.
    pub(crate) async fn leave(&self) {
        self.inner.store.leave().await;
    }

    /// Joins the processes over the database, if there can be any, and applies its current state.
    pub(crate) async fn join(&self) -> Result<Option<Inbox>, EngineError> {
        let inbox = self.inner.store.join().await?;
        if inbox.is_some() {
            self.take_in(true).await?;
        }
        Ok(inbox)
    }

    /// Applies the announcements of the others and acknowledges them; joins again when the connection is lost.
    pub(crate) async fn keep_up(self, first: Inbox) {
        let mut inbox = Some(first);
        loop {
            if let Err(error) = self.keep_up_once(&mut inbox).await {
                tracing::warn!(%error, "this process does not follow the others");
                inbox = None;
                sleep(RETRY).await;
            }
        }
    }

    async fn keep_up_once(&self, inbox: &mut Option<Inbox>) -> Result<(), EngineError> {
        let Some(open) = inbox else {
            *inbox = self.join().await?;
            return Ok(());
        };
        let announced = open.next().await?;
        self.take_in(!announced.is_empty()).await?;
        Ok(open.acknowledge(&announced).await?)
    }

    /// Applies the current database and clock, and the chains if something was announced: their nodes are followed anyway. After a revert
    /// by another process, the chains must be applied first; if they cannot be, nothing is applied.
    async fn take_in(&self, announced: bool) -> Result<(), EngineError> {
        let (since, indexer) = (Instant::now(), &self.inner.indexer);
        let progress = self.inner.store.progress().await?;
        let is_reverted = indexer.rollbacks().await != progress.rollbacks;
        if announced || is_reverted {
            let chains = self.inner.chains.keys().map(|&chain_id| indexer.catch_up(chain_id, None));
            let reached = matches!(timeout(CHAIN_PATIENCE, try_join_all(chains)).await, Ok(Ok(_)));
            if is_reverted && !reached {
                let report = "a node does not report its head after a revert".to_owned();
                return Err(EngineError::Unfinished(report));
            }
        }
        indexer.follow_facts(&progress).await?;
        if self.inner.follows_clock
            && let Some(clock) = progress.clock.and_then(|text| text.parse::<Clock>().ok())
        {
            self.inner.clock.follow(&clock);
        }
        self.inner.lease.renew(since);
        Ok(())
    }
}
