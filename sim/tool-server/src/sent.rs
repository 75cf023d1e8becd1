//! The launches that this process has signed, even those of calls that failed or were cancelled.
use std::collections::VecDeque;

use alloy::primitives::{B256, U256};
use futures::future::join_all;
use parking_lot::Mutex;

use crate::config::ToolServerConfig;
use crate::output::{LaunchState, SentLaunch};
use crate::rpc::{Receipt, Rpc};

/// Number of launches kept; the oldest is dropped first.
pub(crate) const REMEMBERED: usize = 32;

/// The launches in the order in which they were signed.
#[derive(Debug, Default)]
pub(crate) struct SentLaunches(Mutex<VecDeque<Launch>>);

#[derive(Clone, Copy, Debug)]
struct Launch {
    hash: B256,
    nonce: u64,
    state: LaunchState,
}

impl SentLaunches {
    /// Records a launch that is about to be broadcast, here and in the log. An equal launch with an equal nonce is the same transaction.
    pub(crate) fn begin(&self, hash: B256, nonce: u64) {
        tracing::info!(%hash, nonce, "broadcasting a launch");
        let mut launches = self.0.lock();
        launches.retain(|launch| launch.hash != hash);
        if launches.len() == REMEMBERED {
            launches.pop_front();
        }
        launches.push_back(Launch { hash, nonce, state: LaunchState::Broadcasting });
    }

    /// Records the state of a launch. A receipt is final.
    pub(crate) fn settle(&self, hash: B256, state: LaunchState) {
        let mut launches = self.0.lock();
        let open = launches.iter_mut().find(|launch| launch.hash == hash && !launch.state.is_mined());
        if let Some(launch) = open {
            launch.state = state;
            tracing::info!(%hash, ?state, "a launch");
        }
    }

    pub(crate) fn mined(&self, receipt: &Receipt) {
        let succeeded = receipt.status == U256::ONE;
        let state = if succeeded { LaunchState::Mined } else { LaunchState::Reverted };
        self.settle(receipt.transaction_hash, state);
    }

    /// Every recorded launch; requests the receipt of each that has none yet.
    pub(crate) async fn list(&self, config: &ToolServerConfig, rpc: &Rpc) -> Vec<SentLaunch> {
        let open: Vec<B256> = {
            let launches = self.0.lock();
            launches.iter().filter(|launch| !launch.state.is_mined()).map(|launch| launch.hash).collect()
        };
        let receipts = join_all(open.iter().map(|hash| rpc.receipt(*hash))).await;
        for (hash, receipt) in open.iter().zip(receipts) {
            if let Ok(Some(receipt)) = receipt
                && receipt.transaction_hash == *hash
            {
                self.mined(&receipt);
            }
        }
        let shown = |launch: &Launch| SentLaunch {
            transaction_hash: launch.hash.to_string(),
            nonce: launch.nonce,
            state: launch.state,
            explorer_url: config.explorer_url(launch.hash),
        };
        self.0.lock().iter().map(shown).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn states(sent: &SentLaunches) -> Vec<LaunchState> {
        sent.0.lock().iter().map(|launch| launch.state).collect()
    }

    #[test]
    fn nothing_follows_a_receipt_and_the_oldest_is_dropped() {
        let sent = SentLaunches::default();
        let (one, other) = (B256::repeat_byte(1), B256::repeat_byte(2));
        sent.begin(one, 0);
        sent.begin(other, 1);
        sent.begin(other, 1);
        sent.mined(&Receipt {
            transaction_hash: one,
            block_number: None,
            status: U256::ZERO,
            logs: Vec::new(),
        });
        sent.settle(one, LaunchState::Accepted);
        sent.settle(other, LaunchState::Unknown);
        assert_eq!(states(&sent), [LaunchState::Reverted, LaunchState::Unknown]);
        for nonce in 2..=33 {
            sent.begin(B256::from(U256::from(nonce)), nonce);
        }
        assert_eq!(states(&sent), [LaunchState::Broadcasting; REMEMBERED]);
    }
}
