//! The way back to a snapshot, while the node's miner rests.
//!
//! The node mines beside its other work, and a block that it mines while it goes back would stand above a hole. The miner takes
//! what waits in turns, and each turn becomes a block, one after another. A turn has a transaction that came after the turn before,
//! and which waits until that turn is a block. So no turn is left when nothing waits, unless a block that was ordered beside the
//! miner has what a turn was for. That block is the last one, or the miner has had its turn since.
use std::sync::{MutexGuard, PoisonError};
use std::time::Duration;

use alloy::primitives::{Address, B256, U64};
use serde::Deserialize;
use serde_json::Value;
use tokio::time::sleep;

use super::{Chain, ChainError};

/// Blocks of ours without one of the miner between them, after which a miner that had work rests.
const QUIET_BLOCKS: u32 = 8;
/// Before each of them.
const QUIET_PAUSE: Duration = Duration::from_millis(3);

/// What is known of the blocks that the platform ordered beside the miner.
#[derive(Debug, Default)]
pub(super) struct Ordered {
    /// Whether one of them has transactions, and with them perhaps what the miner has a turn for.
    took: bool,
    /// The last one, which is empty.
    empty: Option<B256>,
}

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
        let blocks: Vec<Block> = self.ask("evm_mine_detailed", ()).await?;
        let mut ordered = self.ordered();
        ordered.took |= blocks.iter().any(|block| !block.transactions.is_empty());
        ordered.empty = blocks.last().map(|block| block.hash);
        Ok(())
    }

    /// Goes back to a snapshot, which is used up by it; answers one of the same moment. Transactions that wait to be mined are
    /// dropped.
    pub(crate) async fn revert(&self, snapshot: u64) -> Result<u64, ChainError> {
        let mines_each = self.mines_each().await?;
        if mines_each {
            self.mine_each(false).await?;
        }
        let reverted = self.revert_at_rest(snapshot).await;
        let mined_again = async { if mines_each { self.mine_each(true).await } else { Ok(()) } };
        let (again, ()) = tokio::try_join!(self.snapshot(), mined_again)?;
        if reverted? { Ok(again) } else { Err(ChainError::NoSnapshot { chain_id: self.id(), snapshot }) }
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
        *self.ordered() = Ordered::default();
        Ok(reverted)
    }

    /// Whether the miner certainly has no turn left; it is given none meanwhile.
    async fn rests(&self) -> Result<bool, ChainError> {
        // A balance is told between two blocks only. What came before is a turn by then, which what follows sees.
        let _: Value = self.ask("eth_getBalance", (Address::ZERO, "latest")).await?;
        let (waits, latest) = tokio::try_join!(
            self.transactions_wait(),
            self.ask::<_, Block>("eth_getBlockByNumber", ("latest", false)),
        )?;
        let ordered = self.ordered();
        let is_known = !latest.transactions.is_empty() || ordered.empty == Some(latest.hash);
        Ok(!waits && is_known && !ordered.took)
    }

    /// Mines until the miner has no turn left. A block of ours right above the one before says that there was none; once there was
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
    async fn transactions_wait(&self) -> Result<bool, ChainError> {
        let status: PoolStatus = self.ask("txpool_status", ()).await?;
        Ok(!status.pending.is_zero())
    }

    fn ordered(&self) -> MutexGuard<'_, Ordered> {
        self.inner.ordered.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
