//! The listeners of the platform and their servers, with a graceful shutdown.
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use axum::Router;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::error::StartError;
use super::listener::{ListenerLimits, serve};

/// A part of the platform that listens on a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Port {
    pub(super) part: &'static str,
    pub(super) host: IpAddr,
    pub(super) number: u16,
}

impl Port {
    /// Binds the port; the error contains the port if it is in use.
    pub(super) async fn listen(self) -> Result<TcpListener, StartError> {
        let Self { part, host, number: port } = self;
        TcpListener::bind((host, port)).await.map_err(|source| StartError::Port { part, host, port, source })
    }
}

/// URL of a listener for this machine: a listener on all addresses is reached on the loopback address.
pub(super) fn url(listener: &TcpListener) -> Result<String, StartError> {
    let mut address = listener.local_addr().map_err(StartError::Listener)?;
    if address.ip().is_unspecified() {
        address.set_ip(match address.ip() {
            IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
        });
    }
    Ok(format!("http://{address}"))
}

#[derive(Debug)]
pub(super) struct Services {
    shutdown: watch::Sender<bool>,
    servers: JoinSet<()>,
}

impl Services {
    pub(super) fn start(limits: ListenerLimits, services: Vec<(TcpListener, Router)>) -> Self {
        let shutdown = watch::Sender::new(false);
        let mut servers = JoinSet::new();
        for (listener, service) in services {
            servers.spawn(serve(listener, service, limits, shutdown.subscribe()));
        }
        Self { shutdown, servers }
    }

    /// Accepts no more requests and returns when responses in progress have been drained or aborted.
    pub(super) async fn stop(mut self) {
        self.shutdown.send_replace(true);
        while self.servers.join_next().await.is_some() {}
    }
}
