//! Mines empty blocks after the ones with transactions, only between orders.
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt as _;
use futures::future::pending;
use tokio::time::{sleep, sleep_until};

use super::Engine;
use crate::chain::{Chain, ChainError};

/// Time between two attempts to follow an unreachable node.
const RETRY: Duration = Duration::from_millis(500);

impl Engine {
    /// Mines the empty blocks of a chain until the platform shuts down.
    pub(crate) async fn lengthen(self, chain: Chain) {
        loop {
            if let Err(error) = self.lengthen_while_announced(&chain).await {
                tracing::debug!(chain = chain.id(), %error, "no empty blocks follow");
            }
            sleep(RETRY).await;
        }
    }

    /// Mines them until the node stops announcing blocks.
    async fn lengthen_while_announced(&self, chain: &Chain) -> Result<(), ChainError> {
        let mut heads = chain.new_heads().await?;
        loop {
            let next = chain.next_empty().await;
            let due = async {
                match next {
                    Some(next) => sleep_until(next).await,
                    None => pending().await,
                }
            };
            tokio::select! {
                head = heads.next() => match head {
                    Some(head) => chain.note_head(&head).await,
                    None => return Ok(()),
                },
                () = due => {
                    let _orders = Arc::clone(&self.inner.orders).lock_owned().await;
                    chain.mine_empty().await?;
                }
            }
        }
    }
}
