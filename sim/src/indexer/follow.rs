//! Keeps the indexer at the head of each chain: the node announces new blocks, and a slow poll finds changes that it does not announce.
use std::time::Duration;

use futures::StreamExt;
use futures::stream::BoxStream;
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval};

use super::Indexer;
use crate::chain::{Chain, Head};

/// Time between polls of a chain without a notification; a node sends none when it reverts to a snapshot.
const LOOK: Duration = Duration::from_millis(500);

/// The tasks that follow the chains; dropping it ends them.
#[derive(Debug)]
pub(crate) struct Following(JoinSet<()>);

impl Following {
    pub(crate) fn start(indexer: &Indexer, chains: &[Chain]) -> Self {
        let mut tasks = JoinSet::new();
        for chain in chains {
            tasks.spawn(follow_chain(indexer.clone(), chain.clone()));
        }
        tasks.spawn(follow_store(indexer.clone()));
        Self(tasks)
    }

    /// Runs another task until this is dropped.
    pub(crate) fn also(&mut self, task: impl Future<Output = ()> + Send + 'static) {
        self.0.spawn(task);
    }

    /// Ends all tasks and frees everything that they held.
    pub(crate) async fn end(mut self) {
        self.0.shutdown().await;
    }
}

async fn follow_chain(indexer: Indexer, chain: Chain) {
    let mut heads: Option<BoxStream<'static, Head>> = None;
    let mut look = interval(LOOK);
    look.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        let hint = tokio::select! {
            head = next_of(&mut heads) => head,
            _ = look.tick() => {
                if heads.is_none() {
                    heads = announced(&chain).await;
                }
                None
            }
        };
        if let Err(error) = indexer.catch_up(chain.id(), hint).await {
            tracing::debug!(chain = chain.id(), %error, "the indexer did not reach the head");
        }
    }
}

/// The next head; `None`, and no more heads, once the connection has ended.
async fn next_of(heads: &mut Option<BoxStream<'static, Head>>) -> Option<Head> {
    let Some(open) = heads else { return std::future::pending().await };
    let head = open.next().await;
    if head.is_none() {
        *heads = None;
    }
    head
}

/// The heads that the node announces, while it is reachable.
async fn announced(chain: &Chain) -> Option<BoxStream<'static, Head>> {
    let heads = chain.new_heads().await;
    if let Err(error) = &heads {
        tracing::debug!(chain = chain.id(), %error, "the node reports no new blocks; it is asked instead");
    }
    heads.ok()
}

async fn follow_store(indexer: Indexer) {
    let mut latest = indexer.inner.store.latest();
    while latest.changed().await.is_ok() {
        if let Err(error) = indexer.catch_up_facts().await {
            tracing::error!(%error, "stored facts could not be folded");
        }
    }
}
