//! Reverts while the node's miner is idle.
//!
//! The node mines in parallel with its other work, and a block that it mines during a rollback would have a gap below it. The miner takes
//! pending transactions in turns, and each turn becomes a block, one after another. A turn contains a transaction that arrived after the
//! previous turn and stays pending until its turn is a block. So if nothing is pending, no turn is left, unless a block mined on command in
//! parallel contains the transactions of a turn: that turn then becomes an empty block right afterwards. This module knows which blocks the
//! platform ordered; blocks ordered by others are recognised by a latest block that is empty or contains the transactions of several turns, and none is
//! mined while the guard of snapshots is held.
use std::sync::atomic::Ordering;
use std::time::Duration;

use alloy::primitives::{Address, B256, U64};
use serde::Deserialize;
use serde_json::Value;
use tokio::sync::MutexGuard;
use tokio::time::sleep;

use super::{Chain, ChainError, Miner, NO_PARAMS};

/// Consecutive blocks of ours without a miner's block in between, after which a miner that had work counts as idle.
const QUIET_BLOCKS: u32 = 8;
/// Pause before each of them.
const QUIET_PAUSE: Duration = Duration::from_millis(3);

/// Transaction counts of the node's pool.
#[derive(Debug, Deserialize)]
struct PoolStatus {
    /// Transactions that could be mined now.
    pending: U64,
}

#[derive(Debug, Deserialize)]
struct Block {
    hash: B256,
    transactions: Vec<Value>,
}

impl Chain {
    /// Mines the pending transactions in a block, with the node's time.
    pub(crate) async fn mine(&self) -> Result<(), ChainError> {
        if self.transactions_wait().await? {
            self.inner.miner.lock().is_crossed = true;
            let _: Value = self.ask("evm_mine", NO_PARAMS).await?;
            return Ok(());
        }
        self.mine_beside().await?;
        Ok(())
    }

    /// Mines a block while nothing is pending; returns its hash.
    pub(super) async fn mine_beside(&self) -> Result<Option<B256>, ChainError> {
        let blocks: Vec<Block> = self.ask("evm_mine_detailed", NO_PARAMS).await?;
        let mut miner = self.inner.miner.lock();
        miner.is_crossed |= blocks.iter().any(|block| !block.transactions.is_empty());
        miner.rested = blocks.last().map(|block| block.hash);
        Ok(miner.rested)
    }

    /// Records that the miner has no turn left while this is the latest block.
    pub(crate) fn rests_with(&self, block: B256) {
        *self.inner.miner.lock() = Miner { is_crossed: false, rested: Some(block) };
    }

    /// Stops automatic mining until [`Self::resume_mining`]; a user of the node may already have stopped it.
    pub(crate) async fn hold_mining(&self) -> Result<(), ChainError> {
        if self.mines_each().await? {
            // Set whether or not the node's response arrives.
            self.inner.holds_mining.store(true, Ordering::SeqCst);
            self.mine_each(false).await?;
        }
        Ok(())
    }

    /// Whether the platform has stopped mining and not yet resumed it.
    pub(crate) fn holds_mining(&self) -> bool {
        self.inner.holds_mining.load(Ordering::SeqCst)
    }

    /// Until the guard is dropped, no other user of the node changes how it mines or which transactions wait.
    pub(crate) async fn keep_mining(&self) -> MutexGuard<'_, ()> {
        self.inner.mining.lock().await
    }

    /// Undoes [`Self::hold_mining`]; the transactions that have arrived are mined.
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

    /// Awaits `work`, during which no block is mined at the interval that a caller may have set.
    pub(crate) async fn between_intervals<T>(&self, work: impl Future<Output = T>) -> Result<T, ChainError> {
        let _pause = self.pause_pace();
        let interval: Option<u64> = self.ask("anvil_getIntervalMining", NO_PARAMS).await?;
        let interval = interval.filter(|seconds| *seconds > 0);
        if interval.is_some() {
            let _: Value = self.ask("evm_setIntervalMining", (0,)).await?;
            // The node returns a balance only between two blocks.
            let _: Value = self.ask("eth_getBalance", (Address::ZERO, "latest")).await?;
        }
        let done = work.await;
        if let Some(seconds) = interval {
            let _: Value = self.ask("evm_setIntervalMining", (seconds,)).await?;
        }
        Ok(done)
    }

    /// Reverts once the miner has no turn left; returns false if the node does not know the snapshot.
    pub(super) async fn revert_at_rest(&self, snapshot: u64) -> Result<bool, ChainError> {
        let _alone = self.hold_snapshots().await;
        if !self.rests().await? {
            self.wait_for_rest().await?;
        }
        let (can_revert, latest) = tokio::try_join!(self.can_revert_to(snapshot), self.head())?;
        let revert = async {
            if can_revert { self.ask("evm_revert", (U64::from(snapshot),)).await } else { Ok(false) }
        };
        let (reverted, _) =
            tokio::try_join!(revert, self.ask::<_, Value>("anvil_dropAllTransactions", NO_PARAMS))?;
        if reverted {
            self.note_revert(snapshot, latest.number).await?;
        }
        Ok(reverted)
    }

    /// Mines what waits after [`Self::hold_mining`], so that the miner has no turn left. If nothing waits, no block is added: a caller that
    /// goes back counts blocks.
    pub(crate) async fn empty_turns(&self) -> Result<(), ChainError> {
        let _: Value = self.ask("eth_getBalance", (Address::ZERO, "latest")).await?;
        if self.holds_mining() && self.transactions_wait().await? {
            self.wait_for_rest().await?;
        }
        Ok(())
    }

    /// Whether the miner certainly has no turn left, and gets none meanwhile.
    async fn rests(&self) -> Result<bool, ChainError> {
        // The node returns a balance only between two blocks, so a turn that has begun is a block before the next request.
        let _: Value = self.ask("eth_getBalance", (Address::ZERO, "latest")).await?;
        let (waits, latest) = tokio::try_join!(
            self.transactions_wait(),
            self.ask::<_, Block>("eth_getBlockByNumber", ("latest", false)),
        )?;
        let miner = self.inner.miner.lock();
        let is_known = latest.transactions.len() == 1 || miner.rested == Some(latest.hash);
        Ok(!waits && is_known && !miner.is_crossed)
    }

    /// Mines until the miner has no turn left. A block of ours directly on top of the previous one proves that none was left; if there was
    /// one, more are expected for a while.
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

    /// Whether transactions are pending that could be mined now.
    pub(super) async fn transactions_wait(&self) -> Result<bool, ChainError> {
        let status: PoolStatus = self.ask("txpool_status", NO_PARAMS).await?;
        Ok(!status.pending.is_zero())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::task::{Context, Poll};

    use alloy::providers::{Provider as _, RootProvider};
    use alloy::rpc::client::RpcClient;
    use alloy::rpc::json_rpc::{RequestPacket, Response, ResponsePacket, ResponsePayload};
    use alloy::transports::{TransportError, TransportFut};
    use parking_lot::Mutex;

    use crate::chain::Chain;

    /// A node that mines at an interval, and remembers what it is asked.
    #[derive(Clone, Default)]
    struct Node {
        interval: u64,
        asked: Arc<Mutex<Vec<String>>>,
    }

    impl tower::Service<RequestPacket> for Node {
        type Response = ResponsePacket;
        type Error = TransportError;
        type Future = TransportFut<'static>;

        fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
            Poll::Ready(Ok(()))
        }

        fn call(&mut self, packet: RequestPacket) -> Self::Future {
            let RequestPacket::Single(request) = packet else { panic!("no batch is needed") };
            let params = request.params().map(|params| params.get().to_owned()).unwrap_or_default();
            self.asked.lock().push(format!("{} {params}", request.method()));
            let result = match request.method() {
                "anvil_getIntervalMining" => self.interval.to_string(),
                _ => "null".to_owned(),
            };
            let payload = ResponsePayload::Success(serde_json::value::RawValue::from_string(result).unwrap());
            let answer = Response { id: request.id().clone(), payload };
            Box::pin(async { Ok(ResponsePacket::Single(answer)) })
        }
    }

    #[tokio::test]
    async fn a_node_mines_at_no_interval_while_it_goes_back() {
        for interval in [0, 5] {
            let node = Node { interval, ..Node::default() };
            let provider = RootProvider::new(RpcClient::new(node.clone(), true)).erased();
            let chain = Chain::over(1, "", provider, None);
            let work = async { node.asked.lock().push("work".to_owned()) };
            chain.between_intervals(work).await.unwrap();
            let asked = node.asked.lock().clone();
            let (first, last) = (asked[0].as_str(), asked.last().unwrap().as_str());
            assert!(first.starts_with("anvil_getIntervalMining"), "{asked:?}");
            if interval == 0 {
                assert_eq!((asked.len(), last), (2, "work"), "{asked:?}");
            } else {
                let at = asked.iter().position(|asked| asked == "work").unwrap();
                assert!(asked[..at].contains(&"evm_setIntervalMining [0]".to_owned()), "{asked:?}");
                assert_eq!(last, "evm_setIntervalMining [5]");
            }
        }
    }
}
