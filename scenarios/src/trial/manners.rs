//! How a tool server is spoken to, where the interface leaves it open.
use crate::fake_servers::dns::FakeDns;

/// What a tool server takes.
#[derive(Debug)]
pub(crate) struct Manners {
    /// The host of a link that it takes.
    pub(crate) host: &'static str,
    /// How a raw key begins.
    pub(crate) prefix: &'static str,
    /// The name server that knows the host, where it takes one.
    pub(crate) dns: Option<FakeDns>,
}
