//! A platform that is still starting while the conversation begins.
use std::pin::Pin;

use url::Url;

/// Where a platform answers.
#[derive(Clone, Debug)]
pub struct Addresses {
    /// The RPC of chain 57073.
    pub rpc_url: Url,
    /// Origin of the launch service.
    pub base_url: Url,
}

/// The platform has not started.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{problem}")]
pub struct StartFailed {
    /// What the start reports.
    pub problem: String,
}

/// A platform that is starting: its addresses once it answers.
pub type Start = Pin<Box<dyn Future<Output = Result<Addresses, StartFailed>> + Send>>;
