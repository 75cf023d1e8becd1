//! Two things that a client waiting for its transaction relies on: the transaction is mined when its hash is returned, and empty blocks
//! follow its block. If the node only mined a block per transaction, clients that wait for a second confirmation, or look for the receipt
//! in the next block, would hang.
use std::time::Duration;

use alloy::primitives::B256;
use serde_json::Value;
use tokio::time::{Instant, sleep, timeout};

use super::{Chain, ChainError, Head};

/// Empty blocks that follow a block with transactions: together twelve confirmations.
const BLOCKS: u32 = 11;
/// Pause before the first of them; each later pause doubles, so that the last blocks reach clients that poll every few seconds.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_millis(3_200);
/// Maximum wait for a transaction to be mined.
const SETTLE_WAIT: Duration = Duration::from_secs(1);
/// Time between two checks.
const SETTLE_LOOK: Duration = Duration::from_millis(1);

/// Empty blocks that are still due.
#[derive(Clone, Copy, Debug)]
pub(super) struct Trail {
    /// The block that the next one follows.
    tip: B256,
    /// Number of empty blocks due so far.
    due: u32,
    /// Time at which the next one is due.
    next: Instant,
}

impl Trail {
    fn after(tip: B256) -> Self {
        Self { tip, due: 0, next: Instant::now() + FIRST_PAUSE }
    }

    /// The trail after one more block, if any is left.
    fn later(self) -> Option<Self> {
        let due = self.due + 1;
        let pause = FIRST_PAUSE.saturating_mul(1 << due).min(LONGEST_PAUSE);
        (due < BLOCKS).then(|| Self { tip: self.tip, due, next: Instant::now() + pause })
    }
}

impl Chain {
    /// Records a block that the node has announced.
    pub(crate) async fn note_head(&self, head: &Head) {
        let mut trail = self.inner.trail.lock().await;
        if !head.is_empty {
            *trail = Some(Trail::after(head.hash));
        } else if let Some(trail) = trail.as_mut().filter(|trail| trail.tip == head.parent) {
            trail.tip = head.hash;
        }
    }

    /// The time at which the next empty block is due, if any.
    pub(crate) async fn next_empty(&self) -> Option<Instant> {
        self.inner.trail.lock().await.map(|trail| trail.next)
    }

    /// Mines the empty block that is due, unless the chain has advanced or reverted, transactions are pending, or mining is manual. It
    /// counts as done either way.
    pub(crate) async fn mine_empty(&self) -> Result<(), ChainError> {
        let mut kept = self.inner.trail.lock().await;
        let Some(trail) = *kept else { return Ok(()) };
        *kept = trail.later();
        let is_due = self.head().await?.hash == trail.tip
            && self.mines_each().await?
            && !self.transactions_wait().await?;
        if is_due
            && let Some(tip) = self.mine_beside().await?
            && let Some(trail) = kept.as_mut()
        {
            trail.tip = tip;
        }
        Ok(())
    }

    /// Mines no empty block until the guard is dropped.
    pub(crate) async fn hold_trail(&self) -> impl Drop {
        self.inner.trail.lock().await
    }

    /// Cancels further empty blocks until the next transaction.
    pub(crate) async fn end_trail(&self) {
        *self.inner.trail.lock().await = None;
    }

    /// Waits until a transaction that the node has accepted is mined, if the node is about to mine it.
    pub(crate) async fn settle(&self, transaction: B256) {
        let mined = async {
            while self.is_expected(transaction).await.unwrap_or(false) {
                sleep(SETTLE_LOOK).await;
            }
        };
        // After the timeout, the client gets the same answer as from any other node.
        _ = timeout(SETTLE_WAIT, mined).await;
    }

    /// Whether a transaction has no receipt yet and the node mines pending ones immediately. A transaction that must follow another one
    /// does not count as pending.
    async fn is_expected(&self, transaction: B256) -> Result<bool, ChainError> {
        let receipt: Option<Value> = self.ask("eth_getTransactionReceipt", (transaction,)).await?;
        Ok(receipt.is_none() && self.transactions_wait().await? && self.mines_each().await?)
    }
}

#[cfg(test)]
mod tests {
    use std::iter::successors;
    use std::time::Duration;

    use alloy::primitives::B256;
    use tokio::time::Instant;

    use super::{BLOCKS, Trail};

    #[tokio::test(start_paused = true)]
    async fn a_chain_rests_after_eleven_blocks_and_twenty_seconds() {
        let begun = Instant::now();
        let first = Trail::after(B256::ZERO);
        let pauses: Vec<Duration> =
            successors(Some(first), |trail| trail.later()).map(|trail| trail.next - begun).collect();
        assert_eq!(pauses.len(), BLOCKS as usize);
        assert!(pauses.iter().sum::<Duration>() < Duration::from_secs(20), "{pauses:?}");
    }
}
