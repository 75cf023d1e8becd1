//! The clock, and checkpoints of everything.
use super::Api;
use super::refusal::Refusal;

pub(crate) use crate::engine::CheckpointRecord;

impl Api {
    /// Moves the clock and every chain ahead; returns the new time.
    pub(crate) async fn advance(&self, seconds: u64) -> Result<u64, Refusal> {
        Ok(self.engine.advance(seconds).await?)
    }

    /// Moves the clock and every chain to a time; returns the new time.
    pub(crate) async fn set_time(&self, timestamp: u64) -> Result<u64, Refusal> {
        Ok(self.engine.set_time(timestamp).await?)
    }

    /// Captures everything at one moment; returns the checkpoint's id.
    pub(crate) async fn checkpoint(&self, name: Option<String>) -> Result<u64, Refusal> {
        Ok(self.engine.checkpoint(name).await?)
    }

    /// The existing checkpoints, in creation order.
    pub(crate) async fn checkpoints(&self) -> Vec<CheckpointRecord> {
        self.engine.checkpoints().await
    }

    /// The checkpoints of the imported platform, which cannot be reverted to.
    pub(crate) async fn imported_checkpoints(&self) -> Vec<CheckpointRecord> {
        self.engine.imported_checkpoints().await
    }

    /// Reverts to a checkpoint; later ones are dropped.
    pub(crate) async fn revert(&self, id: u64) -> Result<(), Refusal> {
        Ok(self.engine.revert(id).await?)
    }

    pub(crate) async fn discard(&self, id: u64) -> Result<(), Refusal> {
        Ok(self.engine.discard(id).await?)
    }
}
