//! Orders to the node: its time, its mining, its snapshots, transactions signed elsewhere.
use std::time::Duration;

use alloy::primitives::{Address, Bytes, U64, U256};
use alloy::providers::Provider;
use alloy::rpc::client::BatchRequest;
use alloy::rpc::json_rpc::RpcSend;
use serde_json::Value;
use tokio::time::sleep;

use super::{Chain, ChainError, MinedTransaction};

/// Most raw transactions in one request; the node refuses a request beyond 2 MiB.
const TRANSACTIONS_A_REQUEST: usize = 100;

/// Blocks of ours without one of the miner between them, after which a miner that had work rests.
const QUIET_BLOCKS: u32 = 8;
/// Before each of them.
const QUIET_PAUSE: Duration = Duration::from_millis(3);

/// How many transactions the node holds.
#[derive(Debug, serde::Deserialize)]
struct PoolStatus {
    /// Those that could be mined now.
    pending: U64,
}

impl Chain {
    /// Makes the node's time run from `now` at the speed of the host's clock; answers how far it runs ahead of that clock.
    pub(crate) async fn run_from(&self, now: u64) -> Result<i64, ChainError> {
        let _: Value = self.ask("evm_setTime", (now,)).await?;
        self.run_ahead_by(0).await
    }

    /// Moves the running time by some seconds more; answers how far it runs ahead of the host's clock.
    pub(crate) async fn run_ahead_by(&self, seconds: u64) -> Result<i64, ChainError> {
        self.ask("evm_increaseTime", (seconds,)).await
    }

    /// Makes the node's time stand: every block from here on has this timestamp.
    pub(crate) async fn stand_at(&self, now: u64) -> Result<(), ChainError> {
        let _: Value = self.ask("evm_setTime", (now,)).await?;
        let _: Value = self.ask("anvil_setBlockTimestampInterval", (0_u64,)).await?;
        Ok(())
    }

    /// Lets the time of later blocks pass again where it stood.
    pub(crate) async fn stand_no_more(&self) -> Result<(), ChainError> {
        let _: Value = self.ask("anvil_removeBlockTimestampInterval", ()).await?;
        Ok(())
    }

    /// Mines a block of what waits, with the node's time.
    pub(crate) async fn mine(&self) -> Result<(), ChainError> {
        let _: Value = self.ask("evm_mine", ()).await?;
        Ok(())
    }

    /// Mines a block of what waits, with this timestamp.
    pub(crate) async fn mine_at(&self, timestamp: u64) -> Result<(), ChainError> {
        let _: Value = self.ask("evm_mine", (timestamp,)).await?;
        Ok(())
    }

    /// Whether each transaction is mined at once in its own block.
    pub(crate) async fn mine_each(&self, at_once: bool) -> Result<(), ChainError> {
        let _: Value = self.ask("evm_setAutomine", (at_once,)).await?;
        Ok(())
    }

    /// Whether it does.
    pub(crate) async fn mines_each(&self) -> Result<bool, ChainError> {
        self.ask("anvil_getAutomine", ()).await
    }

    /// The whole chain as data, packed by gzip: what a node loads as its state.
    pub(crate) async fn state(&self) -> Result<Bytes, ChainError> {
        self.ask("anvil_dumpState", ()).await
    }

    /// Gives accounts this much of the native coin each.
    pub(crate) async fn fund(&self, accounts: &[Address], balance: U256) -> Result<(), ChainError> {
        let calls = accounts.iter().map(|account| ("anvil_setBalance", (*account, balance)));
        self.tell_all("anvil_setBalance", calls).await
    }

    /// Hands signed transactions to the node, in order.
    pub(crate) async fn send_all(&self, transactions: &[Bytes]) -> Result<(), ChainError> {
        for part in transactions.chunks(TRANSACTIONS_A_REQUEST) {
            let calls = part.iter().map(|transaction| ("eth_sendRawTransaction", (transaction.clone(),)));
            self.tell_all("eth_sendRawTransaction", calls).await?;
        }
        Ok(())
    }

    /// How many transactions of an account are mined or wait.
    pub(crate) async fn nonce(&self, account: Address) -> Result<u64, ChainError> {
        let nonce: U64 = self.ask("eth_getTransactionCount", (account, "pending")).await?;
        Ok(nonce.to())
    }

    /// Hands a signed transaction to the node and waits until it is mined; answers how it ended.
    pub(crate) async fn send_and_wait(&self, transaction: Bytes) -> Result<MinedTransaction, ChainError> {
        self.ask("eth_sendRawTransactionSync", (transaction,)).await
    }

    /// Remembers the whole chain; answers the snapshot's number.
    pub(crate) async fn snapshot(&self) -> Result<u64, ChainError> {
        let number: U64 = self.ask("evm_snapshot", ()).await?;
        Ok(number.to())
    }

    /// Goes back to a snapshot, which is used up by it. Transactions that wait to be mined are dropped.
    ///
    /// The node mines beside its other work, and a block that it mines while it goes back would stand above a hole: its
    /// miner rests meanwhile.
    pub(crate) async fn revert(&self, snapshot: u64) -> Result<(), ChainError> {
        let mines_each = self.mines_each().await?;
        if mines_each {
            self.mine_each(false).await?;
        }
        let reverted = self.revert_at_rest(snapshot).await;
        if mines_each {
            self.mine_each(true).await?;
        }
        if reverted? { Ok(()) } else { Err(ChainError::NoSnapshot { chain_id: self.id(), snapshot }) }
    }

    /// Goes back once the miner has nothing left; no while the node does not know the snapshot.
    async fn revert_at_rest(&self, snapshot: u64) -> Result<bool, ChainError> {
        // The miner takes what waits once for each transaction that was announced to it, so it may have turns left when nothing
        // waits any more, and each of them is a block. A block of ours right above the one before says that there was none;
        // once there was one, the next is expected for a while.
        let (mut height, mut quiet, mut needed) = (self.head().await?.number, 0, 2);
        while quiet < needed {
            if needed == QUIET_BLOCKS {
                sleep(QUIET_PAUSE).await;
            }
            let waited = self.waiting().await?;
            self.mine().await?;
            let next = self.head().await?.number;
            if next == height + 1 && !waited {
                quiet += 1;
            } else {
                (quiet, needed) = (0, QUIET_BLOCKS);
            }
            height = next;
        }
        let reverted = self.ask("evm_revert", (U64::from(snapshot),)).await?;
        let _: Value = self.ask("anvil_dropAllTransactions", ()).await?;
        Ok(reverted)
    }

    /// Whether transactions wait that could be mined now.
    async fn waiting(&self) -> Result<bool, ChainError> {
        let status: PoolStatus = self.ask("txpool_status", ()).await?;
        Ok(!status.pending.is_zero())
    }

    async fn tell_all<P: RpcSend>(
        &self,
        method: &'static str,
        calls: impl Iterator<Item = (&'static str, P)>,
    ) -> Result<(), ChainError> {
        let failed = |source| self.failed(method, source);
        let mut batch = BatchRequest::new(self.provider().client());
        let answers = calls
            .map(|(method, params)| batch.add_call::<_, Value>(method, &params))
            .collect::<Result<Vec<_>, _>>()
            .map_err(failed)?;
        if answers.is_empty() {
            return Ok(());
        }
        batch.send().await.map_err(failed)?;
        for answer in answers {
            answer.await.map_err(failed)?;
        }
        Ok(())
    }
}
