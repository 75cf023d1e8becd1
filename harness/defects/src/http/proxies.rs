//! The proxies of one platform, started in two steps: the addresses first, because the platform must know its own.
use std::collections::BTreeMap;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;
use url::Url;

use super::control::SwitchError;
use super::facts::Learner;
use super::selection::Selection;
use super::server::{Proxy, Service, Shared, serve};
use super::upstream::{HostHeader, Upstream, UpstreamError};
use crate::chain::Mutants;
use crate::variants::Variant;
use crate::wire::Wire;
use crate::{Defect, Defects, Layer};

/// Addresses of the parts of a platform; a part that is absent has no proxy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Addresses {
    /// The REST service.
    pub rest: Option<Url>,
    /// The swap service.
    pub swap: Option<Url>,
    /// The control plane.
    pub control: Option<Url>,
    /// The RPCs by chain id.
    pub rpc: BTreeMap<u64, Url>,
}

/// Ports to listen on, 0 for a free one; a part that is absent gets no proxy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ports {
    /// In front of the REST service.
    pub rest: Option<u16>,
    /// In front of the swap service.
    pub swap: Option<u16>,
    /// In front of the control plane.
    pub control: Option<u16>,
    /// In front of the RPCs, by chain id.
    pub rpc: BTreeMap<u64, u16>,
}

impl Ports {
    /// Free ports for every part of a platform; its RPCs stay as they are.
    pub fn free(addresses: &Addresses) -> Self {
        let port = |part: &Option<Url>| part.as_ref().map(|_| 0);
        Self {
            rest: port(&addresses.rest),
            swap: port(&addresses.swap),
            control: port(&addresses.control),
            rpc: BTreeMap::new(),
        }
    }

    /// The same, and free ports for its RPCs.
    pub fn with_rpc(mut self, addresses: &Addresses) -> Self {
        self.rpc = addresses.rpc.keys().map(|chain| (*chain, 0)).collect();
        self
    }
}

/// A port could not be taken.
#[derive(Debug, thiserror::Error)]
#[error("port {port} for the proxy of {part} cannot be taken: {source}")]
pub struct ListenersError {
    /// What would stand behind it.
    pub part: &'static str,
    /// The port.
    pub port: u16,
    /// Why.
    pub source: io::Error,
}

/// The listeners of proxies that serve nothing yet.
#[derive(Debug)]
pub struct Listeners {
    rest: Option<(TcpListener, Url)>,
    swap: Option<(TcpListener, Url)>,
    control: Option<(TcpListener, Url)>,
    rpc: BTreeMap<u64, (TcpListener, Url)>,
}

impl Listeners {
    /// Takes the ports.
    ///
    /// # Errors
    /// When one is taken already.
    #[inline(never)]
    pub fn bind(ports: Ports) -> BoxFuture<'static, Result<Self, ListenersError>> {
        async move {
            let mut rpc = BTreeMap::new();
            for (chain, port) in ports.rpc {
                rpc.insert(chain, listen("a chain", port).await?);
            }
            Ok(Self {
                rest: optional("the service", ports.rest).await?,
                swap: optional("the swap service", ports.swap).await?,
                control: optional("the control plane", ports.control).await?,
                rpc,
            })
        }
        .boxed()
    }

    /// Where the proxies listen.
    pub fn addresses(&self) -> Addresses {
        let url = |listener: &Option<(TcpListener, Url)>| listener.as_ref().map(|(_, url)| url.clone());
        Addresses {
            rest: url(&self.rest),
            swap: url(&self.swap),
            control: url(&self.control),
            rpc: self.rpc.iter().map(|(chain, (_, url))| (*chain, url.clone())).collect(),
        }
    }

    /// Serves in front of a platform; a part that it lacks answers nobody.
    ///
    /// # Errors
    /// When an address is unusable, or a selected defect of the contracts cannot be put in place.
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
        /// Why.
        source: SwitchError,
    },
}

async fn optional(
    part: &'static str,
    port: Option<u16>,
) -> Result<Option<(TcpListener, Url)>, ListenersError> {
    Ok(match port {
        Some(port) => Some(listen(part, port).await?),
        None => None,
    })
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
    let rpc_proxied = !listeners.rpc.is_empty();
    let shared = Arc::new(Shared {
        selection: Selection::default(),
        wire: Wire::default(),
        learner,
        mutants,
        rpc_proxied,
    });
    for defect in Layer::PROXIED.into_iter().flat_map(|layer| defects.of_layer(layer)) {
        shared.turn(defect, true).await.map_err(|source| StartError::Switch { id: defect.id, source })?;
    }
    let ending = watch::Sender::new(false);
    let mut servers = JoinSet::new();
    let parts = [
        (listeners.rest, &upstream.rest, Service::Mutated(Layer::Rest)),
        (listeners.swap, &upstream.swap, Service::Mutated(Layer::Swap)),
        (listeners.control, &upstream.control, Service::Control),
    ];
    let chains = listeners.rpc.into_iter();
    let chains = chains.map(|(chain, listener)| (Some(listener), upstream.rpc.get(&chain)));
    let parts = parts.into_iter().map(|(listener, url, service)| (listener, url.as_ref(), service));
    let chains = chains.map(|(listener, url)| (listener, url, Service::Mutated(Layer::Node)));
    for (listener, url, service) in parts.chain(chains) {
        if let (Some((listener, _)), Some(url)) = (listener, url) {
            let upstream = Upstream::new(url.clone(), host)?;
            let proxy = Proxy { service, upstream, shared: Arc::clone(&shared) };
            servers.spawn(serve(listener, proxy, ending.subscribe()));
        }
    }
    Ok(Proxies { addresses, shared, ending, servers })
}

/// Running proxies; they end when dropped.
pub struct Proxies {
    addresses: Addresses,
    shared: Arc<Shared>,
    ending: watch::Sender<bool>,
    servers: JoinSet<()>,
}

impl Proxies {
    /// Where they listen.
    pub fn addresses(&self) -> &Addresses {
        &self.addresses
    }

    /// The mutant in force.
    pub fn wire(&self) -> &Wire {
        &self.shared.wire
    }

    /// Switches a defect of the proxied services or of the contracts on or off.
    ///
    /// # Errors
    /// When it is one of the tool server, no proxy stands in front of the RPC, or the contracts cannot be changed.
    #[inline(never)]
    pub fn switch<'a>(&'a self, defect: &'a Defect, on: bool) -> BoxFuture<'a, Result<(), SwitchError>> {
        self.shared.turn(defect, on).boxed()
    }

    /// Puts these variants of the proxied services in force, and no others.
    pub fn vary(&self, variants: &[&'static Variant]) {
        self.shared.selection.vary(variants);
    }

    /// Puts sound contracts back, takes no more requests, lets responses finish for a while, and ends.
    #[inline(never)]
    pub fn stop(self) -> BoxFuture<'static, ()> {
        async move {
            let Self { shared, ending, mut servers, addresses: _ } = self;
            if let Err(error) = shared.mutants.restore_all().await {
                tracing::warn!(%error, "sound contracts could not be put back");
            }
            ending.send_replace(true);
            while servers.join_next().await.is_some() {}
        }
        .boxed()
    }
}
