//! Listeners and the servers behind them, with an end that lets answers finish.
use std::future::IntoFuture;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use axum::extract::Request;
use axum::{Router, ServiceExt};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::StartError;
use crate::surface::swap;

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
    /// Serves each router on its listener, and the swap service on its own.
    pub(super) fn start(routers: Vec<(TcpListener, Router)>, swap: (TcpListener, swap::Service)) -> Self {
        let mut services = Self {
            ending: watch::Sender::new(false),
            servers: JoinSet::new(),
        };
        for (listener, router) in routers {
            let router = router.into_make_service_with_connect_info::<SocketAddr>();
            let server = axum::serve(listener, router).with_graceful_shutdown(services.end());
            services.run(server.into_future());
        }
        let (listener, service) = swap;
        let service = ServiceExt::<Request>::into_make_service(service);
        let server = axum::serve(listener, service).with_graceful_shutdown(services.end());
        services.run(server.into_future());
        services
    }

    /// Ends when the services are told to.
    fn end(&self) -> impl Future<Output = ()> + Send + use<> {
        let mut end = self.ending.subscribe();
        async move { _ = end.wait_for(|ending| *ending).await }
    }

    fn run(&mut self, server: impl Future<Output = io::Result<()>> + Send + 'static) {
        self.servers.spawn(async move {
            if let Err(error) = server.await {
                tracing::error!(%error, "a service ended");
            }
        });
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
