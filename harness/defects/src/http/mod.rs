//! The reverse proxy through which everything that stands in front of a service works, and the defects of the HTTP services, which are its
//! first [`Rule`]. With nothing selected a proxy changes no byte but `Date`.
pub(crate) mod act;
pub(crate) mod acts;
pub mod body;
pub(crate) mod calls;
mod control;
pub mod exchange;
mod facts;
mod mutated;
mod proxies;
mod server;
mod switch;
mod upstream;
mod websocket;

pub use crate::chain::SwitchError;
pub use proxies::{Addresses, Listeners, ListenersError, Parts, Ports, Proxies, StartError};
pub use server::{Link, Rule, Servers};
pub use upstream::{ExchangeError, HostHeader, Upstream, UpstreamError};

/// Most header lines of a request or a response; more than services take, so that they decide.
const HEADERS: usize = 512;
/// Most bytes of a head; more than services take.
const HEAD_LIMIT: usize = 256 * 1024;
