//! The way back to a snapshot, while the node's miner rests.
//!
//! The node mines in parallel with its other work, and a block that it mines during a rollback would follow a gap. The miner takes
//! what waits in turns, and each turn becomes a block, one after another. A turn has a transaction that came after the turn before,
//! and which waits until that turn is a block. So no turn is left when nothing waits, unless a block that was ordered in parallel with the
//! miner has what a turn was for: then that turn becomes an empty block right afterwards. What the platform ordered is known here;
//! what others ordered shows by a latest block that is empty, or has what several turns were for.
use std::sync::atomic::Ordering;
use std::time::Duration;

use alloy::primitives::{Address, B256, U64};

use serde::Deserialize;
use serde_json::Value;
use tokio::time::sleep;

use super::{Chain, ChainError, Miner};

/// Blocks of ours without one of the miner between them, after which a miner that had work rests.
const QUIET_BLOCKS: u32 = 8;
/// Before each of them.
const QUIET_PAUSE: Duration = Duration::from_millis(3);

/// How many transactions the node holds.
#[derive(Debug, Deserialize)]
struct PoolStatus {
    /// Those that could be mined now.
    pending: U64,
}

/// A block and what it has.
#[derive(Debug, Deserialize)]
struct Block {
    hash: B256,
    transactions: Vec<Value>,
}

impl Chain {
    /// Mines a block of what waits, with the node's time.
    pub(crate) async fn mine(&self) -> Result<(), ChainError> {
        if self.transactions_wait().await? {
            self.inner.miner.lock().is_crossed = true;
            let _: Value = self.ask("evm_mine", ()).await?;
            return Ok(());
        }
        self.mine_beside().await?;
        Ok(())
    }

    /// Mines a block while nothing waits; returns its hash.
    pub(super) async fn mine_beside(&self) -> Result<Option<B256>, ChainError> {
        let blocks: Vec<Block> = self.ask("evm_mine_detailed", ()).await?;
        let mut miner = self.inner.miner.lock();
        miner.is_crossed |= blocks.iter().any(|block| !block.transactions.is_empty());
        miner.rested = blocks.last().map(|block| block.hash);
        Ok(miner.rested)
    }

    /// Remembers that the miner has no turn left while this is the latest block.
    pub(crate) fn rests_with(&self, block: B256) {
        *self.inner.miner.lock() = Miner { is_crossed: false, rested: Some(block) };
    }

    /// Stops the mining of each transaction until [`Self::resume_mining`]; a user of the node may have stopped it before.
    pub(crate) async fn hold_mining(&self) -> Result<(), ChainError> {
        if self.mines_each().await? {
            // Whether or not the node's answer arrives.
            self.inner.holds_mining.store(true, Ordering::SeqCst);
            self.mine_each(false).await?;
        }
        Ok(())
    }

    /// Whether mining was stopped here and has not been resumed.
    pub(crate) fn holds_mining(&self) -> bool {
        self.inner.holds_mining.load(Ordering::SeqCst)
    }

    /// Resumes what [`Self::hold_mining`] stopped; the transactions that have arrived are mined.
    pub(crate) async fn resume_mining(&self) -> Result<(), ChainError> {
        if self.holds_mining() {
            self.mine_each(true).await?;
            if self.transactions_wait().await? {
                self.mine().await?;
            }
            self.inner.holds_mining.store(false, Ordering::SeqCst);
        }
        Ok(())
    }

    /// Goes back to a snapshot, which is used up by it, and to the block `head`; returns a new snapshot of the same moment.
    /// Transactions that wait to be mined are dropped. Mining is held in that time.
    ///
    /// A chain that is at that block already, because an earlier attempt was cut short, has no such snapshot any more.
    pub(crate) async fn revert(&self, snapshot: u64, head: B256) -> Result<u64, ChainError> {
        self.end_trail().await;
        if !self.revert_at_rest(snapshot).await? && self.head().await?.hash != head {
            return Err(ChainError::NoSnapshot { chain_id: self.id(), snapshot });
        }
        self.rests_with(head);
        self.snapshot().await
    }

    /// Goes back once the miner has nothing left; no while the node does not know the snapshot.
    async fn revert_at_rest(&self, snapshot: u64) -> Result<bool, ChainError> {
        if !self.rests().await? {
            self.wait_for_rest().await?;
        }
        let (reverted, _) = tokio::try_join!(
            self.ask("evm_revert", (U64::from(snapshot),)),
            self.ask::<_, Value>("anvil_dropAllTransactions", ()),
        )?;
        Ok(reverted)
    }

    /// Whether the miner certainly has no turn left; it gets none in that time.
    async fn rests(&self) -> Result<bool, ChainError> {
        // A balance is answered between two blocks only, so that a turn that has begun is a block before the rest is asked.
        let _: Value = self.ask("eth_getBalance", (Address::ZERO, "latest")).await?;
        let (waits, latest) = tokio::try_join!(
            self.transactions_wait(),
            self.ask::<_, Block>("eth_getBlockByNumber", ("latest", false)),
        )?;
        let miner = self.inner.miner.lock();
        let is_known = latest.transactions.len() == 1 || miner.rested == Some(latest.hash);
        Ok(!waits && is_known && !miner.is_crossed)
    }

    /// Mines until the miner has no turn left. A block of ours right above the one before proves that there was none; once there was
    /// one, the next is expected for a while.
    async fn wait_for_rest(&self) -> Result<(), ChainError> {
        let (mut height, mut quiet, mut needed) = (self.head().await?.number, 0, 2);
        while quiet < needed {
            if needed == QUIET_BLOCKS {
                sleep(QUIET_PAUSE).await;
            }
            let waited = self.transactions_wait().await?;
            self.mine().await?;
            let next = self.head().await?.number;
            if next == height + 1 && !waited {
                quiet += 1;
            } else {
                (quiet, needed) = (0, QUIET_BLOCKS);
            }
            height = next;
        }
        Ok(())
    }

    /// Whether transactions wait that could be mined now.
    pub(super) async fn transactions_wait(&self) -> Result<bool, ChainError> {
        let status: PoolStatus = self.ask("txpool_status", ()).await?;
        Ok(!status.pending.is_zero())
    }
}
