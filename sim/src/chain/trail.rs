//! What a client that waits for its transaction relies on: the transaction is mined when its hash is answered, and empty blocks follow
//! the block that has it. A node that mines each transaction at once and nothing else leaves a client that asks for a second
//! confirmation, or looks for its receipt in the next block, waiting for ever.
use std::time::Duration;

use alloy::primitives::B256;
use serde_json::Value;
use tokio::time::{Instant, sleep, timeout};

use super::{Chain, ChainError, Head};

/// Empty blocks that follow one with transactions: twelve confirmations with it.
const BLOCKS: u32 = 11;
/// Before the first of them; each later pause is twice as long, so that the last ones reach clients that poll every few seconds.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
/// No pause is longer.
const LONGEST_PAUSE: Duration = Duration::from_millis(3_200);
/// Longest wait until a transaction is mined.
const SETTLE_WAIT: Duration = Duration::from_secs(1);
/// Between two looks at it.
const SETTLE_LOOK: Duration = Duration::from_millis(1);

/// Empty blocks that are still to follow.
#[derive(Clone, Copy, Debug)]
pub(super) struct Trail {
    /// The block that the next one is to follow.
    tip: B256,
    /// How many were due until now.
    due: u32,
    /// When the next one is.
    next: Instant,
}

impl Trail {
    fn after(tip: B256) -> Self {
        Self { tip, due: 0, next: Instant::now() + FIRST_PAUSE }
    }

    /// One block later, if any is left.
    fn later(self) -> Option<Self> {
        let due = self.due + 1;
        let pause = FIRST_PAUSE.saturating_mul(1 << due).min(LONGEST_PAUSE);
        (due < BLOCKS).then(|| Self { tip: self.tip, due, next: Instant::now() + pause })
    }
}

impl Chain {
    /// Takes note of a block that the node has announced.
    pub(crate) async fn note_head(&self, head: &Head) {
        let mut trail = self.inner.trail.lock().await;
        if !head.is_empty {
            *trail = Some(Trail::after(head.hash));
        } else if let Some(trail) = trail.as_mut().filter(|trail| trail.tip == head.parent) {
            trail.tip = head.hash;
        }
    }

    /// When the next empty block is due, if any is.
    pub(crate) async fn next_empty(&self) -> Option<Instant> {
        self.inner.trail.lock().await.map(|trail| trail.next)
    }

    /// Mines the empty block that is due, unless the chain went on or back, transactions wait, or its user decides when it mines. It
    /// counts as one that followed either way.
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

    /// Lets no empty block follow any more until the next transaction.
    pub(crate) async fn end_trail(&self) {
        *self.inner.trail.lock().await = None;
    }

    /// Waits until a transaction that the node has taken is mined, where the node is about to mine it.
    pub(crate) async fn settle(&self, transaction: B256) {
        let mined = async {
            while self.is_expected(transaction).await.unwrap_or(false) {
                sleep(SETTLE_LOOK).await;
            }
        };
        // A client that is answered too early is where it would be with any other node.
        _ = timeout(SETTLE_WAIT, mined).await;
    }

    /// Whether a transaction has no receipt yet, and the node mines at once what waits. What can only follow another transaction does not
    /// count as waiting.
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
