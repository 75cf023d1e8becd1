//! Details of talking to a tool server that the interface leaves open.
use crate::fake_servers::dns::FakeDns;

/// The formats that a tool server accepts.
#[derive(Debug)]
pub(crate) struct Manners {
    /// The host of an acceptable link.
    pub(crate) host: &'static str,
    /// The prefix of a raw key.
    pub(crate) prefix: &'static str,
    /// The name server that knows the host, if the tool server uses it.
    pub(crate) dns: Option<FakeDns>,
}
