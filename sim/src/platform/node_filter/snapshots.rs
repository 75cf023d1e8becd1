//! Snapshots and blocks that callers order: one call at a time, and no revert that the node cannot carry out.
use std::sync::Arc;

use serde_json::Value;
use slipway_contracts::node::KEPT_STATES;

use super::archive;
use super::call::{Call, LIMIT_EXCEEDED, Refused};
use super::forward::{Answer, Answered, Backend, is_success};
use super::rules;
use crate::chain::ChainError;

/// Maximum number of snapshots at a node, each a copy of its state.
const MOST: usize = 1_024;
/// How the method ends that adds blocks to those that it has left.
const REORG: &str = "_reorg";
/// What a node says that lacks the state to go back to.
const STATELESS: &[u8] = b"Required data unavailable";

impl Backend {
    /// Has the node take a snapshot, go back to an earlier block or state, or mine: a block that it mined while it goes back would have a
    /// gap below it. A revert to a snapshot that it can no longer return to has the answer `false`. A caller that leaves does not
    /// interrupt it.
    pub(super) async fn ask_alone(self: &Arc<Self>, call: &Call) -> Result<Answer, Refused> {
        let (backend, call) = (Arc::clone(self), call.clone());
        let asked = tokio::spawn(async move {
            let _alone = backend.chain.hold_snapshots().await;
            if rules::is_snapshot(&call.method) && backend.chain.snapshots() >= MOST {
                let message =
                    format!("the node keeps {MOST} snapshots: a revert to one removes it and all later ones");
                return Err(Refused::new(LIMIT_EXCEEDED, message));
            }
            let snapshot = rules::number(&call.parameter(0)).filter(|_| rules::is_revert(&call.method));
            if let Some(snapshot) = snapshot
                && !backend.chain.can_revert_to(snapshot).await.map_err(|error| archive::silent(&error))?
            {
                return Ok(call.result(false).into());
            }
            let height = match snapshot {
                Some(_) => backend.chain.head().await.map_err(|error| archive::silent(&error))?.number,
                None => 0,
            };
            let asked = backend.ask_here(&call);
            let answer = match rules::mines(&call.method) {
                true => asked.await,
                false => {
                    backend.chain.between_intervals(asked).await.map_err(|error| archive::silent(&error))?
                }
            }?;
            if is_success(&answer) {
                let Answered { result } = serde_json::from_slice(&answer.text).unwrap_or_default();
                let reverted = snapshot.map(|snapshot| (snapshot, height));
                let noted = backend.noted(&call, &result.unwrap_or_default(), reverted).await;
                noted.map_err(|error| archive::silent(&error))?;
            } else if answer.text.windows(STATELESS.len()).any(|part| part == STATELESS) {
                return Err(Refused::new(LIMIT_EXCEEDED, too_far()));
            }
            Ok(answer)
        });
        asked.await.expect("a call for a snapshot does not panic")
    }

    /// `reverted` is the number of the snapshot, and of the latest block before the revert to it.
    async fn noted(
        &self,
        call: &Call,
        result: &Value,
        reverted: Option<(u64, u64)>,
    ) -> Result<(), ChainError> {
        if rules::is_snapshot(&call.method) {
            if let Some(number) = rules::number(result) {
                self.chain.note_snapshot(number, self.chain.head().await?.hash);
            }
            return Ok(());
        }
        // The node has not gone back.
        if *result == false || rules::mines(&call.method) {
            return Ok(());
        }
        match reverted {
            Some((snapshot, height)) => self.chain.note_revert(snapshot, height).await?,
            None => self.chain.note_rollback(call.method.ends_with(REORG)).await?,
        }
        self.chain.restore_fee().await
    }
}

fn too_far() -> String {
    format!(
        "the chain cannot go back so far: its node has the states of the latest {KEPT_STATES} blocks at most"
    )
}
