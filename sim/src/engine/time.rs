//! Moves the one time: both chains first, then the index, and only then what every reader sees.
use futures::future::try_join_all;

use super::{Engine, EngineError, LATEST_TIME};
use crate::chain::Chain;

impl Engine {
    /// Moves the clock forward by some seconds; answers what it shows then.
    pub async fn advance(&self, seconds: u64) -> Result<u64, EngineError> {
        let _order = self.inner.orders.lock().await;
        let now = self.inner.clock.now();
        let target = within(now, now.saturating_add(seconds))?;
        self.move_to(target, Blocks::Mined).await
    }

    /// Moves the clock forward to a time, Unix seconds; answers what it shows then.
    pub async fn set_time(&self, timestamp: u64) -> Result<u64, EngineError> {
        let _order = self.inner.orders.lock().await;
        let now = self.inner.clock.now();
        if timestamp < now {
            return Err(EngineError::BackwardTime { now, requested: timestamp });
        }
        self.move_to(within(now, timestamp)?, Blocks::Mined).await
    }

    /// Brings the chains to what the clock shows, after something else has touched their time.
    pub(crate) async fn align(&self) -> Result<u64, EngineError> {
        self.move_to(self.inner.clock.now(), Blocks::None).await
    }

    /// Brings chains and clock to a time; with a block on each chain, so that reads of `latest` see it.
    pub(super) async fn move_to(&self, target: u64, blocks: Blocks) -> Result<u64, EngineError> {
        let clock = &self.inner.clock;
        let offset = if clock.stands() {
            try_join_all(self.all().map(|chain| chain.stand_at(target))).await?;
            None
        } else {
            Some(self.run_from(target).await?)
        };
        if blocks == Blocks::Mined {
            try_join_all(self.all().map(Chain::mine)).await?;
            self.catch_up().await?;
        }
        match offset {
            Some(offset) => clock.run_ahead(offset),
            None => clock.show(target),
        }
        self.inner.store.publish_clock(&clock.to_string()).await?;
        Ok(clock.now())
    }

    /// Makes both chains run from a time, exactly together; answers how far they run ahead of the host.
    async fn run_from(&self, target: u64) -> Result<i64, EngineError> {
        let offsets = try_join_all(self.all().map(|chain| chain.run_from(target))).await?;
        let latest = offsets.iter().copied().max().unwrap_or_default();
        // The host's clock may have ticked between the two orders; the chain behind takes the second as well.
        let behind = self.all().zip(offsets).filter(|(_, offset)| *offset < latest);
        try_join_all(behind.map(|(chain, offset)| chain.run_ahead_by(latest.abs_diff(offset)))).await?;
        Ok(latest)
    }
}

fn within(now: u64, target: u64) -> Result<u64, EngineError> {
    if target > LATEST_TIME {
        return Err(EngineError::BeyondTime { now });
    }
    Ok(target)
}

/// Whether a move of the time mines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Blocks {
    Mined,
    None,
}
