//! The reverse proxy of everything that works in front of a service, and the defects of the HTTP services, its first [`Rule`]. With nothing
//! selected a proxy changes no byte except `Date`.
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
pub use calls::each_answer;
pub use proxies::{Addresses, Listeners, ListenersError, Parts, Ports, Proxied, Proxies, StartError};
pub use server::{Link, Rule, Servers};
pub use tokio_tungstenite::tungstenite::protocol::Message;
pub use upstream::{ExchangeError, HostHeader, Upstream, UpstreamError};
pub use websocket::{Unanswered, payload, with_payload};

/// Maximum header lines of a request or a response; above the limits of services, so that they decide.
const HEADERS: usize = 512;
/// Maximum bytes of a message head; above the limits of services.
const HEAD_LIMIT: usize = 256 * 1024;
