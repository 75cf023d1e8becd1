//! The reverse proxy through which everything that stands in front of a service works, and the defects of the HTTP services, which are its
//! first [`Rule`]. With nothing selected a proxy changes no byte but `Date`.
pub mod body;
mod bounds;
pub(crate) mod consistent;
mod control;
pub mod exchange;
mod facts;
mod mutated;
pub(crate) mod mutation;
mod proxies;
pub(crate) mod rest;
mod rpc;
mod selection;
mod server;
mod swap;
mod upstream;
mod websocket;

pub use crate::chain::SwitchError;
pub use proxies::{Addresses, Listeners, ListenersError, Parts, Ports, Proxies, StartError};
pub use server::{Link, Rule, Servers};
pub use upstream::{ExchangeError, HostHeader, Upstream, UpstreamError};

use crate::{Defect, Layer};

/// Most header lines of a request or a response; more than services take, so that they decide.
const HEADERS: usize = 512;
/// Most bytes of a head; more than services take.
const HEAD_LIMIT: usize = 256 * 1024;

/// The defects of one proxied layer, in the order of its tables.
pub(crate) fn defects(layer: Layer) -> impl Iterator<Item = Defect> {
    selection::rows(layer).map(|row| row.defect)
}
