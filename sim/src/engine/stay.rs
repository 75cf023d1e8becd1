//! Writers and reverts exclude each other: what a writer has checked, and the time that it has read, still hold when it writes.
use tokio::sync::RwLockReadGuard;

use super::{Engine, EngineError};
use crate::store::Transaction;

/// While it exists, this process goes back to no checkpoint.
#[derive(Debug)]
pub(crate) struct Stay<'a> {
    _returns: RwLockReadGuard<'a, ()>,
    /// Number of rollbacks in this process, if another one orders them.
    rollbacks: Option<i64>,
}

impl Engine {
    /// To be held from the first check of a write to its end.
    pub(crate) async fn stay(&self) -> Stay<'_> {
        let returns = self.inner.returns.read().await;
        let rollbacks =
            if self.inner.follows_clock { Some(self.inner.indexer.rollbacks().await) } else { None };
        Stay { _returns: returns, rollbacks }
    }

    /// Begins a write, unless another process has gone back to a checkpoint since.
    pub(crate) async fn write(&self, stay: &Stay<'_>, now: u64) -> Result<Transaction, EngineError> {
        let mut transaction = self.inner.store.write(now).await?;
        match stay.rollbacks {
            Some(known) if transaction.rollbacks().await? != known => Err(EngineError::Returned),
            _ => Ok(transaction),
        }
    }
}
