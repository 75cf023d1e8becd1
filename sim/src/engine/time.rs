//! Moves time: both chains first, then the index, and only then the clock that readers see.
use super::kept::Unfinished;
use super::order::{Turn, each};
use super::{Engine, EngineError};
use crate::activity::{Activity, ClockMove};
use crate::chain::Chain;
use crate::clock::{ClockMode, LATEST_TIME};

impl Engine {
    /// Advances the clock by some seconds; returns its new time.
    pub async fn advance(&self, seconds: u64) -> Result<u64, EngineError> {
        self.forward(None, move |now| Ok(now.saturating_add(seconds))).await
    }

    /// Advances the clock to a time, Unix seconds; returns its new time.
    ///
    /// Clause: NODE-TIME
    pub async fn set_time(&self, timestamp: u64) -> Result<u64, EngineError> {
        self.forward(None, move |now| not_back(now, timestamp)).await
    }

    /// Advances the clock by some seconds as callers of a chain's node expect it: the next block has the new time.
    pub(crate) async fn skip(&self, chain_id: u64, seconds: u64) -> Result<u64, EngineError> {
        self.forward(Some(chain_id), move |now| Ok(now.saturating_add(seconds))).await
    }

    /// Advances the clock to a time, Unix seconds, as callers of a chain's node expect it.
    pub(crate) async fn skip_to(&self, chain_id: u64, timestamp: u64) -> Result<u64, EngineError> {
        self.forward(Some(chain_id), move |now| not_back(now, timestamp)).await
    }

    /// Advances the clock as the caller of a node ordered, or else with a block on each chain.
    async fn forward(
        &self,
        chain_id: Option<u64>,
        target: impl FnOnce(u64) -> Result<u64, EngineError> + Send + 'static,
    ) -> Result<u64, EngineError> {
        self.order(async move |mut turn: Turn| {
            turn.repair().await?;
            let now = turn.engine.clock().now();
            let target = within(now, target(now)?)?;
            let blocks = if chain_id.is_some() { Blocks::None } else { Blocks::Mined };
            let at = turn.shift(target, blocks).await?;
            turn.engine.tell_move(at, target - now, chain_id);
            Ok(at)
        })
        .await
    }

    fn tell_move(&self, at: u64, seconds: u64, chain_id: Option<u64>) {
        if seconds > 0 {
            self.tell(Activity::Clock(ClockMove { at, seconds, chain_id }));
        }
    }

    /// Carries out a call by which a caller of a node moves the time of its chain: forward with blocks, or back with a snapshot. Then the
    /// clock and every chain get one time again. With an `interval`, each block of the call is that many seconds after the previous one.
    /// `goes_back` says that the chain may have lost blocks.
    pub(crate) async fn led<T: Send + 'static>(
        &self,
        chain_id: u64,
        interval: Option<u64>,
        goes_back: bool,
        call: impl Future<Output = T> + Send + 'static,
    ) -> Result<T, EngineError> {
        self.order(async move |mut turn: Turn| {
            turn.repair().await?;
            let (chain, _) = turn.engine.chain(chain_id)?;
            if let Some(interval) = interval.filter(|_| turn.engine.clock().stands()) {
                chain.space_blocks(interval).await?;
            }
            let answer = match goes_back {
                true => {
                    let gone_back = async {
                        chain.empty_turns().await?;
                        Ok(call.await)
                    };
                    turn.engine.at_rest(gone_back).await?
                }
                false => call.await,
            };
            chain.bound_gas().await?;
            let engine = turn.engine.clone();
            let latest = chain.head().await?.timestamp;
            let now = engine.clock().now();
            let at = turn.shift(now, Blocks::None).await?;
            engine.tell_move(at, latest.saturating_sub(now), Some(chain_id));
            if goes_back {
                turn.begin_journal().await?;
            }
            engine.keep_blocks(chain_id).await?;
            Ok(answer)
        })
        .await
    }

    /// Sets the chains to the clock's time after something else has changed theirs. If the clock follows the host, the seeded
    /// market ends before the present, so a block with the current time is added: clients reckon from the latest block.
    pub(crate) async fn align(&self) -> Result<u64, EngineError> {
        let blocks = match self.inner.clock.mode() {
            ClockMode::Real => Blocks::Mined,
            ClockMode::Running | ClockMode::Manual => Blocks::None,
        };
        self.move_to(self.inner.clock.now(), blocks).await
    }

    /// Brings chains and clock to a time, or to the latest block's if that is later: no block may be older than its parent. Mines a block
    /// on each chain if `blocks` says so, so that reads of `latest` use the time.
    ///
    /// The clock moves once both chains have that time, even if one of them fails to mine.
    pub(super) async fn move_to(&self, target: u64, blocks: Blocks) -> Result<u64, EngineError> {
        let clock = &self.inner.clock;
        let heads = each(self.all().map(Chain::head)).await?;
        let target = heads.iter().map(|head| head.timestamp).fold(target, u64::max);
        let offset = if clock.stands() {
            each(self.all().map(|chain| chain.stand_at(target))).await?;
            None
        } else {
            Some(self.run_from(target).await?)
        };
        let mined = async {
            if blocks == Blocks::Mined {
                each(self.all().map(Chain::mine)).await?;
                self.catch_up().await?;
            }
            Ok::<_, EngineError>(())
        };
        let mined = mined.await;
        match offset {
            Some(offset) => clock.run_ahead(offset),
            None => clock.show(target),
        }
        mined?;
        self.inner.store.publish_clock(&clock.to_string(), clock.now()).await?;
        Ok(clock.now())
    }

    /// Lets both chains run from a time, exactly in step; returns how far they are ahead of the host.
    async fn run_from(&self, target: u64) -> Result<i64, EngineError> {
        let offsets = each(self.all().map(|chain| chain.run_from(target))).await?;
        let latest = offsets.iter().copied().max().unwrap_or_default();
        // The host's clock may have ticked between the two commands; then the chain behind is advanced by one second.
        let behind = self.all().zip(offsets).filter(|(_, offset)| *offset < latest);
        each(behind.map(|(chain, offset)| chain.run_ahead_by(latest.abs_diff(offset)))).await?;
        Ok(latest)
    }
}

impl Turn {
    /// Moves the time. If that fails, the clock's time prevails: the chains are set to it.
    async fn shift(&mut self, target: u64, blocks: Blocks) -> Result<u64, EngineError> {
        // Nothing has moved yet if a node does not respond here.
        each(self.engine.all().map(Chain::head)).await?;
        self.orders.unfinished = Some(Unfinished::Time);
        let moved = self.engine.move_to(target, blocks).await;
        if moved.is_ok() || self.engine.move_to(self.engine.clock().now(), Blocks::None).await.is_ok() {
            self.orders.unfinished = None;
        }
        moved
    }
}

fn not_back(now: u64, requested: u64) -> Result<u64, EngineError> {
    if requested < now { Err(EngineError::BackwardTime { now, requested }) } else { Ok(requested) }
}

fn within(now: u64, target: u64) -> Result<u64, EngineError> {
    if target > LATEST_TIME {
        return Err(EngineError::BeyondTime(now));
    }
    Ok(target)
}

/// Whether a time change mines a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Blocks {
    Mined,
    None,
}
