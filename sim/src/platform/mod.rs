//! The whole platform behind a config, a start and a handle: chains, index, services, and their common end.
mod config;
mod dedicated_thread;
mod listener;
mod ready;
mod serve;
mod services;
mod start;
mod write_timeout;

use std::future::Future;

use futures::FutureExt;
use slipway_contracts::node::{Node, NodeDeath};

use crate::engine::Engine;
use crate::indexer::Following;
pub use config::{Attach, AttachedChain, Config, MARKET_END};
pub use listener::ListenerLimits;
pub use ready::{Ready, ReadyChain};
use serve::Services;
pub use start::StartError;

/// A running platform; everything it started ends with it.
#[derive(Debug)]
pub struct Platform {
    ready: Ready,
    engine: Engine,
    services: Services,
    nodes: Vec<Node>,
    following: Following,
}

impl Platform {
    /// Starts everything and returns when every part answers.
    pub async fn start(config: Config) -> Result<Self, StartError> {
        start::start(config).await
    }

    /// Where everything is.
    #[must_use]
    pub fn ready(&self) -> &Ready {
        &self.ready
    }

    /// The platform below its services.
    #[must_use]
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Process numbers of the nodes, the primary chain's first.
    #[must_use]
    pub fn node_pids(&self) -> Vec<u32> {
        self.nodes.iter().map(Node::pid).collect()
    }

    /// Waits until a node has ended, for whatever reason; the future does not borrow the platform.
    pub fn died(&self) -> impl Future<Output = NodeDeath> + Send + use<> {
        let deaths: Vec<_> = self.nodes.iter().map(|node| node.wait_death().boxed()).collect();
        async move {
            if deaths.is_empty() {
                // The nodes of another platform are not this one's to watch.
                return std::future::pending().await;
            }
            futures::future::select_all(deaths).await.0
        }
    }

    /// Ends in order: services first, so that nobody is answered from half a platform.
    pub async fn stop(self) {
        let Self { services, nodes, following, engine, ready: _ } = self;
        services.stop().await;
        drop(following);
        drop(engine);
        futures::future::join_all(nodes.into_iter().map(Node::stop)).await;
    }
}
