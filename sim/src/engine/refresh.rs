//! Several processes are one platform: before one of them answers, it takes in what the others have acknowledged by then. It
//! asks the database and the nodes; without others there is nothing to ask.
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures::future::join_all;
use tokio::sync::Mutex;
use tokio::time::{MissedTickBehavior, interval, timeout};

use super::Engine;
use crate::store::StoreError;

/// How often the others are asked after while nobody asks here.
const PERIOD: Duration = Duration::from_millis(100);
/// How long an answer waits for a node; one that hangs must not stop reads.
const CHAIN_PATIENCE: Duration = Duration::from_secs(1);

/// Lets callers that come at the same time share one refresh that begins after each of them came.
#[derive(Debug, Default)]
pub(super) struct Refreshes {
    begun: AtomicU64,
    /// The last that ended well, by its number.
    ended: Mutex<u64>,
}

impl Engine {
    /// Takes in everything that another process over the same database had acknowledged before this call.
    ///
    /// Fails when the database is out of reach. A node that is out of reach is passed over: what it would tell is refused
    /// where it is needed.
    pub(crate) async fn refresh(&self) -> Result<(), StoreError> {
        let store = &self.inner.store;
        if !store.is_shared() {
            return Ok(());
        }
        let refreshes = &self.inner.refreshes;
        let came_after = refreshes.begun.load(Ordering::SeqCst);
        let mut ended = refreshes.ended.lock().await;
        if *ended > came_after {
            return Ok(());
        }
        let number = refreshes.begun.fetch_add(1, Ordering::SeqCst) + 1;
        let chains = join_all(self.inner.chains.keys().map(|&chain_id| self.refresh_chain(chain_id)));
        let (progress, _) = tokio::join!(store.progress(), chains);
        let progress = progress?;
        self.inner.indexer.follow_facts(&progress).await?;
        if self.inner.follows_clock
            && let Some(clock) = progress.clock.and_then(|text| text.parse().ok())
        {
            self.inner.clock.follow(&clock);
        }
        *ended = number;
        Ok(())
    }

    /// Refreshes again and again, so that a process nobody asks keeps up too.
    pub(crate) async fn keep_refreshing(self) {
        let mut period = interval(PERIOD);
        period.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            period.tick().await;
            if let Err(error) = self.refresh().await {
                tracing::warn!(%error, "the shared database is out of reach");
            }
        }
    }

    async fn refresh_chain(&self, chain_id: u64) {
        match timeout(CHAIN_PATIENCE, self.inner.indexer.catch_up(chain_id, None)).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::debug!(chain_id, %error, "the node does not answer"),
            Err(_) => tracing::debug!(chain_id, "the node does not answer in time"),
        }
    }
}
