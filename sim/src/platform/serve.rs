//! Listeners and the servers behind them, with an end that lets answers finish.
use std::net::{Ipv4Addr, SocketAddr};

use axum::Router;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::listener::{ListenerLimits, serve};
use super::{StartError, dedicated_thread};
use crate::services::swap;

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
        TcpListener::bind(address).await.map_err(|source| StartError::Port {
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
    /// Serves each router on its listener, and the swap service on its own and on a thread of its own.
    pub(super) fn start(
        limits: ListenerLimits,
        routers: Vec<(TcpListener, Router)>,
        swap: (TcpListener, swap::Service),
    ) -> Self {
        let ending = watch::Sender::new(false);
        let mut servers = JoinSet::new();
        for (listener, router) in routers {
            servers.spawn(serve(listener, router, limits, ending.subscribe()));
        }
        let (listener, service) = swap;
        let end = ending.subscribe();
        servers.spawn(dedicated_thread::run("swap service", listener, move |listener| {
            serve(listener, service, limits, end)
        }));
        Self { ending, servers }
    }

    /// Takes no more requests, lets answers finish for a while, and ends.
    pub(super) async fn stop(mut self) {
        self.ending.send_replace(true);
        while self.servers.join_next().await.is_some() {}
    }
}
