//! Commands to the node: its time, its mining, and transactions signed elsewhere.
use std::time::Duration;

use alloy::primitives::{Address, Bytes, U64, U256};
use alloy::providers::Provider;
use alloy::rpc::client::BatchRequest;
use alloy::rpc::json_rpc::RpcSend;
use serde_json::Value;
use tokio::sync::MutexGuard;
use tokio::time::timeout;

use super::{Chain, ChainError, MinedTransaction, NO_PARAMS};

/// Time limit for a node to write to its chain before it counts as blocked.
const WRITE_LIMIT: Duration = Duration::from_secs(5);
/// Maximum number of raw transactions in one request; the node refuses a request beyond 2 MiB.
const TRANSACTIONS_A_REQUEST: usize = 100;

impl Chain {
    /// Makes the node's time run from `now` at the speed of the host's clock; returns how far it is ahead of that clock.
    pub(crate) async fn run_from(&self, now: u64) -> Result<i64, ChainError> {
        let _: Value = self.ask("evm_setTime", (now,)).await?;
        self.run_ahead_by(0).await
    }

    /// Advances the running time by some more seconds; returns how far it is ahead of the host's clock.
    pub(crate) async fn run_ahead_by(&self, seconds: u64) -> Result<i64, ChainError> {
        self.ask("evm_increaseTime", (seconds,)).await
    }

    /// Stops the node's time: every block from now on has this timestamp.
    pub(crate) async fn stand_at(&self, now: u64) -> Result<(), ChainError> {
        let _: Value = self.ask("evm_setTime", (now,)).await?;
        self.space_blocks(0).await
    }

    /// Gives every block from now on a timestamp `seconds` after the previous one.
    pub(crate) async fn space_blocks(&self, seconds: u64) -> Result<(), ChainError> {
        let _: Value = self.ask("anvil_setBlockTimestampInterval", (seconds,)).await?;
        Ok(())
    }

    /// Undoes [`Self::space_blocks`].
    pub(crate) async fn space_freely(&self) -> Result<(), ChainError> {
        let _: Value = self.ask("anvil_removeBlockTimestampInterval", NO_PARAMS).await?;
        Ok(())
    }

    /// Sets the balance of an account that can hold none to zero: the node responds once it can write to its chain.
    pub(crate) async fn write_nothing(&self, account: Address) -> Result<(), ChainError> {
        const METHOD: &str = "anvil_setBalance";
        let written = timeout(WRITE_LIMIT, self.ask(METHOD, (account, U256::ZERO))).await;
        let _: Value = written.unwrap_or(Err(ChainError::Silent { chain_id: self.id(), method: METHOD }))?;
        Ok(())
    }

    /// Mines the pending transactions in a block with this timestamp.
    pub(crate) async fn mine_at(&self, timestamp: u64) -> Result<(), ChainError> {
        let _: Value = self.ask("evm_mine", (timestamp,)).await?;
        Ok(())
    }

    /// Sets whether each transaction is mined immediately in its own block.
    pub(crate) async fn mine_each(&self, at_once: bool) -> Result<(), ChainError> {
        let _: Value = self.ask("evm_setAutomine", (at_once,)).await?;
        Ok(())
    }

    /// Whether each transaction is mined immediately.
    pub(crate) async fn mines_each(&self) -> Result<bool, ChainError> {
        self.ask("anvil_getAutomine", NO_PARAMS).await
    }

    /// The whole chain as gzip-compressed data that a node can load as its state.
    pub(crate) async fn state(&self) -> Result<Bytes, ChainError> {
        self.ask_at_length("anvil_dumpState", NO_PARAMS).await
    }

    /// Sets the native balance of each of these accounts.
    pub(crate) async fn fund(&self, accounts: &[Address], balance: U256) -> Result<(), ChainError> {
        let _change = self.change();
        let calls = accounts.iter().map(|account| ("anvil_setBalance", (*account, balance)));
        self.tell_all("anvil_setBalance", calls).await
    }

    /// Sends signed transactions to the node, in order.
    pub(crate) async fn send_all(&self, transactions: &[Bytes]) -> Result<(), ChainError> {
        for part in transactions.chunks(TRANSACTIONS_A_REQUEST) {
            let calls = part.iter().map(|transaction| ("eth_sendRawTransaction", (transaction.clone(),)));
            self.tell_all("eth_sendRawTransaction", calls).await?;
        }
        Ok(())
    }

    /// Number of an account's mined and pending transactions.
    pub(crate) async fn nonce(&self, account: Address) -> Result<u64, ChainError> {
        let nonce: U64 = self.ask("eth_getTransactionCount", (account, "pending")).await?;
        Ok(nonce.to())
    }

    /// Until the guard is dropped, nobody else sends a transaction of our accounts: two of one account would get the same nonce, and the
    /// later one would take the place of the earlier.
    pub(crate) async fn hold_nonces(&self) -> MutexGuard<'_, ()> {
        self.inner.nonces.lock().await
    }

    /// Sends a signed transaction to the node and waits until it is mined; returns its outcome.
    pub(crate) async fn send_and_wait(&self, transaction: Bytes) -> Result<MinedTransaction, ChainError> {
        self.ask("eth_sendRawTransactionSync", (transaction,)).await
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
