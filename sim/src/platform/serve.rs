//! Listeners and the servers behind them, with an end that lets answers finish.
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use axum::Router;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::StartError;

/// How long answers in the making may take at the end.
const LAST_ANSWERS: Duration = Duration::from_secs(2);

/// A part of the platform that listens on a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Port {
    pub(super) part: &'static str,
    pub(super) number: u16,
}

impl Port {
    /// Takes the port; it is an error that names it when somebody else has it.
    pub(super) async fn listen(self) -> Result<TcpListener, StartError> {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, self.number));
        TcpListener::bind(address)
            .await
            .map_err(|source| StartError::Port {
                part: self.part,
                port: self.number,
                source,
            })
    }
}

/// Address of a listener as a URL.
pub(super) fn url(listener: &TcpListener) -> Result<String, StartError> {
    let address = listener.local_addr().map_err(StartError::Listener)?;
    Ok(format!("http://{address}"))
}

/// The running servers.
#[derive(Debug)]
pub(super) struct Services {
    ending: watch::Sender<bool>,
    servers: JoinSet<()>,
}

impl Services {
    /// Serves each router on its listener.
    pub(super) fn start(routers: Vec<(TcpListener, Router)>) -> Self {
        let ending = watch::Sender::new(false);
        let mut servers = JoinSet::new();
        for (listener, router) in routers {
            let mut end = ending.subscribe();
            let told = async move { _ = end.wait_for(|ending| *ending).await };
            let server = axum::serve(
                listener,
                router.into_make_service_with_connect_info::<SocketAddr>(),
            );
            servers.spawn(async move {
                if let Err(error) = server.with_graceful_shutdown(told).await {
                    tracing::error!(%error, "a service ended");
                }
            });
        }
        Self { ending, servers }
    }

    /// Takes no more requests, lets answers finish for a while, and ends.
    pub(super) async fn stop(mut self) {
        self.ending.send_replace(true);
        let all = async { while self.servers.join_next().await.is_some() {} };
        if timeout(LAST_ANSWERS, all).await.is_err() {
            tracing::warn!("answers in the making were cut off");
        }
    }
}
