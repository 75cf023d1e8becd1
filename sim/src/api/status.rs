//! The state of the platform: its clock, the indexed chains, and whether every part responds.
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::timeout;

use super::Api;
use crate::chain::ChainError;
use crate::engine::EngineError;
use crate::store::StoreError;

pub(crate) use crate::indexer::{Heights, Rewind};

/// The state of the platform at one moment.
#[derive(Clone, Debug)]
pub(crate) struct PlatformStatus {
    /// Unix seconds.
    pub(crate) now: u64,
    /// The clock's behaviour, in words.
    pub(crate) clock: String,
    pub(crate) heights: Heights,
    /// The latest rollback of a chain.
    pub(crate) rewind: Option<Rewind>,
}

impl Api {
    pub(crate) fn status(&self) -> PlatformStatus {
        PlatformStatus {
            now: self.clock.now(),
            clock: self.clock.told(),
            heights: self.engine.heights().borrow().clone(),
            rewind: self.engine.rewinds().pop(),
        }
    }

    /// The ids of the chains.
    pub(crate) fn chain_ids(&self) -> Vec<u64> {
        self.engine.chains().map(|(chain, _)| chain.id()).collect()
    }

    /// The indexed height of a chain.
    pub(crate) fn height(&self, chain_id: u64) -> Option<u64> {
        self.engine.heights().borrow().get(&chain_id).copied()
    }

    /// Follows the indexed heights of the chains.
    pub(crate) fn follow_heights(&self) -> watch::Receiver<Heights> {
        self.engine.heights()
    }

    /// The number of the latest rollback of a chain, 0 before the first.
    pub(crate) fn last_rewind(&self) -> u64 {
        self.engine.rewinds().last().map_or(0, |rewind| rewind.number)
    }

    /// The clock's setting as text: it changes with each move of the clock, not with passing time.
    pub(crate) fn clock_setting(&self) -> String {
        self.clock.to_string()
    }

    /// Whether this process may answer reads.
    pub(crate) fn is_current(&self) -> bool {
        self.engine.is_current()
    }

    /// Waits until every part has responded; returns the ids of the chains, or the part that does not respond.
    pub(crate) async fn ready(&self) -> Result<Vec<u64>, String> {
        self.engine.answering().await.map_err(|error| not_ready(&error))
    }

    /// Waits until a block is indexed here and in every process over the database; returns false on timeout.
    pub(crate) async fn indexed(&self, chain_id: u64, block: u64, patience: Duration) -> bool {
        let mut heights = self.engine.heights();
        let reached =
            heights.wait_for(|heights| heights.get(&chain_id).is_some_and(|height| *height >= block));
        let is_indexed = matches!(timeout(patience, reached).await, Ok(Ok(_)));
        if is_indexed {
            self.engine.everywhere().await;
        }
        is_indexed
    }
}

fn not_ready(error: &EngineError) -> String {
    match error {
        EngineError::Chain(error @ (ChainError::Call { .. } | ChainError::Silent { .. }))
            if error.refusal().is_none() =>
        {
            format!("chain {} does not answer", error.chain_id())
        }
        EngineError::Chain(error) => format!("chain {} is not indexed: {error}", error.chain_id()),
        EngineError::Unfinished(report) => report.clone(),
        EngineError::Unkept(error) => error.to_string(),
        // The words of the database, such as that its disk is full; no address.
        EngineError::Store(StoreError::Database(sqlx::Error::Database(said))) => {
            format!("the store fails: {}", said.message())
        }
        EngineError::Store(_) => "the store does not answer".to_owned(),
        _ => "a part does not answer".to_owned(),
    }
}
