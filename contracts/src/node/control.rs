//! A deployment's calls to a node beyond ordinary JSON-RPC: mining, balances, code. Leaves out when to use them.

use std::borrow::Cow;

use alloy::primitives::{Address, B256, Bytes, U64, U256};
use alloy::providers::Provider;
use alloy::rpc::json_rpc::{RpcRecv, RpcSend};
use alloy::transports::{RpcError, TransportErrorKind};
use serde::Deserialize;

use super::{Node, NodeError};

#[derive(Debug, Deserialize)]
struct PoolStatus {
    pending: U64,
}

impl Node {
    /// Mines this many blocks; pending transactions go into the first one.
    ///
    /// # Errors
    /// If the node fails.
    pub async fn mine(&self, blocks: u64) -> Result<(), NodeError> {
        self.command("anvil_mine", (U256::from(blocks),)).await
    }

    /// Whether a block is mined for every transaction: soon after the transaction is accepted, not before the response.
    ///
    /// # Errors
    /// If the node fails.
    pub async fn automine(&self) -> Result<bool, NodeError> {
        self.command("anvil_getAutomine", ()).await
    }

    /// How many accepted transactions wait for a block.
    ///
    /// # Errors
    /// If the node fails.
    pub async fn pending_transactions(&self) -> Result<u64, NodeError> {
        let status: PoolStatus = self.command("txpool_status", ()).await?;
        Ok(status.pending.to())
    }

    /// Switches between a block for every transaction and blocks on demand.
    ///
    /// # Errors
    /// If the node fails.
    pub async fn set_automine(&self, on: bool) -> Result<(), NodeError> {
        self.command("evm_setAutomine", (on,)).await
    }

    /// Sets an account's balance of native ether.
    ///
    /// # Errors
    /// If the node fails.
    pub async fn set_balance(&self, account: Address, wei: U256) -> Result<(), NodeError> {
        self.command("anvil_setBalance", (account, wei)).await
    }

    /// Puts code at an address without a transaction.
    ///
    /// # Errors
    /// If the node fails.
    pub async fn set_code(&self, account: Address, code: &Bytes) -> Result<(), NodeError> {
        self.command("anvil_setCode", (account, code)).await
    }

    /// Writes one word of an account's storage without a transaction.
    ///
    /// # Errors
    /// If the node fails.
    pub async fn set_storage(&self, account: Address, slot: U256, word: B256) -> Result<(), NodeError> {
        self.command::<_, bool>("anvil_setStorageAt", (account, slot, word)).await.map(drop)
    }

    /// Sends any request.
    ///
    /// # Errors
    /// If the node returns an error or has exited.
    pub async fn command<Parameters: RpcSend, Answer: RpcRecv>(
        &self,
        method: &'static str,
        parameters: Parameters,
    ) -> Result<Answer, NodeError> {
        self.ask(self.provider.raw_request(Cow::Borrowed(method), parameters)).await
    }

    /// Waits for the response, or for the exit of the node if that happens first.
    pub(crate) async fn ask<Answer>(
        &self,
        request: impl IntoFuture<Output = Result<Answer, RpcError<TransportErrorKind>>>,
    ) -> Result<Answer, NodeError> {
        tokio::select! {
            biased;
            answer = request.into_future() => match answer {
                Err(RpcError::Transport(_)) if self.has_exited() => Err(self.wait_exit().await.into()),
                other => other.map_err(|source| NodeError::Request { chain: self.chain, source }),
            },
            exit = self.wait_exit() => Err(exit.into()),
        }
    }

    fn has_exited(&self) -> bool {
        self.exit.borrow().is_some()
    }
}
