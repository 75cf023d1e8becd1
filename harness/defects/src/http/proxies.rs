//! The proxies of one platform, started in two steps: first the addresses, because the platform must know its own.
use std::collections::BTreeMap;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use futures::FutureExt as _;
use futures::future::{BoxFuture, OptionFuture};
use tokio::net::TcpListener;
use url::Url;

use super::facts::Learner;
use super::mutated::{Proxy, Service};
use super::server::{Rule, Servers};
use super::switch::Switch;
use super::upstream::{HostHeader, Upstream, UpstreamError};
use crate::chain::{Mutants, SwitchError};
use crate::variants::Variant;
use crate::{Defect, Defects, Layer};

/// One value for each part of a platform; a missing part has no proxy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parts<T> {
    /// Of the REST service.
    pub rest: Option<T>,
    /// Of the swap service.
    pub swap: Option<T>,
    /// Of the control plane.
    pub control: Option<T>,
    /// Of the RPCs, by chain id.
    pub rpc: BTreeMap<u64, T>,
}

/// The addresses of a platform's parts.
pub type Addresses = Parts<Url>;
/// Ports to listen on in front of the parts, 0 for a free one.
pub type Ports = Parts<u16>;

/// A part of a platform that a proxy is in front of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proxied {
    /// The REST service.
    Rest,
    /// The swap service.
    Swap,
    /// The control plane.
    Control,
    /// The RPC of a chain.
    Node(u64),
}

impl<T> Default for Parts<T> {
    fn default() -> Self {
        Self { rest: None, swap: None, control: None, rpc: BTreeMap::new() }
    }
}

impl<T> Parts<T> {
    fn map<U>(&self, of: impl Fn(&T) -> U) -> Parts<U> {
        let [rest, swap, control] =
            [&self.rest, &self.swap, &self.control].map(|part| part.as_ref().map(&of));
        Parts { rest, swap, control, rpc: self.rpc.iter().map(|(chain, part)| (*chain, of(part))).collect() }
    }

    fn get(&self, place: Proxied) -> Option<&T> {
        match place {
            Proxied::Rest => self.rest.as_ref(),
            Proxied::Swap => self.swap.as_ref(),
            Proxied::Control => self.control.as_ref(),
            Proxied::Node(chain) => self.rpc.get(&chain),
        }
    }

    fn each(self) -> impl Iterator<Item = (Proxied, T)> {
        let services =
            [(Proxied::Rest, self.rest), (Proxied::Swap, self.swap), (Proxied::Control, self.control)];
        let services = services.into_iter().filter_map(|(place, part)| Some((place, part?)));
        services.chain(self.rpc.into_iter().map(|(chain, part)| (Proxied::Node(chain), part)))
    }
}

impl Ports {
    /// Free ports for every part of a platform except its RPCs, which get no proxy.
    pub fn free(addresses: &Addresses) -> Self {
        Self { rpc: BTreeMap::new(), ..addresses.map(|_| 0) }
    }

    /// Adds free ports for its RPCs.
    pub fn with_rpc(self, addresses: &Addresses) -> Self {
        Self { rpc: addresses.map(|_| 0).rpc, ..self }
    }
}

/// A port could not be taken.
#[derive(Debug, thiserror::Error)]
#[error("port {port} for the proxy of {part} cannot be taken: {source}")]
pub struct ListenersError {
    /// The part that would be behind it.
    pub part: &'static str,
    /// The port.
    pub port: u16,
    /// The reason.
    pub source: io::Error,
}

/// The listeners of proxies that serve nothing yet.
#[derive(Debug)]
pub struct Listeners(Parts<(TcpListener, Url)>);

impl Listeners {
    /// Takes the ports.
    ///
    /// # Errors
    /// If a port is taken already.
    #[inline(never)]
    pub fn bind(ports: Ports) -> BoxFuture<'static, Result<Self, ListenersError>> {
        async move {
            let mut rpc = BTreeMap::new();
            for (chain, port) in ports.rpc {
                rpc.insert(chain, listen("a chain", port).await?);
            }
            let one = |part, port: Option<u16>| OptionFuture::from(port.map(|port| listen(part, port)));
            Ok(Self(Parts {
                rest: one("the REST service", ports.rest).await.transpose()?,
                swap: one("the swap service", ports.swap).await.transpose()?,
                control: one("the control plane", ports.control).await.transpose()?,
                rpc,
            }))
        }
        .boxed()
    }

    /// The addresses that the proxies listen on.
    pub fn addresses(&self) -> Addresses {
        self.0.map(|(_, url)| url.clone())
    }

    /// Serves in front of a platform by other rules than the defects; a missing part gets no proxy.
    ///
    /// # Errors
    /// If an address is unusable.
    pub fn serve<R: Rule>(
        self,
        platform: &Addresses,
        host: HostHeader,
        rule: impl Fn(Proxied, Upstream) -> R,
    ) -> Result<Servers, UpstreamError> {
        let mut servers = Servers::default();
        for (place, (listener, _)) in self.0.each() {
            if let Some(url) = platform.get(place) {
                let upstream = Upstream::new(url.clone(), host)?;
                servers.add(listener, upstream.clone(), Arc::new(rule(place, upstream)));
            }
        }
        Ok(servers)
    }

    /// Serves in front of a platform; a missing part gets no proxy.
    ///
    /// # Errors
    /// If an address is unusable, or a selected defect of the contracts cannot be installed.
    #[inline(never)]
    pub fn start(
        self,
        upstream: Addresses,
        host: HostHeader,
        defects: Defects,
    ) -> BoxFuture<'static, Result<Proxies, StartError>> {
        start(self, upstream, host, defects).boxed()
    }
}

/// The proxies could not be started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// An address is unusable.
    #[error(transparent)]
    Upstream(#[from] UpstreamError),
    /// A selected defect cannot be switched on.
    #[error("the defect {id} cannot be put in place: {source}")]
    Switch {
        /// The defect.
        id: &'static str,
        /// The reason.
        source: SwitchError,
    },
}

async fn listen(part: &'static str, port: u16) -> Result<(TcpListener, Url), ListenersError> {
    let failed = |source| ListenersError { part, port, source };
    let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port))).await.map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    let url = Url::parse(&format!("http://{address}")).expect("the address of a socket makes a URL");
    Ok((listener, url))
}

async fn start(
    listeners: Listeners,
    upstream: Addresses,
    host: HostHeader,
    defects: Defects,
) -> Result<Proxies, StartError> {
    slipway_contracts::prepare_http();
    let addresses = listeners.addresses();
    let learner = Learner::new(upstream.rest.clone(), upstream.swap.clone(), upstream.control.clone());
    let mutants = Mutants::new(upstream.rest.clone(), upstream.rpc.clone());
    let switch = Arc::new(Switch::new(learner, mutants, !addresses.rpc.is_empty()));
    for defect in Layer::PROXIED.into_iter().flat_map(|layer| defects.of_layer(layer)) {
        switch.turn(defect, true).await.map_err(|source| StartError::Switch { id: defect.id, source })?;
    }
    let servers = listeners.serve(&upstream, host, |place, upstream| {
        let service = match place {
            Proxied::Rest => Service::Changed(Layer::Rest),
            Proxied::Swap => Service::Changed(Layer::Swap),
            Proxied::Control => Service::Control,
            Proxied::Node(_) => Service::Changed(Layer::Node),
        };
        Proxy { service, upstream, switch: Arc::clone(&switch) }
    })?;
    Ok(Proxies { addresses, switch, servers })
}

/// Running proxies; they end when dropped.
pub struct Proxies {
    addresses: Addresses,
    switch: Arc<Switch>,
    servers: Servers,
}

impl Proxies {
    /// The addresses they listen on.
    pub fn addresses(&self) -> &Addresses {
        &self.addresses
    }

    /// Switches a defect of the proxied services or of the contracts on or off.
    ///
    /// # Errors
    /// If it is a defect of the tool server, no proxy is in front of the RPC, or the contracts cannot be changed.
    #[inline(never)]
    pub fn switch<'a>(&'a self, defect: &'a Defect, on: bool) -> BoxFuture<'a, Result<(), SwitchError>> {
        self.switch.turn(defect, on).boxed()
    }

    /// Activates these variants of the proxied services and deactivates all others.
    pub fn vary(&self, variants: &[&'static Variant]) {
        self.switch.vary(variants);
    }

    /// Restores sound contracts, accepts no more requests, lets responses finish for a limited time, and ends.
    #[inline(never)]
    pub fn stop(self) -> BoxFuture<'static, ()> {
        async move {
            let Self { switch, servers, addresses: _ } = self;
            if let Err(error) = switch.restore_contracts().await {
                tracing::warn!(%error, "sound contracts could not be put back");
            }
            servers.stop().await;
        }
        .boxed()
    }
}
