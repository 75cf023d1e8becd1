//! Control of a node beyond the ordinary JSON-RPC: time, mining, snapshots, state. Leaves out when to use it.

use std::borrow::Cow;
use std::io::Read;
use std::path::Path;

use alloy::eips::BlockNumberOrTag;
use alloy::network::BlockResponse;
use alloy::primitives::{Address, B256, Bytes, U64, U256};
use alloy::providers::Provider;
use alloy::rpc::json_rpc::{RpcRecv, RpcSend};
use alloy::transports::{RpcError, TransportErrorKind};
use flate2::read::GzDecoder;
use serde::Deserialize;

use super::{Node, NodeError};
use crate::write_whole;

/// How the timestamps of coming blocks are chosen, in Unix seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChainTime {
    /// Time passes as on the wall clock, and it is this time now.
    Running(u64),
    /// Every block has this timestamp, until it is set again.
    Fixed(u64),
}

#[derive(Debug, Deserialize)]
struct PoolStatus {
    pending: U64,
}

/// A snapshot of a node. It can be reverted to once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SnapshotId(String);

impl Node {
    /// Sets how coming blocks are dated. The latest block keeps its date: mine one to let views see the new time.
    ///
    /// # Errors
    /// When the time lies before the latest block, or the node fails.
    pub async fn set_time(&self, time: ChainTime) -> Result<(), NodeError> {
        let (ChainTime::Running(wanted) | ChainTime::Fixed(wanted)) = time;
        let now = self.latest_time().await?;
        if wanted < now {
            return Err(NodeError::TimeBackwards { chain: self.chain, now, wanted });
        }
        match time {
            ChainTime::Running(now) => {
                self.command::<_, bool>("anvil_removeBlockTimestampInterval", ()).await?;
                self.command::<_, i64>("evm_setTime", (now,)).await?;
            }
            ChainTime::Fixed(at) => {
                // The clock first: a loaded chain's clock stands at the wall clock's time, and the interval counts from there.
                self.command::<_, i64>("evm_setTime", (at,)).await?;
                self.command::<_, ()>("anvil_setBlockTimestampInterval", (0,)).await?;
                self.command::<_, ()>("evm_setNextBlockTimestamp", (at,)).await?;
            }
        }
        Ok(())
    }

    /// Timestamp of the latest block.
    ///
    /// # Errors
    /// When the node fails.
    pub async fn latest_time(&self) -> Result<u64, NodeError> {
        let latest =
            self.ask(self.provider.get_block_by_number(BlockNumberOrTag::Latest).into_future()).await?;
        Ok(latest.expect("every chain has a latest block").header().timestamp)
    }

    /// Mines this many blocks; pending transactions go into the first one.
    ///
    /// # Errors
    /// When the node fails.
    pub async fn mine(&self, blocks: u64) -> Result<(), NodeError> {
        self.command("anvil_mine", (U256::from(blocks),)).await
    }

    /// Whether a block is mined for every transaction. It is mined soon after the transaction was accepted, not before the answer.
    ///
    /// # Errors
    /// When the node fails.
    pub async fn automine(&self) -> Result<bool, NodeError> {
        self.command("anvil_getAutomine", ()).await
    }

    /// How many accepted transactions wait for a block.
    ///
    /// # Errors
    /// When the node fails.
    pub async fn pending_transactions(&self) -> Result<u64, NodeError> {
        let status: PoolStatus = self.command("txpool_status", ()).await?;
        Ok(status.pending.to())
    }

    /// Switches between a block for every transaction and blocks on demand.
    ///
    /// # Errors
    /// When the node fails.
    pub async fn set_automine(&self, on: bool) -> Result<(), NodeError> {
        self.command("evm_setAutomine", (on,)).await
    }

    /// Remembers the state of the chain.
    ///
    /// # Errors
    /// When the node fails.
    pub async fn snapshot(&self) -> Result<SnapshotId, NodeError> {
        self.command("evm_snapshot", ()).await.map(SnapshotId)
    }

    /// Returns to a snapshot, which is thereby used up, as are all later ones. Set the time again afterwards: what was fixed
    /// for blocks that no longer exist is not taken back.
    ///
    /// # Errors
    /// When the snapshot was used before, or the node fails.
    pub async fn revert(&self, snapshot: SnapshotId) -> Result<(), NodeError> {
        let done: bool = self.command("evm_revert", (&snapshot.0,)).await?;
        if done { Ok(()) } else { Err(NodeError::UnknownSnapshot { chain: self.chain, id: snapshot.0 }) }
    }

    /// Gives an account this balance of native ether.
    ///
    /// # Errors
    /// When the node fails.
    pub async fn set_balance(&self, account: Address, wei: U256) -> Result<(), NodeError> {
        self.command("anvil_setBalance", (account, wei)).await
    }

    /// Puts code at an address without a transaction.
    ///
    /// # Errors
    /// When the node fails.
    pub async fn set_code(&self, account: Address, code: &Bytes) -> Result<(), NodeError> {
        self.command("anvil_setCode", (account, code)).await
    }

    /// Writes one word of an account's storage without a transaction.
    ///
    /// # Errors
    /// When the node fails.
    pub async fn set_storage(&self, account: Address, slot: U256, word: B256) -> Result<(), NodeError> {
        self.command::<_, bool>("anvil_setStorageAt", (account, slot, word)).await.map(drop)
    }

    /// Writes the whole state into a file from which another node can start. The file appears complete or not at all.
    ///
    /// # Errors
    /// When the node fails, or the file cannot be written.
    pub async fn dump_state(&self, path: &Path) -> Result<(), NodeError> {
        let packed: Bytes = self.command("anvil_dumpState", ()).await?;
        let mut state = Vec::new();
        GzDecoder::new(&packed[..])
            .read_to_end(&mut state)
            .map_err(|source| NodeError::UnreadableState { chain: self.chain, source })?;
        write_whole(path, &state).map_err(|source| NodeError::UnwritableState {
            chain: self.chain,
            path: path.to_owned(),
            source,
        })
    }

    /// Sends any request.
    ///
    /// # Errors
    /// When the node refuses or has ended.
    pub async fn command<Parameters: RpcSend, Answer: RpcRecv>(
        &self,
        method: &'static str,
        parameters: Parameters,
    ) -> Result<Answer, NodeError> {
        self.ask(self.provider.raw_request(Cow::Borrowed(method), parameters)).await
    }

    /// Waits for an answer, or for the end of the node if that comes first.
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
