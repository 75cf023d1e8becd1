//! An example to copy: a client that reports each new launch once. Its tests start slipway in their own process.
use std::collections::BTreeSet;

use serde::Deserialize;

/// A launched token.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
pub struct Launch {
    /// Address of the token.
    pub address: String,
    /// Name of the token.
    pub name: String,
}

#[derive(Deserialize)]
struct Recent {
    tokens: Vec<Launch>,
}

/// Knows which launches it has reported.
#[derive(Debug)]
pub struct Watcher {
    recent: String,
    reported: BTreeSet<String>,
}

impl Watcher {
    /// Watches the main chain of the platform at this address.
    #[must_use]
    pub fn new(base_url: &str) -> Self {
        Self {
            recent: format!("{base_url}/api/tokens/recent-v2?chainId=57073&limit=50"),
            reported: BTreeSet::new(),
        }
    }

    /// The launches since the last call, the newest first.
    ///
    /// # Errors
    /// The service cannot be reached, refuses, or answers something else.
    pub async fn launches(&mut self) -> Result<Vec<Launch>, reqwest::Error> {
        let recent: Recent = reqwest::get(&self.recent).await?.error_for_status()?.json().await?;
        Ok(recent.tokens.into_iter().filter(|launch| self.reported.insert(launch.address.clone())).collect())
    }
}
