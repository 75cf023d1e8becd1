//! Orders that change several parts of the platform: run one after another, each on all parts or on none, even if the caller goes away.
//!
//! If a part fails during an order, the order stays unfinished and the platform is not ready. The order is completed or undone as soon as
//! the part responds, by a separate task or by the next order, whichever is first.
use std::mem;
use std::sync::{Arc, Weak};
use std::time::Duration;

use futures::future::join_all;
use tokio::runtime::Handle;
use tokio::sync::{MutexGuard, OwnedMutexGuard};
use tokio::time::{sleep, timeout};

use super::kept::{Checkpoints, Unfinished};
use super::time::Blocks;
use super::{Engine, EngineError, Inner};
use crate::chain::Chain;
use crate::detached::detached;

/// Time between two attempts to finish an unfinished order.
const RETRY: Duration = Duration::from_millis(500);
/// Maximum time that the caller of an order waits, whatever the nodes do: for its turn, for the order, and for the other processes.
const ANSWER_LIMIT: Duration = Duration::from_secs(28);
/// Extra time for each node to show that it responds at all.
const LAST_LOOK: Duration = Duration::from_millis(500);

/// The right to give an order; the next order waits until it is dropped.
pub(super) struct Turn {
    pub(super) engine: Engine,
    pub(super) orders: OwnedMutexGuard<Checkpoints>,
}

impl Turn {
    /// Finishes an order that a previous turn left unfinished.
    pub(super) async fn repair(&mut self) -> Result<(), EngineError> {
        match self.orders.unfinished {
            Some(Unfinished::Time) => {
                self.engine.move_to(self.engine.clock().now(), Blocks::Mined).await?;
                self.orders.unfinished = None;
            }
            Some(Unfinished::Revert(id)) => self.go_back(id).await?,
            Some(lost @ Unfinished::Lost(_)) => {
                return Err(EngineError::Unfinished(lost.report()));
            }
            None => {}
        }
        if self.engine.inner.indexer.is_torn() {
            self.begin_journal().await?;
        }
        each(self.engine.all().map(Chain::resume_mining)).await?;
        Ok(())
    }

    fn report(&self) -> Option<String> {
        let holding = || {
            let chain = self.engine.all().find(|chain| chain.holds_mining())?;
            Some(format!("chain {} does not mine: retrying until its node responds", chain.id()))
        };
        let torn = || {
            let is_torn = self.engine.inner.indexer.is_torn();
            is_torn.then(|| "the state of the chains could not be saved: retrying".to_owned())
        };
        self.orders.unfinished.map(Unfinished::report).or_else(torn).or_else(holding)
    }
}

/// Reports unfinished orders and starts their repair, even after a panic.
impl Drop for Turn {
    fn drop(&mut self) {
        let report = self.report();
        let is_unattended = report.is_some() && !mem::replace(&mut self.orders.is_attended, true);
        *self.engine.inner.unfinished.lock() = report;
        // Without a runtime the platform is shutting down.
        if is_unattended && let Ok(runtime) = Handle::try_current() {
            runtime.spawn(keep_repairing(Arc::downgrade(&self.engine.inner)));
        }
    }
}

/// Repairs repeatedly until nothing is unfinished or the platform shuts down.
async fn keep_repairing(engine: Weak<Inner>) {
    while let Some(inner) = engine.upgrade() {
        let mut turn = Engine { inner }.turn().await;
        let repaired = turn.repair().await;
        if let Err(error) = repaired {
            tracing::debug!(%error, "an order is unfinished");
            drop(turn);
        } else {
            turn.orders.is_attended = false;
            return;
        }
        sleep(RETRY).await;
    }
}

impl Engine {
    /// Runs an order after the previous ones. If the caller goes away or times out before the order starts, nothing happens; once started,
    /// it runs to completion.
    pub(super) async fn order<T, F>(&self, work: impl FnOnce(Turn) -> F) -> Result<T, EngineError>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, EngineError>> + Send + 'static,
    {
        self.answered_in_time(async {
            let done = detached(work(self.turn().await)).await?;
            self.everywhere().await;
            Ok(done)
        })
        .await
    }

    /// Awaits `done` up to the caller's time limit; after that, readiness reports the order that goes on.
    async fn answered_in_time<T>(
        &self,
        done: impl Future<Output = Result<T, EngineError>>,
    ) -> Result<T, EngineError> {
        if let Ok(done) = timeout(ANSWER_LIMIT, done).await {
            return done;
        }
        let heads = self.all().map(async |chain| {
            let answers = matches!(timeout(LAST_LOOK, chain.head()).await, Ok(Ok(_)));
            (!answers).then(|| format!("chain {} does not answer: ", chain.id()))
        });
        let silent = join_all(heads).await.into_iter().flatten().collect();
        let slow = EngineError::Slow { silent };
        self.inner.unfinished.lock().get_or_insert(slow.to_string());
        // The end of this turn, which comes after the order's, reports whatever is unfinished then.
        let engine = self.clone();
        tokio::spawn(async move { drop(engine.turn().await) });
        Err(slow)
    }

    async fn turn(&self) -> Turn {
        Turn { engine: self.clone(), orders: Arc::clone(&self.inner.orders).lock_owned().await }
    }

    /// Sends transactions of a funded account or the operator on a chain: one at a time, since each needs the next nonce.
    pub(super) async fn acting<T, F>(
        &self,
        chain_id: u64,
        work: impl FnOnce(Self) -> F,
    ) -> Result<T, EngineError>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, EngineError>> + Send + 'static,
    {
        let actors = self.inner.actors.get(&chain_id).ok_or(EngineError::UnknownChain(chain_id))?;
        self.answered_in_time(async {
            let turn = Arc::clone(actors).lock_owned().await;
            let done = work(self.clone());
            let done = detached(async move {
                let _turn = turn;
                done.await
            });
            let done = done.await?;
            self.until_kept(chain_id).await?;
            self.everywhere().await;
            Ok(done)
        })
        .await
    }

    /// Waits until no account has a transaction in progress, and blocks new ones until the returned guards are dropped.
    pub(super) async fn actors_paused(&self) -> Vec<MutexGuard<'_, ()>> {
        join_all(self.inner.actors.values().map(|actors| actors.lock())).await
    }

    /// The unfinished part of the last order, and how to fix it.
    pub(crate) fn unfinished(&self) -> Option<String> {
        self.inner.unfinished.lock().clone()
    }

    /// Runs `work` while the nodes mine no transactions; those that arrive meanwhile are mined afterwards.
    pub(super) async fn at_rest<T>(
        &self,
        work: impl Future<Output = Result<T, EngineError>>,
    ) -> Result<T, EngineError> {
        let done = match each(self.all().map(Chain::hold_mining)).await {
            Ok(_) => work.await,
            Err(error) => Err(error.into()),
        };
        if let Err(error) = each(self.all().map(Chain::resume_mining)).await {
            tracing::warn!(%error, "a node does not resume mining");
        }
        done
    }
}

/// Runs all futures to completion; returns their results, or the first error.
pub(super) async fn each<T, E>(
    futures: impl Iterator<Item = impl Future<Output = Result<T, E>>>,
) -> Result<Vec<T>, E> {
    join_all(futures).await.into_iter().collect()
}
