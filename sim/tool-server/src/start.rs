//! A platform that is still starting while the conversation begins.
use std::pin::Pin;

use url::Url;

/// The addresses of a platform.
#[derive(Clone, Debug)]
pub struct Addresses {
    /// The RPC of chain 57073.
    pub rpc_url: Url,
    /// Origin of the launch service.
    pub base_url: Url,
}

/// The platform failed to start.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{problem}")]
pub struct StartFailed {
    /// The problem reported by the start.
    pub problem: String,
}

/// A starting platform: resolves to its addresses once it responds.
pub type Start = Pin<Box<dyn Future<Output = Result<Addresses, StartFailed>> + Send>>;
