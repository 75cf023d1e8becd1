//! The whole platform behind a config, a start and a handle: chains, index, services, and their ordered shutdown.
mod chains;
mod config;
mod connection;
mod error;
mod import;
mod listener;
mod live;
mod node_filter;
mod ready;
mod serve;
mod services;
mod start;

use std::path::Path;
use std::sync::Arc;

use futures::future::BoxFuture;
use futures::{FutureExt, TryFutureExt as _};
use slipway_contracts::node::{Node, NodeExit};
use tokio::sync::mpsc::Receiver;

use crate::api::Api;
use crate::api::activity::Activity;
use crate::engine::{Engine, Exporter};
use crate::indexer::Following;
pub use config::{Attach, AttachedChain, Config, MARKET_END, PublicUrls};
pub use error::StartError;
pub use import::{ImportError, ImportFailure};
pub use listener::ListenerLimits;
pub use ready::{Ready, ReadyChain, ReadyIndex};
use serve::Services;

/// A running platform; everything that it started ends with it.
///
/// ```
/// use slipway_sim::{Config, Platform};
///
/// # #[tokio::main]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let platform = Platform::start(Config { seed: 7, ..Config::default() }).await?;
/// let tokens = reqwest::get(format!("{}/api/tokens", platform.ready().base_url)).await?;
/// assert!(tokens.status().is_success());
///
/// // What happens until `revert` is taken back: on the chains, in the services, to the clock.
/// let before = platform.engine().checkpoint(None).await?;
/// platform.engine().advance(3_600).await?;
/// platform.engine().revert(before).await?;
/// platform.stop().await;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Platform {
    ready: Ready,
    api: Arc<Api>,
    engine: Engine,
    services: Services,
    nodes: Vec<Node>,
    following: Following,
    exporter: Exporter,
}

/// These functions return boxed futures: a plain `async fn` would be compiled again in every crate that awaits it.
impl Platform {
    /// Starts everything; resolves when every part responds.
    #[inline(never)]
    pub fn start(config: Config) -> BoxFuture<'static, Result<Self, StartError>> {
        let folder = config.kept_folder().map(Path::to_owned);
        start::start(config).map_err(move |error| error.in_folder(folder.as_deref())).boxed()
    }

    /// The addresses of everything.
    #[must_use]
    pub fn ready(&self) -> &Ready {
        &self.ready
    }

    /// Follows activities from now on: answered requests, orders, mined transactions, checkpoints and moves of the clock. There is only one
    /// follower; activities that it does not read in time are dropped.
    #[must_use]
    pub fn follow(&self) -> Receiver<Activity> {
        self.api.follow()
    }

    /// The engine below the services.
    #[must_use]
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Writes the whole platform to a file.
    #[must_use]
    pub fn exporter(&self) -> &Exporter {
        &self.exporter
    }

    /// Process ids of the nodes, the primary chain's first.
    #[must_use]
    pub fn node_pids(&self) -> Vec<u32> {
        self.nodes.iter().map(Node::pid).collect()
    }

    /// Resolves when a node has exited, for whatever reason; the future does not borrow the platform.
    #[inline(never)]
    pub fn died(&self) -> BoxFuture<'static, NodeExit> {
        let deaths: Vec<_> = self.nodes.iter().map(|node| node.wait_exit().boxed()).collect();
        if deaths.is_empty() {
            // This process does not watch the nodes of another platform.
            return std::future::pending().boxed();
        }
        futures::future::select_all(deaths).map(|(exit, ..)| exit).boxed()
    }

    /// Shuts down in order: services first, so that no request reaches a half-stopped platform.
    #[inline(never)]
    pub fn stop(self) -> BoxFuture<'static, ()> {
        async move {
            let Self { services, nodes, following, engine, exporter, api, ready: _ } = self;
            services.stop().await;
            following.end().await;
            engine.keep_last().await;
            engine.leave().await;
            engine.store().close().await;
            drop((engine, exporter, api));
            futures::future::join_all(nodes.into_iter().map(Node::stop)).await;
        }
        .boxed()
    }
}
